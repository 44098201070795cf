//! Attempts that were started and have no observation yet.

use std::future::poll_fn;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;

use super::evaluation::ReductionStop;
use crate::oracle::{Observation, OracleError};

/// Running attempts, each with the number of its candidate.
#[derive(Default)]
pub(super) struct PendingAttempts<'a> {
    pending: Vec<(usize, BoxFuture<'a, Result<Observation, OracleError>>)>,
}

impl<'a> PendingAttempts<'a> {
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn start(
        &mut self,
        number: usize,
        attempt: BoxFuture<'a, Result<Observation, OracleError>>,
    ) {
        self.pending.push((number, attempt));
    }

    /// Cancels the attempts of some candidates. Returns the candidates' numbers.
    pub(super) fn cancel(&mut self, which: impl Fn(usize) -> bool) -> Vec<usize> {
        self.pending
            .extract_if(.., |(number, _)| which(*number))
            .map(|(number, _)| number)
            .collect()
    }

    /// Next observation. Only called while an attempt is running. Of several that are ready the one that was started first
    /// comes first, so that a run is repeatable; `FuturesUnordered` does not keep that order.
    pub(super) async fn next_observation(
        &mut self,
        cancellation: &CancellationToken,
    ) -> Result<(usize, Observation), ReductionStop> {
        let first_ready = poll_fn(|context| {
            let mut attempts = self.pending.iter_mut().enumerate();
            let ready =
                attempts.find_map(
                    |(index, (_, attempt))| match attempt.as_mut().poll(context) {
                        Poll::Ready(observation) => Some((index, observation)),
                        Poll::Pending => None,
                    },
                );
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (index, observation) = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(ReductionStop::Cancelled),
            ready = first_ready => ready,
        };
        let (number, _) = self.pending.remove(index);
        Ok((number, observation.map_err(ReductionStop::Oracle)?))
    }
}
