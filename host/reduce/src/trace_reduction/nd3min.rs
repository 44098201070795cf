//! ND3MIN: delta debugging for targets that are reached only sometimes. A candidate passes with st of nr runs, and runs are
//! made in rounds of as many as there are phones; a scheduler says which.

mod scheduler;

pub use scheduler::SchedulerKind;
use scheduler::{RoundLimits, Scheduler, make_scheduler};

use super::ddmin::part_range;
use super::evaluation::{CandidateEvaluator, ReductionStop};
use super::step_count;
use crate::oracle::{Candidate, OracleQuery};
use crate::policy::AttemptTally;

/// Reduces `best`, which is known to pass: MinR of Figure 2. It never asks about a candidate equal to its parent, and
/// ends at the empty one.
pub(super) async fn nd3min(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    let settings = judge.settings();
    let scheduler = make_scheduler(settings.scheduling, settings.policy.clone());
    let mut parts = settings.parts;
    while !best.is_empty() {
        let count = parts.min(best.len());
        let only = |number: usize| best.only(part_range(best, count, number));
        let without = |number: usize| best.without(part_range(best, count, number));
        // One part alone would be the whole.
        let parts_to_ask = if count == 1 { 0 } else { count };
        if let Some(smaller) = get_passing(judge, &*scheduler, parts_to_ask, only).await? {
            *best = smaller;
            parts = settings.parts;
        } else if let Some(smaller) = get_passing(judge, &*scheduler, count, without).await? {
            *best = smaller;
            parts = (count - 1).max(2);
        } else if count < best.len() {
            parts = count * 2;
        } else {
            break;
        }
    }
    Ok(())
}

/// `get_passing`: rounds until one of the candidates has passed or all are dead. Of several that pass in the same round
/// the first counts. Candidates are made when they are run: all of them at once would be too many.
async fn get_passing(
    judge: &mut CandidateEvaluator<'_>,
    scheduler: &dyn Scheduler,
    count: usize,
    candidate: impl Fn(usize) -> Candidate,
) -> Result<Option<Candidate>, ReductionStop> {
    let (runs, successes) = judge.criterion();
    let limits = RoundLimits {
        parallel: u32::try_from(judge.settings().parallel.max(1)).unwrap_or(u32::MAX),
        runs,
        successes,
        candidates: count,
    };
    let open = (0..count).filter(|number| !judge.is_known_to_fail(|| candidate(*number).key()));
    let mut alive: Vec<(usize, AttemptTally)> = open
        .map(|number| (number, AttemptTally::default()))
        .collect();
    while !alive.is_empty() {
        let tallies: Vec<AttemptTally> = alive.iter().map(|(_, tally)| *tally).collect();
        let mut round = Vec::new();
        for (place, runs) in scheduler
            .schedule(&tallies, &limits)
            .into_iter()
            .enumerate()
        {
            if runs > 0 {
                let candidate = candidate(alive[place].0);
                for attempt in judge.allocate_attempts(candidate.key(), runs) {
                    round.push((
                        place,
                        OracleQuery {
                            candidate: candidate.clone(),
                            attempt,
                            from_start: true,
                        },
                    ));
                }
            }
        }
        for (place, seen) in judge.run_round(round).await? {
            alive[place].1.count(seen.reached);
        }
        if let Some((number, _)) = alive
            .iter()
            .find(|(_, tally)| tally.successes >= limits.successes)
        {
            let passed = candidate(*number);
            judge.record_reduction(step_count(&passed));
            return Ok(Some(passed));
        }
        alive.retain(|(_, tally)| tally.failures <= limits.runs - limits.successes);
    }
    Ok(None)
}
