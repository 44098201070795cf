//! Everything that replays have shown, as a tree: a node for each sequence of actions that was replayed from a clean start, with
//! the state it leads to and the coverage of its last action. A fact about a sequence holds for every path with that prefix.

use std::collections::{HashMap, HashSet};

use retap_shared::micros::Micros;
use retap_shared::trace::Trace;

use super::coverage_item::CoverageItem;
use super::item_set::ItemSet;
use super::replay_path::{ReplayPath, ReplayTransition, extend_key};
use super::replayer::{ReplayObservation, ReplayRecord, SuiteStepOrigin};
use super::symbol_table::SymbolTable;

/// Status of a path according to all replays so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathStatus {
    /// As many replays as required have followed it.
    Proven,
    /// Number of further replays that would prove it, unless one of them diverges.
    NeedsRuns(u32),
    /// Number of transitions after which a replay diverged, or after which the path leads to another state.
    Diverges(usize),
}

/// End of the replayable prefix of an original trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplayableEnd {
    /// Number of replays that reached it.
    pub(super) passes: u32,
    /// True if nothing that follows can be reached.
    pub(super) settled: bool,
}

/// Tree of all replays.
#[derive(Debug)]
pub(super) struct ReplayTree {
    pub(super) symbols: SymbolTable,
    /// Number of replays that prove a path.
    replays: u32,
    nodes: Vec<ReplayTreeNode>,
    /// Number of transitions that were replayed after they had been replayed before.
    replayed_transitions: u64,
    /// Number of these that led to another state than before.
    diverged_transitions: u64,
}

const ROOT: u32 = 0;

#[derive(Debug, Default)]
struct ReplayTreeNode {
    state: Option<u32>,
    passes: u32,
    fails: u32,
    /// True if nothing can follow because the app has failed.
    is_terminal: bool,
    /// Coverage that all replays which passed have in common.
    covers: ItemSet,
    took: u64,
    children: HashMap<u32, u32>,
}

impl ReplayTree {
    pub(super) fn new(originals: &[Trace], replays: u32) -> ReplayTree {
        ReplayTree {
            symbols: SymbolTable::new(originals),
            replays,
            nodes: vec![ReplayTreeNode::default()],
            replayed_transitions: 0,
            diverged_transitions: 0,
        }
    }

    /// Adds a replay. Returns its transitions.
    pub(super) fn record_replay(&mut self, record: &ReplayRecord) -> ReplayPath {
        let mut node = self.record_observation(ROOT, &record.start).then_some(ROOT);
        let mut path = ReplayPath::with_capacity(record.hops.len());
        for &(origin, ref observation) in &record.hops {
            let action = self.symbols.action(origin);
            let (to, covers) = self.symbols.intern_observation(observation);
            path.push(ReplayTransition {
                origin,
                action,
                to,
                covers,
            });
            if let Some(parent) = node {
                let child = self.child(parent, action);
                node = self.record_observation(child, observation).then_some(child);
            }
        }
        if let (Some(parent), Some(origin)) = (node, record.refused) {
            let action = self.symbols.action(origin);
            let child = self.child(parent, action);
            self.nodes[child as usize].fails += 1;
        }
        path
    }

    /// Returns true if the observation agrees with the earlier ones of the node.
    fn record_observation(&mut self, node: u32, observation: &ReplayObservation) -> bool {
        let (state, covers) = self.symbols.intern_observation(observation);
        let node = &mut self.nodes[node as usize];
        self.replayed_transitions += u64::from(node.state.is_some());
        match node.state {
            None => {
                node.state = Some(state);
                node.covers = covers;
            }
            Some(expected) if expected == state => node.covers.intersect_with(&covers),
            Some(_) => {
                self.diverged_transitions += 1;
                node.fails += 1;
                return false;
            }
        }
        node.passes += 1;
        node.is_terminal = !observation.problems.is_empty();
        node.took += observation.took.0;
        true
    }

    fn child(&mut self, parent: u32, action: u32) -> u32 {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let child = *self.nodes[parent as usize]
            .children
            .entry(action)
            .or_insert(next);
        if child == next {
            self.nodes.push(ReplayTreeNode::default());
        }
        child
    }

    /// State after a clean start.
    pub(super) fn start(&self) -> Option<u32> {
        self.node(ROOT).state
    }

    /// Coverage of a clean start.
    pub(super) fn start_coverage(&self) -> &ItemSet {
        &self.node(ROOT).covers
    }

    /// The node from which `follow` begins.
    pub(super) fn root(&self) -> Option<u32> {
        Some(ROOT)
    }

    /// Child of a node; none where nothing has been replayed yet. `Err` if the transition cannot be replayed.
    pub(super) fn follow(
        &self,
        node: Option<u32>,
        transition: &ReplayTransition,
    ) -> Result<Option<u32>, ()> {
        let Some(parent) = node.map(|node| self.node(node)) else {
            return Ok(None);
        };
        if parent.is_terminal {
            return Err(());
        }
        let Some(&id) = parent.children.get(&transition.action) else {
            return Ok(None);
        };
        let child = self.node(id);
        let fails =
            self.is_unprovable(child) || child.state.is_some_and(|state| state != transition.to);
        if fails { Err(()) } else { Ok(Some(id)) }
    }

    /// Coverage of a transition: that of its node if it was replayed, otherwise its predicted coverage.
    pub(super) fn covers<'a>(
        &'a self,
        node: Option<u32>,
        transition: &'a ReplayTransition,
    ) -> &'a ItemSet {
        node.map_or(&transition.covers, |node| &self.node(node).covers)
    }

    /// True if the app fails with the transition.
    pub(super) fn ends_in_finding(&self, transition: &ReplayTransition) -> bool {
        self.symbols
            .items(&transition.covers)
            .any(CoverageItem::is_finding)
    }

    pub(super) fn status(&self, path: &[ReplayTransition]) -> PathStatus {
        if self.is_unprovable(self.node(ROOT)) {
            return PathStatus::Diverges(0);
        }
        let mut node = Some(ROOT);
        for (index, transition) in path.iter().enumerate() {
            match self.follow(node, transition) {
                Ok(next) => node = next,
                Err(()) => return PathStatus::Diverges(index + 1),
            }
        }
        let passes = node.map_or(0, |node| self.node(node).passes);
        if passes >= self.replays {
            PathStatus::Proven
        } else {
            PathStatus::NeedsRuns(self.replays - passes)
        }
    }

    /// True if the path is known to diverge.
    pub(super) fn diverges(&self, path: &[ReplayTransition]) -> bool {
        matches!(self.status(path), PathStatus::Diverges(_))
    }

    /// True if a replay has followed the path to its end.
    pub(super) fn was_played(&self, path: &[ReplayTransition]) -> bool {
        match self.status(path) {
            PathStatus::Proven => true,
            PathStatus::NeedsRuns(missing) => missing < self.replays,
            PathStatus::Diverges(_) => false,
        }
    }

    /// Mean number of transitions between two divergences; none if no replay has diverged.
    pub(super) fn mean_divergence_distance(&self) -> Option<f64> {
        (self.diverged_transitions > 0)
            .then(|| self.replayed_transitions as f64 / self.diverged_transitions as f64)
    }

    /// Length of the proven prefix that must stay as it is: where replays diverge, a changed prefix might never be proven. 0 if
    /// no replay has diverged.
    pub(super) fn proven_prefix_len(&self, path: &[ReplayTransition]) -> usize {
        if self.diverged_transitions == 0 {
            return 0;
        }
        let mut node = Some(ROOT);
        path.iter()
            .take_while(|transition| {
                node = self.follow(node, transition).ok().flatten();
                node.is_some_and(|node| self.node(node).passes >= self.replays)
            })
            .count()
    }

    /// Keys of action sequences from which a replay diverged before they were proven. No path with such a prefix can be proven.
    pub(super) fn unprovable_prefixes(&self) -> HashSet<u64> {
        let mut unprovable = HashSet::new();
        let mut open = vec![(ROOT, 0)];
        while let Some((node, key)) = open.pop() {
            for (&action, &child) in &self.node(node).children {
                let child_key = extend_key(key, action);
                if self.is_unprovable(self.node(child)) {
                    unprovable.insert(child_key);
                }
                open.push((child, child_key));
            }
        }
        unprovable
    }

    /// Coverage of a path, predicted where it was not replayed.
    pub(super) fn coverage(&self, path: &[ReplayTransition]) -> ItemSet {
        let mut covered = ItemSet::default();
        let mut node = Some(ROOT);
        for transition in path {
            node = self.follow(node, transition).ok().flatten();
            covered.union_with(self.covers(node, transition));
        }
        covered
    }

    /// Mean phone time of one replay of a path.
    pub(super) fn took(&self, path: &[ReplayTransition]) -> Micros {
        let mean = |node: u32| {
            let node = self.node(node);
            node.took / u64::from(node.passes.max(1))
        };
        let mut node = Some(ROOT);
        let mut took = mean(ROOT);
        for transition in path {
            node = self.follow(node, transition).ok().flatten();
            took += node.map_or(0, mean);
        }
        Micros(took)
    }

    /// Replayable prefix of an original trace, and its end.
    pub(super) fn replayable_prefix(&self, trace: u32) -> (ReplayPath, ReplayableEnd) {
        let mut path = ReplayPath::new();
        let mut node = self.node(ROOT);
        if self.is_unprovable(node) {
            let passes = self.replays;
            let settled = true;
            return (path, ReplayableEnd { passes, settled });
        }
        let mut settled = true;
        for (step, &action) in (0..).zip(self.symbols.recorded_actions(trace)) {
            let child = node.children.get(&action).map(|&child| self.node(child));
            let Some((next, to)) = child.and_then(|child| Some((child, child.state?))) else {
                settled = node.is_terminal || child.is_some();
                break;
            };
            if self.is_unprovable(next) {
                break;
            }
            path.push(ReplayTransition {
                origin: SuiteStepOrigin::new(trace, step),
                action,
                to,
                covers: next.covers.clone(),
            });
            node = next;
        }
        let passes = node.passes;
        (path, ReplayableEnd { passes, settled })
    }

    /// True if a replay diverged here before the node was proven.
    fn is_unprovable(&self, node: &ReplayTreeNode) -> bool {
        node.fails > 0 && node.passes < self.replays
    }

    fn node(&self, id: u32) -> &ReplayTreeNode {
        &self.nodes[id as usize]
    }
}
