//! Runs the adb program, with a server on this machine or on another. It knows phones, but no agents.

mod device;
mod list;
mod server;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

pub use device::AdbDevice;
#[cfg(any(test, fuzzing))]
pub use list::parse_list;
pub use list::{AdbState, ListedPhone};
pub use server::{AdbServer, use_server};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::wording::quoted_list;

/// Environment variable with the path of another adb than the one on `PATH`.
const PROGRAM: &str = "ADB";
/// Maximum number of bytes of an answer. A program that prints more is not adb.
const OUTPUT_LIMIT: u64 = 1 << 20;
/// Timeout of commands that adb answers without a phone. Its server may have to start first.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

/// adb's messages about a phone that is away, or was lost during the command.
const AWAY_MESSAGES: [&str; 7] = [
    "device offline",
    "' not found",
    "no devices",
    "device still connecting",
    "error: closed",
    "protocol fault",
    // adb ended without a message, and the command without its exit code.
    "exit status:",
];

/// An adb program whose server has the same version.
#[derive(Clone, Debug)]
pub struct Adb {
    program: OsString,
    server: AdbServer,
}

#[derive(Debug, thiserror::Error)]
pub enum AdbError {
    #[error("`{0}` is no address of an adb server")]
    Address(String),
    #[error("could not run `{program}`")]
    Run {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("`{what}` did not answer in {} s", .limit.as_secs())]
    TimedOut { what: String, limit: Duration },
    #[error("`{what}` failed: {why}")]
    Failed { what: String, why: String },
    #[error("`{what}` gave an answer that is not adb's: {answer}")]
    MalformedAnswer { what: String, answer: String },
    #[error("no adb server answers at `{server}`")]
    NoServer {
        server: AdbServer,
        #[source]
        source: io::Error,
    },
    #[error(
        "the adb server at `{server}` has version {running}, and `{program}` has version {own}: it would end that server, and with it the work of others"
    )]
    VersionMismatch {
        server: AdbServer,
        running: u32,
        program: String,
        own: u32,
    },
    #[error("there is no phone `{serial}` on adb; {}", there_are(.known))]
    NoPhone { serial: String, known: Vec<String> },
    #[error("the phone `{serial}` is there but cannot be used: {state}")]
    NotReady { serial: String, state: AdbState },
}

fn there_are(known: &[String]) -> String {
    match known {
        [] => "it has none".into(),
        known => format!("it has {}", quoted_list(known.iter().map(String::as_str))),
    }
}

impl AdbError {
    /// The remedy.
    fn remedy(&self) -> String {
        match self {
            AdbError::Address(_) => "write `--adb HOST:PORT`, such as `--adb 192.168.1.7:5037`".into(),
            AdbError::Run { .. } => {
                format!("install adb (Android's platform-tools), or set {PROGRAM} to its path")
            }
            AdbError::TimedOut { .. } => {
                "see what hangs with `adb devices`; `adb kill-server` ends a server that is stuck".into()
            }
            AdbError::MalformedAnswer { .. } => {
                format!("see whether {PROGRAM}, the path or --adb name something that is not adb")
            }
            AdbError::NoServer { .. } => {
                "start it there with `adb -a nodaemon server start`, and see whether this machine may reach it".into()
            }
            AdbError::VersionMismatch { .. } => format!(
                "set {PROGRAM} to the adb that started the server (Android Studio's is in its SDK), or end it with `adb kill-server`"
            ),
            AdbError::NoPhone { .. } => {
                "plug it in, switch USB debugging on, and see whether `adb devices` lists it".into()
            }
            AdbError::NotReady { state, .. } => state.remedy().into(),
            AdbError::Failed { why, .. } => remedy_for(why).into(),
        }
    }

    /// The answer of the phone or of adb, if that was the error.
    pub fn adb_message(&self) -> Option<&str> {
        match self {
            AdbError::Failed { why, .. } => Some(why),
            _ => None,
        }
    }

    /// True if the phone is away for the moment, as while it or its adbd restarts.
    pub fn may_pass(&self) -> bool {
        match self {
            AdbError::TimedOut { .. } | AdbError::NoPhone { .. } => true,
            AdbError::NotReady { state, .. } => *state == AdbState::Offline,
            AdbError::Failed { why, .. } => AWAY_MESSAGES.iter().any(|away| why.contains(away)),
            _ => false,
        }
    }

    /// True if the command can never work, not only at present.
    pub fn is_usage(&self) -> bool {
        matches!(self, AdbError::Address(_))
    }
}

/// Remedies by the messages that phones and adb are known to print.
fn remedy_for(why: &str) -> &'static str {
    let known = [
        ("No space left", "free 64 MB on the phone"),
        (
            "Read-only file system",
            "restart the phone: its storage is read-only; if it stays so, the storage is broken",
        ),
        (
            "Permission denied",
            "see who owns `/data/local/tmp` on the phone; another user's files may be in the way",
        ),
        (
            "cannot connect to daemon",
            "see whether the adb server still runs, and start it again with `adb start-server`",
        ),
        (
            "failed to check server version",
            "see whether the adb server at --adb still runs and may be reached",
        ),
        (
            "failed to get feature set",
            "see whether the phone is still there with `retap devices`",
        ),
    ];
    let found = known.into_iter().find(|(said, _)| why.contains(said));
    found.map_or(
        "see whether the phone is still there with `retap devices`",
        |(_, remedy)| remedy,
    )
}

impl UserError for AdbError {
    fn exit(&self) -> CommandExit {
        if self.is_usage() {
            CommandExit::Usage
        } else {
            CommandExit::NoPhone
        }
    }

    fn help(&self) -> String {
        self.remedy()
    }
}

/// Exit status and output of an adb process.
#[derive(Debug)]
struct AdbOutput {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Adb {
    /// Asks the running server for its version before anything that could end it.
    pub async fn open() -> Result<Adb, AdbError> {
        let program = std::env::var_os(PROGRAM).filter(|path| !path.is_empty());
        Adb::with(
            program.unwrap_or_else(|| "adb".into()),
            AdbServer::chosen()?,
        )
        .await
    }

    async fn with(program: OsString, server: AdbServer) -> Result<Adb, AdbError> {
        let adb = Adb { program, server };
        // `adb version` needs no server.
        let own = adb.own_version().await?;
        match adb.server.version().await? {
            Some(running) if running != own => Err(AdbError::VersionMismatch {
                server: adb.server,
                running,
                program: adb.program.to_string_lossy().into_owned(),
                own,
            }),
            _ => Ok(adb),
        }
    }

    /// The last part of `Android Debug Bridge version 1.0.41`.
    async fn own_version(&self) -> Result<u32, AdbError> {
        let output = self.ask(&["version"], COMMAND_TIMEOUT).await?;
        let first = output.lines().next().unwrap_or_default();
        let version = first
            .strip_prefix("Android Debug Bridge version ")
            .and_then(|it| it.rsplit('.').next());
        version
            .and_then(|version| version.trim().parse().ok())
            .ok_or_else(|| self.malformed_answer("version", first))
    }

    /// All phones that adb knows, whatever state they are in.
    pub async fn list(&self) -> Result<Vec<ListedPhone>, AdbError> {
        let output = self.ask(&["devices"], COMMAND_TIMEOUT).await?;
        list::parse_list(&output).ok_or_else(|| self.malformed_answer("devices", &output))
    }

    /// The phone with this serial, if it is ready.
    pub async fn phone(&self, serial: &str) -> Result<AdbDevice, AdbError> {
        let list = self.list().await?;
        match list.iter().find(|listed| listed.serial == serial) {
            Some(listed) if listed.state == AdbState::Ready => {
                Ok(AdbDevice::new(self.clone(), serial))
            }
            Some(listed) => Err(AdbError::NotReady {
                serial: serial.to_owned(),
                state: listed.state.clone(),
            }),
            None => {
                let known = list.into_iter().map(|listed| listed.serial).collect();
                Err(AdbError::NoPhone {
                    serial: serial.to_owned(),
                    known,
                })
            }
        }
    }

    pub fn server(&self) -> &AdbServer {
        &self.server
    }

    /// Runs adb. Returns its output if the exit code is 0.
    async fn ask(&self, arguments: &[&str], limit: Duration) -> Result<String, AdbError> {
        let ended = self.run(arguments, None, limit).await?;
        if ended.status.success() {
            Ok(ended.out)
        } else {
            Err(self.failed(arguments, &ended))
        }
    }

    async fn run(
        &self,
        arguments: &[&str],
        input: Option<&[u8]>,
        limit: Duration,
    ) -> Result<AdbOutput, AdbError> {
        let run = |source| AdbError::Run {
            program: self.program.to_string_lossy().into_owned(),
            source,
        };
        let mut command = Command::new(&self.program);
        command
            .args(self.server.arguments())
            .args(arguments)
            .kill_on_drop(true);
        let stdin = if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(run)?;
        let ended = timeout(limit, end(&mut child, input.unwrap_or_default())).await;
        match ended {
            Ok(Ok(Some(ended))) => Ok(ended),
            Ok(Ok(None)) => {
                Err(self.malformed_answer(&arguments.join(" "), "more than a megabyte"))
            }
            Ok(Err(source)) => Err(run(source)),
            Err(_) => Err(AdbError::TimedOut {
                what: self.command_line(arguments),
                limit,
            }),
        }
    }

    fn command_line(&self, arguments: &[&str]) -> String {
        format!("{} {}", self.program.to_string_lossy(), arguments.join(" "))
    }

    fn failed(&self, arguments: &[&str], ended: &AdbOutput) -> AdbError {
        let words = if ended.err.trim().is_empty() {
            &ended.out
        } else {
            &ended.err
        };
        let why = match words.trim() {
            "" => ended.status.to_string(),
            words => words.to_owned(),
        };
        AdbError::Failed {
            what: self.command_line(arguments),
            why,
        }
    }

    fn malformed_answer(&self, asked: &str, answer: &str) -> AdbError {
        let answer: String = answer.chars().take(100).collect();
        AdbError::MalformedAnswer {
            what: self.command_line(&[asked]),
            answer: format!("{answer:?}"),
        }
    }
}

/// Waits for the end of a process. `None` if its output is too long for adb.
async fn end(child: &mut Child, input: &[u8]) -> io::Result<Option<AdbOutput>> {
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let fed = async {
        if let Some(mut stdin) = stdin {
            // A command that ends without reading its input reports the reason by its exit code.
            let _ = stdin.write_all(input).await;
        }
        Ok(())
    };
    let (out, err, ()) = tokio::try_join!(read_limited(stdout), read_limited(stderr), fed)?;
    match (out, err) {
        (Some(out), Some(err)) => Ok(Some(AdbOutput {
            status: child.wait().await?,
            out,
            err,
        })),
        _ => Ok(None),
    }
}

async fn read_limited(from: Option<impl AsyncRead + Unpin>) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        from.take(OUTPUT_LIMIT).read_to_end(&mut bytes).await?;
    }
    Ok(((bytes.len() as u64) < OUTPUT_LIMIT).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}
