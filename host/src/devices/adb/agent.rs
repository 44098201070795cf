//! The agent's files and process on a phone, through its shell. Keys go through standard input: arguments can be read by
//! every app.

mod scripts;

use std::net::SocketAddr;
use std::time::Duration;
use std::{fmt, io};

use retap_shared::codec;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::verdict::Interruption;
use retap_transport::keys::SessionKeys;
use scripts::{AgentScripts, FOLDER, JAR, LIBRARY};
use tokio::time::{Instant, sleep};
use xxhash_rust::xxh3::Xxh3;

use super::battery;
use crate::adb::{AdbDevice, AdbError};
use crate::agent_files::{AgentFiles, AgentFilesError};
use crate::device_spec::AdbDeviceSpec;
use crate::os;
use crate::run::random_number;

/// Grace period of the agent. It ends within a second; Java on a busy phone takes longer.
const END_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time for a phone to come back before its agent is ended. A restart takes about as long.
const MAX_AWAY: Duration = Duration::from_secs(60);
const AWAY_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Number of lines of the agent's log that are shown with the loss of its phone.
const LAST_WORDS: usize = 3;

/// Prefix of the sockets of all agents.
const SOCKET_PREFIX: &str = "retap-";

/// State of an agent that is on the phone already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExistingAgent {
    Absent,
    /// An agent whose host is gone.
    Orphaned(u32),
    Held {
        process: u32,
        by: String,
    },
}

pub(super) struct AgentProcess {
    phone: AdbDevice,
    scripts: AgentScripts,
    /// Name of the abstract socket.
    name: String,
    /// Keys of the agent, as the line that it reads.
    keys: String,
    /// How long a phone that is away is waited for before its agent is ended.
    away_timeout: Duration,
}

impl AgentProcess {
    /// With `names` the agent also lists which of its Java names this phone has.
    pub(super) async fn new(
        phone: AdbDevice,
        spec: &AdbDeviceSpec,
        files: &AgentFiles,
        keys: &SessionKeys,
        names: bool,
    ) -> Result<AgentProcess, AgentSetupError> {
        let bytes = codec::encode(keys).expect("three short pieces of bytes");
        let keys = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{SOCKET_PREFIX}{:016x}", random_number());
        let is_root = phone.shell_output("id -u").await?.trim() == "0";
        let scripts = AgentScripts {
            name: name.clone(),
            files: format!("{FOLDER}/agent-{:032x}", digest(files)?),
            host: os::machine_name(),
            user: spec.user,
            keep: spec.keep_agent,
            is_root,
            names,
        };
        Ok(AgentProcess {
            phone,
            scripts,
            name,
            keys,
            away_timeout: spec.reconnect_timeout.min(MAX_AWAY),
        })
    }

    pub(super) async fn existing_agent(&self) -> Result<ExistingAgent, AdbError> {
        let answer = self
            .phone
            .shell(&AgentScripts::find_running_agent(), None)
            .await?;
        let mut lines = answer.out.lines();
        let process = lines.next().and_then(|line| line.trim().parse().ok());
        let by = lines.next().map(str::trim).filter(|by| !by.is_empty());
        Ok(match (process, by) {
            (None, _) => ExistingAgent::Absent,
            (Some(process), None) => ExistingAgent::Orphaned(process),
            (Some(process), Some(by)) => ExistingAgent::Held {
                process,
                by: by.to_owned(),
            },
        })
    }

    /// Battery and temperature of the phone, if it tells.
    pub(super) async fn health(&self) -> Option<PhoneHealth> {
        let output = self.phone.shell_output(battery::COMMAND).await.ok()?;
        battery::parse(&output)
    }

    /// Removes the ports that are forwarded to an agent. The next agent restores the settings that it changed.
    pub(super) async fn end_orphaned(&self, process: u32) -> Result<(), AdbError> {
        self.phone
            .shell_output(&AgentScripts::end_orphaned(process))
            .await?;
        for port in self.phone.ports_forwarded_to(SOCKET_PREFIX).await? {
            self.phone.remove_forward(port).await?;
        }
        Ok(())
    }

    /// Pushes both files or none, and removes those of other versions.
    pub(super) async fn push(&self, files: &AgentFiles) -> Result<(), AdbError> {
        let folder = &self.scripts.files;
        let there = self.phone.shell(&format!("[ -d {folder} ]"), None).await?;
        if there.code == 0 {
            return Ok(());
        }
        let pushed = self.push_new(files).await;
        if pushed.is_err() {
            // The first error is reported; one of this clean-up, on a phone without room or rights, is not.
            let _ = self.phone.shell(&format!("rm -rf {FOLDER}"), None).await;
        }
        pushed
    }

    async fn push_new(&self, files: &AgentFiles) -> Result<(), AdbError> {
        let folder = &self.scripts.files;
        let part = format!("{folder}.part");
        self.phone
            .shell_output(&format!("rm -rf {FOLDER}/agent-* && mkdir -p {part}"))
            .await?;
        self.phone
            .push(&files.library, &format!("{part}/{LIBRARY}"))
            .await?;
        self.phone
            .push(&files.jar, &format!("{part}/{JAR}"))
            .await?;
        self.phone
            .shell_output(&self.scripts.install_file(&part))
            .await
            .map(|_| ())
    }

    /// Returns as soon as the process exists. It has a session of its own and ignores SIGHUP, so it survives the shell.
    pub(super) async fn start(&self) -> Result<(), AdbError> {
        let input = format!("{}\n", self.keys);
        let answer = self
            .phone
            .shell(&self.scripts.start(), Some(input.as_bytes()))
            .await?;
        if answer.code == 0 {
            return Ok(());
        }
        let why = format!("{}{} (exit code {})", answer.err, answer.out, answer.code);
        Err(AdbError::Failed {
            what: format!("starting the agent on {}", self.phone.serial()),
            why,
        })
    }

    /// Ends the process and nothing else: its files and ports are for the next one. A phone that is away is waited for.
    pub(super) async fn stop(&self) -> Result<(), AdbError> {
        let mut wait = AwayWait::new(self.away_timeout);
        loop {
            let stopped = self.stop_at_once().await;
            if let Some(stopped) = wait.result(&self.phone, stopped).await {
                return stopped;
            }
        }
    }

    async fn stop_at_once(&self) -> Result<(), AdbError> {
        match self.existing_agent().await? {
            ExistingAgent::Absent => Ok(()),
            ExistingAgent::Orphaned(process) | ExistingAgent::Held { process, .. } => {
                let script = AgentScripts::end_orphaned(process);
                self.phone.shell_output(&script).await.map(drop)
            }
        }
    }

    /// False while the phone still starts, too.
    pub(super) async fn has_phone_booted(&self) -> Result<bool, AdbError> {
        Ok(self.phone.property("sys.boot_completed").await? == "1")
    }

    pub(super) async fn is_alive(&self) -> Result<bool, AdbError> {
        self.phone.check().await?;
        Ok(self.phone.shell(&self.scripts.is_alive(), None).await?.code == 0)
    }

    pub(super) async fn forward(&self) -> Result<SocketAddr, AdbError> {
        self.phone.forward(&self.name).await
    }

    /// Last lines of its output, and of the agent before it.
    pub(super) async fn output(&self) -> String {
        let output = self
            .phone
            .shell(
                &format!("cd {FOLDER} && cat agent.log.old agent.log 2>/dev/null | tail -n 20"),
                None,
            )
            .await;
        output.map(|answer| answer.out).unwrap_or_default()
    }

    /// Shows the end of its output to whoever asks for details.
    pub(super) async fn report_output(&self) {
        if tracing::enabled!(tracing::Level::DEBUG) {
            let serial = self.phone.serial();
            for line in self.output().await.lines() {
                tracing::debug!("the agent on `{serial}` said: {line}");
            }
        }
    }

    /// Adds its last words to the reason for which the phone or the agent was lost.
    pub(super) async fn add_output(&self, interruption: Interruption) -> Interruption {
        let output = self.output().await;
        let lines: Vec<_> = output
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines[lines.len().saturating_sub(LAST_WORDS)..].join(" / ");
        if last.is_empty() {
            return interruption;
        }
        let add = |why: String| format!("{why}; the agent's last words: {last}");
        match interruption {
            Interruption::PhoneLost { why } => Interruption::PhoneLost { why: add(why) },
            Interruption::LinkLost { why } => Interruption::LinkLost { why: add(why) },
            Interruption::AgentDied { why } => Interruption::AgentDied { why: add(why) },
            other => other,
        }
    }

    /// Every Java name that the agent uses, one per line, if it listed them.
    pub(super) async fn names(&self) -> Result<String, AdbError> {
        self.phone
            .shell_output(&format!("cat {FOLDER}/{}", scripts::NAMES))
            .await
    }

    /// Waits for the end of the process, restores what it could not, and removes all files that are not kept. `is_notified`
    /// says whether the agent knows that it is to end. A phone that is away, as while it restarts, is waited for.
    pub(super) async fn end(&self, is_notified: bool, forwarded: Option<SocketAddr>) {
        let script = self.scripts.end(is_notified);
        let mut wait = AwayWait::new(self.away_timeout);
        let ended = loop {
            let ended = self.phone.shell_within(&script, None, END_TIMEOUT).await;
            if let Some(ended) = wait.result(&self.phone, ended).await {
                break ended;
            }
        };
        if let Err(error) = ended {
            tracing::warn!(
                %error,
                "`{}` could not be tidied up: the agent ends by itself after ten minutes, and the next run removes its files",
                self.phone.serial()
            );
        }
        if let Some(address) = forwarded
            && let Err(error) = self.phone.remove_forward(address.port()).await
        {
            tracing::debug!(%error, "the forwarded port could not be removed");
        }
    }
}

/// The wait for a phone that is away. A second Ctrl-C ends the program, and so this wait.
struct AwayWait {
    began: Instant,
    limit: Duration,
    is_reported: bool,
}

impl AwayWait {
    fn new(limit: Duration) -> AwayWait {
        AwayWait {
            began: Instant::now(),
            limit,
            is_reported: false,
        }
    }

    /// Waits a moment and returns `None` if the command is to be repeated; its result otherwise.
    async fn result<T>(
        &mut self,
        phone: &AdbDevice,
        result: Result<T, AdbError>,
    ) -> Option<Result<T, AdbError>> {
        let is_away = result.as_ref().is_err_and(AdbError::may_pass);
        if !is_away || self.began.elapsed() >= self.limit {
            return Some(result);
        }
        if !self.is_reported {
            self.is_reported = true;
            tracing::warn!(
                "`{}` is away: waiting up to {} s for it, to end its agent",
                phone.serial(),
                self.limit.as_secs()
            );
        }
        sleep(AWAY_POLL_INTERVAL).await;
        None
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum AgentSetupError {
    #[error(transparent)]
    Adb(#[from] AdbError),
    #[error(transparent)]
    Files(#[from] AgentFilesError),
}

fn digest(files: &AgentFiles) -> Result<u128, AgentFilesError> {
    let mut digest = Xxh3::new();
    for path in [&files.library, &files.jar] {
        let read = |source: io::Error| AgentFilesError::Read {
            path: path.clone(),
            source,
        };
        let bytes = std::fs::read(path).map_err(read)?;
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
    }
    Ok(digest.digest128())
}

impl fmt::Debug for AgentProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("phone", &self.phone)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
