//! Any oracle behind the journal: what has been observed once is recalled, not played again.

use std::fmt;

use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::connection::BoxFuture;

use super::{Observation, Oracle, OracleError, OracleQuery};
use crate::journal::ObservationJournal;

pub struct JournaledOracle<'a, O> {
    inner: O,
    journal: &'a dyn ObservationJournal,
    sink: EventSink,
}

impl<'a, O: Oracle> JournaledOracle<'a, O> {
    pub fn new(
        inner: O,
        journal: &'a dyn ObservationJournal,
        sink: &EventSink,
    ) -> JournaledOracle<'a, O> {
        JournaledOracle {
            inner,
            journal,
            sink: sink.clone(),
        }
    }

    async fn recall_or_ask(&self, question: OracleQuery) -> Result<Observation, OracleError> {
        let key = question.key();
        let attempt = question.attempt;
        let steps = u32::try_from(question.candidate.len()).unwrap_or(u32::MAX);
        let (seen, recalled) = match self.journal.recall_observation(key, attempt)? {
            Some(seen) => (seen, true),
            None => {
                let seen = self.inner.ask(question).await?;
                // Before anybody acts on it: what has been decided upon must not be forgotten by a crash.
                self.journal.record_observation(key, attempt, &seen)?;
                (seen, false)
            }
        };
        let Observation {
            reached,
            played,
            took,
            ..
        } = seen;
        (self.sink)(RunEvent::Observed {
            steps,
            attempt,
            reached,
            played,
            took,
            recalled,
        });
        Ok(seen)
    }
}

impl<O: Oracle> Oracle for JournaledOracle<'_, O> {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(self.recall_or_ask(question))
    }
}

impl<O: fmt::Debug> fmt::Debug for JournaledOracle<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journaled")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
