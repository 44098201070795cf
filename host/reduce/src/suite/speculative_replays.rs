//! Replays that will probably be demanded next, on phones that would be idle. Only replays that are demanded count, in the
//! order of the demands: the result is the same for any number of phones.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;

use super::error::{SuiteError, SuiteStop};
use super::replayer::{ReplayRecord, ReplayRequest, Replayer};

/// Key and attempt of a replay.
pub(super) type ReplayId = (u64, u32);

/// Replays that are under way, and those that have ended but were not demanded yet.
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

    /// Cancels all replays but those that are likely to be demanded.
    pub(super) fn keep_only(&mut self, likely: &HashSet<ReplayId>) {
        self.under_way.retain(|(id, _)| likely.contains(id));
    }

    pub(super) fn is_under_way(&self, id: ReplayId) -> bool {
        self.under_way.iter().any(|(other, _)| *other == id)
    }

    pub(super) fn start(&mut self, request: ReplayRequest) {
        let id = (request.key, request.attempt);
        self.under_way.push((id, self.replayer.replay(request)));
    }

    /// Waits for the replay that ends first.
    pub(super) async fn next(
        &mut self,
        cancellation: &CancellationToken,
    ) -> Result<&ReplayRecord, SuiteStop> {
        let ended = poll_fn(|context| {
            let mut replays = self.under_way.iter_mut().enumerate();
            let ready =
                replays.find_map(|(index, (_, replay))| match replay.as_mut().poll(context) {
                    Poll::Ready(record) => Some((index, record)),
                    Poll::Pending => None,
                });
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (index, record) = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(SuiteStop::Cancelled),
            ended = ended => ended,
        };
        let (id, _) = self.under_way.remove(index);
        let record = record.map_err(SuiteStop::Failed)?;
        Ok(self.done.entry(id).or_insert(record))
    }
}
