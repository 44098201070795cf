//! One phone: its shell, files, properties and forwarded ports.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use super::{Adb, AdbError, COMMAND_TIMEOUT};

/// Timeout of pushing files of a few megabytes over a slow cable.
const PUSH_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout of installing an app of a gigabyte, which the phone also compiles.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(600);
/// Marks the exit code in the output of a command.
const EXIT_CODE_MARKER: &str = "retap-exit-code ";

#[derive(Clone, Debug)]
pub struct AdbDevice {
    adb: Adb,
    serial: String,
}

/// Exit code and output of a command on the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl AdbDevice {
    pub(super) fn new(adb: Adb, serial: &str) -> AdbDevice {
        AdbDevice {
            adb,
            serial: serial.to_owned(),
        }
    }

    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// True if the phone is still connected and ready.
    pub async fn check(&self) -> Result<(), AdbError> {
        self.adb.phone(&self.serial).await.map(|_| ())
    }

    /// Runs a command. Its exit code is part of the answer; only adb's own failures are errors.
    pub async fn shell(
        &self,
        command: &str,
        input: Option<&[u8]>,
    ) -> Result<ShellOutput, AdbError> {
        self.shell_within(command, input, COMMAND_TIMEOUT).await
    }

    /// Runs a command on a phone before Android 7, which reports no exit code, mixes errors with output and ends lines as
    /// terminals do. The command prints its own exit code; output without one is a failure of adb.
    pub async fn shell_within(
        &self,
        command: &str,
        input: Option<&[u8]>,
        limit: Duration,
    ) -> Result<ShellOutput, AdbError> {
        let marked = format!("{{ {command}\n}}; echo \"{EXIT_CODE_MARKER}$?\"");
        let arguments = ["-s", &self.serial, "shell", &marked];
        let ended = self.adb.run(&arguments, input, limit).await?;
        let output = ended.out.replace("\r\n", "\n");
        let code = output
            .rsplit_once(EXIT_CODE_MARKER)
            .and_then(|(out, code)| Some((out, code.trim().parse().ok()?)));
        match code {
            Some((out, code)) => Ok(ShellOutput {
                code,
                out: out.to_owned(),
                err: ended.err,
            }),
            None => Err(self
                .adb
                .failed(&["-s", &self.serial, "shell", command], &ended)),
        }
    }

    /// Runs a command that must succeed. Returns its output.
    pub async fn shell_output(&self, command: &str) -> Result<String, AdbError> {
        let answer = self.shell(command, None).await?;
        if answer.code == 0 {
            return Ok(answer.out);
        }
        let why = format!("{}{} (exit code {})", answer.err, answer.out, answer.code);
        Err(AdbError::Failed {
            what: format!("{command} on {}", self.serial),
            why,
        })
    }

    /// Value of a property; empty if it is not set.
    pub async fn property(&self, name: &str) -> Result<String, AdbError> {
        Ok(self
            .shell_output(&format!("getprop {name}"))
            .await?
            .trim()
            .to_owned())
    }

    pub async fn push(&self, from: &Path, to: &str) -> Result<(), AdbError> {
        let from = from.to_string_lossy();
        self.adb
            .ask(&["-s", &self.serial, "push", &from, to], PUSH_TIMEOUT)
            .await
            .map(|_| ())
    }

    /// Forwards a port of the server's machine to the abstract socket `name` on the phone.
    pub async fn forward(&self, name: &str) -> Result<SocketAddr, AdbError> {
        let to = format!("localabstract:{name}");
        let output = self
            .adb
            .ask(
                &["-s", &self.serial, "forward", "tcp:0", &to],
                COMMAND_TIMEOUT,
            )
            .await?;
        let port = output
            .trim()
            .parse()
            .map_err(|_| self.adb.malformed_answer("forward", &output))?;
        Ok((self.adb.server().host(), port).into())
    }

    pub async fn remove_forward(&self, port: u16) -> Result<(), AdbError> {
        let port = format!("tcp:{port}");
        self.adb
            .ask(
                &["-s", &self.serial, "forward", "--remove", &port],
                COMMAND_TIMEOUT,
            )
            .await
            .map(|_| ())
    }

    /// Ports that are forwarded to abstract sockets whose names have this prefix.
    pub async fn ports_forwarded_to(&self, start: &str) -> Result<Vec<u16>, AdbError> {
        let output = self
            .adb
            .ask(&["forward", "--list"], COMMAND_TIMEOUT)
            .await?;
        let to = format!("localabstract:{start}");
        // SERIAL tcp:PORT localabstract:NAME; a serial may have blanks.
        let port = |line: &str| {
            let (rest, name) = line.trim().rsplit_once(' ')?;
            let (serial, port) = rest.rsplit_once(" tcp:")?;
            (serial == self.serial && name.starts_with(&to)).then(|| port.parse().ok())?
        };
        Ok(output.lines().filter_map(port).collect())
    }

    /// Installs an app for one user. An installed app is replaced and keeps its data. The APK is pushed to a file first,
    /// which works on every Android.
    pub async fn install(&self, apk: &Path, user: u32) -> Result<(), AdbError> {
        let user = user.to_string();
        let apk = apk.to_string_lossy();
        let arguments = [
            "-s",
            &self.serial,
            "install",
            "--no-streaming",
            "-r",
            "-t",
            "--user",
            &user,
            &apk,
        ];
        let ended = self.adb.run(&arguments, None, INSTALL_TIMEOUT).await?;
        let is_there =
            ended.status.success() && ended.out.lines().any(|line| line.trim() == "Success");
        if is_there {
            Ok(())
        } else {
            Err(self.adb.failed(&arguments, &ended))
        }
    }
}
