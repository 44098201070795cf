//! The shell's own programs, run as a person at `adb shell` would run them, each for a while at most.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A broadcast is waited for until its receivers are done, which may take them ten seconds.
const LIMIT: Duration = Duration::from_secs(20);
/// The help of the activity manager is some tens of KiB.
const LONGEST: u64 = 256 * 1024;
/// How a program begins the line that says what went wrong. Many end with 0 all the same.
const COMPLAINTS: [&str; 9] = [
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
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) done: bool,
}

impl Said {
    /// What went wrong, if the program says that something did.
    pub(crate) fn complaint(&self) -> Option<&str> {
        let mut lines = self.text.lines().map(str::trim);
        let told = lines.find(|line| COMPLAINTS.iter().any(|word| line.starts_with(word)));
        told.or_else(|| {
            (!self.done).then(|| {
                self.text
                    .lines()
                    .next()
                    .unwrap_or("it failed without a word")
            })
        })
    }
}

/// Runs a program by its words, the first of which is its name.
pub(crate) trait Shell {
    fn run(&self, words: &[&str]) -> io::Result<Said>;
}

/// The programs of the phone that this process runs on.
#[derive(Debug)]
pub(crate) struct Programs {
    /// What a program says goes here first: a pipe that nobody empties would hold it up.
    said: PathBuf,
}

impl Programs {
    pub(crate) fn new(folder: &std::path::Path) -> Programs {
        Programs {
            said: folder.join("program.said"),
        }
    }
}

impl Shell for Programs {
    fn run(&self, words: &[&str]) -> io::Result<Said> {
        let [program, arguments @ ..] = words else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let mut file = File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(&self.said)?;
        let out = file.try_clone()?;
        let told = file.try_clone()?;
        let mut command = Command::new(program);
        let started = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(told)
            .spawn();
        let status = started.and_then(|mut child| wait(&mut child, LIMIT));
        let _ = std::fs::remove_file(&self.said);
        let done = status?.success();
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Said {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            done,
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
        let programs = Programs::new(folder.path());
        let script = "echo first; echo second >&2; seq 1 30000; exit 3";
        let said = programs.run(&["sh", "-c", script]).unwrap();
        assert!(said.text.starts_with("first\nsecond\n") && said.text.ends_with("30000\n"));
        assert!(!said.done);
        assert!(!folder.path().join("program.said").exists());
        assert!(programs.run(&["no-such-program"]).is_err());
        assert!(programs.run(&[]).is_err());
    }

    #[test]
    fn a_program_complains_by_its_words_or_by_how_it_ends() {
        let said = |text: &str, done| Said {
            text: text.to_owned(),
            done,
        };
        assert_eq!(said("enabled\n", true).complaint(), None);
        let denial = "\nSecurity exception: Permission Denial: not allowed";
        assert_eq!(said(denial, true).complaint(), Some(denial.trim()));
        assert_eq!(
            said("", false).complaint(),
            Some("it failed without a word")
        );
        assert_eq!(
            said("Broadcast completed: result=0, data=\"Error\"", true).complaint(),
            None
        );
    }
}
