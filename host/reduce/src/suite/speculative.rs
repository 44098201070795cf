//! Runs that will probably be asked for next, made by phones that would be idle. What is decided is decided by the runs that
//! are asked for, one after the other: however many phones there are, the answers are those of one.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;

use super::SuiteError;
use super::reducer::SuiteStop;
use super::replayer::{ReplayRecord, ReplayRequest, Replayer};

/// Which run of which way.
pub(super) type ReplayId = (u64, u32);

pub(super) struct SpeculativeReplays<'a> {
    replayer: &'a dyn Replayer,
    under_way: Vec<(ReplayId, BoxFuture<'a, Result<ReplayRecord, SuiteError>>)>,
    done: HashMap<ReplayId, ReplayRecord>,
}

impl<'a> SpeculativeReplays<'a> {
    pub(super) fn new(replayer: &'a dyn Replayer) -> SpeculativeReplays<'a> {
        SpeculativeReplays {
            replayer,
            under_way: Vec::new(),
            done: HashMap::new(),
        }
    }

    pub(super) fn is_done(&self, id: ReplayId) -> bool {
        self.done.contains_key(&id)
    }

    pub(super) fn take(&mut self, id: ReplayId) -> Option<ReplayRecord> {
        self.done.remove(&id)
    }

    /// Runs that nobody is likely to ask for any more are cancelled.
    pub(super) fn keep_only(&mut self, wanted: &HashSet<ReplayId>) {
        self.under_way.retain(|(id, _)| wanted.contains(id));
    }

    pub(super) fn is_under_way(&self, id: ReplayId) -> bool {
        self.under_way.iter().any(|(known, _)| *known == id)
    }

    pub(super) fn start(&mut self, errand: ReplayRequest) {
        let id = (errand.key, errand.attempt);
        self.under_way.push((id, self.replayer.replay(errand)));
    }

    /// Waits for whichever ends first.
    pub(super) async fn next(
        &mut self,
        stop: &CancellationToken,
    ) -> Result<&ReplayRecord, SuiteStop> {
        let ended = poll_fn(|context| {
            let mut runs = self.under_way.iter_mut().enumerate();
            let ready = runs.find_map(|(place, (_, run))| match run.as_mut().poll(context) {
                Poll::Ready(run) => Some((place, run)),
                Poll::Pending => None,
            });
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (place, run) = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(SuiteStop::Stopped),
            ended = ended => ended,
        };
        let (id, _) = self.under_way.remove(place);
        Ok(self
            .done
            .entry(id)
            .or_insert(run.map_err(SuiteStop::Failed)?))
    }
}
