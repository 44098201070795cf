//! Any oracle behind the journal: what has been observed once is recalled, not played again.

use std::fmt;

use retap_device::event::{RunEvent, Sink};
use retap_shared::connection::Pending;

use super::{Observation, Oracle, OracleError, Question};
use crate::journal::Journal;

pub struct Journaled<'a, O> {
    inner: O,
    journal: &'a dyn Journal,
    sink: Sink,
}

impl<'a, O: Oracle> Journaled<'a, O> {
    pub fn new(inner: O, journal: &'a dyn Journal, sink: &Sink) -> Journaled<'a, O> {
        Journaled {
            inner,
            journal,
            sink: sink.clone(),
        }
    }

    async fn recall_or_ask(&self, question: Question) -> Result<Observation, OracleError> {
        let key = question.key();
        let attempt = question.attempt;
        let steps = u32::try_from(question.steps.len()).unwrap_or(u32::MAX);
        let (seen, recalled) = match self.journal.recall(key, attempt)? {
            Some(seen) => (seen, true),
            None => {
                let seen = self.inner.ask(question).await?;
                // Before anybody acts on it: what has been decided upon must not be forgotten by a crash.
                self.journal.note(key, attempt, &seen)?;
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

impl<O: Oracle> Oracle for Journaled<'_, O> {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        Box::pin(self.recall_or_ask(question))
    }
}

impl<O: fmt::Debug> fmt::Debug for Journaled<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journaled")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
