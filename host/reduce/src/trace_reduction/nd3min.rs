//! ND3MIN: delta debugging for targets that are reached only sometimes. A candidate passes with st of nr attempts. Attempts are
//! made in rounds with one attempt per phone; a scheduler decides which.

mod scheduler;

pub use scheduler::SchedulerKind;
use scheduler::{RoundLimits, Scheduler, make_scheduler};

use super::ddmin::part_range;
use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::{PassCriterion, step_count};
use crate::oracle::{Candidate, OracleQuery};
use crate::policy::AttemptTally;

/// Reduces `best`, which is known to pass: MinR of Figure 2. It never runs a candidate that equals its parent, and ends at the
/// empty candidate.
pub(super) async fn nd3min(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    let settings = evaluator.settings();
    let scheduler = make_scheduler(settings.scheduling, settings.policy.clone());
    let mut granularity = settings.parts;
    while !best.is_empty() {
        let parts = granularity.min(best.len());
        let subset = |number: usize| best.only(part_range(best, parts, number));
        let complement = |number: usize| best.without(part_range(best, parts, number));
        // A single part equals its parent.
        let subsets = if parts == 1 { 0 } else { parts };
        if let Some(smaller) = get_passing(evaluator, &*scheduler, subsets, subset).await? {
            *best = smaller;
            granularity = settings.parts;
        } else if let Some(smaller) = get_passing(evaluator, &*scheduler, parts, complement).await?
        {
            *best = smaller;
            granularity = (parts - 1).max(2);
        } else if parts < best.len() {
            granularity = parts * 2;
        } else {
            break;
        }
    }
    Ok(())
}

/// The paper's `get_passing`: rounds until a candidate has passed or all are dead. Of several that pass in the same round the
/// first counts. Candidates are made when they are run: all of them at once would take too much memory.
async fn get_passing(
    evaluator: &mut CandidateEvaluator<'_>,
    scheduler: &dyn Scheduler,
    count: usize,
    candidate: impl Fn(usize) -> Candidate,
) -> Result<Option<Candidate>, ReductionStop> {
    let PassCriterion { runs, successes } = evaluator.criterion();
    let limits = RoundLimits {
        parallel: u32::try_from(evaluator.settings().parallel.max(1)).unwrap_or(u32::MAX),
        runs,
        successes,
        candidates: count,
    };
    let mut alive: Vec<(usize, AttemptTally)> = (0..count)
        .filter(|number| !evaluator.is_known_to_fail(|| candidate(*number).key()))
        .map(|number| (number, AttemptTally::default()))
        .collect();
    while !alive.is_empty() {
        let tallies: Vec<AttemptTally> = alive.iter().map(|(_, tally)| *tally).collect();
        let schedule = scheduler.schedule(&tallies, &limits);
        let queries = round_queries(evaluator, &schedule, |index| candidate(alive[index].0));
        for (index, observation) in evaluator.run_round(queries).await? {
            alive[index].1.count(observation.reached);
        }
        if let Some((number, _)) = alive
            .iter()
            .find(|(_, tally)| tally.successes >= limits.successes)
        {
            let passing = candidate(*number);
            evaluator.record_reduction(step_count(&passing));
            return Ok(Some(passing));
        }
        alive.retain(|(_, tally)| tally.failures <= limits.runs - limits.successes);
    }
    Ok(None)
}

/// Attempts of one round, each with the index of its candidate in the schedule.
fn round_queries(
    evaluator: &mut CandidateEvaluator<'_>,
    schedule: &[u32],
    candidate: impl Fn(usize) -> Candidate,
) -> Vec<(usize, OracleQuery)> {
    let mut queries = Vec::new();
    for (index, &runs) in schedule.iter().enumerate().filter(|(_, runs)| **runs > 0) {
        let candidate = candidate(index);
        for attempt in evaluator.allocate_attempts(candidate.key(), runs) {
            queries.push((index, OracleQuery::from_start(candidate.clone(), attempt)));
        }
    }
    queries
}
