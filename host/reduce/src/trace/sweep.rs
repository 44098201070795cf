//! Removes every short run of neighbouring steps that can go, so that what only goes together vanishes too: a menu
//! that is opened and closed again, a step aside and the way back.

use super::judge::{Halt, Judge};
use crate::oracle::Candidate;

const WIDEST: usize = 8;

/// When it ends, no `WIDEST` or fewer neighbouring steps of `best` can go; single steps included, so that the result
/// is 1-minimal whatever came before.
pub(super) async fn sweep(judge: &mut Judge<'_>, best: &mut Candidate) -> Result<(), Halt> {
    loop {
        let before = best.len();
        for width in (1..=WIDEST).rev() {
            remove_all(judge, best, width).await?;
        }
        if best.len() == before {
            return Ok(());
        }
    }
}

async fn remove_all(judge: &mut Judge<'_>, best: &mut Candidate, width: usize) -> Result<(), Halt> {
    let mut from = 0;
    while from + width <= best.len() {
        let places = best.len() - width - from + 1;
        let without = |place: usize| best.without(from + place..from + place + width);
        let Some((place, smaller)) = judge.first(places, without).await? else {
            break;
        };
        *best = smaller;
        from += place;
    }
    Ok(())
}
