//! Replaces steps by simpler ones that lead to the same states with the same coverage. All steps of a path are replaced at once;
//! where a replay then diverges, the last replacement before is taken back.

use retap_shared::trace::Step;

use crate::simplify::simpler;
use crate::suite::error::SuiteStop;
use crate::suite::item_set::ItemSet;
use crate::suite::replay_demand::ReplayDemand;
use crate::suite::replay_dispatcher::ReplayDispatcher;
use crate::suite::replay_path::{ReplayPath, ReplayTransition};
use crate::suite::replay_tree::PathStatus;

/// Maximum number of replays per path. A path that is not settled by then stays as it was.
const MAX_REPLAYS: u32 = 40;
/// Maximum number of replacements per step that are tried, the simplest first: each one costs a replay.
const MAX_ALTERNATIVES: usize = 2;

/// Simplifies the steps of paths that are not proven yet, if the path then still covers what it covers of `wanted`.
pub(super) async fn simplify(
    dispatcher: &mut ReplayDispatcher<'_>,
    paths: &mut [ReplayPath],
    wanted: &ItemSet,
) -> Result<(), SuiteStop> {
    let mut open: Vec<(usize, PathSimplification)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if dispatcher.replay_tree.status(path) != PathStatus::Proven {
            let mut needed = dispatcher.replay_tree.coverage(path);
            needed.intersect_with(wanted);
            let simplification = PathSimplification::of(dispatcher, path, needed);
            open.extend(simplification.map(|simplification| (index, simplification)));
        }
    }
    for _ in 0..MAX_REPLAYS {
        let demands: Vec<ReplayDemand> = open
            .iter()
            .map(|(_, simplification)| ReplayDemand::once(&simplification.candidate()))
            .collect();
        dispatcher.play(&demands).await?;
        let mut unsettled = Vec::new();
        for (index, mut simplification) in open {
            let candidate = simplification.candidate();
            match simplification.first_failure(dispatcher, &candidate) {
                None => paths[index] = candidate,
                Some(step) if simplification.take_back(step) => {
                    unsettled.push((index, simplification));
                }
                Some(_) => {}
            }
        }
        open = unsettled;
        if open.is_empty() {
            break;
        }
    }
    Ok(())
}

/// A path, and the replacements of its steps.
struct PathSimplification {
    path: ReplayPath,
    needed: ItemSet,
    /// Indices of steps with the replacements that are left to try, the simplest one last.
    alternatives: Vec<(usize, Vec<ReplayTransition>)>,
}

impl PathSimplification {
    /// None if no step can be simpler.
    fn of(
        dispatcher: &mut ReplayDispatcher<'_>,
        path: &ReplayPath,
        needed: ItemSet,
    ) -> Option<PathSimplification> {
        let proven = dispatcher.replay_tree.proven_prefix_len(path);
        let mut alternatives = Vec::new();
        for (index, transition) in path.iter().enumerate().skip(proven) {
            let replacements = replacements(dispatcher, transition);
            if !replacements.is_empty() {
                alternatives.push((index, replacements));
            }
        }
        (!alternatives.is_empty()).then(|| PathSimplification {
            path: path.clone(),
            needed,
            alternatives,
        })
    }

    /// The path with the simplest replacements that are left.
    fn candidate(&self) -> ReplayPath {
        let mut candidate = self.path.clone();
        for (index, replacements) in &self.alternatives {
            if let Some(transition) = replacements.last() {
                candidate[*index] = transition.clone();
            }
        }
        candidate
    }

    /// Index of the first step at which a candidate diverges or loses coverage; none if it does neither.
    fn first_failure(
        &self,
        dispatcher: &ReplayDispatcher<'_>,
        candidate: &ReplayPath,
    ) -> Option<usize> {
        let tree = &dispatcher.replay_tree;
        match tree.status(candidate) {
            PathStatus::Diverges(after) => return Some(after.saturating_sub(1)),
            PathStatus::NeedsRuns(_) if !tree.was_played(candidate) => {
                return Some(candidate.len());
            }
            PathStatus::NeedsRuns(_) | PathStatus::Proven => {}
        }
        let mut missing = self.needed.clone();
        missing.difference_with(&tree.coverage(candidate));
        if missing.is_clear() {
            return None;
        }
        let first = self.path.iter().position(|transition| {
            let mut lost = transition.covers.clone();
            lost.intersect_with(&missing);
            !lost.is_clear()
        });
        Some(first.unwrap_or(candidate.len()))
    }

    /// Takes back the last replacement up to a step. Returns false if there is none.
    fn take_back(&mut self, step: usize) -> bool {
        let last = self
            .alternatives
            .iter_mut()
            .rev()
            .find(|(index, replacements)| *index <= step && !replacements.is_empty());
        last.and_then(|(_, replacements)| replacements.pop())
            .is_some()
    }
}

/// Simpler transitions that can replace one, the simplest last.
fn replacements(
    dispatcher: &mut ReplayDispatcher<'_>,
    transition: &ReplayTransition,
) -> Vec<ReplayTransition> {
    let symbols = &mut dispatcher.replay_tree.symbols;
    let step = symbols
        .step(dispatcher.originals, transition.origin)
        .clone();
    let mut replacements: Vec<ReplayTransition> = simpler(&step.action)
        .into_iter()
        .take(MAX_ALTERNATIVES)
        .map(|action| {
            let simpler_step = Step {
                action,
                ..step.clone()
            };
            let origin = symbols.replace_step(transition.origin, simpler_step);
            ReplayTransition {
                origin,
                action: symbols.action(origin),
                ..transition.clone()
            }
        })
        .collect();
    replacements.reverse();
    replacements
}
