//! Replays that will probably be demanded next, on phones that would be idle. Only replays that are demanded count, in the
//! order of the demands: the result is the same for any number of phones.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use retap_device::CancellationToken;
use retap_shared::connection::BoxFuture;

use super::error::{SuiteError, SuiteStop};
use super::replayer::{ReplayRecord, ReplayRequest, Replayer, StepSource};

/// Key and attempt of a replay.
pub(super) type ReplayId = (u64, u32);

/// Replays that are under way, and those that have ended but were not demanded yet.
pub(super) struct SpeculativeReplays<'a> {
    replayer: &'a dyn Replayer,
    under_way: Vec<SpeculativeReplay<'a>>,
    /// Records of replays, and whether they diverged.
    done: HashMap<ReplayId, (ReplayRecord, bool)>,
}

struct SpeculativeReplay<'a> {
    id: ReplayId,
    step_source: Arc<dyn StepSource>,
    record: BoxFuture<'a, Result<ReplayRecord, SuiteError>>,
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

    pub(super) fn take(&mut self, id: ReplayId) -> Option<(ReplayRecord, bool)> {
        self.done.remove(&id)
    }

    /// Cancels all replays but those that are likely to be demanded.
    pub(super) fn keep_only(&mut self, likely: &HashSet<ReplayId>) {
        self.under_way.retain(|replay| likely.contains(&replay.id));
    }

    pub(super) fn is_under_way(&self, id: ReplayId) -> bool {
        self.under_way.iter().any(|replay| replay.id == id)
    }

    pub(super) fn under_way_count(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn start(&mut self, request: ReplayRequest) {
        let id = (request.key, request.attempt);
        self.under_way.push(SpeculativeReplay {
            id,
            step_source: Arc::clone(&request.step_source),
            record: self.replayer.replay(request),
        });
    }

    /// Waits for the replay that ends first. Returns its record, and whether it diverged.
    pub(super) async fn next(
        &mut self,
        cancellation: &CancellationToken,
    ) -> Result<&(ReplayRecord, bool), SuiteStop> {
        let ended = poll_fn(|context| {
            let mut replays = self.under_way.iter_mut().enumerate();
            let ready =
                replays.find_map(
                    |(index, replay)| match replay.record.as_mut().poll(context) {
                        Poll::Ready(record) => Some((index, record)),
                        Poll::Pending => None,
                    },
                );
            ready.map_or(Poll::Pending, Poll::Ready)
        });
        let (index, record) = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(SuiteStop::Cancelled),
            ended = ended => ended,
        };
        let SpeculativeReplay {
            id, step_source, ..
        } = self.under_way.remove(index);
        let record = record.map_err(SuiteStop::Failed)?;
        let diverged = step_source.divergence(&record).is_some();
        Ok(self.done.entry(id).or_insert((record, diverged)))
    }
}
