//! Candidates that begin alike need not be played from the start: the phone's state after the common steps is saved on the way,
//! and the next one goes on from there. For looking only; what is proven is played from the start.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::micros::Micros;
use retap_shared::protocol::{CheckpointId, Checkpointed};

use super::Candidate;

/// So many candidates are remembered, to see what a new one has in common with them.
const RECENT: usize = 8;
/// States that are kept on one phone; the one not used for longest goes first.
const MOST: usize = 16;
/// Nobody saves fewer steps than this.
const FEWEST: usize = 6;

#[derive(Debug, Default)]
pub(super) struct Prefixes {
    known: Mutex<Known>,
}

/// How often a state was gone back to, and how many steps were not played again for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    pub runs: u64,
    pub steps: u64,
}

#[derive(Debug, Default)]
struct Known {
    recent: VecDeque<Arc<[u64]>>,
    /// By phone, the one used last at the end.
    saved: HashMap<String, Vec<Saved>>,
    /// What saving and going back took, once it is known.
    save: Micros,
    restore: Micros,
    resumed: Resumed,
}

#[derive(Debug)]
struct Saved {
    steps: Arc<[u64]>,
    id: CheckpointId,
}

/// How one candidate is best played on one phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Go back to this state, and leave so many steps out.
    pub(super) from: Option<(CheckpointId, usize)>,
    /// After so many steps save the state.
    pub(super) save_at: Option<usize>,
}

impl Prefixes {
    /// `each` is what a step takes at least: states are only saved and gone back to where that is worth it.
    pub(super) fn way(&self, device: &str, candidate: &Candidate, each: Micros) -> Way {
        let steps: Arc<[u64]> = candidate.hashes().collect();
        let mut known = self.lock();
        let save = known.save;
        let restore = known.restore;
        let worth = |count: usize, cost: Micros| {
            count >= FEWEST && each.0.saturating_mul(count as u64) > cost.0
        };
        let longest = known
            .take_longest(device, &steps)
            .filter(|(_, length)| worth(*length, restore));
        let from = longest.map_or(0, |(_, length)| length);
        let common = known
            .recent
            .iter()
            .map(|other| in_common(other, &steps))
            .max()
            .unwrap_or(0);
        // At least one step is left, so that there is something to go on with.
        let common = common.min(steps.len().saturating_sub(1));
        let save_at = Some(common).filter(|common| *common > from && worth(common - from, save));
        if !known.recent.contains(&steps) {
            known.recent.push_back(steps);
            let more = known.recent.len().saturating_sub(RECENT);
            known.recent.drain(..more);
        }
        Way {
            from: longest,
            save_at,
        }
    }

    /// The state after the first `length` steps was saved. Returns one that is to be dropped for it.
    pub(super) fn saved(
        &self,
        device: &str,
        candidate: &Candidate,
        length: usize,
        saved: &Checkpointed,
    ) -> Option<CheckpointId> {
        let mut known = self.lock();
        known.save = saved.took;
        let of_device = known.saved.entry(device.to_owned()).or_default();
        of_device.push(Saved {
            steps: candidate.hashes().take(length).collect(),
            id: saved.id,
        });
        (of_device.len() > MOST).then(|| of_device.remove(0).id)
    }

    pub(super) fn restored(&self, length: usize, took: Micros) {
        let mut known = self.lock();
        known.restore = took;
        known.resumed.runs += 1;
        known.resumed.steps += length as u64;
    }

    /// What was saved on a phone may be gone.
    pub(super) fn forget(&self, device: &str) {
        self.lock().saved.remove(device);
    }

    pub(super) fn resumed(&self) -> Resumed {
        self.lock().resumed
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// The longest beginning of these steps that is saved on this phone; it counts as used.
    fn take_longest(&mut self, device: &str, steps: &[u64]) -> Option<(CheckpointId, usize)> {
        let saved = self.saved.get_mut(device)?;
        let fits = |one: &Saved| one.steps.len() < steps.len() && steps.starts_with(&one.steps);
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

fn in_common(one: &[u64], other: &[u64]) -> usize {
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

    fn took(id: u32, millis: u64) -> Checkpointed {
        Checkpointed {
            id: CheckpointId(id),
            bytes: 1,
            took: Micros::from_millis(millis),
        }
    }

    #[test]
    fn what_two_candidates_begin_with_is_saved_and_then_gone_back_to() {
        let prefixes = Prefixes::default();
        let whole = trace();
        assert_eq!(
            prefixes.way("a", &whole, EACH),
            Way {
                from: None,
                save_at: None
            }
        );
        let without = whole.without(50..60);
        assert_eq!(
            prefixes.way("a", &without, EACH),
            Way {
                from: None,
                save_at: Some(50)
            }
        );
        prefixes.saved("a", &without, 50, &took(7, 1));
        let next = whole.without(60..70);
        let id = CheckpointId(7);
        assert_eq!(
            prefixes.way("a", &next, EACH),
            Way {
                from: Some((id, 50)),
                save_at: Some(60)
            }
        );
        // Another phone has not been there.
        assert_eq!(
            prefixes.way("b", &next, EACH),
            Way {
                from: None,
                save_at: Some(89)
            }
        );
        prefixes.forget("a");
        assert_eq!(prefixes.way("a", &next, EACH).from, None);
    }

    #[test]
    fn a_phone_that_is_slow_to_save_saves_only_long_ways() {
        let prefixes = Prefixes::default();
        let whole = trace();
        prefixes.way("a", &whole, EACH);
        prefixes.saved("a", &whole, 10, &took(1, 10_000));
        assert_eq!(
            prefixes.way("a", &whole.without(40..41), EACH).save_at,
            None
        );
        assert_eq!(
            prefixes.way("a", &whole.without(80..81), EACH).save_at,
            Some(80)
        );
        prefixes.restored(10, Micros::from_millis(9_000));
        assert_eq!(prefixes.way("a", &whole.without(30..31), EACH).from, None);
        assert_eq!(prefixes.resumed(), Resumed { runs: 1, steps: 10 });
    }

    #[test]
    fn states_that_were_not_used_for_long_are_dropped() {
        let prefixes = Prefixes::default();
        let whole = trace();
        for number in 0..MOST as u32 {
            assert_eq!(
                prefixes.saved("a", &whole, 20 + number as usize, &took(number, 1)),
                None
            );
        }
        assert_eq!(
            prefixes.saved("a", &whole, 90, &took(99, 1)),
            Some(CheckpointId(0))
        );
    }
}
