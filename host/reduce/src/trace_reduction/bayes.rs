//! Bayesian reduction: Retap's own for targets that are reached only sometimes. There are no rounds: whenever a phone is free it
//! gets the attempt with the highest expected information per cost. Attempts that are no longer relevant are cancelled, and
//! fresh attempts check the result.

mod belief_tracker;
mod beliefs;
mod planner;
mod rate_test;

use std::collections::HashMap;

use belief_tracker::BeliefTracker;
use planner::{AcceptanceCriterion, BayesianPlanner, PlannerEnd};
use retap_device::run_event::{CheckSubject, RunEvent};
use retap_device::seed::Seed;
use retap_shared::verdict::Verdict;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::pending_attempts::PendingAttempts;
use super::{ReduceSettings, ReductionAlgorithm, ReproductionCheck, step_count};
use crate::oracle::{Candidate, CandidateKey, Observation, OracleQuery};
use crate::policy::AttemptTally;

/// Probability below which a group of steps is left out of all further candidates.
const EXCLUDED_BELOW: f64 = 0.01;
/// Probability from which a step counts as needed.
const NEEDED_ABOVE: f64 = 0.98;

/// Result of a Bayesian reduction.
pub(super) struct BayesianResult {
    pub(super) original: ReproductionCheck,
    /// Fresh attempts of the result; `None` if the original does not reproduce.
    pub(super) result: Option<ReproductionCheck>,
    /// Number of successes that the check of the result had to show.
    pub(super) successes: u32,
    /// Probability that each step is needed.
    pub(super) belief: Vec<f32>,
    /// Candidates whose attempts show that they do not pass.
    pub(super) failing: Vec<CandidateKey>,
}

/// Reduces `best`, and replaces it whenever a smaller candidate is believed to contain all needed steps.
pub(super) async fn bayesian_reduction(
    evaluator: &mut CandidateEvaluator<'_>,
    settings: &ReduceSettings,
    best: &mut Candidate,
) -> Result<BayesianResult, ReductionStop> {
    let mut reduction = BayesianReduction::new(settings, best.clone());
    let mut pending = PendingAttempts::default();
    let end = loop {
        while pending.len() < settings.parallel.max(1) {
            let Some((number, query)) = reduction.next_query(evaluator) else {
                break;
            };
            pending.start(number, evaluator.start_attempt(query));
        }
        let (number, observation) = evaluator.next_observation(&mut pending).await?;
        reduction.observe(number, observation);
        let planner = &mut reduction.planner;
        if let Some(end) = planner.end() {
            break end.clone();
        }
        for cancelled in pending.cancel(|number| !planner.is_relevant(number)) {
            planner.cancel(cancelled);
        }
        if planner.smallest().len() != best.len() {
            *best = reduction.original.keeping(planner.smallest().steps());
            evaluator.record_reduction(step_count(best));
        }
        let groups = planner.groups();
        if let Some(event) =
            reduction
                .tracker
                .after_observation(groups, pending.len(), settings.runs)
        {
            evaluator.emit(event);
        }
    };
    Ok(reduction.finish(evaluator, settings, best, end))
}

/// State of a Bayesian reduction besides the pending attempts.
struct BayesianReduction {
    original: Candidate,
    planner: BayesianPlanner,
    tracker: BeliefTracker,
    failures: FailureVerdicts,
    /// Candidates of the pending attempts, by number.
    pending_keys: HashMap<usize, CandidateKey>,
    tallies: HashMap<CandidateKey, AttemptTally>,
}

impl BayesianReduction {
    fn new(settings: &ReduceSettings, original: Candidate) -> BayesianReduction {
        let criterion = AcceptanceCriterion {
            runs: settings.runs,
            successes: settings.successes,
            original_successes: settings
                .original_criterion(ReductionAlgorithm::Auto)
                .successes,
            keep_rate: settings.keep_rate,
        };
        let rng = Seed(original.key().0).rng();
        BayesianReduction {
            planner: BayesianPlanner::new(original.len(), criterion, rng),
            original,
            tracker: BeliefTracker::default(),
            failures: FailureVerdicts::default(),
            pending_keys: HashMap::new(),
            tallies: HashMap::new(),
        }
    }

    fn next_query(
        &mut self,
        evaluator: &mut CandidateEvaluator<'_>,
    ) -> Option<(usize, OracleQuery)> {
        let (number, kept) = self.planner.next_attempt()?;
        let candidate = self.original.keeping(kept.steps());
        self.pending_keys.insert(number, candidate.key());
        let attempt = evaluator.allocate_attempts(candidate.key(), 1).start;
        let query = OracleQuery {
            candidate,
            attempt,
            from_start: true,
        };
        Some((number, query))
    }

    fn observe(&mut self, number: usize, observation: Observation) {
        let Observation {
            reached, verdict, ..
        } = observation;
        if let Some(key) = self.pending_keys.remove(&number) {
            self.tallies.entry(key).or_default().count(reached);
        }
        if !reached {
            self.failures
                .record(&self.planner, number, self.original.len(), verdict);
        }
        self.planner.observe(number, reached);
    }

    fn finish(
        mut self,
        evaluator: &CandidateEvaluator<'_>,
        settings: &ReduceSettings,
        best: &mut Candidate,
        end: PlannerEnd,
    ) -> BayesianResult {
        evaluator.emit(self.tracker.event(self.planner.groups(), 0, 0));
        let original = check(
            self.planner.original_tally(),
            self.failures.original.as_ref(),
        );
        emit_check(evaluator, CheckSubject::Original, &original);
        let result = match end {
            PlannerEnd::DoesNotReproduce => {
                *best = self.original;
                None
            }
            PlannerEnd::Checked(kept, tally) => {
                *best = self.original.keeping(kept.steps());
                let failure = self.failures.last_check.as_ref();
                let check = check(tally, failure.filter(|_| tally.failures > 0));
                emit_check(evaluator, CheckSubject::Result, &check);
                Some(check)
            }
        };
        let successes = self.planner.successes();
        let fails = |tally: &AttemptTally| {
            tally.failures > settings.runs.saturating_sub(successes) && tally.successes < successes
        };
        BayesianResult {
            original,
            result,
            successes,
            belief: belief_tracker::step_probabilities(self.planner.groups()),
            failing: self
                .tallies
                .into_iter()
                .filter(|(_, tally)| fails(tally))
                .map(|(key, _)| key)
                .collect(),
        }
    }
}

fn emit_check(evaluator: &CandidateEvaluator<'_>, what: CheckSubject, check: &ReproductionCheck) {
    if check.runs > 0 {
        evaluator.emit(RunEvent::Checked {
            what,
            successes: check.successes,
            runs: check.runs,
        });
    }
}

/// Verdicts of attempts that did not reach the target.
#[derive(Default)]
struct FailureVerdicts {
    /// First failure of the original.
    original: Option<Verdict>,
    /// Last failure of a check.
    last_check: Option<Verdict>,
}

impl FailureVerdicts {
    fn record(
        &mut self,
        planner: &BayesianPlanner,
        number: usize,
        original_steps: usize,
        verdict: Verdict,
    ) {
        if planner
            .kept(number)
            .is_some_and(|kept| kept.len() == original_steps)
        {
            self.original.get_or_insert(verdict);
        } else if planner.is_check(number) {
            self.last_check = Some(verdict);
        }
    }
}

fn check(tally: AttemptTally, failure: Option<&Verdict>) -> ReproductionCheck {
    ReproductionCheck {
        successes: tally.successes,
        runs: tally.runs(),
        failure: failure.cloned(),
    }
}
