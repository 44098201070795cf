//! Properties of the reduction of any suite, on random machines.

use std::sync::Mutex;

use proptest::prelude::*;
use retap_device::seed::Seed;
use retap_reduce::suite::SuiteReductionAlgorithm;
use retap_shared::verdict::Outcome;

use super::BOTH;
use super::machine::{Machine, random_machine, reduce, reduce_random_suite, reduced_actions};

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_number_of_phones_leads_to_the_same_suite(seed in any::<u64>()) {
        for algorithm in BOTH {
            let on = |parallelism: usize| {
                let machine = Machine { parallelism, ..random_machine(seed) };
                block_on(reduce_random_suite(&machine, seed, algorithm))
            };
            let one = on(1);
            for parallelism in [2, 4, 15] {
                prop_assert_eq!(&on(parallelism).traces, &one.traces, "{} phones", parallelism);
            }
        }
    }

    #[test]
    fn the_result_covers_everything_and_is_not_longer(seed in any::<u64>()) {
        for algorithm in BOTH {
            let reduction = block_on(reduce_random_suite(&random_machine(seed), seed, algorithm));
            prop_assert_eq!(reduction.outcome, Outcome::Done);
            prop_assert_eq!(reduction.not_replayable, 0);
            prop_assert!(reduction.after.covered.contains(&reduction.before.covered));
            prop_assert!(reduction.after.transitions <= reduction.before.transitions);
            prop_assert!(reduction.after.traces <= reduction.before.traces);
            prop_assert_eq!(reduction.check.runs, 10 * reduction.after.traces);
            prop_assert_eq!(reduction.check.followed, reduction.check.runs);
            prop_assert!(reduction.check.unconfirmed.is_empty());
            // The reduced suite has the reported coverage when it is replayed.
            let suite = reduced_actions(&reduction);
            let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
            let machine = random_machine(seed);
            let again = block_on(reduce(&machine, &suite, SuiteReductionAlgorithm::DetReduce));
            prop_assert_eq!(&again.before.covered, &reduction.after.covered);
        }
    }

    #[test]
    fn an_app_that_diverges_now_and_then_loses_no_coverage_that_is_reported(seed in any::<u64>()) {
        for algorithm in BOTH {
            let divergence = Some((200, Mutex::new(Seed(seed).rng())));
            let machine = Machine { divergence, parallelism: 3, ..random_machine(seed) };
            let reduction = block_on(reduce_random_suite(&machine, seed, algorithm));
            prop_assert!(reduction.lost().is_empty());
            prop_assert_eq!(reduction.check.runs, 10 * reduction.after.traces);
        }
    }
}
