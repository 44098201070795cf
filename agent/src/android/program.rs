//! Runs the phone's programs as `adb shell` does, each with a timeout.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Timeout of a program. `am broadcast` waits for the receivers, which may take ten seconds.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of bytes of output. The help of the activity manager has some tens of KiB.
const MAX_OUTPUT: u64 = 256 * 1024;
/// Maximum number of bytes at the end of an output that grows with the phone's age, such as a log.
const MAX_END: u64 = 2 * 1024 * 1024;
/// Beginnings of error lines. Many programs print one and exit with 0.
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

/// The output of a program, on both of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramOutput {
    pub(crate) text: String,
    pub(crate) succeeded: bool,
}

impl ProgramOutput {
    /// The line that reports an error, if the program failed.
    pub(crate) fn error_line(&self) -> Option<&str> {
        let mut lines = self.text.lines().map(str::trim);
        let error_line =
            lines.find(|line| ERROR_PREFIXES.iter().any(|prefix| line.starts_with(prefix)));
        error_line.or_else(|| {
            (!self.succeeded).then(|| {
                self.text
                    .lines()
                    .next()
                    .unwrap_or("it failed without a message")
            })
        })
    }
}

/// Runs a program, given as its name and its arguments.
pub(crate) trait ProgramRunner {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput>;

    /// The same, with the end of a long output instead of its beginning.
    fn run_for_end(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        self.run(words)
    }
}

/// The programs of the phone that this process runs on.
#[derive(Debug)]
pub(crate) struct PhonePrograms {
    /// The file that a program writes its output to: a full pipe would block it.
    output_file: PathBuf,
}

impl PhonePrograms {
    pub(crate) fn new(folder: &std::path::Path) -> PhonePrograms {
        PhonePrograms {
            output_file: folder.join("program.output"),
        }
    }
}

impl ProgramRunner for PhonePrograms {
    fn run(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        let (mut file, succeeded) = self.run_into_file(words)?;
        file.rewind()?;
        read_text(&file, MAX_OUTPUT, succeeded)
    }

    fn run_for_end(&self, words: &[&str]) -> io::Result<ProgramOutput> {
        let (mut file, succeeded) = self.run_into_file(words)?;
        let bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(bytes.saturating_sub(MAX_END)))?;
        read_text(&file, MAX_END, succeeded)
    }
}

impl PhonePrograms {
    /// Runs a program. Returns its output, which has no name any more, and whether it succeeded.
    fn run_into_file(&self, words: &[&str]) -> io::Result<(File, bool)> {
        let [program, arguments @ ..] = words else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&self.output_file)?;
        let output = file.try_clone()?;
        let error_output = file.try_clone()?;
        let mut command = Command::new(program);
        let started = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(error_output)
            .spawn();
        let status = started.and_then(|mut child| wait(&mut child, PROGRAM_TIMEOUT));
        let _ = std::fs::remove_file(&self.output_file);
        Ok((file, status?.success()))
    }
}

fn read_text(file: &File, limit: u64, succeeded: bool) -> io::Result<ProgramOutput> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(ProgramOutput {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        succeeded,
    })
}

/// Waits until the program ends. A program that takes longer than `limit` is killed.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> io::Result<ExitStatus> {
    let started = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None if started.elapsed() > limit => {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the program timed out",
                ));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_output_of_both_streams_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let programs = PhonePrograms::new(folder.path());
        let script = "echo first; echo second >&2; seq 1 30000; exit 3";
        let output = programs.run(&["sh", "-c", script]).unwrap();
        assert!(output.text.starts_with("first\nsecond\n") && output.text.ends_with("30000\n"));
        assert!(!output.succeeded);
        let long = programs.run_for_end(&["seq", "1", "400000"]).unwrap();
        assert_eq!(long.text.len() as u64, MAX_END);
        assert!(long.succeeded && long.text.ends_with("\n400000\n"));
        assert!(!folder.path().join("program.output").exists());
        assert!(programs.run(&["no-such-program"]).is_err());
        assert!(programs.run(&[]).is_err());
    }

    #[test]
    fn a_program_fails_by_an_error_line_or_by_its_exit_code() {
        let output = |text: &str, succeeded| ProgramOutput {
            text: text.to_owned(),
            succeeded,
        };
        assert_eq!(output("enabled\n", true).error_line(), None);
        let denial = "\nSecurity exception: Permission Denial: not allowed";
        assert_eq!(output(denial, true).error_line(), Some(denial.trim()));
        assert_eq!(
            output("", false).error_line(),
            Some("it failed without a message")
        );
        assert_eq!(
            output("Broadcast completed: result=0, data=\"Error\"", true).error_line(),
            None
        );
    }
}
