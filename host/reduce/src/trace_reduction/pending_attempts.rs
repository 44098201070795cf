//! Runs that were begun and have not answered yet.

use std::future::poll_fn;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;

use super::evaluation::ReductionStop;
use crate::oracle::{Observation, OracleError};

/// Runs under way, each for the candidate of a number.
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
        run: BoxFuture<'a, Result<Observation, OracleError>>,
    ) {
        self.pending.push((number, run));
    }

    /// The numbers of those that are no longer under way.
    pub(super) fn cancel(&mut self, which: impl Fn(usize) -> bool) -> Vec<usize> {
        self.pending
            .extract_if(.., |(number, _)| which(*number))
            .map(|(number, _)| number)
            .collect()
    }

    /// The next answer. Only called while a run is under way.
    pub(super) async fn next_observation(
        &mut self,
        stop: &CancellationToken,
    ) -> Result<(usize, Observation), ReductionStop> {
        let answered = poll_fn(|context| {
            let mut runs = self.pending.iter_mut().enumerate();
            let ready = runs.find_map(|(place, (_, run))| match run.as_mut().poll(context) {
                Poll::Ready(answer) => Some((place, answer)),
                Poll::Pending => None,
            });
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (place, answer) = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(ReductionStop::Stopped),
            answered = answered => answered,
        };
        let (number, _) = self.pending.remove(place);
        Ok((number, answer.map_err(ReductionStop::Oracle)?))
    }
}
