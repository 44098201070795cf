//! All candidates that remain of a path when loops are cut, found one by one, the shortest first.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::item_set::ItemSet;
use super::replay_path::{ReplayPath, ReplayTransition, states};
use super::replay_tree::ReplayTree;

/// Maximum number of partial paths. Paths with many loops have more candidates than can be looked at.
const MAX_PARTIAL_PATHS: usize = 50_000;

/// Best-first search over the candidates of one path.
pub(super) struct LoopCutSearch<'a> {
    path: &'a [ReplayTransition],
    /// Coverage that every candidate must have.
    needed: &'a ItemSet,
    /// True if the end can be cut off too, not only loops.
    cut_tails: bool,
    /// States before each transition, and after the last.
    states: Vec<u32>,
    /// Coverage of each suffix of the path.
    coverage_ahead: Vec<ItemSet>,
    /// Minimum number of transitions from each position to the end.
    min_remaining: Vec<Option<u32>>,
    /// Last position that a jump from each position can land on: the transition there has coverage that no other has.
    max_jump: Vec<usize>,
    heap: BinaryHeap<Reverse<(u32, u32, usize)>>,
    partial_paths: Vec<PartialPath>,
    /// Action sequences of the candidates so far.
    yielded: HashSet<Vec<u32>>,
    gave_up: bool,
}

/// Prefix of a candidate.
struct PartialPath {
    /// Position in the path after its last transition.
    position: usize,
    /// Partial path before its last transition, and position of that transition.
    last: Option<(usize, usize)>,
    length: u32,
    covered: ItemSet,
}

impl<'a> LoopCutSearch<'a> {
    pub(super) fn new(
        path: &'a [ReplayTransition],
        start: u32,
        needed: &'a ItemSet,
        cut_tails: bool,
    ) -> LoopCutSearch<'a> {
        let mut search = LoopCutSearch {
            path,
            needed,
            cut_tails,
            states: states(path, start),
            coverage_ahead: coverage_ahead(path),
            min_remaining: Vec::new(),
            max_jump: Vec::new(),
            heap: BinaryHeap::new(),
            partial_paths: Vec::new(),
            yielded: HashSet::new(),
            gave_up: false,
        };
        search.compute_max_jump();
        search.compute_min_remaining();
        search.push(PartialPath {
            position: 0,
            last: None,
            length: 0,
            covered: ItemSet::default(),
        });
        search
    }

    /// Bounds jumps: a needed item that only one transition covers cannot be jumped over.
    fn compute_max_jump(&mut self) {
        let length = self.path.len();
        let mut is_indispensable = vec![false; length];
        for item in self.needed.ones() {
            let mut covering = (0..length).filter(|&index| self.path[index].covers.contains(item));
            if let (Some(index), None) = (covering.next(), covering.next()) {
                is_indispensable[index] = true;
            }
        }
        self.max_jump = vec![length; length + 1];
        for position in (0..length).rev() {
            self.max_jump[position] = if is_indispensable[position] {
                position
            } else {
                self.max_jump[position + 1]
            };
        }
    }

    fn compute_min_remaining(&mut self) {
        let length = self.path.len();
        self.min_remaining = vec![None; length + 1];
        self.min_remaining[length] = Some(0);
        for position in (0..length).rev() {
            let can_end = self.cut_tails && self.max_jump[position] == length;
            let remaining = |landing: usize| {
                if landing == length {
                    Some(0)
                } else {
                    self.min_remaining[landing + 1].map(|remaining| remaining + 1)
                }
            };
            let shortest = self.landings(position).filter_map(remaining).min();
            self.min_remaining[position] = if can_end { Some(0) } else { shortest };
        }
    }

    /// Positions at which a candidate can continue: the same one, or one after a loop.
    fn landings(&self, position: usize) -> impl Iterator<Item = usize> {
        let state = self.states[position];
        (position..=self.max_jump[position]).filter(move |&landing| self.states[landing] == state)
    }

    fn push(&mut self, partial: PartialPath) {
        let Some(remaining) = self.min_remaining[partial.position] else {
            return;
        };
        let number = self.partial_paths.len();
        let length = partial.length;
        self.heap
            .push(Reverse((length + remaining, length, number)));
        self.partial_paths.push(partial);
    }

    /// Next candidate: the shortest that has the needed coverage and is not known to diverge.
    pub(super) fn next(&mut self, tree: &ReplayTree) -> Option<ReplayPath> {
        while let Some(Reverse((_, _, number))) = self.heap.pop() {
            if self.partial_paths.len() > MAX_PARTIAL_PATHS {
                self.gave_up = true;
                return None;
            }
            let Some((path, node, covered)) = self.reconstruct(number, tree) else {
                continue;
            };
            let position = self.partial_paths[number].position;
            let can_end = self.cut_tails
                || self
                    .landings(position)
                    .any(|landing| landing == self.path.len());
            let is_candidate = can_end && self.needed.is_subset(&covered);
            self.partial_paths[number].covered = covered;
            let actions = || path.iter().map(|transition| transition.action).collect();
            let is_new = is_candidate && self.yielded.insert(actions());
            // A candidate that turns out to fail can still be the prefix of another.
            self.extend(number, node, tree);
            if is_new {
                return Some(path);
            }
        }
        None
    }

    /// True if the search ended before it had seen all candidates.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    fn extend(&mut self, number: usize, node: Option<u32>, tree: &ReplayTree) {
        let PartialPath {
            position, length, ..
        } = self.partial_paths[number];
        let landings: Vec<usize> = self
            .landings(position)
            .filter(|&landing| landing < self.path.len())
            .collect();
        for landing in landings {
            let transition = &self.path[landing];
            let Ok(next) = tree.follow(node, transition) else {
                continue;
            };
            let mut covered = self.partial_paths[number].covered.clone();
            covered.union_with(tree.covers(next, transition));
            let mut reachable = covered.clone();
            reachable.union_with(&self.coverage_ahead[landing + 1]);
            if self.needed.is_subset(&reachable) {
                self.push(PartialPath {
                    position: landing + 1,
                    last: Some((number, landing)),
                    length: length + 1,
                    covered,
                });
            }
        }
    }

    /// Transitions, node and coverage of a partial path; none if it is known to diverge.
    fn reconstruct(
        &self,
        number: usize,
        tree: &ReplayTree,
    ) -> Option<(ReplayPath, Option<u32>, ItemSet)> {
        let mut path = ReplayPath::new();
        let mut partial = &self.partial_paths[number];
        while let Some((before, index)) = partial.last {
            path.push(self.path[index].clone());
            partial = &self.partial_paths[before];
        }
        path.reverse();
        let mut node = tree.root();
        for transition in &path {
            node = tree.follow(node, transition).ok()?;
        }
        let covered = tree.coverage(&path);
        (!tree.diverges(&path)).then_some((path, node, covered))
    }
}

fn coverage_ahead(path: &[ReplayTransition]) -> Vec<ItemSet> {
    let mut ahead = vec![ItemSet::default(); path.len() + 1];
    for (index, transition) in path.iter().enumerate().rev() {
        let mut covered = ahead[index + 1].clone();
        covered.union_with(&transition.covers);
        ahead[index] = covered;
    }
    ahead
}
