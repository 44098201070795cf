//! The agent's files and process on a phone, through its shell. Keys go through standard input: arguments can be read by
//! every app.

mod scripts;

use std::net::SocketAddr;
use std::time::Duration;
use std::{fmt, io};

use retap_shared::codec;
use retap_transport::keys::Keys;
use scripts::{FOLDER, JAR, LIBRARY, Scripts};
use xxhash_rust::xxh3::Xxh3;

use super::spec::Spec;
use crate::adb::{AdbError, Phone};
use crate::agent_files::{AgentFiles, AgentFilesError};
use crate::os;
use crate::run::random_number;

/// The agent ends within a second of being told; Java on a busy phone takes longer.
const ENDING: Duration = Duration::from_secs(30);

/// How all agents' sockets begin.
const NAME: &str = "retap-";

/// Who is on the phone already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Other {
    Nobody,
    /// An agent whose host is gone.
    Left(u32),
    Held {
        process: u32,
        by: String,
    },
}

pub(super) struct Agent {
    phone: Phone,
    scripts: Scripts,
    /// Of the abstract socket.
    name: String,
    /// The agent's half, as the line that it reads.
    keys: String,
}

impl Agent {
    /// With `names` it also writes down which of the Java names it uses this phone has.
    pub(super) async fn new(
        phone: Phone,
        spec: &Spec,
        files: &AgentFiles,
        keys: &Keys,
        names: bool,
    ) -> Result<Agent, AgentError> {
        let bytes = codec::encode(keys).expect("three short pieces of bytes");
        let keys = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("{NAME}{:016x}", random_number());
        let is_root = phone.told("id -u").await?.trim() == "0";
        let scripts = Scripts {
            name: name.clone(),
            files: format!("{FOLDER}/agent-{:032x}", digest(files)?),
            host: os::machine_name(),
            user: spec.user,
            keep: spec.keep,
            is_root,
            names,
        };
        Ok(Agent {
            phone,
            scripts,
            name,
            keys,
        })
    }

    pub(super) async fn other(&self) -> Result<Other, AdbError> {
        let answer = self.phone.shell(&Scripts::look(), None).await?;
        let mut lines = answer.out.lines();
        let process = lines.next().and_then(|line| line.trim().parse().ok());
        let by = lines.next().map(str::trim).filter(|by| !by.is_empty());
        Ok(match (process, by) {
            (None, _) => Other::Nobody,
            (Some(process), None) => Other::Left(process),
            (Some(process), Some(by)) => Other::Held {
                process,
                by: by.to_owned(),
            },
        })
    }

    /// What it changed on the phone is put back by the next one. The ports that led to it go.
    pub(super) async fn end_left(&self, process: u32) -> Result<(), AdbError> {
        self.phone.told(&Scripts::end_left(process)).await?;
        for port in self.phone.forwarded_to(NAME).await? {
            self.phone.forget_forwarded(port).await?;
        }
        Ok(())
    }

    /// Both files or none; those of other versions go.
    pub(super) async fn push(&self, files: &AgentFiles) -> Result<(), AdbError> {
        let folder = &self.scripts.files;
        let there = self.phone.shell(&format!("[ -d {folder} ]"), None).await?;
        if there.code == 0 {
            return Ok(());
        }
        let pushed = self.push_new(files).await;
        if pushed.is_err() {
            // Why it failed is told; that a phone without room or rights can also not be tidied up is not.
            let _ = self.phone.shell(&format!("rm -rf {FOLDER}"), None).await;
        }
        pushed
    }

    async fn push_new(&self, files: &AgentFiles) -> Result<(), AdbError> {
        let folder = &self.scripts.files;
        let part = format!("{folder}.part");
        self.phone
            .told(&format!("rm -rf {FOLDER}/agent-* && mkdir -p {part}"))
            .await?;
        self.phone
            .push(&files.library, &format!("{part}/{LIBRARY}"))
            .await?;
        self.phone
            .push(&files.jar, &format!("{part}/{JAR}"))
            .await?;
        self.phone
            .told(&self.scripts.take_in(&part))
            .await
            .map(|_| ())
    }

    /// Returns as soon as the process is there. It stays when the shell goes: a session of its own, deaf to hang-ups.
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

    /// False while the phone still starts, too.
    pub(super) async fn is_ready_for_it(&self) -> Result<bool, AdbError> {
        Ok(self.phone.property("sys.boot_completed").await? == "1")
    }

    pub(super) async fn is_alive(&self) -> Result<bool, AdbError> {
        self.phone.check().await?;
        Ok(self.phone.shell(&self.scripts.is_alive(), None).await?.code == 0)
    }

    pub(super) async fn forward(&self) -> Result<SocketAddr, AdbError> {
        self.phone.forward(&self.name).await
    }

    /// The last of what it has printed.
    pub(super) async fn output(&self) -> String {
        let told = self
            .phone
            .shell(&format!("tail -n 20 {FOLDER}/agent.log"), None)
            .await;
        told.map(|answer| answer.out).unwrap_or_default()
    }

    /// Every Java name that it uses, a line each, if it was asked to write them down.
    pub(super) async fn names(&self) -> Result<String, AdbError> {
        self.phone
            .told(&format!("cat {FOLDER}/{}", scripts::NAMES))
            .await
    }

    /// Waits for the end of the process, puts back what it could not, and takes everything away that is not to be kept.
    /// `told` says whether the agent knows that it is to end. A phone that is gone cannot be tidied up.
    pub(super) async fn end(&self, told: bool, forwarded: Option<SocketAddr>) {
        if let Err(error) = self
            .phone
            .shell_within(&self.scripts.end(told), None, ENDING)
            .await
        {
            tracing::warn!(%error, "the agent could not be ended: it ends by itself after ten minutes");
        }
        if let Some(address) = forwarded
            && let Err(error) = self.phone.forget_forwarded(address.port()).await
        {
            tracing::debug!(%error, "the forwarded port could not be removed");
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum AgentError {
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

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("phone", &self.phone)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
