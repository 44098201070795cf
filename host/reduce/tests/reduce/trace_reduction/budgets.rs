//! Budgets: no more runs and no more time than allowed, and the best trace so far with an honest claim.

use std::sync::Mutex;
use std::time::Duration;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::oracle::{JournaledOracle, Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{
    ClaimStanding, ReduceError, ReduceSettings, ReductionAlgorithm, reduce,
};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::{Outcome, Verdict};
use retap_testing::fakes::{numbers, scrambled, trace};

use super::reduced;
use crate::formula::Formula;

fn flaky(seed: u64) -> impl Fn(&[u32], u32) -> bool {
    move |steps, attempt| {
        [5, 23, 31].iter().all(|needed| steps.contains(needed))
            && !scrambled(seed, steps, attempt).is_multiple_of(20)
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_runs_are_made_than_allowed() {
    for algorithm in [
        ReductionAlgorithm::Auto,
        ReductionAlgorithm::Dd,
        ReductionAlgorithm::Nd3min,
    ] {
        for (runs, successes) in [(1, 1), (20, 18)] {
            for max_runs in [1, 2, 7, 25, 60, 200] {
                let settings = ReduceSettings {
                    runs,
                    successes,
                    parallel: 4,
                    max_runs: Some(max_runs),
                    ..ReduceSettings::default()
                };
                let oracle = Formula::new(flaky(max_runs));
                let result = reduced(algorithm, 40, &settings, &oracle).await;
                let case = format!("{algorithm}, {successes} of {runs}, {max_runs} runs");
                assert!(result.runs <= max_runs, "{case}: {}", result.runs);
                assert!(result.kept.len() <= 40, "{case}");
                if result.outcome == Outcome::BudgetSpent {
                    let claim = result.claim.unwrap();
                    assert!(claim.tally.successes > 0, "{case}: never reproduced");
                    let observed = oracle.observed_attempts(&result.kept);
                    assert_eq!(
                        (claim.tally.successes, claim.tally.runs()),
                        observed,
                        "{case}"
                    );
                    assert!(
                        claim.standing != ClaimStanding::Proven || claim.proof.runs() >= 28,
                        "{case}"
                    );
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reduction_ends_when_its_time_is_up() {
    let started = tokio::time::Instant::now();
    let settings = ReduceSettings {
        max_time: Some(Duration::from_millis(400)),
        ..ReduceSettings::default()
    };
    let oracle =
        Formula::new(|steps: &[u32], _| (0..200).step_by(7).all(|step| steps.contains(&step)));
    let result = reduced(ReductionAlgorithm::Auto, 200, &settings, &oracle).await;
    assert_eq!(result.outcome, Outcome::BudgetSpent);
    assert!(started.elapsed() <= Duration::from_millis(400));
    assert!(
        result
            .claim
            .is_some_and(|claim| claim.standing == ClaimStanding::Unproven)
    );
}

/// The target is reached at step 20 of 200: the steps behind it are never played, and need not be removed one by one.
#[tokio::test(start_paused = true)]
async fn a_run_that_reaches_its_target_early_is_cut_there() {
    let oracle = EarlyEnd {
        asked: Mutex::default(),
    };
    let result = reduce(
        &trace(0..200),
        ReductionAlgorithm::Auto,
        &ReduceSettings {
            check_runs: 0,
            ..ReduceSettings::default()
        },
        &oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!(result.kept, [3, 20]);
    let asked = oracle.asked.lock().unwrap();
    assert_eq!(asked[0].len(), 200);
    assert!(
        asked[1..].iter().all(|steps| steps.len() <= 21),
        "{asked:?}"
    );
}

/// Reaches the target at step 20 if step 3 was played before, and does not play what follows.
struct EarlyEnd {
    asked: Mutex<Vec<Vec<u32>>>,
}

impl Oracle for EarlyEnd {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let steps = numbers(query.candidate.steps());
        let end = steps.iter().position(|step| *step == 20);
        let end = end.filter(|end| steps[..*end].contains(&3));
        let played = end.map_or(steps.len(), |end| end + 1) as u32;
        self.asked.lock().unwrap().push(steps);
        let verdict = match end {
            Some(_) => Verdict::TargetReached,
            None => Verdict::TargetNotReached,
        };
        let observation = Observation::new(verdict, played, Micros::ZERO);
        Box::pin(std::future::ready(Ok(observation)))
    }
}

#[tokio::test(start_paused = true)]
async fn budgets_of_zero_are_refused() {
    for (max_runs, max_time) in [(Some(0), None), (None, Some(Duration::ZERO))] {
        let settings = ReduceSettings {
            max_runs,
            max_time,
            ..ReduceSettings::default()
        };
        let oracle = Formula::new(|_: &[u32], _| true);
        let result = reduce(
            &trace(0..3),
            ReductionAlgorithm::Auto,
            &settings,
            &oracle,
            &null_sink(),
            &CancellationToken::new(),
        )
        .await;
        assert!(matches!(result, Err(ReduceError::Budget)), "{result:?}");
        assert!(oracle.queries().is_empty());
    }
}

/// A reduction that is run again over its journal, with more runs allowed, gives what it would have given at once.
#[tokio::test(start_paused = true)]
async fn a_budget_that_is_raised_continues_with_the_journal() {
    for seed in 0..5 {
        let settings = |max_runs| ReduceSettings {
            max_runs,
            check_runs: 20,
            ..ReduceSettings::default()
        };
        let undisturbed = Formula::new(flaky(seed));
        let expected = reduced(ReductionAlgorithm::Auto, 40, &settings(None), &undisturbed).await;
        let journal = MemoryReductionJournal::default();
        let formula = Formula::new(flaky(seed));
        let mut last = None;
        for max_runs in [Some(10), Some(90), None] {
            let oracle = JournaledOracle::new(&formula, &journal, &null_sink());
            let result = reduce(
                &trace(0..40),
                ReductionAlgorithm::Auto,
                &settings(max_runs),
                &oracle,
                &null_sink(),
                &CancellationToken::new(),
            )
            .await
            .unwrap();
            last = Some(result);
        }
        let last = last.unwrap();
        assert_eq!(
            (&last.kept, &last.claim),
            (&expected.kept, &expected.claim),
            "seed {seed}"
        );
        assert_eq!(formula.most_observations_of_one_attempt(), 1);
    }
}
