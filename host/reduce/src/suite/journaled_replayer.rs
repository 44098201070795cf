//! A replayer behind a journal: a replay that was recorded is recalled, not made again.

use std::fmt;
use std::sync::Arc;

use retap_device::JournalError;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::connection::BoxFuture;

use super::error::SuiteError;
use super::replayer::{ReplayRecord, ReplayRequest, Replayer};

/// Journal of replays. It outlives the process, so that an interrupted reduction can be resumed.
pub trait ReplayJournal: Send + Sync {
    /// Recalls an attempt of a path, if it was recorded.
    fn recall_replay(&self, key: u64, attempt: u32) -> Result<Option<ReplayRecord>, JournalError>;

    /// Records an attempt of a path.
    fn record_replay(
        &self,
        key: u64,
        attempt: u32,
        record: &ReplayRecord,
    ) -> Result<(), JournalError>;
}

/// Replayer that asks a journal first.
pub struct JournaledReplayer<'a, R> {
    inner: R,
    journal: &'a dyn ReplayJournal,
    events: EventSink,
}

impl<'a, R: Replayer> JournaledReplayer<'a, R> {
    /// Puts `journal` in front of `inner`.
    pub fn new(
        inner: R,
        journal: &'a dyn ReplayJournal,
        events: &EventSink,
    ) -> JournaledReplayer<'a, R> {
        JournaledReplayer {
            inner,
            journal,
            events: events.clone(),
        }
    }

    async fn recall_or_replay(&self, request: ReplayRequest) -> Result<ReplayRecord, SuiteError> {
        let ReplayRequest {
            key,
            attempt,
            ref step_source,
        } = request;
        let step_source = Arc::clone(step_source);
        let (record, recalled) = match self.journal.recall_replay(key, attempt)? {
            Some(record) => (record, true),
            None => {
                let record = self.inner.replay(request).await?;
                // Recorded before the reduction acts on it: a crash must not lose what a decision was based on.
                self.journal.record_replay(key, attempt, &record)?;
                (record, false)
            }
        };
        let played = u32::try_from(record.hops.len()).unwrap_or(u32::MAX);
        (self.events)(RunEvent::SuiteReplayed {
            attempt,
            played,
            took: record.took(),
            recalled,
            diverged_at: step_source.divergence(&record),
        });
        Ok(record)
    }
}

impl<R: Replayer> Replayer for JournaledReplayer<'_, R> {
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(self.recall_or_replay(request))
    }

    fn parallelism(&self) -> usize {
        self.inner.parallelism()
    }
}

impl<R: fmt::Debug> fmt::Debug for JournaledReplayer<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournaledReplayer")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
