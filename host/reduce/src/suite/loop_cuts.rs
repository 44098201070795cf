//! Cuts loops and tails that the rest of the plan covers too, with one replay per cut. In the meantime idle phones try the cuts
//! that would follow a success or a failure, whichever is likelier.

use std::collections::VecDeque;

use super::error::SuiteStop;
use super::item_set::ItemSet;
use super::loop_cut_search::LoopCutSearch;
use super::replay_demand::ReplayDemand;
use super::replay_dispatcher::ReplayDispatcher;
use super::replay_path::{ReplayPath, states};
use super::replay_tree::ReplayTree;

/// Maximum number of cuts of one path that are tried.
const MAX_CUTS: u32 = 40;
/// Maximum length of a path of which all cuts are searched. Only single loops are cut out of longer ones.
const MAX_EXHAUSTIVE_LENGTH: usize = 24;

/// Events that cuts can still replay, and the success rate of cuts so far.
#[derive(Debug)]
pub(super) struct CutBudget {
    events_left: u64,
    tried: u32,
    passed: u32,
}

impl CutBudget {
    pub(super) fn new(events: u64) -> CutBudget {
        CutBudget {
            events_left: events,
            tried: 0,
            passed: 0,
        }
    }

    /// Shortest candidate of a path that has the needed coverage.
    pub(super) async fn cut(
        &mut self,
        dispatcher: &mut ReplayDispatcher<'_>,
        path: &ReplayPath,
        start: u32,
        needed: &ItemSet,
    ) -> Result<ReplayPath, SuiteStop> {
        let shorter = self
            .cut_single_loops(dispatcher, path, start, needed)
            .await?
            .pop()
            .unwrap_or_default();
        // A proven prefix would have to be proven again.
        let has_proven_prefix = dispatcher.replay_tree.proven_prefix_len(&shorter) > 0;
        if shorter.len() <= MAX_EXHAUSTIVE_LENGTH && !has_proven_prefix {
            shortest(dispatcher, &shorter, start, needed).await
        } else {
            Ok(shorter)
        }
    }

    /// Cuts one loop after the other, the longest first. Returns the path without its unneeded end, and then each shorter path on
    /// the way: a replay has followed each of them with the needed coverage.
    pub(super) async fn cut_single_loops(
        &mut self,
        dispatcher: &mut ReplayDispatcher<'_>,
        path: &ReplayPath,
        start: u32,
        needed: &ItemSet,
    ) -> Result<Vec<ReplayPath>, SuiteStop> {
        let mut cuts = LoopCuts::of(path, start, needed, &dispatcher.replay_tree);
        let mut shorter = vec![cuts.path.clone()];
        let mut tries_left = MAX_CUTS + u32::try_from(cuts.path.len()).unwrap_or(u32::MAX);
        while let Some(candidate) = cuts.next(needed, &dispatcher.replay_tree) {
            if tries_left == 0 || self.events_left == 0 {
                break;
            }
            tries_left -= 1;
            let success_rate = f64::from(self.passed + 1) / f64::from(self.tried + 2);
            let speculation = CutSpeculation {
                start,
                needed,
                success_rate,
            };
            let speculate = |tree: &ReplayTree, accept: &mut dyn FnMut(ReplayDemand) -> bool| {
                speculation.run(&cuts, &candidate, tree, accept);
            };
            let demand = ReplayDemand::once(&candidate);
            let events = dispatcher.play_next(&demand, &speculate).await?;
            self.events_left = self.events_left.saturating_sub(events);
            let passed = passes(&dispatcher.replay_tree, &candidate, needed);
            self.tried += 1;
            self.passed += u32::from(passed);
            cuts = if passed {
                let cuts = LoopCuts::of(&candidate, start, needed, &dispatcher.replay_tree);
                shorter.push(cuts.path.clone());
                cuts
            } else {
                cuts.skip_current()
            };
        }
        Ok(shorter)
    }
}

/// A path, its loops, the longest first, and the index of the loop to cut next.
#[derive(Clone)]
struct LoopCuts {
    path: ReplayPath,
    loops: Vec<(usize, usize)>,
    next_loop: usize,
}

impl LoopCuts {
    fn of(path: &ReplayPath, start: u32, needed: &ItemSet, tree: &ReplayTree) -> LoopCuts {
        let path = without_tail(path, needed, tree);
        let states = states(&path, start);
        let mut loops = Vec::new();
        for from in tree.proven_prefix_len(&path)..states.len() {
            let returns = (from + 1..states.len()).filter(|&to| states[to] == states[from]);
            loops.extend(returns.map(|to| (from, to)));
        }
        loops.sort_by_key(|&(from, to)| (to - from, from));
        loops.reverse();
        LoopCuts {
            path,
            loops,
            next_loop: 0,
        }
    }

    /// Next candidate that can have the needed coverage and is not known to diverge.
    fn next(&mut self, needed: &ItemSet, tree: &ReplayTree) -> Option<ReplayPath> {
        while let Some(&(from, to)) = self.loops.get(self.next_loop) {
            let candidate = [&self.path[..from], &self.path[to..]].concat();
            if is_promising(tree, &candidate, needed) {
                return Some(candidate);
            }
            self.next_loop += 1;
        }
        None
    }

    fn skip_current(self) -> LoopCuts {
        LoopCuts {
            next_loop: self.next_loop + 1,
            ..self
        }
    }
}

/// Prediction of the cuts that will be tried next.
struct CutSpeculation<'a> {
    start: u32,
    needed: &'a ItemSet,
    success_rate: f64,
}

impl CutSpeculation<'_> {
    /// Passes on the candidates that follow `candidate`, the likeliest first, as long as `accept` returns true.
    fn run(
        &self,
        cuts: &LoopCuts,
        candidate: &ReplayPath,
        tree: &ReplayTree,
        accept: &mut dyn FnMut(ReplayDemand) -> bool,
    ) {
        let mut open = Vec::from(self.successors(cuts, candidate, tree, 1.0));
        while let Some(likeliest) =
            (0..open.len()).max_by(|&one, &other| open[one].0.total_cmp(&open[other].0))
        {
            let (likelihood, mut cuts) = open.swap_remove(likeliest);
            let Some(candidate) = cuts.next(self.needed, tree) else {
                continue;
            };
            if !accept(ReplayDemand::once(&candidate)) {
                return;
            }
            open.extend(self.successors(&cuts, &candidate, tree, likelihood));
        }
    }

    /// The cuts after a success and after a failure of a candidate, with their likelihoods.
    fn successors(
        &self,
        cuts: &LoopCuts,
        candidate: &ReplayPath,
        tree: &ReplayTree,
        likelihood: f64,
    ) -> [(f64, LoopCuts); 2] {
        let after_success = LoopCuts::of(candidate, self.start, self.needed, tree);
        let after_failure = cuts.clone().skip_current();
        [
            (likelihood * self.success_rate, after_success),
            (likelihood * (1.0 - self.success_rate), after_failure),
        ]
    }
}

/// The shortest of all candidates of a path that passes; the path itself if none does.
async fn shortest(
    dispatcher: &mut ReplayDispatcher<'_>,
    path: &ReplayPath,
    start: u32,
    needed: &ItemSet,
) -> Result<ReplayPath, SuiteStop> {
    let mut search = LoopCutSearch::new(path, start, needed, true);
    let mut queue: VecDeque<ReplayPath> = VecDeque::new();
    let mut tries_left = MAX_CUTS;
    while tries_left > 0 {
        while queue.len() < dispatcher.parallelism() {
            let candidate = search.next(&dispatcher.replay_tree);
            let Some(candidate) = candidate.filter(|candidate| candidate.len() < path.len()) else {
                break;
            };
            queue.push_back(candidate);
        }
        let Some(candidate) = queue.pop_front() else {
            break;
        };
        if !is_promising(&dispatcher.replay_tree, &candidate, needed) {
            continue;
        }
        tries_left -= 1;
        let speculate = |tree: &ReplayTree, accept: &mut dyn FnMut(ReplayDemand) -> bool| {
            queue
                .iter()
                .filter(|next| is_promising(tree, next, needed))
                .all(|next| accept(ReplayDemand::once(next)));
        };
        let demand = ReplayDemand::once(&candidate);
        dispatcher.play_next(&demand, &speculate).await?;
        if passes(&dispatcher.replay_tree, &candidate, needed) {
            return Ok(candidate);
        }
    }
    Ok(path.clone())
}

/// True if a candidate can have the needed coverage and is not known to diverge.
fn is_promising(tree: &ReplayTree, candidate: &ReplayPath, needed: &ItemSet) -> bool {
    !tree.diverges(candidate) && needed.is_subset(&tree.coverage(candidate))
}

/// True if a replay has followed a candidate to its end with the needed coverage.
fn passes(tree: &ReplayTree, candidate: &ReplayPath, needed: &ItemSet) -> bool {
    tree.was_played(candidate) && needed.is_subset(&tree.coverage(candidate))
}

/// The path up to the last transition that is needed.
fn without_tail(path: &ReplayPath, needed: &ItemSet, tree: &ReplayTree) -> ReplayPath {
    let mut shorter = path.clone();
    while !shorter.is_empty() && needed.is_subset(&tree.coverage(&shorter[..shorter.len() - 1])) {
        shorter.pop();
    }
    shorter
}
