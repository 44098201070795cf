//! Deletion by probabilities, after ProbDD: of each item it is believed how probably it is needed. What is tried is what
//! takes most away for what it costs, and every failure is remembered in the probabilities.
//! Items that have gone through the same failures are alike, so what is thought about is classes and not items.

use std::sync::Arc;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::step_spans::StepSpans;
use crate::oracle::Candidate;

/// What a run costs beside its events: a start of the app, in events.
const RESTART_COST: f64 = 3.0;
/// How many tries are thought out at once, each for the case that those before it fail: enough to keep many phones busy.
const SPECULATIVE_TRIES: usize = 32;
/// What is needed with this probability is not taken away any more; nothing is that sure without having been tried alone.
const CERTAIN: f64 = 1.0;
const ALMOST_CERTAIN: f64 = 1.0 - 1e-6;
/// How closely it is looked for by how much all probabilities have to be raised.
const BISECTIONS: u32 = 16;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProbabilisticDeletion {
    /// What it began with, ascending; what is left of that is in the classes.
    items: Arc<[u32]>,
    /// By ascending probability. None is empty.
    classes: Vec<ProbabilityClass>,
    /// How many surely needed ones are known not to be enough alone.
    insufficient: Option<usize>,
}

/// Items that are needed with the same probability, each by itself.
#[derive(Clone, Debug, PartialEq)]
struct ProbabilityClass {
    needed: f64,
    /// By their places.
    items: StepSpans,
}

/// What is taken away at once: so many items of the first classes, and so many of the one behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DeletionChoice {
    whole_classes: usize,
    from_next_class: usize,
}

impl ProbabilisticDeletion {
    /// Of items that are known to be enough together. As if one of them were needed: each failure raises that.
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

    /// Those of which none can go any more. `candidate` makes a candidate of what is kept; it may add what leads there.
    pub(super) async fn run(
        mut self,
        judge: &mut CandidateEvaluator<'_>,
        candidate: impl Fn(Vec<u32>) -> Candidate,
    ) -> Result<Vec<u32>, ReductionStop> {
        if !self.classes.is_empty()
            && judge
                .first_passing(1, |_| candidate(Vec::new()))
                .await?
                .is_some()
        {
            return Ok(Vec::new());
        }
        self.insufficient = Some(0);
        while self.next_choice().is_some() {
            let mut ahead = SpeculativeDeletions {
                if_all_fail: self,
                candidates: Vec::new(),
            };
            let found = judge
                .first_passing_of(|_| ahead.next().map(&candidate))
                .await?;
            self = match found {
                Some((number, _)) => ahead.candidates.swap_remove(number),
                None => ahead.if_all_fail,
            };
        }
        Ok(self.items())
    }

    fn next_choice(&self) -> Option<DeletionChoice> {
        best_choice(&self.sizes())
    }

    /// Of each class, how probably its items are needed, and how many there are.
    fn sizes(&self) -> Vec<(f64, usize)> {
        self.classes
            .iter()
            .map(|class| (class.needed, class.items.len()))
            .collect()
    }

    /// As many more are expected to be needed as it takes for something else to be worth more than what is known to fail:
    /// taking away all that is not surely needed.
    fn raise_probabilities(&mut self) {
        let mut sizes = self.sizes();
        let open = sizes.partition_point(|(needed, _)| *needed < CERTAIN);
        let sure: usize = sizes[open..].iter().map(|(_, count)| count).sum();
        let takes_all = |sizes: &[(f64, usize)]| {
            let all = |taken: DeletionChoice| {
                taken.whole_classes + 1 == open
                    && taken.from_next_class == sizes[taken.whole_classes].1
            };
            best_choice(sizes).is_some_and(all)
        };
        if self.insufficient != Some(sure) || !takes_all(&sizes) {
            return;
        }
        if self.len() == sure + 1 {
            self.classes[0].needed = CERTAIN;
            return;
        }
        let raised = |needed: f64, by: f64| (needed * by.exp()).min(ALMOST_CERTAIN);
        let mut too_little = 0.0;
        let mut enough = (ALMOST_CERTAIN / sizes[0].0).ln();
        for _ in 0..BISECTIONS {
            let middle = (too_little + enough) / 2.0;
            for ((needed, _), class) in sizes[..open].iter_mut().zip(&self.classes) {
                *needed = raised(class.needed, middle);
            }
            *(if takes_all(&sizes) {
                &mut too_little
            } else {
                &mut enough
            }) = middle;
        }
        for class in &mut self.classes[..open] {
            class.needed = raised(class.needed, enough);
        }
    }

    /// What is left without them, and what is believed if that fails: at least one of them is needed.
    fn split(&self, taken: DeletionChoice) -> (ProbabilisticDeletion, ProbabilisticDeletion) {
        let mut away = self.classes[..taken.whole_classes].to_vec();
        let mut rest = self.classes[taken.whole_classes..].to_vec();
        let items = rest[0].items.slice(0..taken.from_next_class);
        rest[0].items = rest[0].items.difference(&items);
        away.push(ProbabilityClass {
            needed: rest[0].needed,
            items,
        });
        rest.retain(|class| !class.items.is_empty());
        let kept = ProbabilisticDeletion {
            classes: rest.clone(),
            ..self.clone()
        };

        let chance = |class: &ProbabilityClass| (1.0 - class.needed).powf(class.items.len() as f64);
        let none_needed: f64 = away.iter().map(chance).product();
        let single = away.iter().map(|class| class.items.len()).sum::<usize>() == 1;
        for class in &mut away {
            class.needed = if single {
                CERTAIN
            } else {
                (class.needed / (1.0 - none_needed)).min(ALMOST_CERTAIN)
            };
        }
        let mut classes = away;
        classes.append(&mut rest);
        classes.sort_by(|one, other| one.needed.total_cmp(&other.needed));
        let open = kept.classes.iter().any(|class| class.needed < CERTAIN);
        let not_enough = if open {
            self.insufficient
        } else {
            Some(kept.len())
        };
        (
            kept,
            ProbabilisticDeletion {
                items: Arc::clone(&self.items),
                classes,
                insufficient: not_enough,
            },
        )
    }

    fn len(&self) -> usize {
        self.classes.iter().map(|class| class.items.len()).sum()
    }

    /// What is left, in order.
    fn items(&self) -> Vec<u32> {
        let left = self
            .classes
            .iter()
            .fold(StepSpans::default(), |left, class| left.union(&class.items));
        let mut items = Vec::with_capacity(left.len());
        for span in left.iter() {
            items.extend_from_slice(&self.items[span.start as usize..span.end as usize]);
        }
        items
    }
}

/// Tries that are thought out only when a phone is free for them.
struct SpeculativeDeletions {
    /// What is believed if all of them fail.
    if_all_fail: ProbabilisticDeletion,
    /// What each leaves.
    candidates: Vec<ProbabilisticDeletion>,
}

impl SpeculativeDeletions {
    /// What the next try keeps.
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

/// What is expected to take away most for each event that is played, of classes by ascending probability.
fn best_choice(sizes: &[(f64, usize)]) -> Option<DeletionChoice> {
    let all = sizes.iter().map(|(_, count)| count).sum::<usize>() as f64;
    let mut taken = 0.0;
    let mut ln_none_needed = 0.0;
    let mut most = 0.0;
    let mut best = None;
    for (number, &(needed, count)) in sizes
        .iter()
        .enumerate()
        .take_while(|(_, (needed, _))| *needed < CERTAIN)
    {
        let ln_not_needed = (-needed).ln_1p();
        for of_next in count_options(taken, -ln_not_needed, count, all + RESTART_COST) {
            let both = taken + of_next as f64;
            let chance = (ln_none_needed + ln_not_needed * of_next as f64).exp();
            let worth = both * chance / (all - both + RESTART_COST);
            if worth > most {
                (most, best) = (
                    worth,
                    Some(DeletionChoice {
                        whole_classes: number,
                        from_next_class: of_next,
                    }),
                );
            }
        }
        taken += count as f64;
        ln_none_needed += ln_not_needed * count as f64;
    }
    best
}

/// How many items of a class can be worth most if `before` others are taken: t · e^(−st) / (all − t) rises, and from the
/// smaller root of t · (all − t) = all / s on it falls, until it may rise again towards the end.
fn count_options(before: f64, steepness: f64, count: usize, all: f64) -> [usize; 4] {
    let root = (all * all - 4.0 * all / steepness).max(0.0).sqrt();
    let top = (all - root) / 2.0 - before;
    let within = |place: f64| (place.max(1.0) as usize).min(count);
    [1, within(top.floor()), within(top.ceil()), count]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Some classes, by ascending probability, the last items surely needed.
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

    /// By trying every number of items.
    fn most(deletion: &ProbabilisticDeletion) -> f64 {
        let chances = deletion
            .classes
            .iter()
            .flat_map(|class| vec![class.needed; class.items.len()]);
        let mut none_needed = 1.0;
        let mut most = 0.0_f64;
        let all = deletion.len() as f64;
        for (taken, needed) in (1..).zip(chances) {
            none_needed *= 1.0 - needed;
            let taken = f64::from(taken);
            most = most.max(taken * none_needed / (all - taken + RESTART_COST));
        }
        most
    }

    fn worth(deletion: &ProbabilisticDeletion, taken: DeletionChoice) -> f64 {
        let mut none_needed =
            (1.0 - deletion.classes[taken.whole_classes].needed).powf(taken.from_next_class as f64);
        let mut count = taken.from_next_class as f64;
        for class in &deletion.classes[..taken.whole_classes] {
            none_needed *= (1.0 - class.needed).powf(class.items.len() as f64);
            count += class.items.len() as f64;
        }
        count * none_needed / (deletion.len() as f64 - count + RESTART_COST)
    }

    proptest! {
        #[test]
        fn nothing_is_worth_more_than_what_is_taken(deletion in deletions()) {
            let taken = deletion.next_choice().unwrap();
            let most = most(&deletion);
            let worth = worth(&deletion, taken);
            prop_assert!((most - worth).abs() <= 1e-9 * most, "{most} {worth} {taken:?}");
        }

        #[test]
        fn a_try_loses_no_item_and_raises_what_it_took(deletion in deletions()) {
            let taken = deletion.next_choice().unwrap();
            let (kept, failed) = deletion.split(taken);
            prop_assert_eq!(failed.items(), deletion.items());
            let away = deletion.len() - kept.len();
            prop_assert!(away > 0);
            let needed = |of: &ProbabilisticDeletion| -> f64 {
                of.classes.iter().map(|class| class.needed * class.items.len() as f64).sum()
            };
            prop_assert!(needed(&failed) > needed(&deletion));
        }
    }
}
