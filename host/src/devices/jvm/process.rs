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

use super::tools::java_error_line;
use super::{JvmError, JvmTools};
use crate::run::random_number;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct JvmProcess {
    name: String,
    folder: PathBuf,
    child: Arc<Mutex<Child>>,
    ended: watch::Receiver<Option<String>>,
}

impl JvmProcess {
    /// Returns the keys to reach it with.
    pub fn start(
        tools: &JvmTools,
        prepared: &Path,
        direct: bool,
    ) -> Result<(JvmProcess, SessionKeys), JvmError> {
        let (agent, host) = SessionKeys::generate()?;
        let name = format!("retap-jvm-{:016x}", random_number());
        let folder = std::env::temp_dir().join(&name);
        let run = |source| JvmError::Run {
            what: "java".to_owned(),
            source,
        };
        let log = folder.join("log");
        std::fs::create_dir_all(folder.join("data")).map_err(run)?;
        let mut command = tools.phone(prepared, &folder, &name, direct);
        command
            .stdin(Stdio::piped())
            .stdout(File::create(&log).map_err(run)?);
        command.stderr(File::options().append(true).open(&log).map_err(run)?);
        let mut child = command.spawn().map_err(run)?;
        send_keys(&mut child, &agent).map_err(run)?;
        let child = Arc::new(Mutex::new(child));
        let ended = watch_exit(Arc::clone(&child), log);
        Ok((
            JvmProcess {
                name,
                folder,
                child,
                ended,
            },
            host,
        ))
    }

    /// The abstract socket on which its agent listens.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Folder of the phone's files.
    pub fn folder(&self) -> &Path {
        &self.folder
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

/// One line of hexadecimal digits. The stream stays open for as long as the child is held.
fn send_keys(child: &mut Child, keys: &SessionKeys) -> io::Result<()> {
    let bytes = codec::encode(keys).map_err(io::Error::other)?;
    let line: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let stdin = child.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
    writeln!(stdin, "{line}")
}

fn watch_exit(child: Arc<Mutex<Child>>, log: PathBuf) -> watch::Receiver<Option<String>> {
    let (tell, ended) = watch::channel(None);
    std::thread::spawn(move || {
        loop {
            let status = child
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .try_wait();
            match status {
                Ok(None) => std::thread::sleep(POLL_INTERVAL),
                Ok(Some(status)) => {
                    return tell.send_replace(Some(exit_reason(&log, &status.to_string())));
                }
                Err(error) => return tell.send_replace(Some(error.to_string())),
            };
            if tell.is_closed() {
                return None;
            }
        }
    });
    ended
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
