//! Delta debugging as Zeller and Hildebrandt wrote it (ddmin): parts, then what is left without one of them, then
//! smaller parts. What it leaves is 1-minimal: no single step of it can go.

use std::ops::Range;

use super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

/// Reduces `best`, which is known to pass. It is replaced as soon as something smaller passes.
pub(super) async fn ddmin(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    // Many targets need no step at all, and nothing below would ever ask for none.
    if !best.is_empty() && replace_with_passing(judge, best, 1, |_, whole| whole.only(0..0)).await?
    {
        return Ok(());
    }
    let mut parts = 2;
    while best.len() > 1 {
        let count = parts.min(best.len());
        if replace_with_passing(judge, best, count, |number, whole| {
            whole.only(part_range(whole, count, number))
        })
        .await?
        {
            parts = 2;
        } else if replace_with_passing(judge, best, count, |number, whole| {
            whole.without(part_range(whole, count, number))
        })
        .await?
        {
            parts = (count - 1).max(2);
        } else if count < best.len() {
            parts = count * 2;
        } else {
            break;
        }
    }
    Ok(())
}

async fn replace_with_passing(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    count: usize,
    candidate: impl Fn(usize, &Candidate) -> Candidate,
) -> Result<bool, ReductionStop> {
    match judge
        .first_passing(count, |number| candidate(number, best))
        .await?
    {
        Some((_, smaller)) => {
            *best = smaller;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Part `number` of `count`. They differ by one step at most and leave none out.
pub(super) fn part_range(whole: &Candidate, count: usize, number: usize) -> Range<usize> {
    whole.len() * number / count..whole.len() * (number + 1) / count
}
