//! Results and notifications, kept until the host has acknowledged them: a broken link loses nothing, and a request that
//! is sent again is not handled again. Results of plays are also kept in a folder and survive the agent.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::codec;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::Reply;
use retap_shared::session::{
    MAX_NOTIFICATION_BYTES, MAX_NOTIFICATIONS, MAX_OPEN_REQUESTS, NOTIFICATION_LIMIT,
    NumberedNotification, RequestResult, SessionId,
};
use tokio::sync::Notify;

/// End of the name of a file that is being written.
const PART_SUFFIX: &str = ".part";

/// Results and notifications of one session.
#[derive(Debug)]
pub struct Outbox {
    state: Mutex<OutboxState>,
    folder: Option<PathBuf>,
    notification_added: Notify,
    /// An entry got its result or was dropped.
    entry_changed: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    session: Option<SessionId>,
    entries: BTreeMap<u64, OutboxEntry>,
    /// Each with its number of bytes.
    notifications: VecDeque<(NumberedNotification, usize)>,
    notification_bytes: usize,
    last_notification: u64,
}

#[derive(Debug, Default)]
struct OutboxEntry {
    result: Option<Arc<RequestResult>>,
    cancelled: Arc<Notify>,
}

/// The decision whether a request is handled.
#[derive(Debug)]
pub enum OutboxAdmission {
    /// The caller handles the request, until this is notified of its cancellation.
    New(Arc<Notify>),
    /// The request is being handled or has a result.
    Known,
    /// Too many results wait for the host: the request is refused.
    Full,
}

impl Outbox {
    /// Creates an outbox. Results of plays are written to the folder, and read from it when their session is resumed.
    pub fn new(folder: Option<PathBuf>) -> io::Result<Self> {
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Outbox {
            state: Mutex::default(),
            folder,
            notification_added: Notify::new(),
            entry_changed: Notify::new(),
        })
    }

    /// Continues a session, or begins another one and drops the results of the one before.
    /// Requests that the host does not wait for any more are cancelled.
    pub fn resume(&self, session: SessionId, open: &[u64], notifications_seen: u64) {
        let mut state = self.lock();
        if state.session != Some(session) {
            let old = std::mem::take(&mut *state);
            for entry in old.entries.into_values() {
                entry.cancelled.notify_one();
            }
            self.entry_changed.notify_waiters();
            state.session = Some(session);
            state.entries = self.read_spool(session);
            state.last_notification = notifications_seen;
        }
        let closed: Vec<u64> = state
            .entries
            .keys()
            .copied()
            .filter(|number| !open.contains(number))
            .collect();
        for number in closed {
            self.drop_entry(&mut state, number);
        }
        state.forget_notifications(notifications_seen);
    }

    /// Adds a request, unless it is known.
    pub fn admit(&self, number: u64) -> OutboxAdmission {
        let mut state = self.lock();
        let is_full = state.entries.len() >= MAX_OPEN_REQUESTS;
        match state.entries.entry(number) {
            MapEntry::Occupied(_) => OutboxAdmission::Known,
            MapEntry::Vacant(_) if is_full => OutboxAdmission::Full,
            MapEntry::Vacant(vacant) => {
                OutboxAdmission::New(vacant.insert(OutboxEntry::default()).cancelled.clone())
            }
        }
    }

    /// Waits for the result of a request. None if the request is unknown or was cancelled.
    pub async fn result_of(&self, number: u64) -> Option<Arc<RequestResult>> {
        loop {
            let changed = self.entry_changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(result) = self.lock().entries.get(&number)?.result.clone() {
                return Some(result);
            }
            changed.await;
        }
    }

    /// Sets the result of a request.
    pub fn complete(&self, number: u64, result: RequestResult) -> Arc<RequestResult> {
        let result = Arc::new(result);
        let mut state = self.lock();
        let session = state.session;
        if let Some(entry) = state.entries.get_mut(&number) {
            if let (RequestResult::Reply(Reply::PlayReply(_)), Some(session)) = (&*result, session)
            {
                self.spool(session, number, &result);
            }
            entry.result = Some(result.clone());
            self.entry_changed.notify_waiters();
        }
        result
    }

    /// Cancels a request.
    pub fn cancel(&self, number: u64) {
        self.drop_entry(&mut self.lock(), number);
    }

    /// Drops the results below `oldest_open` and the notifications up to `notifications_seen`, which the host has.
    pub fn acknowledge(&self, oldest_open: u64, notifications_seen: u64) {
        let mut state = self.lock();
        while let Some(number) = state.entries.first_key_value().map(|(number, _)| *number) {
            if number >= oldest_open {
                break;
            }
            self.drop_entry(&mut state, number);
        }
        state.forget_notifications(notifications_seen);
    }

    /// Adds a notification. One that a host would refuse is dropped; otherwise the oldest make room, so that a host's
    /// absence does not fill the memory.
    pub fn add_notification(&self, event: PhoneEvent) {
        let mut state = self.lock();
        let number = state.last_notification + 1;
        let notification = NumberedNotification { number, event };
        let bytes = codec::encode(&notification).map_or(usize::MAX, |bytes| bytes.len());
        if bytes > NOTIFICATION_LIMIT {
            tracing::warn!(bytes, "dropped a notification that is too long");
            return;
        }
        state.last_notification = number;
        state.notification_bytes += bytes;
        state.notifications.push_back((notification, bytes));
        while state.notifications.len() > MAX_NOTIFICATIONS
            || state.notification_bytes > MAX_NOTIFICATION_BYTES
        {
            state.drop_oldest_notification();
        }
        self.notification_added.notify_waiters();
    }

    /// Waits for the first notification after number `seen`.
    pub async fn notification_after(&self, seen: u64) -> NumberedNotification {
        loop {
            let added = self.notification_added.notified();
            tokio::pin!(added);
            added.as_mut().enable();
            if let Some((notification, _)) = self
                .lock()
                .notifications
                .iter()
                .find(|(notification, _)| notification.number > seen)
            {
                return notification.clone();
            }
            added.await;
        }
    }

    fn drop_entry(&self, state: &mut OutboxState, number: u64) {
        let Some(entry) = state.entries.remove(&number) else {
            return;
        };
        entry.cancelled.notify_one();
        self.entry_changed.notify_waiters();
        if let Some(path) = state.session.and_then(|session| self.path(session, number)) {
            // Most entries have no file: only results of plays are spooled.
            let _ = std::fs::remove_file(path);
        }
    }

    fn spool(&self, session: SessionId, number: u64, result: &RequestResult) {
        let Some(path) = self.path(session, number) else {
            return;
        };
        let written = codec::encode(result)
            .map_err(io::Error::other)
            .and_then(|bytes| write_atomically(&path, &bytes));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "could not spool a result; it is lost if the agent dies");
        }
    }

    /// Reads the results that an earlier agent has spooled for this session. Files that cannot be read are deleted.
    fn read_spool(&self, session: SessionId) -> BTreeMap<u64, OutboxEntry> {
        let Some(folder) = &self.folder else {
            return BTreeMap::new();
        };
        let prefix = format!("{session}-");
        let mut entries = BTreeMap::new();
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name();
            let name = name.to_str().unwrap_or_default();
            // The folder may be one that somebody named by mistake.
            if !is_spooled_name(name) {
                continue;
            }
            let number = name
                .strip_prefix(&prefix)
                .and_then(|number| number.parse().ok());
            let result = std::fs::read(file.path())
                .ok()
                .and_then(|bytes| codec::decode::<RequestResult>(&bytes).ok());
            match (number, result) {
                (Some(number), Some(result)) => {
                    let result = Some(Arc::new(result));
                    entries.insert(
                        number,
                        OutboxEntry {
                            result,
                            ..OutboxEntry::default()
                        },
                    );
                }
                _ => {
                    let _ = std::fs::remove_file(file.path());
                }
            }
        }
        entries
    }

    fn path(&self, session: SessionId, number: u64) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{session}-{number}")))
    }

    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxState {
    fn forget_notifications(&mut self, seen: u64) {
        while self
            .notifications
            .front()
            .is_some_and(|(notification, _)| notification.number <= seen)
        {
            self.drop_oldest_notification();
        }
    }

    fn drop_oldest_notification(&mut self) {
        if let Some((_, bytes)) = self.notifications.pop_front() {
            self.notification_bytes -= bytes;
        }
    }
}

/// True for the names that an outbox gives: a session and a number, and those of parts.
fn is_spooled_name(name: &str) -> bool {
    let name = name.strip_suffix(PART_SUFFIX).unwrap_or(name);
    let is_decimal = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    name.split_once('-').is_some_and(|(session, number)| {
        session.len() == 32 && session.bytes().all(|b| b.is_ascii_hexdigit()) && is_decimal(number)
    })
}

/// Writes a file so that it exists completely or not at all.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(PART_SUFFIX);
    let part = PathBuf::from(part);
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}
