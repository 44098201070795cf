//! Retap's own reduction where one run is not enough: what it keeps, how it proves it, and what it does not wait for.

use std::collections::{HashMap, HashSet};

use retap_device::run_event::RunEvent;
use retap_device::{CancellationToken, DevicePool};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::oracle::{JournaledOracle, OracleError, PooledOracle, ReplayConditions};
use retap_reduce::trace_reduction::{ReduceError, ReduceSettings, ReductionAlgorithm, reduce};
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

/// Reached in `with` of 1000 runs that have all of `needed`, and in `without` of all others.
fn sometimes(
    seed: u64,
    needed: &'static [u32],
    with: u64,
    without: u64,
) -> impl Fn(&[u32], u32) -> bool {
    move |steps, attempt| {
        let complete = needed.iter().all(|step| steps.contains(step));
        scrambled(seed, steps, attempt) % 1000 < if complete { with } else { without }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_needed_is_found_in_noise_with_any_number_of_phones() {
    for (with, without) in [(1000, 0), (950, 0), (950, 100), (930, 300), (930, 500)] {
        for needed in [&[][..], &[17], &[3, 40, 90], &[60, 61, 63, 64, 66]] {
            for (seed, phones) in [(1, 1), (2, 4), (3, 15)] {
                let oracle = Formula::new(sometimes(seed, needed, with, without));
                let result = reduced(ReductionAlgorithm::Auto, 100, &noisy(phones), &oracle).await;
                let case = format!("{with}/{without}, {needed:?}, {phones} phones");
                assert!(
                    needed.iter().all(|step| result.kept.contains(step)),
                    "{case}: {:?}",
                    result.kept
                );
                // A result that was stepped back to may have a few more.
                assert!(
                    result.kept.len() <= needed.len() + 12,
                    "{case}: {:?}",
                    result.kept
                );
                assert_eq!(result.outcome, Outcome::Done);
                assert_eq!(result.result.unwrap().runs, 20, "{case}");
                assert!(result.runs < 1500, "{case}: {} runs", result.runs);
            }
        }
    }
}

/// Without noise nothing is left to chance: exactly what is needed, whatever it is.
#[tokio::test(start_paused = true)]
async fn a_target_that_is_always_reached_comes_down_to_what_it_needs() {
    for seed in 0..20 {
        let needed: HashSet<u32> = (0..seed % 7)
            .map(|number| (scrambled(seed, &[number as u32], 0) % 60) as u32)
            .collect();
        let wanted = needed.clone();
        let oracle =
            Formula::new(move |steps: &[u32], _| needed.iter().all(|step| steps.contains(step)));
        let result = reduced(ReductionAlgorithm::Auto, 60, &noisy(4), &oracle).await;
        assert_eq!(
            result.kept.iter().copied().collect::<HashSet<_>>(),
            wanted,
            "seed {seed}"
        );
        assert_eq!(
            result.result.map(|check| (check.successes, check.runs)),
            Some((20, 20))
        );
        assert!(result.confidence.unwrap().good > 0.99);
    }
}

/// The proof is made of runs that took no part in the search.
#[tokio::test(start_paused = true)]
async fn no_run_is_asked_for_twice() {
    let oracle = Formula::new(sometimes(5, &[8, 9], 950, 100));
    let result = reduced(ReductionAlgorithm::Auto, 50, &noisy(6), &oracle).await;
    let asked = oracle.asked();
    assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len());
    assert!(asked.len() as u64 >= result.runs);
}

/// Half of the runs without the needed step do it too, so that nothing at all is run eight times to begin with: that it is not
/// enough is usually known by the time it is all that could be left.
#[tokio::test(start_paused = true)]
async fn what_has_failed_often_enough_is_not_asked_again_in_the_end() {
    let mut known = 0;
    for seed in 0..8 {
        let oracle = Formula::new(sometimes(seed, &[17], 1000, 500));
        let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(6), &oracle).await;
        assert_eq!(result.kept, [17], "seed {seed}");
        let asked = oracle.asked();
        let proven = asked.iter().rposition(|(steps, _)| *steps == [17]).unwrap();
        let is_reached = sometimes(seed, &[17], 1000, 500);
        let in_vain =
            |(steps, attempt): &&(Vec<u32>, u32)| steps.is_empty() && !is_reached(steps, *attempt);
        if asked[..proven].iter().filter(in_vain).count() > 2 {
            known += 1;
            assert_eq!(asked.len(), proven + 1, "seed {seed}: it was asked again");
        }
    }
    assert!(known > 4, "known in {known} of 8");
}

/// 16 of the first 20 runs of the result do it, and then nearly all.
#[tokio::test(start_paused = true)]
async fn a_result_that_fails_narrowly_is_proven_by_other_runs_instead_of_a_longer_one() {
    let oracle = Formula::new(|steps: &[u32], attempt| {
        steps.contains(&17) && (steps.len() > 1 || attempt > 25 || attempt % 5 > 0)
    });
    let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(1), &oracle).await;
    assert_eq!(
        (result.kept, result.result.map(|check| check.runs)),
        (vec![17], Some(20))
    );
    let mut longer: HashMap<Vec<u32>, u32> = HashMap::new();
    for (steps, _) in oracle
        .asked()
        .into_iter()
        .filter(|(steps, _)| steps.len() > 1)
    {
        *longer.entry(steps).or_default() += 1;
    }
    assert!(
        longer.values().all(|runs| *runs < 20),
        "a longer one was proven: {longer:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_trace_that_does_not_reproduce_is_refused_after_a_few_runs() {
    let oracle = Formula::new(|_: &[u32], _| false);
    let result = reduced(ReductionAlgorithm::Auto, 40, &noisy(4), &oracle).await;
    assert_eq!(result.outcome, Outcome::DoesNotReproduce);
    assert_eq!((result.original.successes, result.original.runs), (0, 6));
    assert_eq!(result.original.failure, Some(Verdict::TargetNotReached));
    assert_eq!(result.kept.len(), 40);
}

/// Half of all runs do it, whatever they play: nothing is left to be found, and the check does not pass for a proof.
#[tokio::test(start_paused = true)]
async fn a_target_that_comes_half_the_time_is_not_called_reproducible() {
    let oracle = Formula::new(sometimes(9, &[], 500, 500));
    let result = reduced(ReductionAlgorithm::Auto, 30, &noisy(8), &oracle).await;
    let proven = result.result.is_some_and(|check| check.successes >= 18);
    assert!(!proven, "{:?}", result.outcome);
}

/// Either of two steps suffices: no single step is needed, and yet not both can go.
#[tokio::test(start_paused = true)]
async fn steps_that_can_stand_in_for_each_other_do_not_both_go() {
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
        assert!(result.result.unwrap().successes >= 18, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_trace_is_proven_too() {
    let result = reduced(
        ReductionAlgorithm::Auto,
        0,
        &noisy(4),
        &Formula::new(|_: &[u32], _| true),
    )
    .await;
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.result.map(|check| check.successes), Some(20));
}

/// One run each is asked for, and the target comes in nine of ten: the proof fails, and from there on beliefs decide.
#[tokio::test(start_paused = true)]
async fn a_trace_that_turns_out_to_be_flaky_is_reduced_as_one() {
    for seed in 0..6 {
        let oracle = Formula::new(sometimes(seed, &[4, 23], 930, 0));
        let settings = ReduceSettings {
            parallel: 4,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let result = reduced(ReductionAlgorithm::Auto, 60, &settings, &oracle).await;
        assert_eq!(result.outcome, Outcome::Done, "seed {seed}");
        assert!(
            [4, 23].iter().all(|step| result.kept.contains(step)),
            "seed {seed}: {:?}",
            result.kept
        );
        assert_eq!(result.result.unwrap().runs, 20);
    }
}

#[tokio::test(start_paused = true)]
async fn a_single_run_that_fails_is_not_the_last_word() {
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
        (Outcome::DoesNotReproduce, 4)
    );
}

#[tokio::test(start_paused = true)]
async fn a_rate_that_is_low_from_the_start_is_kept() {
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
        assert_eq!(result.original.runs, 40);
        assert!(
            result.result.unwrap().successes * 2 > result.original.successes,
            "{rate}"
        );
    }
}

/// All phones are gone for good in the middle. Whoever connects others goes on with what was seen.
#[tokio::test(start_paused = true)]
async fn phones_that_vanish_in_the_middle_leave_what_they_have_shown() {
    let trace = trace(0..60);
    let journal = MemoryReductionJournal::default();
    let does = |steps: &[u32]| steps.contains(&7) && steps.contains(&30);
    let (sink, heard) = listening();
    let mut ends = Vec::new();
    for lasts in [8, usize::MAX] {
        let mut devices = Vec::new();
        for phone in 0..3 {
            let answer = playing(does);
            let answer = move |before, request| {
                if before >= lasts {
                    Err(lost())
                } else {
                    answer(before, request)
                }
            };
            devices.push(device(&format!("phone-{phone}"), answer).await);
        }
        let pool = DevicePool::new(devices);
        let phones = PooledOracle::new(&pool, ReplayConditions::of(&trace), &sink);
        let oracle = JournaledOracle::new(phones, &journal, &sink);
        ends.push(
            reduce(
                &trace,
                ReductionAlgorithm::Auto,
                &noisy(3),
                &oracle,
                &sink,
                &CancellationToken::new(),
            )
            .await,
        );
    }
    let gone = ends[0].as_ref().unwrap_err();
    assert!(
        matches!(gone, ReduceError::Oracle(OracleError::Pool(_))),
        "{gone}"
    );
    assert!(gone.to_string().contains("no phone is left"), "{gone}");
    assert_eq!(ends[1].as_ref().unwrap().kept, [7, 30]);
    let recalled = |event: &&RunEvent| matches!(event, RunEvent::Observed { recalled: true, .. });
    let count = heard.lock().unwrap().iter().filter(recalled).count();
    // At least the first runs, of nothing and of everything, are asked for again whatever comes when.
    assert!(count >= 6, "{count} of 24 runs were recalled");
}
