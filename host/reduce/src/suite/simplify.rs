//! The second pass over what walks and cuts have left: simpler steps that lead to the same states and cover the same. All of a
//! way's steps are made as simple as possible at once; where a run then leaves the way, the last of them before is taken back.

use retap_shared::trace::Step;

use super::bits::Bits;
use super::known::{Hop, Standing, Way};
use super::work::{Halt, Wanted, Work};
use crate::trace::simpler;

/// So many runs of one way are made at most; what is not settled by then stays as it was.
const RUNS: u32 = 40;
/// Of all that might do instead of a step only the simplest are tried: a run each is a lot for a letter less.
const CHOICES: usize = 2;

/// Makes the steps of ways simpler that have not been proven yet.
pub(super) async fn simplify(
    work: &mut Work<'_>,
    ways: &mut [Way],
    wanted: &Bits,
) -> Result<(), Halt> {
    let mut open: Vec<(usize, Simpler)> = Vec::new();
    for (number, way) in ways.iter().enumerate() {
        if work.known.standing(way) != Standing::Proven {
            let mut needed = work.known.coverage(way);
            needed.keep(wanted);
            open.extend(Simpler::of(work, way, needed).map(|simpler| (number, simpler)));
        }
    }
    for _ in 0..RUNS {
        let tried: Vec<Wanted> = open
            .iter()
            .map(|(_, simpler)| Wanted::once(&simpler.way()))
            .collect();
        work.play(&tried).await?;
        let mut left = Vec::new();
        for (number, mut simpler) in open {
            let way = simpler.way();
            match simpler.fault(work, &way) {
                None => ways[number] = way,
                Some(place) if simpler.take_back(place) => left.push((number, simpler)),
                Some(_) => {}
            }
        }
        open = left;
        if open.is_empty() {
            break;
        }
    }
    Ok(())
}

/// A way, and what is tried instead of its steps.
struct Simpler {
    whole: Way,
    needed: Bits,
    /// Places, and what is left to try there, the simplest last.
    tried: Vec<(usize, Vec<Hop>)>,
}

impl Simpler {
    /// None if there is nothing that could be simpler.
    fn of(work: &mut Work<'_>, way: &Way, needed: Bits) -> Option<Simpler> {
        let mut tried = Vec::new();
        for (place, hop) in way.iter().enumerate().skip(work.known.proven(way)) {
            let step = work.step(hop.origin).clone();
            let mut instead: Vec<Hop> = simpler(&step.action)
                .into_iter()
                .take(CHOICES)
                .map(|action| {
                    let origin = work.known.instead(
                        hop.origin,
                        Step {
                            action,
                            ..step.clone()
                        },
                    );
                    Hop {
                        origin,
                        action: work.known.action(origin),
                        ..hop.clone()
                    }
                })
                .collect();
            instead.reverse();
            if !instead.is_empty() {
                tried.push((place, instead));
            }
        }
        (!tried.is_empty()).then(|| Simpler {
            whole: way.clone(),
            needed,
            tried,
        })
    }

    fn way(&self) -> Way {
        let mut way = self.whole.clone();
        for (place, instead) in &self.tried {
            if let Some(hop) = instead.last() {
                way[*place] = hop.clone();
            }
        }
        way
    }

    /// Up to which step it does not do what it should.
    fn fault(&self, work: &Work<'_>, way: &Way) -> Option<usize> {
        match work.known.standing(way) {
            Standing::Fails(after) => return Some(after.saturating_sub(1)),
            Standing::Needs(_) if !work.known.was_played(way) => return Some(way.len()),
            Standing::Needs(_) | Standing::Proven => {}
        }
        let mut missing = self.needed.clone();
        missing.remove(&work.known.coverage(way));
        let first = self.whole.iter().position(|hop| {
            let mut lost = hop.covers.clone();
            lost.keep(&missing);
            !lost.is_empty()
        });
        (!missing.is_empty()).then_some(first.unwrap_or(way.len()))
    }

    /// The last step until there is made a little less simple. False if there is none.
    fn take_back(&mut self, place: usize) -> bool {
        let last = self
            .tried
            .iter_mut()
            .rev()
            .find(|(at, instead)| *at <= place && !instead.is_empty());
        last.and_then(|(_, instead)| instead.pop()).is_some()
    }
}
