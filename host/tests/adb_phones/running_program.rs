//! A program that runs beside the test: waited for, disturbed and ended. Its output is in files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Pause between two looks at what another process does.
pub(crate) const POLL_PAUSE: Duration = Duration::from_millis(10);

/// A started program.
#[derive(Debug)]
pub(crate) struct RunningProgram {
    child: Child,
    command: String,
    log: PathBuf,
}

impl RunningProgram {
    /// Starts a command; `log` gets what it says on standard error.
    pub(crate) fn start(command: &mut Command, log: &Path) -> RunningProgram {
        let shown = format!("{command:?}");
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(log).unwrap())
            .spawn()
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        RunningProgram {
            child,
            command: shown,
            log: log.to_owned(),
        }
    }

    /// Waits until something has happened. Panics if the program ends before.
    pub(crate) fn wait_until(&mut self, what: &str, mut has_happened: impl FnMut() -> bool) {
        while !has_happened() {
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "{}: ended with {ended:?} before {what}: {}",
                self.command,
                self.log()
            );
            std::thread::sleep(POLL_PAUSE);
        }
    }

    /// Waits until a file contains a text so many times.
    pub(crate) fn wait_for_text(&mut self, file: &Path, text: &str, count: usize) {
        let what = format!("{count} times `{text}` in {}", file.display());
        self.wait_until(&what, || {
            fs::read_to_string(file).is_ok_and(|content| content.matches(text).count() >= count)
        });
    }

    pub(crate) fn log_path(&self) -> &Path {
        &self.log
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on standard error so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits for the end. Panics with command, exit code and output if the exit code is another one.
    pub(crate) fn wait(&mut self, codes: &[i32]) {
        let status = self.child.wait().unwrap();
        assert!(
            status.code().is_some_and(|code| codes.contains(&code)),
            "{}: {status} instead of {codes:?}: {}",
            self.command,
            self.log()
        );
    }

    /// Ends the program at once, without giving it a chance to clean up.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends a signal, such as `STOP`.
pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), process.to_string()])
        .status()
        .unwrap();
    assert!(sent.success(), "no signal {name} to process {process}");
}

/// The same command, started by another program that changes how it begins, such as `env --ignore-signal=INT`.
pub(crate) fn started_by(program: &[&str], plain: &Command) -> Command {
    let mut words = program
        .iter()
        .map(OsString::from)
        .chain(std::iter::once(plain.get_program().to_owned()))
        .chain(plain.get_args().map(OsString::from));
    let mut command = Command::new(words.next().unwrap());
    command.args(words);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command
}
