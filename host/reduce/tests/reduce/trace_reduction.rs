//! Reduction over oracles that are a formula: what every algorithm promises, and what each is known for.

mod auto;
mod crash;
mod nd3min;
mod promises;
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
async fn dd_asks_exactly_what_the_published_example_asks() {
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
    let asked: Vec<Vec<u32>> = oracle.asked().into_iter().map(|(steps, _)| steps).collect();
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
    assert_eq!(asked[..18], expected);
    assert_eq!(asked[18..], [[1, 7]]);
    assert_eq!(numbers(&result.trace.steps), [1, 7, 8]);
    assert_eq!(result.kept, [0, 6, 7]);
}

#[tokio::test(start_paused = true)]
async fn a_target_that_needs_nothing_is_left_with_nothing() {
    let oracle = Formula::new(|_: &[u32], _| true);
    let result = reduced(ReductionAlgorithm::Auto, 500, &unchecked(), &oracle).await;
    assert!(result.trace.steps.is_empty());
    assert_eq!(result.runs, 2);
}

#[tokio::test(start_paused = true)]
async fn an_empty_trace_is_checked_and_left_as_it_is() {
    let oracle = Formula::new(|_: &[u32], _| true);
    let result = reduced(
        ReductionAlgorithm::Auto,
        0,
        &ReduceSettings::default(),
        &oracle,
    )
    .await;
    assert_eq!((result.outcome, result.runs), (Outcome::Done, 4));
}

/// 15 opens something that 16 closes again, and the target is reached only with everything closed.
#[tokio::test(start_paused = true)]
async fn auto_removes_what_only_goes_together() {
    let closed = |steps: &[u32]| steps.contains(&15) == steps.contains(&16);
    let does = move |steps: &[u32], _| {
        [3, 12, 30].iter().all(|needed| steps.contains(needed)) && closed(steps)
    };
    let dd = reduced(
        ReductionAlgorithm::Dd,
        33,
        &unchecked(),
        &Formula::new(does),
    )
    .await;
    assert_eq!(numbers(&dd.trace.steps), [3, 12, 15, 16, 30]);
    let auto = reduced(
        ReductionAlgorithm::Auto,
        33,
        &unchecked(),
        &Formula::new(does),
    )
    .await;
    assert_eq!(numbers(&auto.trace.steps), [3, 12, 30]);
}

#[tokio::test(start_paused = true)]
async fn a_trace_that_does_not_reproduce_is_refused_with_its_share() {
    let oracle = Formula::new(|_: &[u32], attempt| attempt < 3);
    let settings = ReduceSettings {
        runs: 10,
        successes: 8,
        parallel: 4,
        check_runs: 5,
        ..ReduceSettings::default()
    };
    let (sink, heard) = listening();
    let trace = trace(0..40);
    let result = reduce(
        &trace,
        ReductionAlgorithm::Dd,
        &settings,
        &oracle,
        &sink,
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
    assert!(heard.lock().unwrap().contains(&checked));
}

#[tokio::test(start_paused = true)]
async fn settings_that_decide_nothing_are_refused() {
    for (successes, runs) in [(0, 0), (0, 5), (6, 5)] {
        let settings = ReduceSettings {
            runs,
            successes,
            ..ReduceSettings::default()
        };
        let oracle = Formula::new(|_: &[u32], _| true);
        let answer = reduce(
            &trace(0..3),
            ReductionAlgorithm::Dd,
            &settings,
            &oracle,
            &null_sink(),
            &CancellationToken::new(),
        )
        .await;
        assert!(matches!(answer, Err(ReduceError::Settings { .. })));
        assert!(oracle.asked().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_result_is_checked_by_runs_that_nobody_has_seen_before() {
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
    assert_eq!(
        (check.successes, check.runs, check.failure),
        (4, 5, Some(Verdict::TargetNotReached))
    );
    let mut attempts: Vec<u32> = oracle
        .asked()
        .into_iter()
        .filter(|(steps, _)| steps == &[5])
        .map(|(_, attempt)| attempt)
        .collect();
    attempts.sort_unstable();
    assert_eq!(attempts, [0, 1, 2, 4, 5, 6, 7, 8]);
}

#[tokio::test(start_paused = true)]
async fn what_is_told_on_the_way_adds_up() {
    let oracle = Formula::new(|steps: &[u32], _| steps.contains(&5) && steps.contains(&17));
    let (sink, heard) = listening();
    let stop = CancellationToken::new();
    let result = reduce(
        &trace(0..30),
        ReductionAlgorithm::Auto,
        &unchecked(),
        &oracle,
        &sink,
        &stop,
    )
    .await
    .unwrap();
    let heard = heard.lock().unwrap();
    let sizes: Vec<u32> = heard
        .iter()
        .filter_map(|event| match event {
            RunEvent::Shrunk { steps, .. } => Some(*steps),
            _ => None,
        })
        .collect();
    assert!(sizes.is_sorted_by(|one, next| one > next), "{sizes:?}");
    assert_eq!(sizes.last(), Some(&2));
    let asked = oracle.asked();
    let events = asked.iter().map(|(steps, _)| steps.len() as u64).sum();
    let target = "any problem".to_owned();
    let took = result.took;
    let ended = RunEvent::ReductionEnded {
        target,
        from: 30,
        to: 2,
        runs: asked.len() as u64,
        events,
        took,
    };
    assert_eq!(heard.last(), Some(&ended));
    assert_eq!((result.runs, result.events), (asked.len() as u64, events));
}

/// Each needed event works in nine of ten runs: one run each would throw needed steps away or keep others.
#[tokio::test(start_paused = true)]
async fn several_runs_a_candidate_hold_on_to_what_only_mostly_works() {
    for seed in 0..8 {
        let does = move |steps: &[u32], attempt: u32| {
            [4, 9, 23].iter().all(|needed| steps.contains(needed))
                && !scrambled(seed, steps, attempt).is_multiple_of(10)
        };
        let settings = ReduceSettings {
            runs: 10,
            successes: 6,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let oracle = Formula::new(does);
        let alone = reduced(ReductionAlgorithm::Dd, 40, &settings, &oracle).await;
        assert_eq!(numbers(&alone.trace.steps), [4, 9, 23], "seed {seed}");
        assert!(
            alone.result.as_ref().unwrap().successes >= 13,
            "seed {seed}"
        );
        for (steps, attempt) in oracle.asked() {
            assert!(
                attempt < 10 || steps == [4, 9, 23],
                "{steps:?} was run too often"
            );
            let hopeless = ![4, 9, 23].iter().all(|needed| steps.contains(needed));
            assert!(
                !hopeless || attempt < 5,
                "{steps:?} was run on although it had failed five times"
            );
        }
        for parallel in [2, 4, 7] {
            let settings = ReduceSettings {
                parallel,
                ..settings.clone()
            };
            let together =
                reduced(ReductionAlgorithm::Dd, 40, &settings, &Formula::new(does)).await;
            assert_eq!(
                (&together.kept, &together.result),
                (&alone.kept, &alone.result)
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn phones_that_are_free_are_used() {
    let does = |steps: &[u32], _| (7..200).step_by(23).all(|needed| steps.contains(&needed));
    let mut spans = Vec::new();
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
            &Formula::new(does),
        )
        .await;
        spans.push(start.elapsed());
    }
    assert!(spans[1] * 2 < spans[0], "{spans:?}");
}
