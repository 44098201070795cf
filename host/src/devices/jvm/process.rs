//! One JVM with the phone in it: started with the session's keys on its standard input, watched for its end, and ended
//! when it is dropped.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use retap_shared::codec;
use retap_transport::keys::SessionKeys;
use tokio::sync::watch;

use super::socket::AgentSocket;
use super::tools::{JvmOptions, java_error_line};
use super::{JvmError, JvmTools};
use crate::containment::{ContainmentKind, ProgramFiles};
use crate::run::random_number;

const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How often the folder of a phone is measured, where that is needed: twice a second.
const POLLS_PER_LOOK: u64 = 25;
/// A phone's own files have a tenth of it. One file can have half of it.
const FOLDER_LIMIT: u64 = 2 << 30;
const OUTGROWN: &str = "the app filled the phone's folder beyond 2 GiB";
/// The agent's socket in the folder of a phone that has a network of its own.
const SOCKET_FILE: &str = "agent";

#[derive(Debug)]
pub struct JvmProcess {
    socket: AgentSocket,
    /// With its log, and unless it has a file system of its own, with all that it keeps.
    folder: PathBuf,
    /// All that it keeps, as this process reaches it.
    own_folder: PathBuf,
    child: Arc<Mutex<Child>>,
    ended: watch::Receiver<Option<String>>,
}

impl JvmProcess {
    /// Returns the keys to reach it with.
    pub fn start(
        tools: &JvmTools,
        prepared: &Path,
        containment: Option<ContainmentKind>,
        options: JvmOptions,
    ) -> Result<(JvmProcess, SessionKeys), JvmError> {
        let (agent, host) = SessionKeys::generate()?;
        let name = format!("retap-jvm-{:016x}", random_number());
        let folder = std::env::temp_dir().join(&name);
        let run = |source| JvmError::Run {
            what: "java".to_owned(),
            source,
        };
        let log = folder.join("log");
        create_private_folder(&folder).map_err(run)?;
        std::fs::create_dir(folder.join("data")).map_err(run)?;
        let inside = containment.map_or_else(|| folder.clone(), |kind| kind.folder_inside(&folder));
        let address = socket_name(containment, &name, &inside);
        let mut command = tools.phone(prepared, &inside, &address, options);
        if let Some(kind) = containment {
            let readable = &tools.readable(prepared);
            let folder = &folder;
            command = kind.command(&command, ProgramFiles { readable, folder });
        }
        command
            .stdin(Stdio::piped())
            .stdout(File::create(&log).map_err(run)?);
        command.stderr(File::options().append(true).open(&log).map_err(run)?);
        let mut child = command.spawn().map_err(run)?;
        let own_folder = containment.map_or_else(
            || folder.clone(),
            |kind| kind.folder_from_outside(&folder, child.id()),
        );
        let socket = agent_socket(containment, name, &own_folder);
        send_keys(&mut child, &agent).map_err(run)?;
        let child = Arc::new(Mutex::new(child));
        // Namespaces keep it in memory, which the kernel limits. Who is trusted is not watched.
        let watched = (containment == Some(ContainmentKind::Landlock)).then(|| folder.clone());
        let ended = watch_exit(Arc::clone(&child), log, watched);
        Ok((
            JvmProcess {
                socket,
                folder,
                own_folder,
                child,
                ended,
            },
            host,
        ))
    }

    /// The socket on which its agent listens.
    pub fn socket(&self) -> &AgentSocket {
        &self.socket
    }

    /// Folder of the phone's files, as this process reaches it.
    pub fn own_folder(&self) -> &Path {
        &self.own_folder
    }

    pub fn ended(&self) -> watch::Receiver<Option<String>> {
        self.ended.clone()
    }

    pub fn end(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Why it ended, once it has.
pub async fn wait_for_exit(ended: &mut watch::Receiver<Option<String>>) -> String {
    let why = ended.wait_for(Option::is_some).await.map(|why| why.clone());
    why.ok().flatten().unwrap_or_else(|| "it ended".to_owned())
}

impl Drop for JvmProcess {
    fn drop(&mut self) {
        self.end();
        // Files that cannot be removed are in the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Only its owner sees what an app shows, logs and keeps.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The name of the socket for the agent. Abstract ones belong to a network, and a phone with namespaces has its own.
fn socket_name(containment: Option<ContainmentKind>, name: &str, inside: &Path) -> String {
    match containment {
        Some(ContainmentKind::Namespaces) => inside.join(SOCKET_FILE).display().to_string(),
        Some(ContainmentKind::Landlock) | None => name.to_owned(),
    }
}

fn agent_socket(
    containment: Option<ContainmentKind>,
    name: String,
    own_folder: &Path,
) -> AgentSocket {
    match containment {
        Some(ContainmentKind::Namespaces) => AgentSocket::File(own_folder.join(SOCKET_FILE)),
        Some(ContainmentKind::Landlock) | None => AgentSocket::Abstract(name),
    }
}

/// One line of hexadecimal digits. The stream stays open for as long as the child is held.
fn send_keys(child: &mut Child, keys: &SessionKeys) -> io::Result<()> {
    let bytes = codec::encode(keys).map_err(io::Error::other)?;
    let line: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let stdin = child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    writeln!(stdin, "{line}")
}

/// Also ends it when its folder outgrows the limit, if it is to be watched.
fn watch_exit(
    child: Arc<Mutex<Child>>,
    log: PathBuf,
    watched: Option<PathBuf>,
) -> watch::Receiver<Option<String>> {
    let (end, ended) = watch::channel(None);
    std::thread::spawn(move || {
        for poll in 1_u64.. {
            let is_too_large = |folder: &PathBuf| folder_size(folder) > FOLDER_LIMIT;
            if poll % POLLS_PER_LOOK == 0 && watched.as_ref().is_some_and(is_too_large) {
                // It may have ended by itself.
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return end.send_replace(Some(OUTGROWN.to_owned()));
            }
            let status = child
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .try_wait();
            match status {
                Ok(None) => std::thread::sleep(POLL_INTERVAL),
                Ok(Some(status)) => {
                    return end.send_replace(Some(exit_reason(&log, &status.to_string())));
                }
                Err(error) => return end.send_replace(Some(error.to_string())),
            };
            if end.is_closed() {
                return None;
            }
        }
        None
    });
    ended
}

/// Bytes of all files in a folder. What vanishes meanwhile has none.
fn folder_size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => folder_size(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

/// The last error that it wrote, or how it ended.
fn exit_reason(log: &Path, status: &str) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let error = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("error: "));
    // Java's own, where it never came to the phone's first line.
    let is_javas = text.lines().any(|line| line.starts_with("Error: "));
    let in_other_words = || match is_javas {
        true => format!("the JVM ended with {status}: {}", java_error_line(&text)),
        false => format!("the JVM ended with {status}"),
    };
    error.map_or_else(in_other_words, str::to_owned)
}
