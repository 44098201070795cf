//! What holds for any oracle whatsoever, monotone or not.

use std::collections::HashSet;

use proptest::prelude::*;
use retap_reduce::named_choice::NamedChoice;
use retap_reduce::trace_reduction::{ReduceSettings, Reduction, ReductionAlgorithm};
use retap_testing::fakes::{in_virtual_time, numbers, scrambled};

use super::{reduced, unchecked};
use crate::formula::Formula;

/// When a candidate reaches the target.
#[derive(Clone, Debug)]
enum Rule {
    /// Whenever it has all steps of one of these sets: more steps never hurt.
    AnyOf(Vec<Vec<u32>>),
    /// As chance has it, once in `one_in` candidates: nothing can be concluded from one about another.
    Chance { seed: u64, one_in: u64 },
    /// If it has the needed ones, and of every pair both or none.
    Pairs {
        needed: Vec<u32>,
        pairs: Vec<(u32, u32)>,
    },
}

impl Rule {
    fn does(&self, steps: &[u32], whole: u32) -> bool {
        let all = |needed: &[u32]| needed.iter().all(|step| steps.contains(step));
        match self {
            Rule::AnyOf(sets) => sets.iter().any(|set| all(set)),
            Rule::Chance { seed, one_in } => {
                steps.len() == whole as usize || scrambled(*seed, steps, 0).is_multiple_of(*one_in)
            }
            Rule::Pairs { needed, pairs } => {
                all(needed)
                    && pairs
                        .iter()
                        .all(|(one, other)| steps.contains(one) == steps.contains(other))
            }
        }
    }
}

/// A length and a rule that the whole trace of that length satisfies.
fn rules() -> impl Strategy<Value = (u32, Rule)> {
    (1u32..60).prop_flat_map(|steps| {
        let some = move |most| prop::collection::vec(0..steps, 0..most);
        let rule = prop_oneof![
            prop::collection::vec(some(5), 1..4).prop_map(Rule::AnyOf),
            (any::<u64>(), 2u64..40).prop_map(|(seed, one_in)| Rule::Chance { seed, one_in }),
            (some(4), prop::collection::vec((0..steps, 0..steps), 0..4))
                .prop_map(|(needed, pairs)| Rule::Pairs { needed, pairs }),
        ];
        (Just(steps), rule)
    })
}

struct Done {
    reduction: Reduction,
    asked: Vec<(Vec<u32>, u32)>,
    most_answers_to_one: u32,
}

fn run(algorithm: ReductionAlgorithm, steps: u32, rule: &Rule, parallel: usize) -> Done {
    let oracle = Formula::new(|candidate: &[u32], _| rule.does(candidate, steps));
    let settings = ReduceSettings {
        parallel,
        ..unchecked()
    };
    let reduction = in_virtual_time(reduced(algorithm, steps, &settings, &oracle));
    Done {
        reduction,
        asked: oracle.asked(),
        most_answers_to_one: oracle.most_answers_to_one(),
    }
}

fn without(steps: &[u32], from: usize, width: usize) -> Vec<u32> {
    [&steps[..from], &steps[from + width..]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_result_is_a_part_of_the_trace_that_still_does_it(
        (steps, rule) in rules(),
        algorithm in prop::sample::select(ReductionAlgorithm::ALL.to_vec()),
    ) {
        let done = run(algorithm, steps, &rule, 1);
        let left = numbers(&done.reduction.trace.steps);
        prop_assert!(left.is_sorted_by(|one, next| one < next));
        prop_assert!(left.last().is_none_or(|&last| last < steps));
        prop_assert_eq!(&left, &done.reduction.kept);
        prop_assert!(rule.does(&left, steps));
    }

    #[test]
    fn no_single_step_of_a_result_can_go(
        (steps, rule) in rules(),
        // Those that go by a tree of states do not promise it.
        algorithm in prop::sample::select(vec![ReductionAlgorithm::Auto, ReductionAlgorithm::Dd, ReductionAlgorithm::Nd3min]),
    ) {
        let left = numbers(&run(algorithm, steps, &rule, 1).reduction.trace.steps);
        for step in 0..left.len() {
            prop_assert!(!rule.does(&without(&left, step, 1), steps), "{:?} without its number {}", left, step);
        }
    }

    #[test]
    fn no_eight_neighbours_of_a_result_of_auto_can_go((steps, rule) in rules()) {
        let left = numbers(&run(ReductionAlgorithm::Auto, steps, &rule, 1).reduction.trace.steps);
        for width in 1..=left.len().min(8) {
            for from in 0..=left.len() - width {
                prop_assert!(!rule.does(&without(&left, from, width), steps));
            }
        }
    }

    #[test]
    fn the_result_does_not_depend_on_the_number_of_phones(
        (steps, rule) in rules(),
        algorithm in prop::sample::select(ReductionAlgorithm::ALL.to_vec()),
    ) {
        let alone = run(algorithm, steps, &rule, 1);
        for phones in [2, 4] {
            let together = run(algorithm, steps, &rule, phones);
            prop_assert_eq!(&together.reduction.kept, &alone.reduction.kept);
            prop_assert_eq!(together.most_answers_to_one, 1);
        }
    }

    #[test]
    fn the_same_run_twice_is_the_same_run_and_asks_nothing_twice(
        (steps, rule) in rules(),
        phones in 1usize..5,
        algorithm in prop::sample::select(vec![ReductionAlgorithm::Auto, ReductionAlgorithm::Dd]),
    ) {
        let once = run(algorithm, steps, &rule, phones);
        let again = run(algorithm, steps, &rule, phones);
        prop_assert_eq!(&once.reduction, &again.reduction);
        prop_assert_eq!(&once.asked, &again.asked);
        if phones == 1 {
            let distinct: HashSet<_> = once.asked.iter().collect();
            prop_assert_eq!(distinct.len(), once.asked.len());
            prop_assert_eq!(once.reduction.runs, once.asked.len() as u64);
        }
    }
}
