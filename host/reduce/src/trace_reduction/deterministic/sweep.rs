//! The last pass of a reduction: every single step is tried without, and windows of neighbouring steps that can only go together,
//! such as opening a menu and closing it again.

use super::super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

const MAX_WINDOW: usize = 8;

/// Reduces `best` until no single step and no tried window can be removed. The result is 1-minimal. A pass over all wider
/// windows may play `budget` events.
pub(super) async fn sweep(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    budget: usize,
) -> Result<(), ReductionStop> {
    loop {
        let steps_before = best.len();
        let mut budget = budget;
        remove_windows(evaluator, best, 1).await?;
        for width in 2..=MAX_WINDOW {
            let left = best.len().saturating_sub(width);
            let cost = (left + 1) * left;
            // Wider windows are not tried instead of these: a pass ends with the first width that costs too much.
            if cost > budget {
                break;
            }
            budget -= cost;
            remove_windows(evaluator, best, width).await?;
        }
        if best.len() == steps_before {
            return Ok(());
        }
    }
}

/// Removes all windows of a width that can be removed.
async fn remove_windows(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    width: usize,
) -> Result<(), ReductionStop> {
    let mut from = 0;
    while from + width <= best.len() {
        let windows = best.len() - width - from + 1;
        let without = |offset: usize| best.without(from + offset..from + offset + width);
        let Some((offset, smaller)) = evaluator.first_passing(windows, without).await? else {
            break;
        };
        *best = smaller;
        from += offset;
    }
    Ok(())
}
