//! Budgets of a suite reduction: never exceeded, and never a suite that has lost coverage without saying so.

use proptest::prelude::*;
use retap_reduce::suite::{SuiteReductionAlgorithm, SuiteSettings};
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;

use super::BOTH;
use super::machine::{Machine, random_machine, random_suite, reduce, reduce_with, reduced_actions};
use super::properties::block_on;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_budget_of_runs_is_kept_and_the_answer_covers_everything(
        seed in any::<u64>(),
        max_runs in 1_u64..400,
        parallelism in 1_usize..4,
    ) {
        let suite = random_suite(seed);
        let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
        for algorithm in BOTH {
            let machine = Machine { parallelism, ..random_machine(seed) };
            let settings = SuiteSettings { algorithm, max_runs: Some(max_runs), ..SuiteSettings::default() };
            let reduction = block_on(reduce_with(&machine, &suite, &settings));
            prop_assert!(reduction.cost.runs <= max_runs);
            prop_assert!(machine.replay_count() as u64 <= max_runs);
            prop_assert!(matches!(reduction.outcome, Outcome::Done | Outcome::BudgetSpent));
            prop_assert!(reduction.lost().is_empty());
            prop_assert!(!reduction.traces.is_empty());
            prop_assert!(reduction.after.transitions <= reduction.before.transitions);
            // The answer has the coverage when it is replayed.
            let answer = reduced_actions(&reduction);
            let answer: Vec<&[u32]> = answer.iter().map(Vec::as_slice).collect();
            let again = block_on(reduce(&random_machine(seed), &answer, SuiteReductionAlgorithm::DetReduce));
            prop_assert!(again.before.covered.contains(&reduction.before.covered));
        }
    }

    #[test]
    fn a_budget_that_suffices_changes_nothing(seed in any::<u64>()) {
        let suite = random_suite(seed);
        let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
        for algorithm in BOTH {
            let free = block_on(reduce(&random_machine(seed), &suite, algorithm));
            let settings = SuiteSettings {
                algorithm,
                // A quarter is kept for the check at most, so that a third more is always enough.
                max_runs: Some(free.cost.runs * 4 / 3 + 1),
                ..SuiteSettings::default()
            };
            let bounded = block_on(reduce_with(&random_machine(seed), &suite, &settings));
            prop_assert_eq!(bounded, free);
        }
    }
}

#[test]
fn a_budget_that_is_spent_before_all_traces_were_replayed_leaves_the_suite_as_it_is() {
    let suite: [&[u32]; 3] = [&[1, 2, 3], &[2, 3], &[3]];
    for algorithm in BOTH {
        let settings = SuiteSettings {
            algorithm,
            max_runs: Some(2),
            ..SuiteSettings::default()
        };
        let reduction = block_on(reduce_with(&random_machine(1), &suite, &settings));
        assert_eq!(reduction.outcome, Outcome::BudgetSpent, "{algorithm}");
        assert_eq!(reduced_actions(&reduction), suite, "{algorithm}");
        assert_eq!(reduction.check.runs, 0, "{algorithm}");
    }
}

#[test]
fn a_budget_of_phone_time_ends_the_reduction_too() {
    let suite = random_suite(5);
    let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
    for algorithm in BOTH {
        let free = block_on(reduce(&random_machine(5), &suite, algorithm));
        let limit = Micros(free.cost.took.0 / 2);
        let settings = SuiteSettings {
            algorithm,
            max_phone_time: Some(limit),
            ..SuiteSettings::default()
        };
        let reduction = block_on(reduce_with(&random_machine(5), &suite, &settings));
        assert_eq!(reduction.outcome, Outcome::BudgetSpent, "{algorithm}");
        // The replay that is under way is finished: at most a clean start and 512 steps of 10 µs.
        assert!(reduction.cost.took.0 <= limit.0 + 5_130, "{algorithm}");
        assert!(reduction.lost().is_empty());
    }
}

#[test]
fn a_budget_of_nothing_is_refused() {
    for settings in [
        SuiteSettings {
            max_runs: Some(0),
            ..SuiteSettings::default()
        },
        SuiteSettings {
            max_phone_time: Some(Micros::ZERO),
            ..SuiteSettings::default()
        },
    ] {
        let error = settings.validate().unwrap_err();
        assert!(error.to_string().contains("budget is 0"), "{error}");
    }
}
