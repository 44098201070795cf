//! Invariants of all algorithms for any oracle, monotone or not.

use std::collections::HashSet;

use proptest::prelude::*;
use retap_reduce::named_choice::NamedChoice;
use retap_reduce::trace_reduction::{ReduceSettings, Reduction, ReductionAlgorithm};
use retap_testing::fakes::{in_virtual_time, numbers, scrambled};

use super::{reduced, unchecked};
use crate::formula::Formula;

/// Rule by which a candidate reaches the target.
#[derive(Clone, Debug)]
enum Rule {
    /// It contains all steps of one of these sets: monotone.
    AnyOf(Vec<Vec<u32>>),
    /// Random, one in `one_in` candidates: candidates say nothing about each other.
    Random { seed: u64, one_in: u64 },
    /// It contains the needed steps, and both or none of every pair.
    Pairs {
        needed: Vec<u32>,
        pairs: Vec<(u32, u32)>,
    },
}

impl Rule {
    fn is_reached(&self, steps: &[u32], original: u32) -> bool {
        let all = |needed: &[u32]| needed.iter().all(|step| steps.contains(step));
        match self {
            Rule::AnyOf(sets) => sets.iter().any(|set| all(set)),
            Rule::Random { seed, one_in } => {
                steps.len() == original as usize
                    || scrambled(*seed, steps, 0).is_multiple_of(*one_in)
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

/// A length, and a rule that the original of that length satisfies.
fn rules() -> impl Strategy<Value = (u32, Rule)> {
    (1u32..60).prop_flat_map(|steps| {
        let some = move |most| prop::collection::vec(0..steps, 0..most);
        let rule = prop_oneof![
            prop::collection::vec(some(5), 1..4).prop_map(Rule::AnyOf),
            (any::<u64>(), 2u64..40).prop_map(|(seed, one_in)| Rule::Random { seed, one_in }),
            (some(4), prop::collection::vec((0..steps, 0..steps), 0..4))
                .prop_map(|(needed, pairs)| Rule::Pairs { needed, pairs }),
        ];
        (Just(steps), rule)
    })
}

struct Recorded {
    reduction: Reduction,
    queries: Vec<(Vec<u32>, u32)>,
    most_observations_of_one_attempt: u32,
}

fn run(algorithm: ReductionAlgorithm, steps: u32, rule: &Rule, parallel: usize) -> Recorded {
    let oracle = Formula::new(|candidate: &[u32], _| rule.is_reached(candidate, steps));
    let settings = ReduceSettings {
        parallel,
        ..unchecked()
    };
    let reduction = in_virtual_time(reduced(algorithm, steps, &settings, &oracle));
    Recorded {
        reduction,
        queries: oracle.queries(),
        most_observations_of_one_attempt: oracle.most_observations_of_one_attempt(),
    }
}

fn without(steps: &[u32], from: usize, width: usize) -> Vec<u32> {
    [&steps[..from], &steps[from + width..]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_result_is_a_part_of_the_trace_that_reaches_the_target(
        (steps, rule) in rules(),
        algorithm in prop::sample::select(ReductionAlgorithm::ALL.to_vec()),
    ) {
        let recorded = run(algorithm, steps, &rule, 1);
        let result = numbers(&recorded.reduction.trace.steps);
        prop_assert!(result.is_sorted_by(|one, next| one < next));
        prop_assert!(result.last().is_none_or(|&last| last < steps));
        prop_assert_eq!(&result, &recorded.reduction.kept);
        prop_assert!(rule.is_reached(&result, steps));
    }

    #[test]
    fn results_are_1_minimal(
        (steps, rule) in rules(),
        // Hierarchical algorithms, ProbDD and CDD do not guarantee it.
        algorithm in prop::sample::select(vec![
            ReductionAlgorithm::Auto,
            ReductionAlgorithm::Dd,
            ReductionAlgorithm::Wdd,
            ReductionAlgorithm::Nd3min,
        ]),
    ) {
        let result = numbers(&run(algorithm, steps, &rule, 1).reduction.trace.steps);
        for step in 0..result.len() {
            prop_assert!(!rule.is_reached(&without(&result, step, 1), steps), "{:?} without its number {}", result, step);
        }
    }

    #[test]
    fn no_window_can_be_removed_from_a_result_of_auto_as_far_as_windows_are_cheap((steps, rule) in rules()) {
        let result = numbers(&run(ReductionAlgorithm::Auto, steps, &rule, 1).reduction.trace.steps);
        let mut budget = (steps as usize / 2).max(64);
        for width in 2..=result.len().min(8) {
            let left = result.len() - width;
            let Some(rest) = budget.checked_sub(left * (left + 1)) else { break };
            budget = rest;
            for from in 0..=left {
                prop_assert!(!rule.is_reached(&without(&result, from, width), steps));
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
            prop_assert_eq!(together.most_observations_of_one_attempt, 1);
        }
    }

    #[test]
    fn a_reduction_is_repeatable_and_runs_no_candidate_twice(
        (steps, rule) in rules(),
        phones in 1usize..5,
        algorithm in prop::sample::select(vec![
            ReductionAlgorithm::Auto,
            ReductionAlgorithm::Dd,
            ReductionAlgorithm::Probdd,
            ReductionAlgorithm::Cdd,
            ReductionAlgorithm::Wdd,
        ]),
    ) {
        let once = run(algorithm, steps, &rule, phones);
        let again = run(algorithm, steps, &rule, phones);
        prop_assert_eq!(&once.reduction, &again.reduction);
        prop_assert_eq!(&once.queries, &again.queries);
        if phones == 1 {
            let distinct: HashSet<_> = once.queries.iter().collect();
            prop_assert_eq!(distinct.len(), once.queries.len());
            prop_assert_eq!(once.reduction.runs, once.queries.len() as u64);
        }
    }
}
