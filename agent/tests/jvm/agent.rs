//! The agent's process: started with keys, its output read, stopped at the end.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use retap_shared::codec;
use retap_transport::keys::SessionKeys;
use tempfile::TempDir;

/// Environment variables with the command that starts Java, one word per line, and its classes: see
/// scripts/test-agent-on-jvm.
const JAVA: &str = "RETAP_TEST_JAVA";
const LIBRARY: &str = "RETAP_TEST_LIBRARY";
const CLASSES: &str = "RETAP_TEST_CLASSES";
const WITHOUT_OPTIONAL: &str = "RETAP_TEST_WITHOUT_OPTIONAL";
const WITHOUT_NEEDED: &str = "RETAP_TEST_WITHOUT_NEEDED";

/// A variant of the stub framework.
#[derive(Clone, Copy)]
pub(crate) enum Phone {
    /// All of the framework.
    Complete,
    /// No rotation and no screenshots.
    WithoutOptional,
    /// Without a method that has no fallback.
    WithoutNeeded,
    /// API level 22.
    Old,
    /// Counts branches.
    Counting,
}

pub(crate) struct Agent {
    process: Child,
    output: BufReader<ChildStdout>,
    host: SessionKeys,
    _folder: TempDir,
}

impl Agent {
    pub(crate) fn start(phone: Phone, options: &[&str]) -> Agent {
        let folder = world_writable_folder();
        let (agent, host) = SessionKeys::generate().unwrap();
        let java = variable(JAVA);
        let mut words = java.lines();
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        match phone {
            Phone::Old => drop(command.arg("-Dphone.level=22")),
            Phone::Counting => drop(command.arg("-Dphone.counts=true")),
            Phone::Complete | Phone::WithoutOptional | Phone::WithoutNeeded => {}
        }
        let classes = match phone {
            Phone::Complete | Phone::Old | Phone::Counting => variable(CLASSES),
            Phone::WithoutOptional => {
                format!("{}:{}", variable(WITHOUT_OPTIONAL), variable(CLASSES))
            }
            Phone::WithoutNeeded => format!("{}:{}", variable(WITHOUT_NEEDED), variable(CLASSES)),
        };
        command.args(["-cp", &classes, "dev.retap.agent.Main", &variable(LIBRARY)]);
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
        let output = BufReader::new(process.stdout.take().unwrap());
        Agent {
            process,
            output,
            host,
            _folder: folder,
        }
    }

    pub(crate) fn host_keys(&self) -> &SessionKeys {
        &self.host
    }

    /// Waits for the address that the agent announces.
    pub(crate) fn address(&mut self) -> String {
        let mut output = String::new();
        while self.output.read_line(&mut output).unwrap() > 0 {
            if let Some((_, address)) = output
                .lines()
                .last()
                .unwrap_or_default()
                .split_once("listening on ")
            {
                return address.to_owned();
            }
        }
        panic!(
            "the agent ended before it listened: {output}{}",
            self.error_output()
        );
    }

    /// The process's real, effective, saved and file system user.
    pub(crate) fn owner(&self) -> String {
        owner_of(&self.process.id().to_string())
    }

    /// Kills the process, and checks that Java has printed no warning.
    pub(crate) fn stop(mut self) {
        self.process.kill().unwrap();
        self.all_output();
    }

    /// The output of an agent that ends with exit code 1.
    pub(crate) fn output_of_failure(mut self) -> String {
        let output = self.all_output();
        assert_eq!(self.process.wait().unwrap().code(), Some(1), "{output}");
        output
    }

    fn all_output(&mut self) -> String {
        let mut output = String::new();
        self.output.read_to_string(&mut output).unwrap();
        output.push_str(&self.error_output());
        for warning in ["WARNING", "FATAL ERROR"] {
            assert!(
                !output.contains(warning),
                "-Xcheck:jni printed a warning: {output}"
            );
        }
        output
    }

    fn error_output(&mut self) -> String {
        let mut output = String::new();
        if let Some(mut errors) = self.process.stderr.take() {
            errors.read_to_string(&mut output).unwrap();
        }
        output
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

/// A folder that the shell's user can write to, even if root has created it.
fn world_writable_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    folder
}

fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run scripts/test-agent-on-jvm"))
}
