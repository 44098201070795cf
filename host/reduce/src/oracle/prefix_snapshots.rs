//! Snapshots after common prefixes of candidates, so that a candidate need not be played from the start. Only for the search:
//! checks always start clean.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::micros::Micros;
use retap_shared::protocol::{ManageSnapshotReply, SnapshotId};

use super::Candidate;

/// Number of recent candidates that a new one is compared with.
const RECENT_CANDIDATES: usize = 8;
/// Maximum number of snapshots per phone; the least recently used one is discarded.
const MAX_SNAPSHOTS: usize = 16;
/// Minimum number of steps that a snapshot must save.
const MIN_SAVED_STEPS: usize = 6;

/// Snapshots of all phones of a pool.
#[derive(Debug, Default)]
pub(super) struct PrefixSnapshots {
    cache: Mutex<PrefixCache>,
}

/// Attempts that resumed from a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResumeStatistics {
    /// Number of these attempts.
    pub runs: u64,
    /// Steps that were not played again.
    pub steps: u64,
}

#[derive(Debug, Default)]
struct PrefixCache {
    recent: VecDeque<Arc<[u64]>>,
    /// Snapshots by phone, the most recently used at the end.
    saved: HashMap<String, Vec<SavedPrefix>>,
    /// Duration of the last save; 0 before the first.
    save_cost: Micros,
    /// Duration of the last restore; 0 before the first.
    restore_cost: Micros,
    statistics: ResumeStatistics,
}

#[derive(Debug)]
struct SavedPrefix {
    steps: Arc<[u64]>,
    id: SnapshotId,
}

/// Use of snapshots for one candidate on one phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrefixPlan {
    /// Snapshot to restore, and the number of steps that it saves.
    pub(super) resume_from: Option<(SnapshotId, usize)>,
    /// Number of steps after which to save.
    pub(super) save_at: Option<usize>,
}

impl PrefixSnapshots {
    /// Plans saving and restoring where the steps that it saves take longer; `step_time` is the minimum duration of a step.
    pub(super) fn plan(
        &self,
        device: &str,
        candidate: &Candidate,
        step_time: Micros,
    ) -> PrefixPlan {
        let steps: Arc<[u64]> = candidate.hashes().collect();
        let mut cache = self.lock();
        let save_cost = cache.save_cost;
        let restore_cost = cache.restore_cost;
        let is_worth = |count: usize, cost: Micros| {
            count >= MIN_SAVED_STEPS && step_time.0.saturating_mul(count as u64) > cost.0
        };
        let longest = cache
            .take_longest(device, &steps)
            .filter(|(_, length)| is_worth(*length, restore_cost));
        let from = longest.map_or(0, |(_, length)| length);
        let common = cache
            .recent
            .iter()
            .map(|other| common_prefix_len(other, &steps))
            .max()
            .unwrap_or(0);
        // At least one step is left to play.
        let common = common.min(steps.len().saturating_sub(1));
        let save_at =
            Some(common).filter(|common| *common > from && is_worth(common - from, save_cost));
        if !cache.recent.contains(&steps) {
            cache.recent.push_back(steps);
            let surplus = cache.recent.len().saturating_sub(RECENT_CANDIDATES);
            cache.recent.drain(..surplus);
        }
        PrefixPlan {
            resume_from: longest,
            save_at,
        }
    }

    /// Records a snapshot after the first `length` steps. Returns one that must be discarded for it.
    pub(super) fn record_saved(
        &self,
        device: &str,
        candidate: &Candidate,
        length: usize,
        saved: &ManageSnapshotReply,
    ) -> Option<SnapshotId> {
        let mut cache = self.lock();
        cache.save_cost = saved.took;
        let snapshots = cache.saved.entry(device.to_owned()).or_default();
        snapshots.push(SavedPrefix {
            steps: candidate.hashes().take(length).collect(),
            id: saved.id,
        });
        (snapshots.len() > MAX_SNAPSHOTS).then(|| snapshots.remove(0).id)
    }

    /// Records a restore that saved `length` steps.
    pub(super) fn record_restored(&self, length: usize, took: Micros) {
        let mut cache = self.lock();
        cache.restore_cost = took;
        cache.statistics.runs += 1;
        cache.statistics.steps += length as u64;
    }

    /// Forgets the snapshots of a phone that may have lost them.
    pub(super) fn forget_device(&self, device: &str) {
        self.lock().saved.remove(device);
    }

    pub(super) fn statistics(&self) -> ResumeStatistics {
        self.lock().statistics
    }

    fn lock(&self) -> MutexGuard<'_, PrefixCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PrefixCache {
    /// Longest saved prefix of these steps on this phone; it becomes the most recently used.
    fn take_longest(&mut self, device: &str, steps: &[u64]) -> Option<(SnapshotId, usize)> {
        let saved = self.saved.get_mut(device)?;
        let is_prefix = |saved: &SavedPrefix| {
            saved.steps.len() < steps.len() && steps.starts_with(&saved.steps)
        };
        let (index, _) = saved
            .iter()
            .enumerate()
            .filter(|(_, saved)| is_prefix(saved))
            .max_by_key(|(_, saved)| saved.steps.len())?;
        let used = saved.remove(index);
        let longest = (used.id, used.steps.len());
        saved.push(used);
        Some(longest)
    }
}

fn common_prefix_len(one: &[u64], other: &[u64]) -> usize {
    one.iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

#[cfg(test)]
mod tests {
    use retap_shared::action::Action;
    use retap_shared::trace::Step;

    use super::*;

    const STEP_TIME: Micros = Micros::from_millis(200);

    fn trace() -> Candidate {
        (0..100)
            .map(|millis| Step::new(Action::Wait { millis }))
            .collect::<Vec<_>>()
            .into()
    }

    fn took(id: u32, millis: u64) -> ManageSnapshotReply {
        ManageSnapshotReply {
            id: SnapshotId(id),
            bytes: 1,
            took: Micros::from_millis(millis),
        }
    }

    #[test]
    fn a_common_prefix_is_saved_and_then_resumed_from() {
        let prefixes = PrefixSnapshots::default();
        let original = trace();
        assert_eq!(
            prefixes.plan("a", &original, STEP_TIME),
            PrefixPlan {
                resume_from: None,
                save_at: None
            }
        );
        let without = original.without(50..60);
        assert_eq!(
            prefixes.plan("a", &without, STEP_TIME),
            PrefixPlan {
                resume_from: None,
                save_at: Some(50)
            }
        );
        prefixes.record_saved("a", &without, 50, &took(7, 1));
        let next = original.without(60..70);
        let id = SnapshotId(7);
        assert_eq!(
            prefixes.plan("a", &next, STEP_TIME),
            PrefixPlan {
                resume_from: Some((id, 50)),
                save_at: Some(60)
            }
        );
        // Another phone does not have the snapshot.
        assert_eq!(
            prefixes.plan("b", &next, STEP_TIME),
            PrefixPlan {
                resume_from: None,
                save_at: Some(89)
            }
        );
        prefixes.forget_device("a");
        assert_eq!(prefixes.plan("a", &next, STEP_TIME).resume_from, None);
    }

    #[test]
    fn a_phone_that_saves_slowly_saves_only_long_prefixes() {
        let prefixes = PrefixSnapshots::default();
        let original = trace();
        prefixes.plan("a", &original, STEP_TIME);
        prefixes.record_saved("a", &original, 10, &took(1, 10_000));
        assert_eq!(
            prefixes
                .plan("a", &original.without(40..41), STEP_TIME)
                .save_at,
            None
        );
        assert_eq!(
            prefixes
                .plan("a", &original.without(80..81), STEP_TIME)
                .save_at,
            Some(80)
        );
        prefixes.record_restored(10, Micros::from_millis(9_000));
        assert_eq!(
            prefixes
                .plan("a", &original.without(30..31), STEP_TIME)
                .resume_from,
            None
        );
        assert_eq!(
            prefixes.statistics(),
            ResumeStatistics { runs: 1, steps: 10 }
        );
    }

    #[test]
    fn the_least_recently_used_snapshot_is_discarded() {
        let prefixes = PrefixSnapshots::default();
        let original = trace();
        for number in 0..MAX_SNAPSHOTS as u32 {
            assert_eq!(
                prefixes.record_saved("a", &original, 20 + number as usize, &took(number, 1)),
                None
            );
        }
        assert_eq!(
            prefixes.record_saved("a", &original, 90, &took(99, 1)),
            Some(SnapshotId(0))
        );
    }
}
