//! ND3MIN: delta debugging for targets that are reached only sometimes. A candidate passes with st of nr runs, and runs are
//! made in rounds of as many as there are phones; a scheduler says which.

use super::dd::part;
use super::judge::{Halt, Judge};
use super::scheduler::{Limits, Scheduler, scheduler};
use super::steps_of;
use crate::oracle::{Candidate, Question};
use crate::policy::Tally;

/// Reduces `best`, which is known to pass: MinR of Figure 2. It never asks about a candidate equal to its parent, and
/// ends at the empty one.
pub(super) async fn nd3min(judge: &mut Judge<'_>, best: &mut Candidate) -> Result<(), Halt> {
    let settings = judge.settings();
    let scheduler = scheduler(settings.scheduling, settings.policy.clone());
    let mut parts = settings.parts;
    while !best.is_empty() {
        let count = parts.min(best.len());
        let only = |number: usize| best.only(part(best, count, number));
        let without = |number: usize| best.without(part(best, count, number));
        // One part alone would be the whole.
        let parts_to_ask = if count == 1 { 0 } else { count };
        if let Some(smaller) = passing(judge, &*scheduler, parts_to_ask, only).await? {
            *best = smaller;
            parts = settings.parts;
        } else if let Some(smaller) = passing(judge, &*scheduler, count, without).await? {
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
async fn passing(
    judge: &mut Judge<'_>,
    scheduler: &dyn Scheduler,
    count: usize,
    candidate: impl Fn(usize) -> Candidate,
) -> Result<Option<Candidate>, Halt> {
    let (runs, successes) = judge.rules();
    let limits = Limits {
        parallel: u32::try_from(judge.settings().parallel.max(1)).unwrap_or(u32::MAX),
        runs,
        successes,
        candidates: count,
    };
    let open = (0..count).filter(|number| !judge.is_ruled_out(|| candidate(*number).key()));
    let mut alive: Vec<(usize, Tally)> = open.map(|number| (number, Tally::default())).collect();
    while !alive.is_empty() {
        let tallies: Vec<Tally> = alive.iter().map(|(_, tally)| *tally).collect();
        let mut round = Vec::new();
        for (place, runs) in scheduler
            .schedule(&tallies, &limits)
            .into_iter()
            .enumerate()
        {
            if runs > 0 {
                let candidate = candidate(alive[place].0);
                for attempt in judge.fresh(candidate.key(), runs) {
                    round.push((
                        place,
                        Question {
                            steps: candidate.clone(),
                            attempt,
                            from_start: true,
                        },
                    ));
                }
            }
        }
        for (place, seen) in judge.round(round).await? {
            alive[place].1.count(seen.reached);
        }
        if let Some((number, _)) = alive
            .iter()
            .find(|(_, tally)| tally.successes >= limits.successes)
        {
            let passed = candidate(*number);
            judge.shrunk(steps_of(&passed));
            return Ok(Some(passed));
        }
        alive.retain(|(_, tally)| tally.failures <= limits.runs - limits.successes);
    }
    Ok(None)
}
