//! The second pass over what walks and cuts have left: simpler steps that lead to the same states and cover the same. All of a
//! way's steps are made as simple as possible at once; where a run then leaves the way, the last of them before is taken back.

use retap_shared::trace::Step;

use super::item_set::ItemSet;
use super::reducer::{ReplayDemand, SuiteReducer, SuiteStop};
use super::replay_tree::{PathStatus, ReplayPath, ReplayTransition};
use crate::simplify::simpler;

/// So many runs of one way are made at most; what is not settled by then stays as it was.
const MAX_RUNS: u32 = 40;
/// Of all that might do instead of a step only the simplest are tried: a run each is a lot for a letter less.
const MAX_ALTERNATIVES: usize = 2;

/// Makes the steps of ways simpler that have not been proven yet.
pub(super) async fn simplify(
    work: &mut SuiteReducer<'_>,
    ways: &mut [ReplayPath],
    wanted: &ItemSet,
) -> Result<(), SuiteStop> {
    let mut open: Vec<(usize, PathSimplification)> = Vec::new();
    for (number, way) in ways.iter().enumerate() {
        if work.replay_tree.status(way) != PathStatus::Proven {
            let mut needed = work.replay_tree.coverage(way);
            needed.intersect_with(wanted);
            open.extend(PathSimplification::of(work, way, needed).map(|simpler| (number, simpler)));
        }
    }
    for _ in 0..MAX_RUNS {
        let tried: Vec<ReplayDemand> = open
            .iter()
            .map(|(_, simpler)| ReplayDemand::once(&simpler.path()))
            .collect();
        work.play(&tried).await?;
        let mut left = Vec::new();
        for (number, mut simpler) in open {
            let way = simpler.path();
            match simpler.first_failure(work, &way) {
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
struct PathSimplification {
    whole: ReplayPath,
    needed: ItemSet,
    /// Places, and what is left to try there, the simplest last.
    alternatives: Vec<(usize, Vec<ReplayTransition>)>,
}

impl PathSimplification {
    /// None if there is nothing that could be simpler.
    fn of(
        work: &mut SuiteReducer<'_>,
        way: &ReplayPath,
        needed: ItemSet,
    ) -> Option<PathSimplification> {
        let mut tried = Vec::new();
        for (place, hop) in way
            .iter()
            .enumerate()
            .skip(work.replay_tree.proven_prefix_len(way))
        {
            let step = work.step(hop.origin).clone();
            let mut instead: Vec<ReplayTransition> = simpler(&step.action)
                .into_iter()
                .take(MAX_ALTERNATIVES)
                .map(|action| {
                    let origin = work.replay_tree.replace_step(
                        hop.origin,
                        Step {
                            action,
                            ..step.clone()
                        },
                    );
                    ReplayTransition {
                        origin,
                        action: work.replay_tree.action(origin),
                        ..hop.clone()
                    }
                })
                .collect();
            instead.reverse();
            if !instead.is_empty() {
                tried.push((place, instead));
            }
        }
        (!tried.is_empty()).then(|| PathSimplification {
            whole: way.clone(),
            needed,
            alternatives: tried,
        })
    }

    fn path(&self) -> ReplayPath {
        let mut way = self.whole.clone();
        for (place, instead) in &self.alternatives {
            if let Some(hop) = instead.last() {
                way[*place] = hop.clone();
            }
        }
        way
    }

    /// Up to which step it does not do what it should.
    fn first_failure(&self, work: &SuiteReducer<'_>, way: &ReplayPath) -> Option<usize> {
        match work.replay_tree.status(way) {
            PathStatus::Diverges(after) => return Some(after.saturating_sub(1)),
            PathStatus::NeedsRuns(_) if !work.replay_tree.was_played(way) => {
                return Some(way.len());
            }
            PathStatus::NeedsRuns(_) | PathStatus::Proven => {}
        }
        let mut missing = self.needed.clone();
        missing.difference_with(&work.replay_tree.coverage(way));
        let first = self.whole.iter().position(|hop| {
            let mut lost = hop.covers.clone();
            lost.intersect_with(&missing);
            !lost.is_clear()
        });
        (!missing.is_clear()).then_some(first.unwrap_or(way.len()))
    }

    /// The last step until there is made a little less simple. False if there is none.
    fn take_back(&mut self, place: usize) -> bool {
        let last = self
            .alternatives
            .iter_mut()
            .rev()
            .find(|(at, instead)| *at <= place && !instead.is_empty());
        last.and_then(|(_, instead)| instead.pop()).is_some()
    }
}
