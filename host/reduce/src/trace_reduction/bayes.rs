//! Bayesian reduction: Retap's own for targets that are reached only sometimes. There are no rounds: whenever a phone is free it
//! gets the attempt with the highest expected information per cost. Attempts that are no longer relevant are cancelled, and a
//! proof by fresh attempts ends it.

mod belief_tracker;
mod beliefs;
mod planner;
mod rate_test;

use std::collections::HashMap;

use belief_tracker::BeliefTracker;
use planner::{AcceptanceCriterion, BayesianPlanner, PlannerDecision};
pub(super) use rate_test::is_significantly_lower;
use retap_device::run_event::{CheckSubject, RunEvent};
use retap_device::seed::Seed;

use super::claim::{ProofDecision, required_rate};
use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::pending_attempts::PendingAttempts;
use super::step_spans::StepSpans;
use super::{PassCriterion, ReduceSettings, step_count};
use crate::oracle::{Candidate, CandidateKey, Observation, OracleQuery};
use crate::policy::AttemptTally;

/// Probability below which a group of steps is left out of all further candidates.
const EXCLUDED_BELOW: f64 = 0.01;
/// Probability from which a step counts as needed.
const NEEDED_ABOVE: f64 = 0.98;

/// Result of a Bayesian reduction.
pub(super) struct BayesianResult {
    pub(super) end: BayesianEnd,
    /// Criterion at its end; lower than at its beginning if the original's rate is to be kept.
    pub(super) criterion: PassCriterion,
    /// Probability that each step is needed.
    pub(super) belief: Vec<f32>,
    /// Candidates whose attempts show that they do not pass.
    pub(super) failing: Vec<CandidateKey>,
}

/// End of a Bayesian reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BayesianEnd {
    /// The result is proven.
    Proven,
    /// No candidate could be proven. The result reproduces as often as any, and is the shortest of those.
    Flaky,
    /// No attempt has reached the target.
    DoesNotReproduce,
}

/// Reduces `best`, and replaces it whenever a smaller candidate is believed to contain all needed steps.
pub(super) async fn bayesian_reduction(
    evaluator: &mut CandidateEvaluator<'_>,
    settings: &ReduceSettings,
    best: &mut Candidate,
) -> Result<BayesianResult, ReductionStop> {
    let mut reduction = BayesianReduction::new(evaluator, settings, best.clone());
    loop {
        let end = match reduction.search(evaluator, settings, best).await? {
            PlannerDecision::DoesNotReproduce => {
                *best = reduction.original.clone();
                BayesianEnd::DoesNotReproduce
            }
            PlannerDecision::Settled(kept) => {
                *best = reduction.part(&kept);
                BayesianEnd::Flaky
            }
            PlannerDecision::Nominated(kept) => {
                *best = reduction.part(&kept);
                let rate = required_rate(reduction.planner.criterion());
                if settings.check_runs > 0
                    && evaluator.prove(best, rate).await? != ProofDecision::Proven
                {
                    reduction.reject(evaluator, best);
                    continue;
                }
                BayesianEnd::Proven
            }
        };
        return Ok(reduction.finish(evaluator, settings, end));
    }
}

/// State of a Bayesian reduction besides the pending attempts.
struct BayesianReduction {
    original: Candidate,
    planner: BayesianPlanner,
    tracker: BeliefTracker,
    /// Candidates of the pending attempts, by number.
    pending_keys: HashMap<usize, CandidateKey>,
    tallies: HashMap<CandidateKey, AttemptTally>,
}

impl BayesianReduction {
    fn new(
        evaluator: &CandidateEvaluator<'_>,
        settings: &ReduceSettings,
        original: Candidate,
    ) -> BayesianReduction {
        let criterion = AcceptanceCriterion {
            runs: settings.runs,
            successes: settings.successes,
            keep_rate: settings.keep_rate,
        };
        let rng = Seed(original.key().0).rng();
        let mut planner = BayesianPlanner::new(original.len(), criterion, rng);
        planner.learn_original(evaluator.ledger().tally(original.key()));
        BayesianReduction {
            planner,
            original,
            tracker: BeliefTracker::default(),
            pending_keys: HashMap::new(),
            tallies: HashMap::new(),
        }
    }

    /// Makes attempts until the planner has a decision.
    async fn search(
        &mut self,
        evaluator: &mut CandidateEvaluator<'_>,
        settings: &ReduceSettings,
        best: &mut Candidate,
    ) -> Result<PlannerDecision, ReductionStop> {
        let mut pending = PendingAttempts::default();
        loop {
            if let Some(decision) = self.planner.decision() {
                return Ok(decision.clone());
            }
            while evaluator.has_room(&pending) {
                let Some((number, query)) = self.next_query(evaluator) else {
                    break;
                };
                evaluator.start(&mut pending, number, query);
            }
            let (number, observation) = evaluator.next_observation(&mut pending).await?;
            self.observe(number, &observation);
            let planner = &mut self.planner;
            for cancelled in pending.cancel(|number| !planner.is_relevant(number)) {
                planner.cancel(cancelled);
            }
            if planner.smallest().len() != best.len() {
                *best = self.part(self.planner.smallest());
                evaluator.record_reduction(step_count(best));
            }
            let groups = self.planner.groups();
            let event = self
                .tracker
                .after_observation(groups, pending.len(), settings.runs);
            if let Some(event) = event {
                evaluator.emit(event);
            }
        }
    }

    fn next_query(
        &mut self,
        evaluator: &mut CandidateEvaluator<'_>,
    ) -> Option<(usize, OracleQuery)> {
        let (number, kept) = self.planner.next_attempt()?;
        let candidate = self.part(&kept);
        self.pending_keys.insert(number, candidate.key());
        let attempt = evaluator.allocate_attempts(candidate.key(), 1).start;
        Some((number, OracleQuery::from_start(candidate, attempt)))
    }

    fn observe(&mut self, number: usize, observation: &Observation) {
        let reached = observation.reached;
        if let Some(key) = self.pending_keys.remove(&number) {
            self.tallies.entry(key).or_default().count(reached);
        }
        self.planner
            .observe(number, reached, observation.reached_after);
    }

    /// Tells the planner that a nominated candidate could not be proven.
    fn reject(&mut self, evaluator: &mut CandidateEvaluator<'_>, candidate: &Candidate) {
        let key = candidate.key();
        let proof = evaluator
            .ledger_mut()
            .nomination(key)
            .map_or(AttemptTally::default(), |nomination| {
                nomination.proof.tally()
            });
        self.planner.reject(proof, evaluator.ledger().tally(key));
    }

    /// Candidate with these steps, counted within the original.
    fn part(&self, kept: &StepSpans) -> Candidate {
        let steps = self.original.kept();
        let kept = kept.steps().into_iter();
        self.original
            .keeping(kept.map(|step| steps[step as usize]).collect::<Vec<u32>>())
    }

    fn finish(
        mut self,
        evaluator: &CandidateEvaluator<'_>,
        settings: &ReduceSettings,
        end: BayesianEnd,
    ) -> BayesianResult {
        evaluator.emit(self.tracker.event(self.planner.groups(), 0, 0));
        let original = evaluator.ledger().tally(self.original.key());
        if original.runs() > 0 {
            evaluator.emit(RunEvent::Checked {
                what: CheckSubject::Original,
                successes: original.successes,
                runs: original.runs(),
            });
        }
        let criterion = self.planner.criterion();
        let successes = criterion.successes;
        let fails = |tally: &AttemptTally| {
            tally.failures > settings.runs.saturating_sub(successes) && tally.successes < successes
        };
        BayesianResult {
            end,
            criterion,
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
