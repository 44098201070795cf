//! The check at the end of a reduction: replays of its own, all of them counted, with what only flaky traces cover.

use std::collections::BTreeMap;
use std::sync::Mutex;

use proptest::prelude::*;
use retap_device::seed::Seed;
use retap_reduce::suite::{ReplayTally, SuiteReductionAlgorithm, SuiteSettings};
use retap_shared::verdict::Outcome;

use super::BOTH;
use super::machine::{
    Destination, Machine, random_machine, random_suite, reduce, reduce_random_suite, reduce_with,
};
use super::properties::block_on;

const FLAKY: u32 = 5;
const BRANCH_OF_FLAKY: u32 = 100;

/// Action 5 leads to the same screen until the search has proven it, and to another one every second time after that.
fn flaky_after(replays: u32) -> Machine {
    let played = Mutex::new(0_u32);
    Machine::new(move |state, action| {
        if action != FLAKY {
            return Destination::new(state + action, &[action]);
        }
        let mut played = played.lock().unwrap();
        *played += 1;
        if *played > replays && played.is_multiple_of(2) {
            Destination::new(900, &[])
        } else {
            Destination::new(50, &[BRANCH_OF_FLAKY])
        }
    })
}

#[tokio::test]
async fn a_trace_that_is_flaky_in_the_check_is_reported_with_its_tally_and_its_coverage() {
    let algorithm = SuiteReductionAlgorithm::DetReduce;
    let reduction = reduce(&flaky_after(10), &[&[1, FLAKY], &[2]], algorithm).await;
    assert_eq!(reduction.outcome, Outcome::Done);
    let flaky = &reduction.traces[0];
    let expected = ReplayTally {
        followed: 5,
        diverged: BTreeMap::from([(2, 5)]),
    };
    assert_eq!(flaky.check, expected);
    assert_eq!(reduction.traces[1].check.followed, 10);
    assert_eq!((reduction.check.followed, reduction.check.runs), (15, 20));
    assert_eq!(reduction.cost.diverged, 5);
    let unconfirmed = &reduction.check.unconfirmed;
    assert!(unconfirmed.app.branches.contains(&BRANCH_OF_FLAKY));
    assert!(unconfirmed.app.screens.contains(&50));
    assert_eq!(unconfirmed.len(), 2, "{unconfirmed:?}");
}

#[tokio::test]
async fn coverage_that_a_steady_trace_has_too_is_confirmed() {
    // 7 reaches the flaky action's branch as well, on a screen of its own.
    let machine = flaky_after(10);
    let flaky = machine.table;
    let machine = Machine::new(move |state, action| match action {
        7 => Destination::new(70, &[BRANCH_OF_FLAKY]),
        _ => flaky(state, action),
    });
    let algorithm = SuiteReductionAlgorithm::DetReduce;
    let reduction = reduce(&machine, &[&[1, FLAKY], &[7]], algorithm).await;
    let unconfirmed = &reduction.check.unconfirmed;
    assert!(!unconfirmed.app.branches.contains(&BRANCH_OF_FLAKY));
    assert!(unconfirmed.app.screens.contains(&50));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_tally_of_each_trace_is_what_the_phone_counted(seed in any::<u64>()) {
        for algorithm in BOTH {
            let divergence = Some((60, Mutex::new(Seed(seed).rng())));
            let machine = Machine { divergence, ..random_machine(seed) };
            let reduction = block_on(reduce_random_suite(&machine, seed, algorithm));
            if reduction.outcome == Outcome::DoesNotReproduce {
                continue;
            }
            let divergences = machine.divergences.lock().unwrap();
            let checks = divergences.len() - reduction.check.runs as usize;
            let traces = reduction.traces.len();
            let mut counted = vec![ReplayTally::default(); traces];
            // All traces once, then all of them again.
            for (number, divergence) in divergences[checks..].iter().enumerate() {
                let tally = &mut counted[number % traces];
                match divergence {
                    None => tally.followed += 1,
                    Some(step) => *tally.diverged.entry(*step).or_default() += 1,
                }
            }
            for (trace, counted) in reduction.traces.iter().zip(&counted) {
                prop_assert_eq!(&trace.check, counted);
            }
            prop_assert_eq!(reduction.cost.runs, divergences.len() as u64);
        }
    }

    #[test]
    fn what_is_confirmed_was_covered_in_every_replay_of_a_trace(seed in any::<u64>()) {
        let divergence = Some((20, Mutex::new(Seed(seed).rng())));
        let machine = Machine { divergence, ..random_machine(seed) };
        let suite = random_suite(seed);
        let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
        let settings = SuiteSettings { replays: 2, ..SuiteSettings::default() };
        let reduction = block_on(reduce_with(&machine, &suite, &settings));
        let is_flaky = reduction.traces.iter().any(|trace| trace.check.is_flaky());
        // Replays that all followed their trace have its coverage; only a divergence can take something away.
        prop_assert!(is_flaky || reduction.check.unconfirmed.is_empty());
    }
}
