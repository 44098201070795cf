//! Every transition that was ever seen, as a graph of states.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::item_set::ItemSet;
use super::replay_tree::{ReplayTransition, ReplayTree};
use super::replayer::SuiteStepOrigin;

/// An action that has led to several states is a detour of so many transitions: what it does depends on what is not seen.
const DETOUR: u32 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct TransitionGraph {
    pub(super) edges: HashMap<u32, Vec<ActionEdge>>,
    /// States of an app that has failed.
    terminal_states: HashSet<u32>,
}

/// One action in one state.
#[derive(Clone, Debug)]
pub(super) struct ActionEdge {
    pub(super) action: u32,
    pub(super) origin: SuiteStepOrigin,
    /// Where it has led, the most frequent first.
    pub(super) to: Vec<(u32, u32)>,
    /// All that it was ever seen to cover.
    pub(super) covers: ItemSet,
    /// How often it did not cover what was hoped for.
    pub(super) misses: u32,
}

impl TransitionGraph {
    /// Takes in transitions that were seen one after the other.
    pub(super) fn add(&mut self, start: u32, way: &[ReplayTransition], known: &ReplayTree) {
        let mut state = start;
        for hop in way {
            if known.ends_in_finding(hop) {
                self.terminal_states.insert(hop.to);
            }
            let edges = self.edges.entry(state).or_default();
            let place = edges
                .iter()
                .position(|edge| edge.action == hop.action)
                .unwrap_or_else(|| {
                    let action = hop.action;
                    let origin = hop.origin;
                    let covers = ItemSet::default();
                    edges.push(ActionEdge {
                        action,
                        origin,
                        to: Vec::new(),
                        covers,
                        misses: 0,
                    });
                    edges.len() - 1
                });
            edges[place].observe(hop);
            state = hop.to;
        }
    }

    /// What a walk hoped for and did not get is not hoped for again.
    pub(super) fn record_misses(
        &mut self,
        start: u32,
        way: &[ReplayTransition],
        covered: &ItemSet,
    ) {
        let mut state = start;
        for hop in way {
            let edge = self
                .edges
                .get_mut(&state)
                .and_then(|edges| edges.iter_mut().find(|edge| edge.action == hop.action));
            if let Some(edge) = edge
                && edge.covers.difference_count_of_both(covered, &hop.covers) > 0
            {
                edge.misses += 1;
            }
            state = hop.to;
        }
    }

    /// Whether no transition is hoped to cover it any more.
    pub(super) fn is_hopeless(&self, item: u32) -> bool {
        !self
            .edges
            .values()
            .flatten()
            .any(|edge| edge.misses == 0 && edge.covers.contains(item))
    }

    /// In how many transitions from a state something of what is missing is hoped for.
    pub(super) fn distance_to_any(&self, missing: &ItemSet, from: u32) -> Option<u32> {
        let hoped = |edge: &ActionEdge| {
            edge.misses == 0 && missing.ones().any(|item| edge.covers.contains(item))
        };
        self.distances(from, &HashSet::new())
            .iter()
            .filter(|(state, _)| !self.terminal_states.contains(state))
            .filter(|(state, _)| self.edges.get(state).into_iter().flatten().any(hoped))
            .map(|(_, (far, _))| far + 1)
            .min()
    }

    /// The states from which there is a way to another.
    pub(super) fn predecessors(&self, to: u32) -> HashSet<u32> {
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&state, edges) in self
            .edges
            .iter()
            .filter(|(state, _)| !self.terminal_states.contains(state))
        {
            edges
                .iter()
                .for_each(|edge| before.entry(edge.to[0].0).or_default().push(state));
        }
        let mut found = HashSet::from([to]);
        let mut open = vec![to];
        while let Some(state) = open.pop() {
            for &earlier in before.get(&state).into_iter().flatten() {
                if found.insert(earlier) {
                    open.push(earlier);
                }
            }
        }
        found
    }

    /// How far each state is from another, and with which transition the way to it begins.
    pub(super) fn distances(
        &self,
        from: u32,
        avoid: &HashSet<(u32, u32)>,
    ) -> HashMap<u32, (u32, Option<(u32, usize)>)> {
        let mut found: HashMap<u32, (u32, Option<(u32, usize)>)> =
            HashMap::from([(from, (0, None))]);
        let mut heap = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((distance, state))) = heap.pop() {
            if found[&state].0 < distance || self.terminal_states.contains(&state) {
                continue;
            }
            let first = found[&state].1;
            for (place, edge) in self.edges.get(&state).into_iter().flatten().enumerate() {
                if avoid.contains(&(state, edge.action)) {
                    continue;
                }
                let longer = distance + edge.cost();
                let to = edge.to[0].0;
                if found.get(&to).is_none_or(|(known, _)| longer < *known) {
                    found.insert(to, (longer, first.or(Some((state, place)))));
                    heap.push(Reverse((longer, to)));
                }
            }
        }
        found
    }
}

impl ActionEdge {
    fn observe(&mut self, hop: &ReplayTransition) {
        self.covers.union_with(&hop.covers);
        match self.to.iter_mut().find(|(to, _)| *to == hop.to) {
            Some((_, times)) => *times += 1,
            None => self.to.push((hop.to, 1)),
        }
        self.to.sort_by_key(|&(to, times)| (Reverse(times), to));
    }

    fn cost(&self) -> u32 {
        if self.to.len() == 1 { 1 } else { 1 + DETOUR }
    }
}
