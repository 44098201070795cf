//! A guard between a reduction and what it asks: an error ends the reduction as a cancellation does, so that the best result
//! so far is not lost. The error is kept for the end of the command.

use std::future;
use std::sync::{Mutex, PoisonError};

use retap_device::CancellationToken;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::suite::{ReplayRecord, ReplayRequest, Replayer, SuiteError};
use retap_shared::connection::BoxFuture;

/// Keeps the first error of what it guards, and cancels the work then.
#[derive(Debug)]
pub struct FailureGuard<G, E> {
    guarded: G,
    cancellation: CancellationToken,
    error: Mutex<Option<E>>,
}

impl<G, E> FailureGuard<G, E> {
    /// Guards what a run asks. The run's cancellation cancels the guarded work too.
    pub fn new(guarded: G, run: &CancellationToken) -> FailureGuard<G, E> {
        FailureGuard {
            guarded,
            cancellation: run.child_token(),
            error: Mutex::new(None),
        }
    }

    /// Cancellation of the guarded work.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// The first error, if there was one.
    pub fn into_error(self) -> Option<E> {
        self.error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a value on. After an error there is no answer any more, only the cancellation.
    async fn pass<T>(&self, answer: Result<T, E>) -> Result<T, E> {
        match answer {
            Ok(value) => Ok(value),
            Err(error) => {
                self.error
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                self.cancellation.cancel();
                future::pending().await
            }
        }
    }
}

impl<O: Oracle> Oracle for FailureGuard<O, OracleError> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move { self.pass(self.guarded.ask(query).await).await })
    }
}

impl<R: Replayer> Replayer for FailureGuard<R, SuiteError> {
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(async move { self.pass(self.guarded.replay(request).await).await })
    }

    fn parallelism(&self) -> usize {
        self.guarded.parallelism()
    }
}
