//! The shell's own programs, run as a person at `adb shell` would run them, each for a while at most.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A broadcast is waited for until its receivers are done, which may take them ten seconds.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(20);
/// The help of the activity manager is some tens of KiB.
const LONGEST: u64 = 256 * 1024;
/// How a program begins the line that says what went wrong. Many end with 0 all the same.
const ERROR_PREFIXES: [&str; 9] = [
    "Error",
    "Exception",
    "Security exception",
    "Permission Denial",
    "Unable to",
    "Unknown ",
    "Remote Exception",
    "java.lang.",
    "cmd: ",
];

/// What a program has said, on both of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramOutput {
    pub(crate) text: String,
    pub(crate) succeeded: bool,
}

impl ProgramOutput {
    /// What went wrong, if the program says that something did.
    pub(crate) fn error_line(&self) -> Option<&str> {
        let mut lines = self.text.lines().map(str::trim);
        let told = lines.find(|line| ERROR_PREFIXES.iter().any(|word| line.starts_with(word)));
        told.or_else(|| {
            (!self.succeeded).then(|| {
                self.text
                    .lines()
                    .next()
                    .unwrap_or("it failed without a word")
            })
        })
    }
}

/// Runs a program by its words, the first of which is its name.
pub(crate) trait ProgramRunner {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput>;
}

/// The programs of the phone that this process runs on.
#[derive(Debug)]
pub(crate) struct PhonePrograms {
    /// What a program says goes here first: a pipe that nobody empties would hold it up.
    output_file: PathBuf,
}

impl PhonePrograms {
    pub(crate) fn new(folder: &std::path::Path) -> PhonePrograms {
        PhonePrograms {
            output_file: folder.join("program.said"),
        }
    }
}

impl ProgramRunner for PhonePrograms {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        let [program, arguments @ ..] = words else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&self.output_file)?;
        let out = file.try_clone()?;
        let told = file.try_clone()?;
        let mut command = Command::new(program);
        let started = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(told)
            .spawn();
        let status = started.and_then(|mut child| wait(&mut child, PROGRAM_TIMEOUT));
        let _ = std::fs::remove_file(&self.output_file);
        let done = status?.success();
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(ProgramOutput {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            succeeded: done,
        })
    }
}

/// Until the program ends; one that takes longer than `limit` is ended.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> io::Result<ExitStatus> {
    let began = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None if began.elapsed() > limit => {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it took too long"));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_on_both_streams_is_read_however_much_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let programs = PhonePrograms::new(folder.path());
        let script = "echo first; echo second >&2; seq 1 30000; exit 3";
        let said = programs.run(&["sh", "-c", script]).unwrap();
        assert!(said.text.starts_with("first\nsecond\n") && said.text.ends_with("30000\n"));
        assert!(!said.succeeded);
        assert!(!folder.path().join("program.said").exists());
        assert!(programs.run(&["no-such-program"]).is_err());
        assert!(programs.run(&[]).is_err());
    }

    #[test]
    fn a_program_complains_by_its_words_or_by_how_it_ends() {
        let said = |text: &str, done| ProgramOutput {
            text: text.to_owned(),
            succeeded: done,
        };
        assert_eq!(said("enabled\n", true).error_line(), None);
        let denial = "\nSecurity exception: Permission Denial: not allowed";
        assert_eq!(said(denial, true).error_line(), Some(denial.trim()));
        assert_eq!(
            said("", false).error_line(),
            Some("it failed without a word")
        );
        assert_eq!(
            said("Broadcast completed: result=0, data=\"Error\"", true).error_line(),
            None
        );
    }
}
