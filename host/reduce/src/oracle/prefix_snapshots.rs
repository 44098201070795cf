//! Candidates that begin alike need not be played from the start: the phone's state after the common steps is saved on the way,
//! and the next one goes on from there. For looking only; what is proven is played from the start.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::micros::Micros;
use retap_shared::protocol::{ManageSnapshotReply, SnapshotId};

use super::Candidate;

/// So many candidates are remembered, to see what a new one has in common with them.
const RECENT_CANDIDATES: usize = 8;
/// States that are kept on one phone; the one not used for longest goes first.
const MAX_SNAPSHOTS: usize = 16;
/// Nobody saves fewer steps than this.
const MIN_SAVED_STEPS: usize = 6;

#[derive(Debug, Default)]
pub(super) struct PrefixSnapshots {
    cache: Mutex<PrefixCache>,
}

/// How often a state was gone back to, and how many steps were not played again for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResumeStatistics {
    pub runs: u64,
    pub steps: u64,
}

#[derive(Debug, Default)]
struct PrefixCache {
    recent: VecDeque<Arc<[u64]>>,
    /// By phone, the one used last at the end.
    saved: HashMap<String, Vec<SavedPrefix>>,
    /// What saving and going back took, once it is known.
    save_cost: Micros,
    restore_cost: Micros,
    statistics: ResumeStatistics,
}

#[derive(Debug)]
struct SavedPrefix {
    steps: Arc<[u64]>,
    id: SnapshotId,
}

/// How one candidate is best played on one phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrefixPlan {
    /// Go back to this state, and leave so many steps out.
    pub(super) resume_from: Option<(SnapshotId, usize)>,
    /// After so many steps save the state.
    pub(super) save_at: Option<usize>,
}

impl PrefixSnapshots {
    /// `each` is what a step takes at least: states are only saved and gone back to where that is worth it.
    pub(super) fn plan(&self, device: &str, candidate: &Candidate, each: Micros) -> PrefixPlan {
        let steps: Arc<[u64]> = candidate.hashes().collect();
        let mut known = self.lock();
        let save = known.save_cost;
        let restore = known.restore_cost;
        let worth = |count: usize, cost: Micros| {
            count >= MIN_SAVED_STEPS && each.0.saturating_mul(count as u64) > cost.0
        };
        let longest = known
            .take_longest(device, &steps)
            .filter(|(_, length)| worth(*length, restore));
        let from = longest.map_or(0, |(_, length)| length);
        let common = known
            .recent
            .iter()
            .map(|other| common_prefix_len(other, &steps))
            .max()
            .unwrap_or(0);
        // At least one step is left, so that there is something to go on with.
        let common = common.min(steps.len().saturating_sub(1));
        let save_at = Some(common).filter(|common| *common > from && worth(common - from, save));
        if !known.recent.contains(&steps) {
            known.recent.push_back(steps);
            let more = known.recent.len().saturating_sub(RECENT_CANDIDATES);
            known.recent.drain(..more);
        }
        PrefixPlan {
            resume_from: longest,
            save_at,
        }
    }

    /// The state after the first `length` steps was saved. Returns one that is to be dropped for it.
    pub(super) fn record_saved(
        &self,
        device: &str,
        candidate: &Candidate,
        length: usize,
        saved: &ManageSnapshotReply,
    ) -> Option<SnapshotId> {
        let mut known = self.lock();
        known.save_cost = saved.took;
        let of_device = known.saved.entry(device.to_owned()).or_default();
        of_device.push(SavedPrefix {
            steps: candidate.hashes().take(length).collect(),
            id: saved.id,
        });
        (of_device.len() > MAX_SNAPSHOTS).then(|| of_device.remove(0).id)
    }

    pub(super) fn record_restored(&self, length: usize, took: Micros) {
        let mut known = self.lock();
        known.restore_cost = took;
        known.statistics.runs += 1;
        known.statistics.steps += length as u64;
    }

    /// What was saved on a phone may be gone.
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
    /// The longest beginning of these steps that is saved on this phone; it counts as used.
    fn take_longest(&mut self, device: &str, steps: &[u64]) -> Option<(SnapshotId, usize)> {
        let saved = self.saved.get_mut(device)?;
        let fits =
            |one: &SavedPrefix| one.steps.len() < steps.len() && steps.starts_with(&one.steps);
        let (place, _) = saved
            .iter()
            .enumerate()
            .filter(|(_, one)| fits(one))
            .max_by_key(|(_, one)| one.steps.len())?;
        let used = saved.remove(place);
        let found = (used.id, used.steps.len());
        saved.push(used);
        Some(found)
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

    const EACH: Micros = Micros::from_millis(200);

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
    fn what_two_candidates_begin_with_is_saved_and_then_gone_back_to() {
        let prefixes = PrefixSnapshots::default();
        let whole = trace();
        assert_eq!(
            prefixes.plan("a", &whole, EACH),
            PrefixPlan {
                resume_from: None,
                save_at: None
            }
        );
        let without = whole.without(50..60);
        assert_eq!(
            prefixes.plan("a", &without, EACH),
            PrefixPlan {
                resume_from: None,
                save_at: Some(50)
            }
        );
        prefixes.record_saved("a", &without, 50, &took(7, 1));
        let next = whole.without(60..70);
        let id = SnapshotId(7);
        assert_eq!(
            prefixes.plan("a", &next, EACH),
            PrefixPlan {
                resume_from: Some((id, 50)),
                save_at: Some(60)
            }
        );
        // Another phone has not been there.
        assert_eq!(
            prefixes.plan("b", &next, EACH),
            PrefixPlan {
                resume_from: None,
                save_at: Some(89)
            }
        );
        prefixes.forget_device("a");
        assert_eq!(prefixes.plan("a", &next, EACH).resume_from, None);
    }

    #[test]
    fn a_phone_that_is_slow_to_save_saves_only_long_ways() {
        let prefixes = PrefixSnapshots::default();
        let whole = trace();
        prefixes.plan("a", &whole, EACH);
        prefixes.record_saved("a", &whole, 10, &took(1, 10_000));
        assert_eq!(
            prefixes.plan("a", &whole.without(40..41), EACH).save_at,
            None
        );
        assert_eq!(
            prefixes.plan("a", &whole.without(80..81), EACH).save_at,
            Some(80)
        );
        prefixes.record_restored(10, Micros::from_millis(9_000));
        assert_eq!(
            prefixes.plan("a", &whole.without(30..31), EACH).resume_from,
            None
        );
        assert_eq!(
            prefixes.statistics(),
            ResumeStatistics { runs: 1, steps: 10 }
        );
    }

    #[test]
    fn states_that_were_not_used_for_long_are_dropped() {
        let prefixes = PrefixSnapshots::default();
        let whole = trace();
        for number in 0..MAX_SNAPSHOTS as u32 {
            assert_eq!(
                prefixes.record_saved("a", &whole, 20 + number as usize, &took(number, 1)),
                None
            );
        }
        assert_eq!(
            prefixes.record_saved("a", &whole, 90, &took(99, 1)),
            Some(SnapshotId(0))
        );
    }
}
