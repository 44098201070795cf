//! Runs that were begun and have not answered yet.

use std::future::poll_fn;
use std::task::Poll;

use retap_device::stop::Stop;
use retap_shared::connection::Pending;

use super::judge::Halt;
use crate::oracle::{Observation, OracleError};

/// Runs under way, each for the candidate of a number.
#[derive(Default)]
pub(super) struct Runs<'a> {
    under_way: Vec<(usize, Pending<'a, Result<Observation, OracleError>>)>,
}

impl<'a> Runs<'a> {
    pub(super) fn len(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn start(
        &mut self,
        number: usize,
        run: Pending<'a, Result<Observation, OracleError>>,
    ) {
        self.under_way.push((number, run));
    }

    /// The numbers of those that are no longer under way.
    pub(super) fn cancel(&mut self, which: impl Fn(usize) -> bool) -> Vec<usize> {
        self.under_way
            .extract_if(.., |(number, _)| which(*number))
            .map(|(number, _)| number)
            .collect()
    }

    /// The next answer. Only called while a run is under way.
    pub(super) async fn next(&mut self, stop: &Stop) -> Result<(usize, Observation), Halt> {
        let answered = poll_fn(|context| {
            let mut runs = self.under_way.iter_mut().enumerate();
            let ready = runs.find_map(|(place, (_, run))| match run.as_mut().poll(context) {
                Poll::Ready(answer) => Some((place, answer)),
                Poll::Pending => None,
            });
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (place, answer) = tokio::select! {
            biased;
            () = stop.wait() => return Err(Halt::Stopped),
            answered = answered => answered,
        };
        let (number, _) = self.under_way.remove(place);
        Ok((number, answer.map_err(Halt::Oracle)?))
    }
}
