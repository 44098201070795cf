//! The lock of a phone on adb: one command of this user at a time works on it. The system releases it when the process ends,
//! however that happens. The file says who has it, and since when.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;

use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{Reply, Request};
use serde::{Deserialize, Serialize};

use crate::run::data_directory;
use crate::run::utc_time::UtcTime;

/// Maximum length of a lock file; anything longer is none.
const MAX_LENGTH: u64 = 4_096;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct PhoneLock {
    /// The lock is held as long as the file is open.
    _file: File,
}

/// The command that uses a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneOwner {
    pub process: u32,
    pub command: String,
    /// Milliseconds since 1970.
    pub since: u64,
}

/// Reason why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PhoneLockError {
    #[error("another command works on it: {}", .0.as_ref().map_or_else(|| "an unknown one".to_owned(), PhoneOwner::describe))]
    Held(Option<PhoneOwner>),
    #[error("its lock `{path}` cannot be used")]
    File {
        path: String,
        #[source]
        source: io::Error,
    },
}

impl PhoneOwner {
    fn of_this_process() -> PhoneOwner {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        PhoneOwner {
            process: std::process::id(),
            command: format!("retap {}", arguments.join(" ")),
            since: UtcTime::now().0,
        }
    }

    /// The owner in words.
    pub fn describe(&self) -> String {
        let since = UtcTime(self.since).to_text();
        format!(
            "process {}, `{}`, since {since}",
            self.process, self.command
        )
    }
}

impl PhoneLock {
    /// Takes the lock of a phone, or returns who holds it.
    pub fn take(serial: &str) -> Result<PhoneLock, PhoneLockError> {
        let path = path(serial);
        let failed = |source| PhoneLockError::File {
            path: path.display().to_string(),
            source,
        };
        fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(failed)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PhoneLockError::Held(read(&file))),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Without its owner the lock still holds.
        let text = serde_json::to_vec(&PhoneOwner::of_this_process()).unwrap_or_default();
        let written = file
            .rewind()
            .and_then(|()| file.write_all(&text))
            .and_then(|()| file.set_len(text.len() as u64));
        written.map_err(failed)?;
        Ok(PhoneLock { _file: file })
    }

    /// Who holds the lock of a phone; `Some(None)` if that cannot be read.
    pub fn owner(serial: &str) -> Option<Option<PhoneOwner>> {
        let file = File::open(path(serial)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(read(&file)),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }
}

/// A serial may have any characters; a name of a file may not.
fn path(serial: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = serial.chars().take(40).map(plain).collect();
    let number = xxhash_rust::xxh3::xxh3_64(serial.as_bytes());
    data_directory()
        .join("phones")
        .join(format!("{name}-{number:016x}.lock"))
}

fn read(file: &File) -> Option<PhoneOwner> {
    let mut text = String::new();
    file.take(MAX_LENGTH).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// A phone whose lock is held as long as it is connected.
pub(super) struct LockedPhone {
    pub(super) phone: Arc<dyn Connection>,
    pub(super) _lock: PhoneLock,
}

impl Connection for LockedPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        self.phone.request(request)
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.phone.next_notification()
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        self.phone.start_fresh()
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        self.phone.health()
    }
}
