//! A sweep over all short windows of neighbouring steps. It removes steps that can only go together, such as opening a menu and
//! closing it again.

use super::super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

const MAX_WINDOW: usize = 8;

/// Reduces `best` until no window of up to `MAX_WINDOW` steps can be removed. The result is 1-minimal.
pub(super) async fn sweep(
    evaluator: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    loop {
        let steps_before = best.len();
        for width in (1..=MAX_WINDOW).rev() {
            sweep_windows(evaluator, best, width).await?;
        }
        if best.len() == steps_before {
            return Ok(());
        }
    }
}

async fn sweep_windows(
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
