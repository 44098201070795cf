//! Plans of deletions, of which each depends on the outcomes of those before it. While one is tried, phones that are free try
//! what follows if it fails.

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Number of deletions that are planned ahead, each for the case that those before it fail: enough for many phones.
const PLANNED_AHEAD: usize = 32;

/// A state of an algorithm that only deletes items.
pub(super) trait DeletionPlan: Sized {
    /// Both states after the next deletion; `None` if there is none.
    fn next_deletion(&self) -> Option<DeletionOutcomes<Self>>;

    /// Items that are not deleted, ascending.
    fn kept_items(&self) -> Vec<u32>;
}

/// States after a deletion.
pub(super) struct DeletionOutcomes<P> {
    pub(super) passing: P,
    pub(super) failing: P,
}

/// Reduces `best`, which is known to pass, by a plan over its steps.
pub(super) async fn reduce_steps<P: DeletionPlan>(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    plan: impl FnOnce(&[u32]) -> P,
) -> Result<(), ReductionStop> {
    let original = best.clone();
    let candidate = |kept: Vec<u32>| original.keeping(kept);
    if !original.is_empty() && passes_without_items(evaluator, candidate).await? {
        *best = candidate(Vec::new());
        return Ok(());
    }
    *best = candidate(follow(plan(original.kept()), evaluator, candidate).await?);
    Ok(())
}

/// Follows a plan to its end. `candidate` makes a candidate of kept items. The result does not depend on the number of phones.
pub(super) async fn follow<P: DeletionPlan>(
    mut plan: P,
    evaluator: &mut CandidateEvaluator<'_>,
    candidate: impl Fn(Vec<u32>) -> Candidate,
) -> Result<Vec<u32>, ReductionStop> {
    loop {
        let mut if_all_fail = plan;
        let mut if_passing = Vec::new();
        let passing = evaluator
            .first_passing_of(|_| {
                if if_passing.len() == PLANNED_AHEAD {
                    return None;
                }
                let DeletionOutcomes { passing, failing } = if_all_fail.next_deletion()?;
                if_all_fail = failing;
                let items = passing.kept_items();
                if_passing.push(passing);
                Some(candidate(items))
            })
            .await?;
        plan = match passing {
            Some((number, _)) => if_passing.swap_remove(number),
            None if if_passing.is_empty() => return Ok(if_all_fail.kept_items()),
            None => if_all_fail,
        };
    }
}

/// Tries the candidate without any item, which no algorithm here tries by itself. Many targets need no step at all.
pub(super) async fn passes_without_items(
    evaluator: &mut CandidateEvaluator<'_>,
    candidate: impl Fn(Vec<u32>) -> Candidate,
) -> Result<bool, ReductionStop> {
    let passing = evaluator
        .first_passing(1, |_| candidate(Vec::new()))
        .await?;
    Ok(passing.is_some())
}

/// Candidates that plans without an oracle keep, in order: what a published example prints.
#[cfg(test)]
pub(super) fn tried_candidates<P: DeletionPlan>(
    mut plan: P,
    passes: impl Fn(&[u32]) -> bool,
) -> Vec<Vec<u32>> {
    let mut tried = Vec::new();
    while let Some(DeletionOutcomes { passing, failing }) = plan.next_deletion() {
        let kept = passing.kept_items();
        plan = if passes(&kept) { passing } else { failing };
        tried.push(kept);
    }
    tried
}
