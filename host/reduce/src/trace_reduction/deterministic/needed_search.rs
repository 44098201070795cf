//! Search for the needed items by group testing: a deletion that fails leaves a group of suspects with at least one needed
//! item, and later deletions divide the group. The next deletion is the one that decides and removes most per played event.
//! Groups are disjoint, so that the probability of every outcome is exact if items are needed independently of each other.

mod density_belief;

use std::sync::Arc;

pub(super) use density_belief::DensityBelief;

use super::super::deletion_plan::{DeletionOutcomes, DeletionPlan, follow, passes_without_items};
use super::super::entropy::entropy;
use super::super::evaluation::{CandidateEvaluator, ReductionStop};
use super::super::step_spans::StepSpans;
use crate::oracle::Candidate;

/// Fixed cost of an attempt, in events: a start of the app.
const RESTART_COST: f64 = 3.0;
/// Ratio between the numbers of items that are compared for a deletion.
const COUNT_RATIO: f64 = 1.15;

/// Items that are still kept, and what failed deletions say about them. Sets are indices into the initial items.
#[derive(Clone, Debug)]
pub(super) struct NeededSearch {
    items: Arc<[u32]>,
    kept: StepSpans,
    /// Items that were in no failed deletion.
    unknown: StepSpans,
    /// Disjoint groups of at least two items, of which at least one is needed. Kept items in neither set are needed.
    suspects: Vec<StepSpans>,
    density: DensityBelief,
}

/// Deletion of one attempt: the first `count` items of a group of suspects, or of the unknown items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GroupDeletion {
    group: Option<usize>,
    count: usize,
}

impl NeededSearch {
    /// Starts with items that pass together.
    pub(super) fn new(items: Vec<u32>, density: DensityBelief) -> NeededSearch {
        let all = StepSpans::prefix(items.len());
        NeededSearch {
            items: items.into(),
            kept: all.clone(),
            unknown: all,
            suspects: Vec::new(),
            density,
        }
    }

    /// Deletes items until all that are left seem needed. `candidate` makes a candidate of the kept items and may add steps to
    /// them.
    pub(super) async fn run(
        self,
        evaluator: &mut CandidateEvaluator<'_>,
        candidate: impl Fn(Vec<u32>) -> Candidate,
    ) -> Result<Vec<u32>, ReductionStop> {
        if self.items.is_empty() || passes_without_items(evaluator, &candidate).await? {
            return Ok(Vec::new());
        }
        follow(self.after_failing_without_items(), evaluator, candidate).await
    }

    /// All items together are a group of suspects.
    fn after_failing_without_items(&self) -> NeededSearch {
        let everything = GroupDeletion {
            group: None,
            count: self.items.len(),
        };
        self.split(everything).failing
    }

    /// Deletion with the highest score; `None` if everything that is left seems needed.
    fn best_deletion(&self) -> Option<GroupDeletion> {
        let open_bits = self.open_bits().max(1.0);
        let mut best = None;
        let mut best_score = 0.0;
        let mut compare = |group: Option<usize>, size: usize, most: usize| {
            for count in counts(most) {
                let score = self.score(group.map(|_| size), count, open_bits);
                // Scores that differ by rounding errors alone count as equal.
                if score > best_score * (1.0 + 1e-9) {
                    best_score = score;
                    best = Some(GroupDeletion { group, count });
                }
            }
        };
        if !self.unknown.is_empty() {
            compare(None, self.unknown.len(), self.unknown.len());
        }
        let mut compared_sizes = Vec::new();
        for (number, group) in self.suspects.iter().enumerate() {
            let size = group.len();
            if !compared_sizes.contains(&size) {
                compared_sizes.push(size);
                compare(Some(number), size, size.div_ceil(2).min(size - 1));
            }
        }
        best
    }

    /// Share of the open bits that a deletion decides, plus the share of the kept items that it is expected to remove, per
    /// played event. The events that are still to play are about open bits times kept items; this is how fast it falls.
    fn score(&self, group_size: Option<usize>, count: usize, open_bits: f64) -> f64 {
        let passes = self.density.pass_probability(count, group_size);
        let kept = self.kept.len() as f64;
        let removed = count as f64;
        let played = kept - removed + RESTART_COST;
        (entropy(passes) / open_bits + passes * removed / kept) / played
    }

    /// Expected number of bits that are needed to know which items are needed.
    fn open_bits(&self) -> f64 {
        let sizes = self.suspects.iter().map(StepSpans::len);
        self.density.open_bits(self.unknown.len(), &sizes)
    }

    /// Both outcomes of a deletion: if it passes, and if it fails.
    fn split(&self, deletion: GroupDeletion) -> DeletionOutcomes<NeededSearch> {
        let GroupDeletion { group, count } = deletion;
        let from = group.map_or(&self.unknown, |number| &self.suspects[number]);
        let deleted = from.slice(0..count);
        let others = from.difference(&deleted);
        let group_size = group.map(|_| from.len());
        let mut passing = NeededSearch {
            kept: self.kept.difference(&deleted),
            density: self.density.updated(count, group_size, true),
            ..self.clone()
        };
        let mut failing = NeededSearch {
            density: self.density.updated(count, group_size, false),
            ..self.clone()
        };
        match group {
            None => {
                passing.unknown = others.clone();
                failing.unknown = others;
                failing.suspects.push(deleted);
            }
            Some(number) => {
                passing.suspects[number] = others.clone();
                // The needed item may be a deleted one alone: nothing is known of the others any more.
                failing.unknown = failing.unknown.union(&others);
                failing.suspects[number] = deleted;
            }
        }
        for outcome in [&mut passing, &mut failing] {
            outcome.suspects.retain(|group| group.len() > 1);
        }
        DeletionOutcomes { passing, failing }
    }
}

impl DeletionPlan for NeededSearch {
    fn next_deletion(&self) -> Option<DeletionOutcomes<NeededSearch>> {
        Some(self.split(self.best_deletion()?))
    }

    fn kept_items(&self) -> Vec<u32> {
        let mut items = Vec::with_capacity(self.kept.len());
        for span in self.kept.iter() {
            items.extend_from_slice(&self.items[span.start as usize..span.end as usize]);
        }
        items
    }
}

/// Numbers of items that are compared: `most`, and ever smaller ones down to 1.
fn counts(most: usize) -> impl Iterator<Item = usize> {
    let mut next = most as f64;
    let mut last = usize::MAX;
    std::iter::from_fn(move || {
        while last > 1 {
            let count = (next.round() as usize).max(1);
            next /= COUNT_RATIO;
            if count < last {
                last = count;
                return Some(count);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::deletion_plan::tried_candidates;
    use super::*;

    fn search(count: u32) -> NeededSearch {
        let density = DensityBelief::unknown(count as usize);
        NeededSearch::new((0..count).collect(), density).after_failing_without_items()
    }

    /// Result and number of deletions if each of these items is needed.
    fn needed_found(count: u32, needed: &[u32]) -> (Vec<u32>, usize) {
        let passes = |kept: &[u32]| needed.iter().all(|item| kept.contains(item));
        let tried = tried_candidates(search(count), passes);
        let last_passing = tried.iter().rev().find(|kept| passes(kept));
        let found = last_passing.map_or_else(|| (0..count).collect(), Vec::clone);
        (found, tried.len())
    }

    #[test]
    fn one_needed_item_is_found_by_halving() {
        let (found, deletions) = needed_found(1024, &[700]);
        assert_eq!(found, [700]);
        assert!(deletions <= 20, "{deletions} deletions");
    }

    #[test]
    fn counts_begin_with_the_most_and_end_with_one() {
        let counts: Vec<usize> = counts(12).collect();
        assert_eq!(counts, [12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    }

    proptest! {
        #[test]
        fn independent_needs_are_found_exactly(
            count in 1_u32..200,
            picks in prop::collection::btree_set(0_u32..200, 1..12),
        ) {
            let needed: Vec<u32> = picks.into_iter().filter(|item| *item < count).collect();
            prop_assume!(!needed.is_empty());
            prop_assert_eq!(needed_found(count, &needed).0, needed);
        }

        #[test]
        fn groups_of_suspects_are_disjoint_parts_of_what_is_kept(
            count in 2_u32..120,
            outcomes in prop::collection::vec(any::<bool>(), 0..60),
        ) {
            let mut search = search(count);
            for passes in outcomes {
                let Some(DeletionOutcomes { passing, failing }) = search.next_deletion() else { break };
                prop_assert!(passing.kept.len() < search.kept.len());
                prop_assert_eq!(&failing.kept, &search.kept);
                search = if passes { passing } else { failing };
                let mut seen = search.unknown.clone();
                for group in &search.suspects {
                    prop_assert!(group.len() > 1);
                    prop_assert_eq!(seen.difference(group), seen.clone());
                    seen = seen.union(group);
                }
                prop_assert_eq!(seen.difference(&search.kept), StepSpans::default());
            }
        }
    }
}
