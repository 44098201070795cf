//! Delta debugging by Zeller and Hildebrandt (ddmin): subsets, then complements, then smaller parts. The result is 1-minimal.

use std::ops::Range;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Reduces `best`, which is known to pass, and replaces it whenever a smaller candidate passes.
pub(super) async fn ddmin(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    // Many targets need no step at all, and ddmin itself never tries the empty candidate.
    if !best.is_empty() && reduce_to(evaluator, best, 1, |_, best| best.only(0..0)).await? {
        return Ok(());
    }
    let mut granularity = 2;
    while best.len() > 1 {
        let parts = granularity.min(best.len());
        let subset = |number: usize, best: &Candidate| best.only(part_range(best, parts, number));
        let complement =
            |number: usize, best: &Candidate| best.without(part_range(best, parts, number));
        if reduce_to(evaluator, best, parts, subset).await? {
            granularity = 2;
        } else if reduce_to(evaluator, best, parts, complement).await? {
            granularity = (parts - 1).max(2);
        } else if parts < best.len() {
            granularity = parts * 2;
        } else {
            break;
        }
    }
    Ok(())
}

/// Replaces `best` by the first of `count` candidates that passes. Returns false if none does.
async fn reduce_to(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    count: usize,
    candidate: impl Fn(usize, &Candidate) -> Candidate,
) -> Result<bool, ReductionStop> {
    let passing = evaluator
        .first_passing(count, |number| candidate(number, best))
        .await?;
    let Some((_, smaller)) = passing else {
        return Ok(false);
    };
    *best = smaller;
    Ok(true)
}

/// Part `number` of `parts`. Sizes differ by one step at most.
pub(super) fn part_range(candidate: &Candidate, parts: usize, number: usize) -> Range<usize> {
    candidate.len() * number / parts..candidate.len() * (number + 1) / parts
}
