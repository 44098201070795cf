//! Removes every short run of neighbouring steps that can go, so that what only goes together vanishes too: a menu
//! that is opened and closed again, a step aside and the way back.

use super::super::evaluation::{CandidateEvaluator, ReductionStop};
use crate::oracle::Candidate;

const MAX_WINDOW: usize = 8;

/// When it ends, no `WIDEST` or fewer neighbouring steps of `best` can go; single steps included, so that the result
/// is 1-minimal whatever came before.
pub(super) async fn sweep(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
) -> Result<(), ReductionStop> {
    loop {
        let before = best.len();
        for width in (1..=MAX_WINDOW).rev() {
            sweep_windows(judge, best, width).await?;
        }
        if best.len() == before {
            return Ok(());
        }
    }
}

async fn sweep_windows(
    judge: &mut CandidateEvaluator<'_>,
    best: &mut Candidate,
    width: usize,
) -> Result<(), ReductionStop> {
    let mut from = 0;
    while from + width <= best.len() {
        let places = best.len() - width - from + 1;
        let without = |place: usize| best.without(from + place..from + place + width);
        let Some((place, smaller)) = judge.first_passing(places, without).await? else {
            break;
        };
        *best = smaller;
        from += place;
    }
    Ok(())
}
