//! Reduction with oracles that are a formula: ddmin on its published example, checks, events and parallel attempts.

mod bayes;
mod budgets;
mod claims;
mod invariants;
mod nd3min;
mod published;
mod recorded_crashes;
mod simplify;

use retap_device::CancellationToken;
use retap_device::run_event::{CheckSubject, RunEvent, null_sink};
use retap_reduce::trace_reduction::{
    ReduceError, ReduceSettings, Reduction, ReductionAlgorithm, reduce,
};
use retap_shared::verdict::{Outcome, Verdict};
use retap_testing::fakes::{listening, numbers, scrambled, trace};

use crate::formula::Formula;

async fn reduced<F>(
    algorithm: ReductionAlgorithm,
    steps: u32,
    settings: &ReduceSettings,
    oracle: &Formula<F>,
) -> Reduction
where
    F: Fn(&[u32], u32) -> bool + Send + Sync,
{
    reduce(
        &trace(0..steps),
        algorithm,
        settings,
        oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

fn unchecked() -> ReduceSettings {
    ReduceSettings {
        check_runs: 0,
        ..ReduceSettings::default()
    }
}

/// Zeller and Hildebrandt's own example: eight changes of which 1, 7 and 8 are needed together.
#[tokio::test(start_paused = true)]
async fn dd_runs_exactly_the_candidates_of_the_published_example() {
    let oracle =
        Formula::new(|steps: &[u32], _| [1, 7, 8].iter().all(|needed| steps.contains(needed)));
    let trace = trace(1..=8);
    let result = reduce(
        &trace,
        ReductionAlgorithm::Dd,
        &unchecked(),
        &oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    let candidates: Vec<Vec<u32>> = oracle
        .queries()
        .into_iter()
        .map(|(steps, _)| steps)
        .collect();
    let expected: [&[u32]; 18] = [
        &[1, 2, 3, 4, 5, 6, 7, 8],
        &[],
        &[1, 2, 3, 4],
        &[5, 6, 7, 8],
        &[1, 2],
        &[3, 4],
        &[5, 6],
        &[7, 8],
        &[3, 4, 5, 6, 7, 8],
        &[1, 2, 5, 6, 7, 8],
        &[1, 2, 7, 8],
        &[1],
        &[2],
        &[7],
        &[8],
        &[2, 7, 8],
        &[1, 7, 8],
        &[1, 8],
    ];
    assert_eq!(candidates[..18], expected);
    assert_eq!(candidates[18..], [[1, 7]]);
    assert_eq!(numbers(&result.trace.steps), [1, 7, 8]);
    assert_eq!(result.kept, [0, 6, 7]);
}

#[tokio::test(start_paused = true)]
async fn a_target_that_needs_no_step_is_reduced_to_the_empty_trace() {
    let oracle = Formula::new(|_: &[u32], _| true);
    let result = reduced(ReductionAlgorithm::Auto, 500, &unchecked(), &oracle).await;
    assert!(result.trace.steps.is_empty());
    assert_eq!(result.runs, 2);
}

#[tokio::test(start_paused = true)]
async fn an_empty_trace_is_checked_and_stays_empty() {
    let oracle = Formula::new(|_: &[u32], _| true);
    let result = reduced(
        ReductionAlgorithm::Auto,
        0,
        &ReduceSettings::default(),
        &oracle,
    )
    .await;
    // One of the original, and 43 that prove 90 % without a failure.
    assert_eq!((result.outcome, result.runs), (Outcome::Done, 44));
}

/// 15 opens something that 16 closes again, and the target is reached only with everything closed.
#[tokio::test(start_paused = true)]
async fn auto_removes_steps_that_can_only_go_together() {
    let closed = |steps: &[u32]| steps.contains(&15) == steps.contains(&16);
    let reaches = move |steps: &[u32], _| {
        [3, 12, 30].iter().all(|needed| steps.contains(needed)) && closed(steps)
    };
    let dd = reduced(
        ReductionAlgorithm::Dd,
        33,
        &unchecked(),
        &Formula::new(reaches),
    )
    .await;
    assert_eq!(numbers(&dd.trace.steps), [3, 12, 15, 16, 30]);
    let auto = reduced(
        ReductionAlgorithm::Auto,
        33,
        &unchecked(),
        &Formula::new(reaches),
    )
    .await;
    assert_eq!(numbers(&auto.trace.steps), [3, 12, 30]);
}

#[tokio::test(start_paused = true)]
async fn a_trace_that_does_not_reproduce_is_reported_with_its_successes() {
    let oracle = Formula::new(|_: &[u32], attempt| attempt < 3);
    let settings = ReduceSettings {
        runs: 10,
        successes: 8,
        parallel: 4,
        check_runs: 5,
        ..ReduceSettings::default()
    };
    let (events, received) = listening();
    let trace = trace(0..40);
    let result = reduce(
        &trace,
        ReductionAlgorithm::Dd,
        &settings,
        &oracle,
        &events,
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(result.outcome, Outcome::DoesNotReproduce);
    assert_eq!((result.original.successes, result.original.runs), (3, 10));
    assert_eq!(result.original.failure, Some(Verdict::TargetNotReached));
    assert_eq!(
        (result.trace, result.result, result.runs),
        (trace, None, 10)
    );
    let checked = RunEvent::Checked {
        what: CheckSubject::Original,
        successes: 3,
        runs: 10,
    };
    assert!(received.lock().unwrap().contains(&checked));
}

#[tokio::test(start_paused = true)]
async fn settings_that_cannot_decide_are_rejected() {
    for (successes, runs) in [(0, 0), (0, 5), (6, 5)] {
        let settings = ReduceSettings {
            runs,
            successes,
            ..ReduceSettings::default()
        };
        let oracle = Formula::new(|_: &[u32], _| true);
        let result = reduce(
            &trace(0..3),
            ReductionAlgorithm::Dd,
            &settings,
            &oracle,
            &null_sink(),
            &CancellationToken::new(),
        )
        .await;
        assert!(matches!(result, Err(ReduceError::Settings { .. })));
        assert!(oracle.queries().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_result_is_checked_by_fresh_attempts() {
    let oracle = Formula::new(|steps: &[u32], attempt| steps.contains(&5) && attempt != 6);
    let settings = ReduceSettings {
        runs: 4,
        successes: 3,
        parallel: 2,
        check_runs: 5,
        ..ReduceSettings::default()
    };
    let result = reduced(ReductionAlgorithm::Dd, 20, &settings, &oracle).await;
    let check = result.result.unwrap();
    assert_eq!(check.failure, Some(Verdict::TargetNotReached));
    assert_eq!(check.successes + 1, check.runs);
    let claim = result.claim.unwrap();
    assert_eq!(
        claim.tally.runs(),
        check.runs + 3,
        "three of the search count too"
    );
    let mut attempts: Vec<u32> = oracle
        .queries()
        .into_iter()
        .filter(|(steps, _)| steps == &[5])
        .map(|(_, attempt)| attempt)
        .collect();
    attempts.sort_unstable();
    let fresh = 4..4 + check.runs;
    assert_eq!(
        attempts,
        [0, 1, 2].into_iter().chain(fresh).collect::<Vec<_>>()
    );
}

#[tokio::test(start_paused = true)]
async fn events_and_result_agree() {
    let oracle = Formula::new(|steps: &[u32], _| steps.contains(&5) && steps.contains(&17));
    let (events, received) = listening();
    let cancellation = CancellationToken::new();
    let result = reduce(
        &trace(0..30),
        ReductionAlgorithm::Auto,
        &unchecked(),
        &oracle,
        &events,
        &cancellation,
    )
    .await
    .unwrap();
    let received = received.lock().unwrap();
    let sizes: Vec<u32> = received
        .iter()
        .filter_map(|event| match event {
            RunEvent::Shrunk { steps, .. } => Some(*steps),
            _ => None,
        })
        .collect();
    assert!(sizes.is_sorted_by(|one, next| one > next), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&2));
    let queries = oracle.queries();
    let played = queries.iter().map(|(steps, _)| steps.len() as u64).sum();
    let target = "any problem".to_owned();
    let took = result.took;
    let ended = RunEvent::ReductionEnded {
        target,
        from: 30,
        to: 2,
        runs: queries.len() as u64,
        events: played,
        took,
    };
    assert_eq!(received.last(), Some(&ended));
    assert_eq!((result.runs, result.events), (queries.len() as u64, played));
}

/// Complete candidates succeed in nine of ten attempts: with one attempt each, needed steps would be removed.
#[tokio::test(start_paused = true)]
async fn several_attempts_per_candidate_keep_needed_steps_in_noise() {
    for seed in 0..8 {
        let reaches = move |steps: &[u32], attempt: u32| {
            [4, 9, 23].iter().all(|needed| steps.contains(needed))
                && !scrambled(seed, steps, attempt).is_multiple_of(10)
        };
        let settings = ReduceSettings {
            runs: 10,
            successes: 6,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let oracle = Formula::new(reaches);
        let alone = reduced(ReductionAlgorithm::Dd, 40, &settings, &oracle).await;
        assert_eq!(numbers(&alone.trace.steps), [4, 9, 23], "seed {seed}");
        let claim = alone.claim.as_ref().unwrap();
        assert!(claim.rate() > 0.65, "seed {seed}: {claim:?}");
        for (steps, attempt) in oracle.queries() {
            assert!(
                attempt < 10 || steps == [4, 9, 23],
                "{steps:?} had too many attempts"
            );
            let is_incomplete = ![4, 9, 23].iter().all(|needed| steps.contains(needed));
            assert!(
                !is_incomplete || attempt < 5,
                "{steps:?} had attempts after five failures"
            );
        }
        for parallel in [2, 4, 7] {
            let settings = ReduceSettings {
                parallel,
                ..settings.clone()
            };
            let together = reduced(
                ReductionAlgorithm::Dd,
                40,
                &settings,
                &Formula::new(reaches),
            )
            .await;
            assert_eq!(
                (&together.kept, &together.result),
                (&alone.kept, &alone.result)
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn several_phones_shorten_a_reduction() {
    let reaches = |steps: &[u32], _| (7..200).step_by(23).all(|needed| steps.contains(&needed));
    let mut durations = Vec::new();
    for parallel in [1, 4] {
        let start = tokio::time::Instant::now();
        let settings = ReduceSettings {
            parallel,
            ..unchecked()
        };
        reduced(
            ReductionAlgorithm::Auto,
            200,
            &settings,
            &Formula::new(reaches),
        )
        .await;
        durations.push(start.elapsed());
    }
    // Only what follows a failed deletion is tried ahead, and about half of them pass.
    assert!(durations[1] * 3 < durations[0] * 2, "{durations:?}");
}
