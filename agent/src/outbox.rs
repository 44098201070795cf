//! Results and news, kept until the host has acknowledged them: a link that breaks loses nothing, and a request that
//! is sent again is not done again. Results of plays outlive the agent itself, in its folder.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::codec;
use retap_shared::protocol::{Happening, Reply};
use retap_shared::session::{Answer, NumberedNews, SessionId};
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// News beyond this many are dropped, oldest first: a host that is gone for long must not fill the phone's memory.
const NEWS_KEPT: usize = 10_000;

/// Filled once the request has been done.
pub type Result = watch::Receiver<Option<Arc<Answer>>>;

#[derive(Debug)]
pub struct Outbox {
    state: Mutex<State>,
    folder: Option<PathBuf>,
    news: Notify,
}

#[derive(Debug, Default)]
struct State {
    session: Option<SessionId>,
    entries: BTreeMap<u64, Entry>,
    news: VecDeque<NumberedNews>,
    last_news: u64,
}

#[derive(Debug)]
struct Entry {
    result: watch::Sender<Option<Arc<Answer>>>,
    work: Option<AbortHandle>,
}

impl Outbox {
    /// With a folder, results of plays that nobody has acknowledged are read back from it.
    pub fn new(folder: Option<PathBuf>) -> io::Result<Self> {
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
        }
        Ok(Outbox { state: Mutex::default(), folder, news: Notify::new() })
    }

    /// Goes on with a session, or begins another one and forgets all that was kept for the one before.
    /// Requests that the host does not wait for any more are cancelled.
    pub fn resume(&self, session: SessionId, open: &[u64], news_seen: u64) {
        let mut state = self.lock();
        if state.session != Some(session) {
            let old = std::mem::take(&mut *state);
            for entry in old.entries.into_values() {
                entry.cancel();
            }
            state.session = Some(session);
            state.entries = self.spooled(session);
            state.last_news = news_seen;
        }
        let closed: Vec<u64> =
            state.entries.keys().copied().filter(|number| !open.contains(number)).collect();
        for number in closed {
            self.drop_entry(&mut state, number);
        }
        state.forget_news(news_seen);
    }

    /// The result of request `number`: of the work that is under way or done, or else of what `start` begins.
    pub fn enter(&self, number: u64, start: impl FnOnce() -> AbortHandle) -> Result {
        let mut state = self.lock();
        let entry = state.entries.entry(number).or_insert_with(Entry::empty);
        let done = entry.result.borrow().is_some();
        if !done && entry.work.is_none() {
            entry.work = Some(start());
        }
        entry.result.subscribe()
    }

    pub fn known(&self, number: u64) -> Option<Result> {
        self.lock().entries.get(&number).map(|entry| entry.result.subscribe())
    }

    pub fn complete(&self, number: u64, answer: Answer) {
        let state = self.lock();
        let Some(entry) = state.entries.get(&number) else { return };
        if let (Answer::Reply(Reply::Played(_)), Some(session)) = (&answer, state.session) {
            self.spool(session, number, &answer);
        }
        entry.result.send_replace(Some(Arc::new(answer)));
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
        state.forget_news(news_seen);
    }

    pub fn add_news(&self, happening: Happening) {
        let mut state = self.lock();
        state.last_news += 1;
        let number = state.last_news;
        if state.news.len() == NEWS_KEPT {
            state.news.pop_front();
        }
        state.news.push_back(NumberedNews { number, happening });
        self.news.notify_waiters();
    }

    /// The first piece of news after number `seen`, as soon as there is one.
    pub async fn news_after(&self, seen: u64) -> NumberedNews {
        loop {
            let more = self.news.notified();
            tokio::pin!(more);
            more.as_mut().enable();
            if let Some(news) = self.lock().news.iter().find(|news| news.number > seen) {
                return news.clone();
            }
            more.await;
        }
    }

    fn drop_entry(&self, state: &mut State, number: u64) {
        let Some(entry) = state.entries.remove(&number) else { return };
        entry.cancel();
        if let Some(path) = state.session.and_then(|session| self.path(session, number)) {
            // Only plays are spooled: most entries have no file.
            let _ = std::fs::remove_file(path);
        }
    }

    fn spool(&self, session: SessionId, number: u64, answer: &Answer) {
        let Some(path) = self.path(session, number) else { return };
        let written =
            codec::encode(answer).map_err(io::Error::other).and_then(|bytes| write_whole(&path, &bytes));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "could not spool a result; it is lost if the agent dies");
        }
    }

    /// What an earlier agent left for this session. Files that cannot be read are no results.
    fn spooled(&self, session: SessionId) -> BTreeMap<u64, Entry> {
        let Some(folder) = &self.folder else { return BTreeMap::new() };
        let prefix = format!("{session}-");
        let mut entries = BTreeMap::new();
        for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(&prefix)?.parse().ok());
            let answer =
                std::fs::read(file.path()).ok().and_then(|bytes| codec::decode::<Answer>(&bytes).ok());
            match (number, answer) {
                (Some(number), Some(answer)) => {
                    entries.insert(number, Entry::done(answer));
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_news(&mut self, seen: u64) {
        while self.news.front().is_some_and(|news| news.number <= seen) {
            self.news.pop_front();
        }
    }
}

impl Entry {
    fn empty() -> Self {
        Entry { result: watch::Sender::new(None), work: None }
    }

    fn done(answer: Answer) -> Self {
        Entry { result: watch::Sender::new(Some(Arc::new(answer))), work: None }
    }

    fn cancel(self) {
        if let Some(work) = self.work {
            work.abort();
        }
    }
}

/// A file is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)?;
    std::fs::rename(part, path)
}
