//! How the program ends, as a number. `docs/reference/exit-codes.md` says the same to people.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandExit {
    /// Done as asked.
    Done = 0,
    /// An exploration found problems in the app.
    FindingsFound = 1,
    /// Usage, configuration, or files that cannot be read or written.
    Usage = 2,
    /// The trace did not reproduce.
    DoesNotReproduce = 3,
    /// There is no phone, or all of them were lost.
    NoPhone = 4,
    /// The trace reproduces in some runs and not in others.
    Flaky = 5,
    /// Retap's own fault.
    InternalError = 70,
    /// The user asked to stop, and everything was finished cleanly.
    Interrupted = 130,
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_a_row_for_every_exit_code_and_no_other() {
        let manual = include_str!("../../docs/reference/exit-codes.md");
        let rows: Vec<u8> = manual
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok())
            .collect();
        let codes = [
            CommandExit::Done,
            CommandExit::FindingsFound,
            CommandExit::Usage,
            CommandExit::DoesNotReproduce,
            CommandExit::NoPhone,
            CommandExit::Flaky,
            CommandExit::InternalError,
            CommandExit::Interrupted,
        ];
        assert_eq!(rows, codes.map(|exit| exit as u8));
    }
}
