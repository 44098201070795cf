//! An oracle behind a journal: attempts that were recorded are recalled instead of played again.

use std::fmt;

use retap_device::JournalError;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::connection::BoxFuture;

use super::{CandidateKey, Observation, Oracle, OracleError, OracleQuery};

/// Observations that survive the process, by candidate and attempt. The host keeps them in its store.
pub trait ObservationJournal: Send + Sync {
    /// Observation of an attempt that was recorded before.
    fn recall_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
    ) -> Result<Option<Observation>, JournalError>;

    /// Records the observation of an attempt.
    fn record_observation(
        &self,
        candidate: CandidateKey,
        attempt: u32,
        observation: &Observation,
    ) -> Result<(), JournalError>;
}

/// Asks the inner oracle only for attempts that are not in the journal. Emits an event for every observation.
pub struct JournaledOracle<'a, O> {
    inner: O,
    journal: &'a dyn ObservationJournal,
    events: EventSink,
}

impl<'a, O: Oracle> JournaledOracle<'a, O> {
    /// Puts `journal` before `inner`.
    pub fn new(
        inner: O,
        journal: &'a dyn ObservationJournal,
        events: &EventSink,
    ) -> JournaledOracle<'a, O> {
        JournaledOracle {
            inner,
            journal,
            events: events.clone(),
        }
    }

    async fn recall_or_ask(&self, query: OracleQuery) -> Result<Observation, OracleError> {
        let key = query.key();
        let attempt = query.attempt;
        let steps = u32::try_from(query.candidate.len()).unwrap_or(u32::MAX);
        let recorded = self.journal.recall_observation(key, attempt)?;
        let recalled = recorded.is_some();
        let observation = match recorded {
            Some(observation) => observation,
            None => {
                let observation = self.inner.ask(query).await?;
                // Before anything is decided by it: a decision must not outlive its observation if the process is killed.
                self.journal
                    .record_observation(key, attempt, &observation)?;
                observation
            }
        };
        (self.events)(RunEvent::Observed {
            steps,
            attempt,
            reached: observation.reached,
            played: observation.played,
            took: observation.took,
            phone: observation.phone.clone(),
            recalled,
        });
        Ok(observation)
    }
}

impl<O: Oracle> Oracle for JournaledOracle<'_, O> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(self.recall_or_ask(query))
    }
}

impl<O: fmt::Debug> fmt::Debug for JournaledOracle<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournaledOracle")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
