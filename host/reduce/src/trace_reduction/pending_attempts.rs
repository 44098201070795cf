//! Attempts that were started and have no observation yet.

use std::future::poll_fn;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;
use tokio::time::Instant;

use super::evaluation::ReductionStop;
use crate::oracle::{Candidate, Observation, OracleError};

/// Running attempts.
#[derive(Default)]
pub(super) struct PendingAttempts<'a> {
    pending: Vec<PendingAttempt<'a>>,
}

/// One running attempt.
pub(super) struct PendingAttempt<'a> {
    /// Number that its algorithm knows it by.
    pub(super) number: usize,
    pub(super) candidate: Candidate,
    pub(super) attempt: u32,
    pub(super) observation: BoxFuture<'a, Result<Observation, OracleError>>,
}

impl<'a> PendingAttempts<'a> {
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn start(&mut self, attempt: PendingAttempt<'a>) {
        self.pending.push(attempt);
    }

    /// Cancels the attempts of some candidates. Returns the candidates' numbers.
    pub(super) fn cancel(&mut self, which: impl Fn(usize) -> bool) -> Vec<usize> {
        self.pending
            .extract_if(.., |attempt| which(attempt.number))
            .map(|attempt| attempt.number)
            .collect()
    }

    /// Next attempt with an observation. Only called while an attempt is running. Of several that are ready the one that was
    /// started first comes first, so that a run is repeatable; `FuturesUnordered` does not keep that order.
    pub(super) async fn next_observation(
        &mut self,
        cancellation: &CancellationToken,
        deadline: Option<Instant>,
    ) -> Result<(PendingAttempt<'a>, Observation), ReductionStop> {
        let first_ready = poll_fn(|context| {
            let mut attempts = self.pending.iter_mut().enumerate();
            let ready = attempts.find_map(|(index, attempt)| {
                match attempt.observation.as_mut().poll(context) {
                    Poll::Ready(observation) => Some((index, observation)),
                    Poll::Pending => None,
                }
            });
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let time_is_up = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let (index, observation) = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(ReductionStop::Cancelled),
            ready = first_ready => ready,
            () = time_is_up => return Err(ReductionStop::BudgetSpent),
        };
        let attempt = self.pending.remove(index);
        Ok((attempt, observation.map_err(ReductionStop::Oracle)?))
    }
}
