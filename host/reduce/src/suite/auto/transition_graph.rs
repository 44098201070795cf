//! Graph of states: every transition that was ever observed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::suite::item_set::ItemSet;
use crate::suite::replay_path::ReplayTransition;
use crate::suite::replay_tree::ReplayTree;
use crate::suite::replayer::SuiteStepOrigin;

/// Additional cost, in transitions, of an action that has led to several states: its effect depends on something that states do
/// not show.
const NONDETERMINISM_COST: u32 = 4;

/// Observed transitions by the state they leave.
#[derive(Clone, Debug, Default)]
pub(super) struct TransitionGraph {
    edges: HashMap<u32, Vec<ActionEdge>>,
    /// States after a failure of the app.
    terminal_states: HashSet<u32>,
}

/// One action in one state.
#[derive(Clone, Debug)]
pub(super) struct ActionEdge {
    pub(super) action: u32,
    pub(super) origin: SuiteStepOrigin,
    /// States it has led to with the number of times, the most frequent first.
    to: Vec<(u32, u32)>,
    /// Everything it was ever observed to cover.
    pub(super) covers: ItemSet,
    /// Number of guided replays in which it did not cover what was predicted.
    pub(super) misses: u32,
}

/// Shortest path from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortestPath {
    pub(super) distance: u32,
    /// State and index of its first edge; none for the path of length 0.
    pub(super) first_edge: Option<(u32, usize)>,
}

/// Shortest paths from one state, by the state they lead to.
pub(super) type ShortestPaths = HashMap<u32, ShortestPath>;

impl TransitionGraph {
    /// Adds the transitions of a path.
    pub(super) fn add(&mut self, start: u32, path: &[ReplayTransition], tree: &ReplayTree) {
        let mut state = start;
        for transition in path {
            if tree.ends_in_finding(transition) {
                self.terminal_states.insert(transition.to);
            }
            let edges = self.edges.entry(state).or_default();
            let index = edges
                .iter()
                .position(|edge| edge.action == transition.action)
                .unwrap_or_else(|| {
                    edges.push(ActionEdge::new(transition));
                    edges.len() - 1
                });
            edges[index].observe(transition);
            state = transition.to;
        }
    }

    /// Counts a miss for each edge of a path that did not cover what was predicted. It is not a goal again.
    pub(super) fn record_misses(
        &mut self,
        start: u32,
        path: &[ReplayTransition],
        covered: &ItemSet,
    ) {
        let mut state = start;
        for transition in path {
            let mut edges = self.edges.get_mut(&state).into_iter().flatten();
            let edge = edges.find(|edge| edge.action == transition.action);
            if let Some(edge) = edge
                && edge
                    .covers
                    .difference_count_of_both(covered, &transition.covers)
                    > 0
            {
                edge.misses += 1;
            }
            state = transition.to;
        }
    }

    /// Edges of a state.
    pub(super) fn edges(&self, state: u32) -> &[ActionEdge] {
        self.edges.get(&state).map_or(&[], Vec::as_slice)
    }

    /// True if no edge without misses is predicted to cover the item.
    pub(super) fn is_hopeless(&self, item: u32) -> bool {
        !self
            .edges
            .values()
            .flatten()
            .any(|edge| edge.misses == 0 && edge.covers.contains(item))
    }

    /// Number of transitions from a state to the nearest that is predicted to cover a missing item, itself included.
    pub(super) fn distance_to_any(&self, missing: &ItemSet, from: u32) -> Option<u32> {
        let is_promising = |edge: &ActionEdge| {
            edge.misses == 0 && missing.ones().any(|item| edge.covers.contains(item))
        };
        self.shortest_paths(from, &HashSet::new())
            .iter()
            .filter(|(state, _)| !self.terminal_states.contains(state))
            .filter(|(state, _)| self.edges(**state).iter().any(is_promising))
            .map(|(_, path)| path.distance + 1)
            .min()
    }

    /// States from which a path leads to the given one, itself included.
    pub(super) fn predecessors(&self, to: u32) -> HashSet<u32> {
        let mut direct: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&state, edges) in &self.edges {
            if !self.terminal_states.contains(&state) {
                for edge in edges {
                    direct.entry(edge.to()).or_default().push(state);
                }
            }
        }
        let mut predecessors = HashSet::from([to]);
        let mut open = vec![to];
        while let Some(state) = open.pop() {
            for &earlier in direct.get(&state).into_iter().flatten() {
                if predecessors.insert(earlier) {
                    open.push(earlier);
                }
            }
        }
        predecessors
    }

    /// Shortest paths from a state (Dijkstra), without the given actions in states.
    pub(super) fn shortest_paths(&self, from: u32, avoid: &HashSet<(u32, u32)>) -> ShortestPaths {
        let nowhere = ShortestPath {
            distance: 0,
            first_edge: None,
        };
        let mut paths = HashMap::from([(from, nowhere)]);
        let mut heap = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((distance, state))) = heap.pop() {
            let path = paths[&state];
            if path.distance < distance || self.terminal_states.contains(&state) {
                continue;
            }
            for (index, edge) in self.edges(state).iter().enumerate() {
                if avoid.contains(&(state, edge.action)) {
                    continue;
                }
                let distance = distance + edge.cost();
                let to = edge.to();
                if paths.get(&to).is_none_or(|other| distance < other.distance) {
                    let first_edge = path.first_edge.or(Some((state, index)));
                    let longer = ShortestPath {
                        distance,
                        first_edge,
                    };
                    paths.insert(to, longer);
                    heap.push(Reverse((distance, to)));
                }
            }
        }
        paths
    }
}

impl ActionEdge {
    fn new(transition: &ReplayTransition) -> ActionEdge {
        ActionEdge {
            action: transition.action,
            origin: transition.origin,
            to: Vec::new(),
            covers: ItemSet::default(),
            misses: 0,
        }
    }

    /// State it leads to most frequently.
    pub(super) fn to(&self) -> u32 {
        self.to[0].0
    }

    fn observe(&mut self, transition: &ReplayTransition) {
        self.covers.union_with(&transition.covers);
        match self.to.iter_mut().find(|(to, _)| *to == transition.to) {
            Some((_, times)) => *times += 1,
            None => self.to.push((transition.to, 1)),
        }
        self.to.sort_by_key(|&(to, times)| (Reverse(times), to));
    }

    fn cost(&self) -> u32 {
        if self.to.len() == 1 {
            1
        } else {
            1 + NONDETERMINISM_COST
        }
    }
}
