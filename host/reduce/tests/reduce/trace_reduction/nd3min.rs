//! ND3MIN on cases worked by hand: Figure 2's order, what is right about it beyond the figure, and what rounds cost.

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
    let runs = 20;
    let successes = 18;
    let parallel = 15;
    let check_runs = 20;
    ReduceSettings {
        runs,
        successes,
        parallel,
        check_runs,
        scheduling,
        ..ReduceSettings::default()
    }
}

async fn asked(steps: u32, parts: usize, needed: &'static [u32]) -> (Vec<Vec<u32>>, Reduction) {
    let oracle = Formula::new(move |steps: &[u32], _| has(steps, needed));
    let result = reduced(ReductionAlgorithm::Nd3min, steps, &plain(parts), &oracle).await;
    (
        oracle.asked().into_iter().map(|(steps, _)| steps).collect(),
        result,
    )
}

/// 7 events in 3 parts: 0 1 | 2 3 | 4 5 6, so no event is left out although 3 does not divide 7. Subsets first; the second
/// passes, and its two events are cut into as many parts as there are events. One passes; what is left then is nothing.
#[tokio::test(start_paused = true)]
async fn subsets_come_first_and_begin_with_all_parts_again() {
    let (asked, result) = asked(7, 3, &[2]).await;
    let expected: [&[u32]; 5] = [&[0, 1, 2, 3, 4, 5, 6], &[0, 1], &[2, 3], &[2], &[]];
    assert_eq!(asked, expected);
    assert_eq!(result.kept, [2]);
    assert_eq!(result.rounds, 5);
}

/// Complements come after the subsets and lower the number of parts by one; 3 parts become 2, whose complements are its
/// subsets again, and then as many as there are events.
#[tokio::test(start_paused = true)]
async fn complements_come_next_and_then_twice_as_many_parts() {
    let (asked, result) = asked(6, 3, &[0, 5]).await;
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
    assert_eq!(asked[..19], expected);
    let rest: [&[u32]; 6] = [&[4, 5], &[0, 5], &[0], &[5], &[5], &[0]];
    assert_eq!(asked[19..], rest);
    assert_eq!(result.kept, [0, 5]);
}

#[tokio::test(start_paused = true)]
async fn the_empty_trace_is_an_answer_and_everything_ends_there() {
    for steps in [0, 1, 2, 9] {
        let (asked, result) = asked(steps, 5, &[]).await;
        assert_eq!(result.kept, [0u32; 0], "of {steps}");
        assert!(
            asked
                .iter()
                .skip(1)
                .all(|candidate| candidate.len() < steps as usize),
            "{asked:?}"
        );
    }
    let (asked, result) = asked(1, 5, &[0]).await;
    assert_eq!((asked, result.kept), (vec![vec![0], vec![]], vec![0]));
}

/// The paper: nr runs of the whole trace, refused below 15 of 20.
#[tokio::test(start_paused = true)]
async fn a_trace_below_fifteen_of_twenty_is_refused() {
    for (does, outcome) in [(14, Outcome::DoesNotReproduce), (15, Outcome::Done)] {
        let oracle =
            Formula::new(move |steps: &[u32], attempt| steps.len() == 30 && attempt < does);
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
            (outcome, does, 20)
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

/// A candidate has at most nr runs in one call, none after it is decided, and the final check sees none of them again.
#[tokio::test(start_paused = true)]
async fn runs_end_with_the_decision_and_the_check_is_fresh() {
    let oracle = Formula::new(|steps: &[u32], _| steps.contains(&3));
    let result = reduced(
        ReductionAlgorithm::Nd3min,
        4,
        &paper(SchedulerKind::Greedy),
        &oracle,
    )
    .await;
    assert_eq!(result.kept, [3]);
    let mut asked = oracle.asked();
    let before = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), before, "no run counts twice");
    let of = |steps: &[u32]| {
        asked
            .iter()
            .filter(|(candidate, _)| candidate == steps)
            .count()
    };
    // Greedy plans 15 of one that fails at once, or 5 if that many phones are left.
    assert!(of(&[0]) <= 20 && of(&[]) == 15);
    // 18 or 20 to pass, and 20 to check.
    assert!((38..=40).contains(&of(&[3])), "{}", of(&[3]));
    assert_eq!(
        result.result.map(|check| (check.successes, check.runs)),
        Some((20, 20))
    );
    let certainty = result.confidence.unwrap();
    assert!(
        certainty.good > 0.99 && (0.98..0.99).contains(&certainty.minimal),
        "{certainty:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_scheduler_keeps_what_is_needed_in_noise() {
    let rules = PolicyParameters {
        candidates: 4,
        parallel: 15,
        runs: 20,
        successes: 18,
    };
    let policy = SchedulePolicy::solve(
        &rules,
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
                let odds = if has(steps, &needed) { 970 } else { 100 };
                scrambled(seed, steps, attempt) % 1000 < odds
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

/// A round lasts as long as its longest run, and all of its runs are under way together.
#[tokio::test(start_paused = true)]
async fn a_round_lasts_as_long_as_its_longest_run() {
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
