//! The environment of a test: a temporary working directory, and the program started in it with a private store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// A temporary working directory, removed after the test.
pub(crate) struct TestEnvironment {
    place: TempDir,
}

/// Exit code and output of a finished program.
pub(crate) struct ProgramOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl TestEnvironment {
    pub(crate) fn new() -> TestEnvironment {
        TestEnvironment {
            place: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.place.path().join(inside)
    }

    pub(crate) fn write(&self, inside: &str, text: &str) {
        fs::write(self.path(inside), text).unwrap();
    }

    /// A reduced trace without its claim, which depends on the phones that proved it.
    pub(crate) fn read_unclaimed(&self, path: &str) -> String {
        let mut trace = retap_shared::trace::Trace::parse(&self.read(path)).unwrap();
        trace.header.claim = None;
        trace.to_text()
    }

    pub(crate) fn read(&self, inside: &str) -> String {
        fs::read_to_string(self.path(inside)).unwrap()
    }

    /// `line` is split at blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("retap"));
        command
            .current_dir(self.place.path())
            .args(line.split_whitespace());
        for variable in ["RETAP_STORE", "RUST_LOG", "NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        command.env("XDG_DATA_HOME", self.place.path().join("data"));
        // Tests must not meet the adb and the phones of this machine.
        command
            .env("ADB", "no-adb")
            .env("ANDROID_ADB_SERVER_PORT", "1");
        // Tests must not find an agent that was built on this machine.
        command.env("RETAP_AGENT_DIR", "agent");
        command
    }

    pub(crate) fn run(&self, line: &str) -> ProgramOutput {
        self.command(line).output().unwrap().into()
    }

    /// Starts the program without waiting for it.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.command(line)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Explores an app until it has crashes; takes a second.
    pub(crate) fn explored(&self, app: &str, run: &str) -> ProgramOutput {
        let ended = self.run(&format!(
            "explore --device sim:{app} --explorer random --events 2000 --seed 7 --out {run}"
        ));
        assert_eq!(ended.code, 1, "{}", ended.err);
        ended
    }

    /// The ids of a run's crashes.
    pub(crate) fn crashes(&self, run: &str) -> Vec<String> {
        names(&self.path(run).join("crashes"))
    }
}

impl ProgramOutput {
    pub(crate) fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or_default()
    }
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> ProgramOutput {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        ProgramOutput {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The present length of a file; 0 if there is none.
pub(crate) fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Waits until the file has this length. False if the process ended before.
pub(crate) fn grown_to(path: &Path, wanted: u64, child: &mut Child) -> bool {
    while length(path) < wanted {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
