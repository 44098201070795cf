//! The agent's process: started with keys, watched for what it says, stopped at the end.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use retap_shared::codec;
use retap_transport::keys::SessionKeys;
use tempfile::TempDir;

/// What starts Java, a word a line, and where its classes are: see scripts/test-agent-on-jvm.
const JAVA: &str = "RETAP_TEST_JAVA";
const LIBRARY: &str = "RETAP_TEST_LIBRARY";
const CLASSES: &str = "RETAP_TEST_CLASSES";
const WITHOUT_OPTIONAL: &str = "RETAP_TEST_WITHOUT_OPTIONAL";
const WITHOUT_NEEDED: &str = "RETAP_TEST_WITHOUT_NEEDED";

/// Which phone of cardboard.
#[derive(Clone, Copy)]
pub(crate) enum Phone {
    Whole,
    /// Neither turns nor takes pictures.
    WithoutOptional,
    WithoutNeeded,
    /// Of level 22.
    Old,
    /// Tells which branches ran.
    Counting,
}

pub(crate) struct Agent {
    process: Child,
    said: BufReader<ChildStdout>,
    host: SessionKeys,
    _folder: TempDir,
}

impl Agent {
    pub(crate) fn start(phone: Phone, options: &[&str]) -> Agent {
        let folder = folder_for_everybody();
        let (agent, host) = SessionKeys::generate().unwrap();
        let java = setting(JAVA);
        let mut words = java.lines();
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        match phone {
            Phone::Old => drop(command.arg("-Dphone.level=22")),
            Phone::Counting => drop(command.arg("-Dphone.counts=true")),
            Phone::Whole | Phone::WithoutOptional | Phone::WithoutNeeded => {}
        }
        let classes = match phone {
            Phone::Whole | Phone::Old | Phone::Counting => setting(CLASSES),
            Phone::WithoutOptional => format!("{}:{}", setting(WITHOUT_OPTIONAL), setting(CLASSES)),
            Phone::WithoutNeeded => format!("{}:{}", setting(WITHOUT_NEEDED), setting(CLASSES)),
        };
        command.args(["-cp", &classes, "dev.retap.agent.Main", &setting(LIBRARY)]);
        command.arg("--folder").arg(folder.path()).args(options);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = command
            .spawn()
            .unwrap_or_else(|error| panic!("could not start {java:?}: {error}"));
        let line: String = codec::encode(&agent)
            .unwrap()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        // An agent that fails at once does not read its keys.
        let _ = writeln!(process.stdin.take().unwrap(), "{line}");
        let said = BufReader::new(process.stdout.take().unwrap());
        Agent {
            process,
            said,
            host,
            _folder: folder,
        }
    }

    pub(crate) fn host_keys(&self) -> &SessionKeys {
        &self.host
    }

    /// Where hosts come in, once they can.
    pub(crate) fn listens_on(&mut self) -> String {
        let mut heard = String::new();
        while self.said.read_line(&mut heard).unwrap() > 0 {
            if let Some((_, place)) = heard
                .lines()
                .last()
                .unwrap_or_default()
                .split_once("listening on ")
            {
                return place.to_owned();
            }
        }
        panic!("it ended before it listened: {heard}{}", self.complaints());
    }

    /// Who the process belongs to: real, effective, saved and file system user.
    pub(crate) fn owner(&self) -> String {
        owner_of(&self.process.id().to_string())
    }

    /// Java has nothing to warn of.
    pub(crate) fn stop(mut self) {
        self.process.kill().unwrap();
        self.listen_to_the_end();
    }

    /// What it said when it ended by itself, and not well.
    pub(crate) fn fails(mut self) -> String {
        let words = self.listen_to_the_end();
        assert_eq!(self.process.wait().unwrap().code(), Some(1), "{words}");
        words
    }

    fn listen_to_the_end(&mut self) -> String {
        let mut words = String::new();
        self.said.read_to_string(&mut words).unwrap();
        words.push_str(&self.complaints());
        for warning in ["WARNING", "FATAL ERROR"] {
            assert!(
                !words.contains(warning),
                "-Xcheck:jni has something to say: {words}"
            );
        }
        words
    }

    fn complaints(&mut self) -> String {
        let mut words = String::new();
        if let Some(mut errors) = self.process.stderr.take() {
            errors.read_to_string(&mut words).unwrap();
        }
        words
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn is_root() -> bool {
    own_owner().starts_with("0\t0")
}

pub(crate) fn own_owner() -> String {
    owner_of("self")
}

fn owner_of(process: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let uid = status
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .unwrap();
    uid.trim().to_owned()
}

/// The shell's user must be able to write into a folder of root's.
fn folder_for_everybody() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    folder
}

fn setting(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run scripts/test-agent-on-jvm"))
}
