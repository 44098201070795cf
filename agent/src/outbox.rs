//! Results and news, kept until the host has acknowledged them: a link that breaks loses nothing, and a request that
//! is sent again is not done again. Results of plays outlive the agent itself, in its folder.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::codec;
use retap_shared::protocol::{PhoneEvent, Reply};
use retap_shared::session::{NumberedNotification, RequestResult, SessionId};
use tokio::sync::Notify;

/// News beyond this many are dropped, oldest first: a host that is gone for long must not fill the phone's memory.
const MAX_NOTIFICATIONS: usize = 10_000;

#[derive(Debug)]
pub struct Outbox {
    state: Mutex<OutboxState>,
    folder: Option<PathBuf>,
    notification_added: Notify,
    /// Some entry has got its answer, or is gone.
    entry_changed: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    session: Option<SessionId>,
    entries: BTreeMap<u64, OutboxEntry>,
    notifications: VecDeque<NumberedNotification>,
    last_notification: u64,
}

#[derive(Debug, Default)]
struct OutboxEntry {
    answer: Option<Arc<RequestResult>>,
    cancelled: Arc<Notify>,
}

/// Whether a request is to be done.
#[derive(Debug)]
pub enum OutboxAdmission {
    /// By whoever entered it, unless this is notified.
    New(Arc<Notify>),
    /// It is under way or done.
    Known,
}

impl Outbox {
    /// With a folder, results of plays that nobody has acknowledged are read back from it.
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

    /// Goes on with a session, or begins another one and forgets all that was kept for the one before.
    /// Requests that the host does not wait for any more are cancelled.
    pub fn resume(&self, session: SessionId, open: &[u64], news_seen: u64) {
        let mut state = self.lock();
        if state.session != Some(session) {
            let old = std::mem::take(&mut *state);
            for entry in old.entries.into_values() {
                entry.cancelled.notify_one();
            }
            self.entry_changed.notify_waiters();
            state.session = Some(session);
            state.entries = self.read_spool(session);
            state.last_notification = news_seen;
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
        state.forget_notifications(news_seen);
    }

    pub fn admit(&self, number: u64) -> OutboxAdmission {
        match self.lock().entries.entry(number) {
            MapEntry::Occupied(_) => OutboxAdmission::Known,
            MapEntry::Vacant(vacant) => {
                OutboxAdmission::New(vacant.insert(OutboxEntry::default()).cancelled.clone())
            }
        }
    }

    /// The answer to request `number`, as soon as there is one. None if it was never entered, or was cancelled.
    pub async fn result_of(&self, number: u64) -> Option<Arc<RequestResult>> {
        loop {
            let settled = self.entry_changed.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if let Some(answer) = self.lock().entries.get(&number)?.answer.clone() {
                return Some(answer);
            }
            settled.await;
        }
    }

    pub fn complete(&self, number: u64, answer: RequestResult) -> Arc<RequestResult> {
        let answer = Arc::new(answer);
        let mut state = self.lock();
        let session = state.session;
        if let Some(entry) = state.entries.get_mut(&number) {
            if let (RequestResult::Reply(Reply::PlayReply(_)), Some(session)) = (&*answer, session)
            {
                self.spool(session, number, &answer);
            }
            entry.answer = Some(answer.clone());
            self.entry_changed.notify_waiters();
        }
        answer
    }

    pub fn cancel(&self, number: u64) {
        self.drop_entry(&mut self.lock(), number);
    }

    /// The host has every answer below `oldest_open`, and news up to `news_seen`.
    pub fn acknowledge(&self, oldest_open: u64, news_seen: u64) {
        let mut state = self.lock();
        while let Some(number) = state.entries.first_key_value().map(|(number, _)| *number) {
            if number >= oldest_open {
                break;
            }
            self.drop_entry(&mut state, number);
        }
        state.forget_notifications(news_seen);
    }

    pub fn add_notification(&self, happening: PhoneEvent) {
        let mut state = self.lock();
        state.last_notification += 1;
        let number = state.last_notification;
        if state.notifications.len() == MAX_NOTIFICATIONS {
            state.notifications.pop_front();
        }
        state.notifications.push_back(NumberedNotification {
            number,
            event: happening,
        });
        self.notification_added.notify_waiters();
    }

    /// The first piece of news after number `seen`, as soon as there is one.
    pub async fn notification_after(&self, seen: u64) -> NumberedNotification {
        loop {
            let more = self.notification_added.notified();
            tokio::pin!(more);
            more.as_mut().enable();
            if let Some(news) = self
                .lock()
                .notifications
                .iter()
                .find(|news| news.number > seen)
            {
                return news.clone();
            }
            more.await;
        }
    }

    fn drop_entry(&self, state: &mut OutboxState, number: u64) {
        let Some(entry) = state.entries.remove(&number) else {
            return;
        };
        entry.cancelled.notify_one();
        self.entry_changed.notify_waiters();
        if let Some(path) = state.session.and_then(|session| self.path(session, number)) {
            // Only plays are spooled: most entries have no file.
            let _ = std::fs::remove_file(path);
        }
    }

    fn spool(&self, session: SessionId, number: u64, answer: &RequestResult) {
        let Some(path) = self.path(session, number) else {
            return;
        };
        let written = codec::encode(answer)
            .map_err(io::Error::other)
            .and_then(|bytes| write_atomically(&path, &bytes));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "could not spool a result; it is lost if the agent dies");
        }
    }

    /// What an earlier agent left for this session. Files that cannot be read are no results.
    fn read_spool(&self, session: SessionId) -> BTreeMap<u64, OutboxEntry> {
        let Some(folder) = &self.folder else {
            return BTreeMap::new();
        };
        let prefix = format!("{session}-");
        let mut entries = BTreeMap::new();
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name();
            let number = name
                .to_str()
                .and_then(|name| name.strip_prefix(&prefix)?.parse().ok());
            let answer = std::fs::read(file.path())
                .ok()
                .and_then(|bytes| codec::decode::<RequestResult>(&bytes).ok());
            match (number, answer) {
                (Some(number), Some(answer)) => {
                    let answer = Some(Arc::new(answer));
                    entries.insert(
                        number,
                        OutboxEntry {
                            answer,
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
            .is_some_and(|news| news.number <= seen)
        {
            self.notifications.pop_front();
        }
    }
}

/// A file is there whole or not at all.
fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}
