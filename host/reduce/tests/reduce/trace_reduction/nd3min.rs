//! ND3MIN on cases worked by hand: the order of Figure 2, the criterion for the original, schedulers and rounds.

use std::sync::Arc;
use std::time::Duration;

use retap_reduce::named_choice::NamedChoice;
use retap_reduce::policy::{PolicyParameters, SchedulePolicy, SuccessRatePrior};
use retap_reduce::trace_reduction::{ReduceSettings, Reduction, ReductionAlgorithm, SchedulerKind};
use retap_shared::verdict::Outcome;
use retap_testing::fakes::{numbers, scrambled};

use super::reduced;
use crate::formula::Formula;

fn has(steps: &[u32], needed: &[u32]) -> bool {
    needed.iter().all(|step| steps.contains(step))
}

fn plain(parts: usize) -> ReduceSettings {
    ReduceSettings {
        check_runs: 0,
        parts,
        ..ReduceSettings::default()
    }
}

fn paper(scheduling: SchedulerKind) -> ReduceSettings {
    ReduceSettings {
        runs: 20,
        successes: 18,
        parallel: 15,
        check_runs: 20,
        scheduling,
        ..ReduceSettings::default()
    }
}

async fn candidates(
    steps: u32,
    parts: usize,
    needed: &'static [u32],
) -> (Vec<Vec<u32>>, Reduction) {
    let oracle = Formula::new(move |steps: &[u32], _| has(steps, needed));
    let result = reduced(ReductionAlgorithm::Nd3min, steps, &plain(parts), &oracle).await;
    (
        oracle
            .queries()
            .into_iter()
            .map(|(steps, _)| steps)
            .collect(),
        result,
    )
}

/// 7 events in 3 parts: 0 1 | 2 3 | 4 5 6. Subsets come first; the second passes, and its two events become one part each. One of
/// them passes, and only the empty candidate is left.
#[tokio::test(start_paused = true)]
async fn subsets_come_first_and_a_passing_one_starts_with_all_parts_again() {
    let (candidates, result) = candidates(7, 3, &[2]).await;
    let expected: [&[u32]; 5] = [&[0, 1, 2, 3, 4, 5, 6], &[0, 1], &[2, 3], &[2], &[]];
    assert_eq!(candidates, expected);
    assert_eq!(result.kept, [2]);
    assert_eq!(result.rounds, 5);
}

/// Complements come after the subsets and lower the number of parts by one. 3 parts become 2, whose complements are its subsets
/// again, and then one part per event.
#[tokio::test(start_paused = true)]
async fn complements_come_after_subsets_and_then_twice_as_many_parts() {
    let (candidates, result) = candidates(6, 3, &[0, 5]).await;
    let expected: [&[u32]; 19] = [
        &[0, 1, 2, 3, 4, 5],
        &[0, 1],
        &[2, 3],
        &[4, 5],
        &[2, 3, 4, 5],
        &[0, 1, 4, 5],
        // Two parts.
        &[0, 1],
        &[4, 5],
        &[4, 5],
        &[0, 1],
        // Four.
        &[0],
        &[1],
        &[4],
        &[5],
        &[1, 4, 5],
        &[0, 4, 5],
        // Three.
        &[0],
        &[4],
        &[5],
    ];
    assert_eq!(candidates[..19], expected);
    let remaining: [&[u32]; 6] = [&[4, 5], &[0, 5], &[0], &[5], &[5], &[0]];
    assert_eq!(candidates[19..], remaining);
    assert_eq!(result.kept, [0, 5]);
}

#[tokio::test(start_paused = true)]
async fn the_empty_trace_can_be_the_result() {
    for steps in [0, 1, 2, 9] {
        let (candidates, result) = candidates(steps, 5, &[]).await;
        assert_eq!(result.kept, [0u32; 0], "of {steps}");
        assert!(
            candidates
                .iter()
                .skip(1)
                .all(|candidate| candidate.len() < steps as usize),
            "{candidates:?}"
        );
    }
    let (candidates, result) = candidates(1, 5, &[0]).await;
    assert_eq!((candidates, result.kept), (vec![vec![0], vec![]], vec![0]));
}

/// The rows of the paper's Tables 1 and 2 with zero events: `0 events`, `20 (0.99/1.0)`.
#[tokio::test(start_paused = true)]
async fn a_target_that_needs_no_event_has_the_confidence_of_the_papers_zero_event_rows() {
    let oracle = Formula::new(|_: &[u32], _| true);
    let settings = paper(SchedulerKind::Heuristic);
    let result = reduced(ReductionAlgorithm::Nd3min, 500, &settings, &oracle).await;
    let check = result.result.as_ref().unwrap();
    let confidence = result.confidence.unwrap();
    assert_eq!(result.kept, [0u32; 0]);
    assert_eq!((check.successes, check.runs), (20, 20));
    assert_eq!((confidence.good * 100.0).floor(), 99.0);
    assert_eq!(confidence.minimal, Some(1.0));
    assert_eq!(result.rounds, 14);
}

/// The paper: nr attempts of the original, of which 15 of 20 must succeed.
#[tokio::test(start_paused = true)]
async fn a_trace_below_fifteen_of_twenty_does_not_reproduce() {
    for (successes, outcome) in [(14, Outcome::DoesNotReproduce), (15, Outcome::Done)] {
        let oracle =
            Formula::new(move |steps: &[u32], attempt| steps.len() == 30 && attempt < successes);
        let result = reduced(
            ReductionAlgorithm::Nd3min,
            30,
            &paper(SchedulerKind::Heuristic),
            &oracle,
        )
        .await;
        assert_eq!(
            (
                result.outcome,
                result.original.successes,
                result.original.runs
            ),
            // The check of the result is one of the original, where nothing could be removed.
            (outcome, successes, if successes == 15 { 40 } else { 20 })
        );
    }
    let settings = ReduceSettings {
        original_successes: Some(5),
        ..paper(SchedulerKind::Heuristic)
    };
    let oracle = Formula::new(|steps: &[u32], attempt| steps.len() == 30 && attempt < 5);
    let result = reduced(ReductionAlgorithm::Nd3min, 30, &settings, &oracle).await;
    assert_eq!(result.outcome, Outcome::Done);
}

/// A candidate has at most nr attempts in one call, none after its decision, and the final check repeats none of them.
#[tokio::test(start_paused = true)]
async fn attempts_end_with_the_decision_and_the_check_is_fresh() {
    let oracle = Formula::new(|steps: &[u32], _| steps.contains(&3));
    let result = reduced(
        ReductionAlgorithm::Nd3min,
        4,
        &paper(SchedulerKind::Greedy),
        &oracle,
    )
    .await;
    assert_eq!(result.kept, [3]);
    let mut queries = oracle.queries();
    let all = queries.len();
    queries.sort_unstable();
    queries.dedup();
    assert_eq!(queries.len(), all, "no attempt counts twice");
    let attempts = |steps: &[u32]| {
        queries
            .iter()
            .filter(|(candidate, _)| candidate == steps)
            .count()
    };
    // Greedy schedules 15 attempts of a failing candidate, or 5 if that many phones are left.
    assert!(attempts(&[0]) <= 20 && attempts(&[]) == 15);
    // 18 or 20 to pass, and 20 to check.
    assert!((38..=40).contains(&attempts(&[3])), "{}", attempts(&[3]));
    assert_eq!(
        result.result.map(|check| (check.successes, check.runs)),
        Some((20, 20))
    );
    let confidence = result.confidence.unwrap();
    assert!(
        confidence.good > 0.99 && (0.98..0.99).contains(&confidence.minimal.unwrap()),
        "{confidence:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_scheduler_keeps_needed_steps_in_noise() {
    let parameters = PolicyParameters {
        candidates: 4,
        parallel: 15,
        runs: 20,
        successes: 18,
    };
    let policy = SchedulePolicy::solve(
        &parameters,
        &SuccessRatePrior::published(),
        1 << 30,
        1,
        &|_, _| true,
    )
    .unwrap();
    let policy = Arc::new(policy);
    for &scheduling in SchedulerKind::ALL {
        for seed in 0..4 {
            let needed = [7, 31, 32];
            let oracle = Formula::new(move |steps: &[u32], attempt| {
                let rate = if has(steps, &needed) { 970 } else { 100 };
                scrambled(seed, steps, attempt) % 1000 < rate
            });
            let settings = ReduceSettings {
                policy: Some(Arc::clone(&policy)),
                ..paper(scheduling)
            };
            let result = reduced(ReductionAlgorithm::Nd3min, 60, &settings, &oracle).await;
            assert_eq!(
                numbers(&result.trace.steps),
                needed,
                "{scheduling}, seed {seed}"
            );
            assert!(result.result.unwrap().successes >= 17);
        }
    }
}

/// All attempts of a round run at the same time.
#[tokio::test(start_paused = true)]
async fn a_round_lasts_as_long_as_its_longest_attempt() {
    let oracle = Formula::new(|steps: &[u32], _| steps.len() == 8);
    let start = tokio::time::Instant::now();
    let settings = ReduceSettings {
        check_runs: 0,
        ..paper(SchedulerKind::RoundRobin)
    };
    let result = reduced(ReductionAlgorithm::Nd3min, 8, &settings, &oracle).await;
    assert!(start.elapsed() <= Duration::from_millis(50 * result.rounds));
    assert!(result.runs > 2 * result.rounds);
}
