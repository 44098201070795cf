//! Retap's own for targets that are reached only sometimes: no rounds. Whenever a phone is free it gets the run that tells
//! most; runs that can no longer matter are cancelled; the result is proven by fresh runs.

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
use crate::oracle::{Candidate, CandidateKey, OracleQuery};
use crate::policy::AttemptTally;

/// What became of a trace: the runs of the whole one, and the fresh runs of the result unless it does not reproduce.
pub(super) struct BayesianResult {
    pub(super) original: ReproductionCheck,
    pub(super) result: Option<ReproductionCheck>,
    /// How many successes were asked for in the end.
    pub(super) successes: u32,
    /// The chance that each step is needed.
    pub(super) belief: Vec<f32>,
    /// What was run so often in vain that it does not pass.
    pub(super) failed: Vec<CandidateKey>,
}

/// Reduces `best`. It is replaced as soon as something smaller is believed to have all that is needed.
pub(super) async fn bayesian_reduction(
    judge: &mut CandidateEvaluator<'_>,
    settings: &ReduceSettings,
    best: &mut Candidate,
) -> Result<BayesianResult, ReductionStop> {
    let whole = best.clone();
    let (_, needed) = settings.original_check(ReductionAlgorithm::Auto);
    let ReduceSettings {
        runs,
        successes,
        keep_rate,
        ..
    } = *settings;
    let pass = AcceptanceCriterion {
        runs,
        successes,
        whole_successes: needed,
        keep_rate,
    };
    let mut plan = BayesianPlanner::new(whole.len(), pass, Seed(whole.key().0).rng());
    let mut runs = PendingAttempts::default();
    let mut failures = FailureVerdicts::default();
    let mut outlook = BeliefTracker::default();
    let mut keys: HashMap<usize, CandidateKey> = HashMap::new();
    let mut tallies: HashMap<CandidateKey, AttemptTally> = HashMap::new();
    let end = loop {
        while runs.len() < settings.parallel.max(1) {
            let Some((number, kept)) = plan.next_attempt() else {
                break;
            };
            let steps = whole.keeping(kept.steps());
            keys.insert(number, steps.key());
            let attempt = judge.allocate_attempts(steps.key(), 1).start;
            runs.start(
                number,
                judge.start_attempt(OracleQuery {
                    candidate: steps,
                    attempt,
                    from_start: true,
                }),
            );
        }
        let (number, seen) = judge.next_observation(&mut runs).await?;
        if let Some(key) = keys.remove(&number) {
            tallies.entry(key).or_default().count(seen.reached);
        }
        failures.record(&plan, number, &whole, seen.reached, seen.verdict);
        plan.observe(number, seen.reached);
        if let Some(end) = plan.end() {
            break end.clone();
        }
        for cancelled in runs.cancel(|number| !plan.is_relevant(number)) {
            plan.cancel(cancelled);
        }
        if plan.smallest().len() != best.len() {
            *best = whole.keeping(plan.smallest().steps());
            judge.record_reduction(step_count(best));
        }
        if let Some(believed) = outlook.after_observation(plan.groups(), runs.len(), settings.runs)
        {
            judge.emit(believed);
        }
    };
    judge.emit(outlook.event(plan.groups(), 0, 0));
    let original = failures.check_of_whole(plan.whole_tally());
    emit_check(judge, CheckSubject::Original, &original);
    let result = match end {
        PlannerEnd::DoesNotReproduce => {
            *best = whole;
            None
        }
        PlannerEnd::Checked(kept, tally) => {
            *best = whole.keeping(kept.steps());
            let check = failures.check_of_result(tally);
            emit_check(judge, CheckSubject::Result, &check);
            Some(check)
        }
    };
    let successes = plan.successes();
    let belief = belief_tracker::step_probabilities(plan.groups());
    let fails = |tally: &AttemptTally| {
        tally.failures > settings.runs.saturating_sub(successes) && tally.successes < successes
    };
    let failed = tallies
        .into_iter()
        .filter(|(_, tally)| fails(tally))
        .map(|(key, _)| key)
        .collect();
    Ok(BayesianResult {
        original,
        result,
        successes,
        belief,
        failed,
    })
}

fn emit_check(judge: &CandidateEvaluator<'_>, what: CheckSubject, check: &ReproductionCheck) {
    if check.runs > 0 {
        judge.emit(RunEvent::Checked {
            what,
            successes: check.successes,
            runs: check.runs,
        });
    }
}

/// How the first runs ended that did not do it.
#[derive(Default)]
struct FailureVerdicts {
    whole: Option<Verdict>,
    last_check: Option<Verdict>,
}

impl FailureVerdicts {
    fn record(
        &mut self,
        plan: &BayesianPlanner,
        number: usize,
        whole: &Candidate,
        reached: bool,
        verdict: Verdict,
    ) {
        if reached {
            return;
        }
        if plan
            .kept(number)
            .is_some_and(|kept| kept.len() == whole.len())
        {
            self.whole.get_or_insert(verdict);
        } else if plan.is_check(number) {
            self.last_check = Some(verdict);
        }
    }

    fn check_of_whole(&self, tally: AttemptTally) -> ReproductionCheck {
        check(tally, self.whole.as_ref())
    }

    fn check_of_result(&self, tally: AttemptTally) -> ReproductionCheck {
        check(
            tally,
            self.last_check.as_ref().filter(|_| tally.failures > 0),
        )
    }
}

fn check(tally: AttemptTally, failure: Option<&Verdict>) -> ReproductionCheck {
    ReproductionCheck {
        successes: tally.successes,
        runs: tally.runs(),
        failure: failure.cloned(),
    }
}
