//! Probabilistic delta debugging after ProbDD: each item has a probability of being needed, an attempt deletes the items with
//! the highest expected gain per cost, and every failure raises the probabilities of what was deleted. Items with the same
//! failures have the same probability, so the algorithm works on classes of items.

use std::sync::Arc;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::step_spans::StepSpans;
use crate::oracle::Candidate;

/// Fixed cost of an attempt, in events: a start of the app.
const RESTART_COST: f64 = 3.0;
/// Number of deletions that are planned ahead, each for the case that those before it fail: enough for many phones.
const SPECULATIVE_TRIES: usize = 32;
/// Items with this probability are not deleted any more. Only a failed deletion of a single item leads there.
const CERTAIN: f64 = 1.0;
const ALMOST_CERTAIN: f64 = 1.0 - 1e-6;
/// Iterations of the bisection that raises all probabilities.
const BISECTIONS: u32 = 16;

/// Items that are still kept, with the probability that each is needed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProbabilisticDeletion {
    /// Initial items, ascending; the classes contain those that are left.
    items: Arc<[u32]>,
    /// Classes by ascending probability, none of them empty.
    classes: Vec<ProbabilityClass>,
    /// Number of certainly needed items that are known to fail without the others.
    insufficient: Option<usize>,
}

/// Items with the same probability of being needed.
#[derive(Clone, Debug, PartialEq)]
struct ProbabilityClass {
    needed: f64,
    /// Indices into the initial items.
    items: StepSpans,
}

/// Deletion of one attempt: all items of the first classes, and some of the next class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DeletionChoice {
    whole_classes: usize,
    from_next_class: usize,
}

impl ProbabilisticDeletion {
    /// Starts with items that pass together. One of them is expected to be needed; each failure raises that.
    pub(super) fn new(items: Vec<u32>) -> ProbabilisticDeletion {
        let needed = 1.0 / items.len().max(2) as f64;
        let all = ProbabilityClass {
            needed,
            items: StepSpans::prefix(items.len()),
        };
        let classes = if items.is_empty() {
            Vec::new()
        } else {
            vec![all]
        };
        ProbabilisticDeletion {
            items: items.into(),
            classes,
            insufficient: None,
        }
    }

    /// Deletes items until each has failed alone. `candidate` makes a candidate of the kept items and may add steps to them.
    pub(super) async fn run(
        mut self,
        evaluator: &mut CandidateEvaluator<'_>,
        candidate: impl Fn(Vec<u32>) -> Candidate,
    ) -> Result<Vec<u32>, ReductionStop> {
        if !self.classes.is_empty()
            && evaluator
                .first_passing(1, |_| candidate(Vec::new()))
                .await?
                .is_some()
        {
            return Ok(Vec::new());
        }
        self.insufficient = Some(0);
        while self.next_choice().is_some() {
            let mut speculation = SpeculativeDeletions {
                if_all_fail: self,
                candidates: Vec::new(),
            };
            let passing = evaluator
                .first_passing_of(|_| speculation.next().map(&candidate))
                .await?;
            self = match passing {
                Some((number, _)) => speculation.candidates.swap_remove(number),
                None => speculation.if_all_fail,
            };
        }
        Ok(self.items())
    }

    fn next_choice(&self) -> Option<DeletionChoice> {
        best_choice(&self.sizes())
    }

    /// Probability and size of each class.
    fn sizes(&self) -> Vec<(f64, usize)> {
        self.classes
            .iter()
            .map(|class| (class.needed, class.items.len()))
            .collect()
    }

    /// Raises all probabilities as little as possible so that the best choice is no longer one that is known to fail: to
    /// delete everything that is not certainly needed.
    fn raise_probabilities(&mut self) {
        let mut sizes = self.sizes();
        let open = sizes.partition_point(|(needed, _)| *needed < CERTAIN);
        let certain: usize = sizes[open..].iter().map(|(_, count)| count).sum();
        let deletes_all = |sizes: &[(f64, usize)]| {
            let all = |choice: DeletionChoice| {
                choice.whole_classes + 1 == open
                    && choice.from_next_class == sizes[choice.whole_classes].1
            };
            best_choice(sizes).is_some_and(all)
        };
        if self.insufficient != Some(certain) || !deletes_all(&sizes) {
            return;
        }
        if self.len() == certain + 1 {
            self.classes[0].needed = CERTAIN;
            return;
        }
        let raised = |needed: f64, log_factor: f64| (needed * log_factor.exp()).min(ALMOST_CERTAIN);
        let mut too_little = 0.0;
        let mut enough = (ALMOST_CERTAIN / sizes[0].0).ln();
        for _ in 0..BISECTIONS {
            let middle = (too_little + enough) / 2.0;
            for ((needed, _), class) in sizes[..open].iter_mut().zip(&self.classes) {
                *needed = raised(class.needed, middle);
            }
            if deletes_all(&sizes) {
                too_little = middle;
            } else {
                enough = middle;
            }
        }
        for class in &mut self.classes[..open] {
            class.needed = raised(class.needed, enough);
        }
    }

    /// Both outcomes of a deletion: what is left if it passes, and the posterior if it fails (at least one deleted item is
    /// needed).
    fn split(&self, choice: DeletionChoice) -> (ProbabilisticDeletion, ProbabilisticDeletion) {
        let mut deleted = self.classes[..choice.whole_classes].to_vec();
        let mut remaining = self.classes[choice.whole_classes..].to_vec();
        let items = remaining[0].items.slice(0..choice.from_next_class);
        remaining[0].items = remaining[0].items.difference(&items);
        deleted.push(ProbabilityClass {
            needed: remaining[0].needed,
            items,
        });
        remaining.retain(|class| !class.items.is_empty());
        let kept = ProbabilisticDeletion {
            classes: remaining.clone(),
            ..self.clone()
        };

        let none_in_class =
            |class: &ProbabilityClass| (1.0 - class.needed).powf(class.items.len() as f64);
        let none_needed: f64 = deleted.iter().map(none_in_class).product();
        let single = deleted.iter().map(|class| class.items.len()).sum::<usize>() == 1;
        for class in &mut deleted {
            class.needed = if single {
                CERTAIN
            } else {
                (class.needed / (1.0 - none_needed)).min(ALMOST_CERTAIN)
            };
        }
        let mut classes = deleted;
        classes.append(&mut remaining);
        classes.sort_by(|one, other| one.needed.total_cmp(&other.needed));
        let open = kept.classes.iter().any(|class| class.needed < CERTAIN);
        let insufficient = if open {
            self.insufficient
        } else {
            Some(kept.len())
        };
        (
            kept,
            ProbabilisticDeletion {
                items: Arc::clone(&self.items),
                classes,
                insufficient,
            },
        )
    }

    fn len(&self) -> usize {
        self.classes.iter().map(|class| class.items.len()).sum()
    }

    /// Items that are left, in order.
    fn items(&self) -> Vec<u32> {
        let spans = self
            .classes
            .iter()
            .fold(StepSpans::default(), |spans, class| {
                spans.union(&class.items)
            });
        let mut items = Vec::with_capacity(spans.len());
        for span in spans.iter() {
            items.extend_from_slice(&self.items[span.start as usize..span.end as usize]);
        }
        items
    }
}

/// Deletions that are planned only when a phone is free for them.
struct SpeculativeDeletions {
    /// Posterior if all of them fail.
    if_all_fail: ProbabilisticDeletion,
    /// What is left if each of them passes.
    candidates: Vec<ProbabilisticDeletion>,
}

impl SpeculativeDeletions {
    /// Items that the next attempt keeps.
    fn next(&mut self) -> Option<Vec<u32>> {
        if self.candidates.len() == SPECULATIVE_TRIES {
            return None;
        }
        self.if_all_fail.raise_probabilities();
        let (kept, failed) = self.if_all_fail.split(self.if_all_fail.next_choice()?);
        self.if_all_fail = failed;
        let items = kept.items();
        self.candidates.push(kept);
        Some(items)
    }
}

/// Deletion with the highest expected number of deleted items per played event. Classes are ordered by probability.
fn best_choice(sizes: &[(f64, usize)]) -> Option<DeletionChoice> {
    let all = sizes.iter().map(|(_, count)| count).sum::<usize>() as f64;
    let mut deleted = 0.0;
    let mut ln_none_needed = 0.0;
    let mut best_gain = 0.0;
    let mut best = None;
    for (number, &(needed, count)) in sizes
        .iter()
        .enumerate()
        .take_while(|(_, (needed, _))| *needed < CERTAIN)
    {
        let ln_not_needed = (-needed).ln_1p();
        for from_next_class in count_options(deleted, -ln_not_needed, count, all + RESTART_COST) {
            let total = deleted + from_next_class as f64;
            let none_needed = (ln_none_needed + ln_not_needed * from_next_class as f64).exp();
            let gain = total * none_needed / (all - total + RESTART_COST);
            if gain > best_gain {
                best_gain = gain;
                best = Some(DeletionChoice {
                    whole_classes: number,
                    from_next_class,
                });
            }
        }
        deleted += count as f64;
        ln_none_needed += ln_not_needed * count as f64;
    }
    best
}

/// Numbers of items of a class that can have the highest gain if `before` others are deleted: t · e^(−st) / (all − t) rises
/// up to the smaller root of t · (all − t) = all / s, falls behind it, and may rise again towards the end.
fn count_options(before: f64, steepness: f64, count: usize, all: f64) -> [usize; 4] {
    let root = (all * all - 4.0 * all / steepness).max(0.0).sqrt();
    let top = (all - root) / 2.0 - before;
    let within = |items: f64| (items.max(1.0) as usize).min(count);
    [1, within(top.floor()), within(top.ceil()), count]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Classes by ascending probability.
    fn deletions() -> impl Strategy<Value = ProbabilisticDeletion> {
        let class = (0.0001..0.9_f64, 1_u32..60);
        prop::collection::vec(class, 1..6).prop_map(|mut classes| {
            classes.sort_by(|one, other| one.0.total_cmp(&other.0));
            let mut before = 0;
            let classes = classes.into_iter().map(|(needed, count)| {
                let mut items = StepSpans::default();
                items.push(before..before + count);
                before += count;
                ProbabilityClass { needed, items }
            });
            let classes = classes.collect();
            let items = (0..before).map(|item| 10 * item).collect();
            ProbabilisticDeletion {
                items,
                classes,
                insufficient: None,
            }
        })
    }

    /// Highest gain, by trying every number of items.
    fn highest_gain(deletion: &ProbabilisticDeletion) -> f64 {
        let probabilities = deletion
            .classes
            .iter()
            .flat_map(|class| vec![class.needed; class.items.len()]);
        let mut none_needed = 1.0;
        let mut highest = 0.0_f64;
        let all = deletion.len() as f64;
        for (deleted, needed) in (1..).zip(probabilities) {
            none_needed *= 1.0 - needed;
            let deleted = f64::from(deleted);
            highest = highest.max(deleted * none_needed / (all - deleted + RESTART_COST));
        }
        highest
    }

    fn gain(deletion: &ProbabilisticDeletion, choice: DeletionChoice) -> f64 {
        let mut none_needed = (1.0 - deletion.classes[choice.whole_classes].needed)
            .powf(choice.from_next_class as f64);
        let mut count = choice.from_next_class as f64;
        for class in &deletion.classes[..choice.whole_classes] {
            none_needed *= (1.0 - class.needed).powf(class.items.len() as f64);
            count += class.items.len() as f64;
        }
        count * none_needed / (deletion.len() as f64 - count + RESTART_COST)
    }

    proptest! {
        #[test]
        fn no_deletion_has_a_higher_gain_than_the_best_choice(deletion in deletions()) {
            let choice = deletion.next_choice().unwrap();
            let highest = highest_gain(&deletion);
            let gain = gain(&deletion, choice);
            prop_assert!((highest - gain).abs() <= 1e-9 * highest, "{highest} {gain} {choice:?}");
        }

        #[test]
        fn a_failed_deletion_loses_no_item_and_raises_probabilities(deletion in deletions()) {
            let choice = deletion.next_choice().unwrap();
            let (kept, failed) = deletion.split(choice);
            prop_assert_eq!(failed.items(), deletion.items());
            prop_assert!(kept.len() < deletion.len());
            let needed = |deletion: &ProbabilisticDeletion| -> f64 {
                deletion.classes.iter().map(|class| class.needed * class.items.len() as f64).sum()
            };
            prop_assert!(needed(&failed) > needed(&deletion));
        }
    }
}
