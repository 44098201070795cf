//! One phone: its shell, files, properties and forwarded ports.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Adb, AdbError, QUICK};

/// For files of a few megabytes over a slow cable.
const PUSH: Duration = Duration::from_secs(120);
/// How long the end of a program may take for each phone.
const FAREWELL: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Phone {
    adb: Adb,
    serial: String,
}

/// What a command on the phone came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Phone {
    pub(super) fn new(adb: Adb, serial: &str) -> Phone {
        Phone { adb, serial: serial.to_owned() }
    }

    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Whether it is still there and ready.
    pub async fn check(&self) -> Result<(), AdbError> {
        self.adb.phone(&self.serial).await.map(|_| ())
    }

    /// A command, with its own exit code; adb's errors are errors.
    pub async fn shell(&self, command: &str, input: Option<&[u8]>) -> Result<Answer, AdbError> {
        let arguments = ["-s", &self.serial, "shell", command];
        let ended = self.adb.run(&arguments, input, QUICK).await?;
        let adb_s_own = ["error: ", "adb: "].iter().any(|start| ended.err.starts_with(start));
        match ended.status.code() {
            Some(code) if code == 0 || !adb_s_own => Ok(Answer { code, out: ended.out, err: ended.err }),
            _ => Err(self.adb.failed(&arguments, &ended)),
        }
    }

    /// A command that must succeed; what it prints.
    pub async fn told(&self, command: &str) -> Result<String, AdbError> {
        let answer = self.shell(command, None).await?;
        if answer.code == 0 {
            return Ok(answer.out);
        }
        let why = format!("{}{} (exit code {})", answer.err, answer.out, answer.code);
        Err(AdbError::Failed { what: format!("{command} on {}", self.serial), why })
    }

    /// Empty if there is none.
    pub async fn property(&self, name: &str) -> Result<String, AdbError> {
        Ok(self.told(&format!("getprop {name}")).await?.trim().to_owned())
    }

    pub async fn push(&self, from: &Path, to: &str) -> Result<(), AdbError> {
        let from = from.to_string_lossy();
        self.adb.ask(&["-s", &self.serial, "push", &from, to], PUSH).await.map(|_| ())
    }

    /// A port of the server's machine that leads to the abstract socket `name` on the phone.
    pub async fn forward(&self, name: &str) -> Result<SocketAddr, AdbError> {
        let to = format!("localabstract:{name}");
        let told = self.adb.ask(&["-s", &self.serial, "forward", "tcp:0", &to], QUICK).await?;
        let port = told.trim().parse().map_err(|_| self.adb.garbage("forward", &told))?;
        Ok((self.adb.server().host(), port).into())
    }

    /// A last command and the end of a forwarded port, without a runtime to wait on. Nobody is there to hear of errors.
    pub fn bid_farewell(&self, command: &str, forwarded: Option<SocketAddr>) {
        self.run_shortly(&["shell", command]);
        if let Some(address) = forwarded {
            self.run_shortly(&["forward", "--remove", &format!("tcp:{}", address.port())]);
        }
    }

    fn run_shortly(&self, arguments: &[&str]) {
        let mut command = std::process::Command::new(&self.adb.program);
        command.args(self.adb.server.arguments()).args(["-s", &self.serial]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return };
        let began = Instant::now();
        while matches!(child.try_wait(), Ok(None)) {
            if began.elapsed() > FAREWELL {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
