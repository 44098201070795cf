//! The agent's files and process on a phone, through its shell. Keys go through standard input: arguments can be read by
//! every app.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use retap_agent::link::keys::Keys;
use retap_shared::codec;
use xxhash_rust::xxh3::Xxh3;

use crate::adb::{AdbError, Phone};
use crate::agent_files::{AgentFiles, AgentFilesError};
use crate::run::random_number;

/// The one place where a shell may keep files and load libraries from.
const FOLDER: &str = "/data/local/tmp/retap";
const LIBRARY: &str = "libretap_agent.so";
const JAR: &str = "agent.jar";

pub(super) struct Agent {
    phone: Phone,
    /// Made of the files' content: what is there already is not pushed again.
    files: String,
    /// Of the abstract socket.
    name: String,
    /// The agent's half, as the line that it reads.
    keys: String,
}

impl Agent {
    pub(super) fn new(phone: Phone, files: &AgentFiles, keys: &Keys) -> Result<Agent, AgentFilesError> {
        let bytes = codec::encode(keys).expect("three short pieces of bytes");
        let keys = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let files = format!("{FOLDER}/agent-{:032x}", digest(files)?);
        Ok(Agent { phone, files, name: format!("retap-{:016x}", random_number()), keys })
    }

    /// The process of an agent that runs already.
    pub(super) async fn other(&self) -> Result<Option<u32>, AdbError> {
        let asked = format!(
            "read -r pid name <{FOLDER}/agent.pid && tr '\\0' ' ' </proc/$pid/cmdline | grep -qe \"$name\" && echo $pid"
        );
        let answer = self.phone.shell(&format!("{{ {asked}; }} 2>/dev/null"), None).await?;
        Ok(answer.out.trim().parse().ok())
    }

    /// Both files or none; those of other versions go.
    pub(super) async fn push(&self, files: &AgentFiles) -> Result<(), AdbError> {
        let there = self.phone.shell(&format!("[ -d {} ]", self.files), None).await?;
        if there.code == 0 {
            return Ok(());
        }
        let part = format!("{}.part", self.files);
        self.phone.told(&format!("rm -rf {FOLDER}/agent-* && mkdir -p {part}")).await?;
        self.phone.push(&files.library, &format!("{part}/{LIBRARY}")).await?;
        self.phone.push(&files.jar, &format!("{part}/{JAR}")).await?;
        self.phone
            .told(&format!("chmod 755 {part} && chmod 644 {part}/* && mv {part} {}", self.files))
            .await?;
        Ok(())
    }

    /// Returns as soon as the process is there. It stays when the shell goes: a session of its own, deaf to hang-ups.
    pub(super) async fn start(&self) -> Result<(), AdbError> {
        let Agent { files, name, .. } = self;
        let main = format!(
            "exec app_process / dev.retap.agent.Main {files}/{LIBRARY} --name {name} --folder {FOLDER}"
        );
        let started = format!(
            "read -r keys && cd {FOLDER} && umask 077 && trap '' HUP PIPE && \
             (echo \"$keys\" | CLASSPATH={files}/{JAR} setsid sh -c 'echo $$ {name} >agent.pid; {main}' >agent.log 2>&1 &)"
        );
        let answer = self.phone.shell(&started, Some(format!("{}\n", self.keys).as_bytes())).await?;
        if answer.code == 0 {
            return Ok(());
        }
        let why = format!("{}{} (exit code {})", answer.err, answer.out, answer.code);
        Err(AdbError::Failed { what: format!("starting the agent on {}", self.phone.serial()), why })
    }

    pub(super) async fn is_alive(&self) -> Result<bool, AdbError> {
        self.phone.check().await?;
        let process =
            format!("read -r pid name <{FOLDER}/agent.pid && [ \"$name\" = {} ] && kill -0 $pid", self.name);
        Ok(self.phone.shell(&format!("{{ {process}; }} 2>/dev/null"), None).await?.code == 0)
    }

    pub(super) async fn forward(&self) -> Result<SocketAddr, AdbError> {
        self.phone.forward(&self.name).await
    }

    /// The last of what it has printed.
    pub(super) async fn output(&self) -> String {
        let told = self.phone.shell(&format!("tail -n 20 {FOLDER}/agent.log"), None).await;
        told.map(|answer| answer.out).unwrap_or_default()
    }

    /// Ends the process, and takes away all but the files that were pushed. A phone that is gone cannot be told.
    pub(super) fn end(&self, forwarded: Option<SocketAddr>) {
        let ended = format!(
            "cd {FOLDER} && read -r pid name <agent.pid && [ \"$name\" = {} ] && {{ kill $pid; rm -rf agent.pid agent.log outbox; }}",
            self.name
        );
        self.phone.bid_farewell(&ended, forwarded);
    }
}

fn digest(files: &AgentFiles) -> Result<u128, AgentFilesError> {
    let mut digest = Xxh3::new();
    for path in [&files.library, &files.jar] {
        let read = |source: io::Error| AgentFilesError::Read { path: path.clone(), source };
        let bytes = std::fs::read(path).map_err(read)?;
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
    }
    Ok(digest.digest128())
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("phone", &self.phone).field("name", &self.name).finish_non_exhaustive()
    }
}
