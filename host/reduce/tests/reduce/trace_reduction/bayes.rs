//! Bayesian reduction: needed steps in noise, the check of the result, flaky targets and lost phones.

use std::collections::HashSet;

use retap_device::run_event::RunEvent;
use retap_device::{CancellationToken, DevicePool};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::oracle::{JournaledOracle, OracleError, PooledOracle, ReplayConditions};
use retap_reduce::trace_reduction::{
    ClaimStanding, ReduceError, ReduceSettings, ReductionAlgorithm, reduce,
};
use retap_shared::verdict::{Outcome, Verdict};
use retap_testing::fakes::{device, listening, lost, playing, scrambled, trace};

use super::reduced;
use crate::formula::Formula;

fn noisy(parallel: usize) -> ReduceSettings {
    ReduceSettings {
        runs: 20,
        successes: 18,
        parallel,
        check_runs: 20,
        ..ReduceSettings::default()
    }
}

/// A target that 1000 attempts reach `complete_rate` times if they contain all of `needed`, and `incomplete_rate` times if not.
fn sometimes(
    seed: u64,
    needed: &'static [u32],
    complete_rate: u64,
    incomplete_rate: u64,
) -> impl Fn(&[u32], u32) -> bool {
    move |steps, attempt| {
        let is_complete = needed.iter().all(|step| steps.contains(step));
        scrambled(seed, steps, attempt) % 1000
            < if is_complete {
                complete_rate
            } else {
                incomplete_rate
            }
    }
}

#[tokio::test(start_paused = true)]
async fn needed_steps_are_found_in_noise_with_any_number_of_phones() {
    for (complete_rate, incomplete_rate) in
        [(1000, 0), (950, 0), (950, 100), (930, 300), (930, 500)]
    {
        for needed in [&[][..], &[17], &[3, 40, 90], &[60, 61, 63, 64, 66]] {
            for (seed, phones) in [(1, 1), (2, 4), (3, 15)] {
                let oracle = Formula::new(sometimes(seed, needed, complete_rate, incomplete_rate));
                let result = reduced(ReductionAlgorithm::Auto, 100, &noisy(phones), &oracle).await;
                let case =
                    format!("{complete_rate}/{incomplete_rate}, {needed:?}, {phones} phones");
                assert!(
                    needed.iter().all(|step| result.kept.contains(step)),
                    "{case}: {:?}",
                    result.kept
                );
                // A larger fallback may have a few more steps.
                assert!(
                    result.kept.len() <= needed.len() + 12,
                    "{case}: {:?}",
                    result.kept
                );
                assert_ne!(result.outcome, Outcome::DoesNotReproduce);
                assert!(result.claim.unwrap().tally.successes > 0, "{case}");
                assert!(result.runs < 2000, "{case}: {} runs", result.runs);
            }
        }
    }
}

/// Without noise the result is exactly the needed steps.
#[tokio::test(start_paused = true)]
async fn a_target_that_is_always_reached_is_reduced_to_the_needed_steps() {
    for seed in 0..20 {
        let needed: HashSet<u32> = (0..seed % 7)
            .map(|number| (scrambled(seed, &[number as u32], 0) % 60) as u32)
            .collect();
        let expected = needed.clone();
        let oracle =
            Formula::new(move |steps: &[u32], _| needed.iter().all(|step| steps.contains(step)));
        let result = reduced(ReductionAlgorithm::Auto, 60, &noisy(4), &oracle).await;
        assert_eq!(
            result.kept.iter().copied().collect::<HashSet<_>>(),
            expected,
            "seed {seed}"
        );
        let claim = result.claim.unwrap();
        assert_eq!(claim.standing, ClaimStanding::Proven, "seed {seed}");
        assert_eq!((claim.tally.failures, claim.proof.failures), (0, 0));
        assert!(claim.interval.low >= 0.85 && claim.interval.high > 0.999);
        assert_eq!(result.confidence, None, "p1 and p2 are ND3MIN's");
    }
}

/// The check consists of attempts that took no part in the search.
#[tokio::test(start_paused = true)]
async fn no_attempt_is_queried_twice() {
    let oracle = Formula::new(sometimes(5, &[8, 9], 950, 100));
    let result = reduced(ReductionAlgorithm::Auto, 50, &noisy(6), &oracle).await;
    let queries = oracle.queries();
    assert_eq!(queries.iter().collect::<HashSet<_>>().len(), queries.len());
    assert!(queries.len() as u64 >= result.runs);
}

/// Half of the attempts without the needed step succeed too, so that the empty candidate is run eight times at the beginning.
/// That it fails is usually known before ND3MIN would try it at the end.
#[tokio::test(start_paused = true)]
async fn a_candidate_that_has_failed_often_enough_is_not_run_again_at_the_end() {
    let mut known = 0;
    for seed in 0..8 {
        let oracle = Formula::new(sometimes(seed, &[17], 1000, 500));
        let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(6), &oracle).await;
        assert_eq!(result.kept, [17], "seed {seed}");
        let queries = oracle.queries();
        let checked = queries
            .iter()
            .rposition(|(steps, _)| *steps == [17])
            .unwrap();
        known += usize::from(queries.len() == checked + 1);
    }
    assert!(known > 0, "known in {known} of 8");
}

#[tokio::test(start_paused = true)]
async fn a_trace_is_refused_only_after_parts_of_it_have_been_tried_too() {
    let oracle = Formula::new(|_: &[u32], _| false);
    let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(4), &oracle).await;
    assert_eq!(result.outcome, Outcome::DoesNotReproduce);
    assert_eq!((result.original.successes, result.original.runs), (0, 60));
    assert_eq!(result.original.failure, Some(Verdict::TargetNotReached));
    assert_eq!((result.kept.len(), result.claim), (40, None));
    let parts = oracle.queries().into_iter();
    assert!(
        parts
            .filter(|(steps, _)| (1..40).contains(&steps.len()))
            .count()
            >= 16,
        "a long trace may fail because it is long"
    );
}

/// Half of all attempts succeed, whatever their steps are: the result is flaky, and its interval says how much.
#[tokio::test(start_paused = true)]
async fn a_target_that_is_reached_half_the_time_is_called_flaky() {
    for seed in 0..10 {
        let oracle = Formula::new(sometimes(seed, &[], 500, 500));
        let result = reduced(ReductionAlgorithm::Auto, 30, &noisy(8), &oracle).await;
        let claim = result.claim.unwrap();
        assert_eq!(claim.standing, ClaimStanding::Flaky, "seed {seed}");
        assert!(matches!(
            result.outcome,
            Outcome::Flaky | Outcome::BudgetSpent
        ));
        assert!(
            claim.interval.low < 0.5 && claim.interval.high > 0.5,
            "{claim:?}"
        );
    }
}

/// Either of two steps suffices: neither is needed, and yet one must stay.
#[tokio::test(start_paused = true)]
async fn of_two_interchangeable_steps_one_is_kept() {
    for seed in 0..6 {
        let oracle = Formula::new(move |steps: &[u32], attempt| {
            (steps.contains(&10) || steps.contains(&30))
                && steps.contains(&20)
                && !scrambled(seed, steps, attempt).is_multiple_of(20)
        });
        let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(4), &oracle).await;
        let kept = &result.kept;
        assert!(
            kept.contains(&20) && (kept.contains(&10) || kept.contains(&30)),
            "seed {seed}: {kept:?}"
        );
        assert_eq!(
            result.claim.unwrap().standing,
            ClaimStanding::Proven,
            "seed {seed}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_trace_is_checked_too() {
    let result = reduced(
        ReductionAlgorithm::Auto,
        0,
        &noisy(4),
        &Formula::new(|_: &[u32], _| true),
    )
    .await;
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.claim.unwrap().standing, ClaimStanding::Proven);
}

/// One attempt per candidate, and a target that is reached in nine of ten: the check fails, and Bayesian reduction follows.
#[tokio::test(start_paused = true)]
async fn a_target_that_turns_out_to_be_flaky_is_reduced_by_beliefs() {
    for seed in 0..6 {
        let oracle = Formula::new(sometimes(seed, &[4, 23], 930, 0));
        let settings = ReduceSettings {
            parallel: 4,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let result = reduced(ReductionAlgorithm::Auto, 60, &settings, &oracle).await;
        assert_ne!(result.outcome, Outcome::DoesNotReproduce, "seed {seed}");
        assert!(
            [4, 23].iter().all(|step| result.kept.contains(step)),
            "seed {seed}: {:?}",
            result.kept
        );
        let claim = result.claim.unwrap();
        assert!((claim.required_rate - 0.85).abs() < 1e-9, "seed {seed}");
        assert!(claim.tally.failures > 0 && claim.tally.runs() >= 28);
    }
}

#[tokio::test(start_paused = true)]
async fn an_original_that_fails_once_is_run_again() {
    let oracle = Formula::new(|steps: &[u32], attempt| {
        steps.contains(&7) && (attempt > 0 || steps.len() < 30)
    });
    let settings = ReduceSettings {
        parallel: 4,
        ..ReduceSettings::default()
    };
    let result = reduced(ReductionAlgorithm::Auto, 30, &settings, &oracle).await;
    assert_eq!((result.outcome, result.kept), (Outcome::Done, vec![7]));
    let never = reduced(
        ReductionAlgorithm::Auto,
        30,
        &settings,
        &Formula::new(|_: &[u32], _| false),
    )
    .await;
    assert_eq!(
        (never.outcome, never.original.runs),
        (Outcome::DoesNotReproduce, 60)
    );
}

#[tokio::test(start_paused = true)]
async fn a_low_rate_of_the_original_is_kept() {
    for (rate, seed) in [(300, 1), (450, 2), (600, 3)] {
        let oracle = Formula::new(sometimes(seed, &[11, 12, 40], rate, 0));
        let settings = ReduceSettings {
            keep_rate: true,
            runs: 40,
            successes: 36,
            ..noisy(8)
        };
        let result = reduced(ReductionAlgorithm::Auto, 60, &settings, &oracle).await;
        assert!(
            [11, 12, 40].iter().all(|step| result.kept.contains(step)),
            "{rate}: {:?}",
            result.kept
        );
        assert!(result.kept.len() <= 15, "{rate}: {:?}", result.kept);
        assert!(result.original.runs >= 40);
        let claim = result.claim.unwrap();
        assert!(
            claim.rate() * 2000.0 > rate as f64,
            "{rate}: {}",
            claim.rate()
        );
    }
}

/// All phones are lost in the middle. With other phones the reduction resumes from the journal.
#[tokio::test(start_paused = true)]
async fn after_the_loss_of_all_phones_their_observations_are_recalled() {
    let trace = trace(0..60);
    let journal = MemoryReductionJournal::default();
    let reaches = |steps: &[u32]| steps.contains(&7) && steps.contains(&30);
    let (events, received) = listening();
    let mut results = Vec::new();
    for plays in [8, usize::MAX] {
        let mut devices = Vec::new();
        for phone in 0..3 {
            let answer = playing(reaches);
            let answer = move |before, request| {
                if before >= plays {
                    Err(lost())
                } else {
                    answer(before, request)
                }
            };
            devices.push(device(&format!("phone-{phone}"), answer).await);
        }
        let pool = DevicePool::new(devices);
        let phones = PooledOracle::new(&pool, ReplayConditions::of(&trace), &events);
        let oracle = JournaledOracle::new(phones, &journal, &events);
        results.push(
            reduce(
                &trace,
                ReductionAlgorithm::Auto,
                &noisy(3),
                &oracle,
                &events,
                &CancellationToken::new(),
            )
            .await,
        );
    }
    let error = results[0].as_ref().unwrap_err();
    assert!(
        matches!(error, ReduceError::Oracle(OracleError::Pool(_))),
        "{error}"
    );
    assert!(error.to_string().contains("no phone is left"), "{error}");
    assert_eq!(results[1].as_ref().unwrap().kept, [7, 30]);
    let recalled = |event: &&RunEvent| matches!(event, RunEvent::Observed { recalled: true, .. });
    let count = received.lock().unwrap().iter().filter(recalled).count();
    // At least the first attempts, of the empty candidate and of the original, are needed again in any order.
    assert!(count >= 6, "{count} of 24 attempts were recalled");
}
