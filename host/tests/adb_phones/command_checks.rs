//! Commands that must end with an exit code and say something.

use std::process::Command;

use crate::environment::ProgramOutput;

/// Runs a command. Panics with command, exit code and output unless it ends with one of these exit codes.
pub(crate) fn run_expecting(command: &mut Command, codes: &[i32]) -> ProgramOutput {
    let shown = format!("{command:?}");
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    let ended = ProgramOutput::from(output);
    assert!(
        codes.contains(&ended.code),
        "{shown}: exit code {} instead of {codes:?}: {}{}",
        ended.code,
        ended.out,
        ended.err
    );
    ended
}

/// Runs a command that must also say these words, on standard output or standard error.
pub(crate) fn run_saying(command: &mut Command, code: i32, words: &str) -> ProgramOutput {
    let ended = run_expecting(command, &[code]);
    assert_says(&format!("{command:?}"), &ended, words);
    ended
}

/// Panics with the command and its output unless one of its lines contains these words.
pub(crate) fn assert_says(command: &str, ended: &ProgramOutput, words: &str) {
    assert!(
        ended.out.contains(words) || ended.err.contains(words),
        "{command}: exit code {}, did not say `{words}`: {}{}",
        ended.code,
        ended.out,
        ended.err
    );
}
