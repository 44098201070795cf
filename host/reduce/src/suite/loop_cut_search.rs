//! All ways of cutting loops out of a way, the shortest first, found one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::item_set::ItemSet;
use super::replay_tree::{PathStatus, ReplayPath, ReplayTransition, ReplayTree};

/// Where every loop is free to go there are more ways than could be looked at: after so many beginnings it ends.
const MAX_PARTIAL_PATHS: usize = 50_000;

pub(super) struct LoopCutSearch<'a> {
    path: &'a [ReplayTransition],
    /// What must be covered.
    needed: &'a ItemSet,
    /// The end may be cut off as well, not only loops.
    cut_tails: bool,
    /// The states before each transition, and last.
    states: Vec<u32>,
    /// What can still be covered from each place on.
    coverage_ahead: Vec<ItemSet>,
    /// How many transitions it takes at least from each place to the end.
    min_remaining: Vec<Option<u32>>,
    /// Up to where one may jump at most: what lies there is covered nowhere else.
    max_jump: Vec<usize>,
    heap: BinaryHeap<Reverse<(u32, u32, usize)>>,
    partial_paths: Vec<PartialPath>,
    yielded: HashSet<Vec<u32>>,
}

/// The beginning of a way: the place in the original after its last transition.
struct PartialPath {
    place: usize,
    last: Option<(usize, usize)>,
    length: u32,
    covered: ItemSet,
}

impl<'a> LoopCutSearch<'a> {
    pub(super) fn new(
        way: &'a [ReplayTransition],
        start: u32,
        needed: &'a ItemSet,
        tails: bool,
    ) -> LoopCutSearch<'a> {
        let states: Vec<u32> = std::iter::once(start)
            .chain(way.iter().map(|hop| hop.to))
            .collect();
        let mut ahead = vec![ItemSet::default(); states.len()];
        for place in (0..way.len()).rev() {
            ahead[place] = ahead[place + 1].clone();
            ahead[place].union_with(&way[place].covers);
        }
        let mut cuts = LoopCutSearch {
            path: way,
            needed,
            cut_tails: tails,
            states,
            coverage_ahead: ahead,
            min_remaining: Vec::new(),
            max_jump: Vec::new(),
            heap: BinaryHeap::new(),
            partial_paths: Vec::new(),
            yielded: HashSet::new(),
        };
        cuts.compute_bounds();
        cuts.push(PartialPath {
            place: 0,
            last: None,
            length: 0,
            covered: ItemSet::default(),
        });
        cuts
    }

    /// What only one transition covers must stay, so that no jump goes over it.
    fn compute_bounds(&mut self) {
        let length = self.path.len();
        let mut only = vec![false; length];
        for item in self.needed.ones() {
            let mut by = (0..length).filter(|&place| self.path[place].covers.contains(item));
            if let (Some(place), None) = (by.next(), by.next()) {
                only[place] = true;
            }
        }
        self.max_jump = vec![length; length + 1];
        for place in (0..length).rev() {
            self.max_jump[place] = if only[place] {
                place
            } else {
                self.max_jump[place + 1]
            };
        }
        self.min_remaining = vec![None; length + 1];
        self.min_remaining[length] = Some(0);
        for place in (0..length).rev() {
            let free = self.cut_tails && self.max_jump[place] == length;
            let by = self
                .landings(place)
                .filter_map(|to| {
                    if to == length {
                        Some(0)
                    } else {
                        self.min_remaining[to + 1].map(|left| left + 1)
                    }
                })
                .min();
            self.min_remaining[place] = if free { Some(0) } else { by };
        }
    }

    /// From where one can go on at a place: there, or after a loop.
    fn landings(&self, place: usize) -> impl Iterator<Item = usize> {
        (place..=self.max_jump[place]).filter(move |&to| self.states[to] == self.states[place])
    }

    fn push(&mut self, begun: PartialPath) {
        let Some(left) = self.min_remaining[begun.place] else {
            return;
        };
        let number = self.partial_paths.len();
        self.heap
            .push(Reverse((begun.length + left, begun.length, number)));
        self.partial_paths.push(begun);
    }

    /// The next shortest that covers what is needed and is not known to fail.
    pub(super) fn next(&mut self, known: &ReplayTree) -> Option<ReplayPath> {
        while let Some(Reverse((_, _, number))) = self.heap.pop() {
            if self.partial_paths.len() > MAX_PARTIAL_PATHS {
                return None;
            }
            let Some((way, node, covered)) = self.reconstruct(number, known) else {
                continue;
            };
            let place = self.partial_paths[number].place;
            self.partial_paths[number].covered = covered;
            let is_end = self.cut_tails || self.landings(place).any(|to| to == self.path.len());
            if is_end && self.needed.is_subset(&self.partial_paths[number].covered) {
                let actions: Vec<u32> = way.iter().map(|hop| hop.action).collect();
                if self.yielded.insert(actions) {
                    // What begins with it is found again when it turns out to fail.
                    self.extend(number, node, known);
                    return Some(way);
                }
            }
            self.extend(number, node, known);
        }
        None
    }

    fn extend(&mut self, number: usize, node: Option<u32>, known: &ReplayTree) {
        let PartialPath { place, length, .. } = self.partial_paths[number];
        let landings: Vec<usize> = self
            .landings(place)
            .filter(|&to| to < self.path.len())
            .collect();
        for to in landings {
            let hop = &self.path[to];
            let Ok(next) = known.follow(node, hop) else {
                continue;
            };
            let mut covered = self.partial_paths[number].covered.clone();
            covered.union_with(known.covers(next, hop));
            let mut hoped = covered.clone();
            hoped.union_with(&self.coverage_ahead[to + 1]);
            if self.needed.is_subset(&hoped) {
                let last = Some((number, to));
                self.push(PartialPath {
                    place: to + 1,
                    last,
                    length: length + 1,
                    covered,
                });
            }
        }
    }

    /// A beginning by what is known by now; none if it is known to fail.
    fn reconstruct(
        &self,
        number: usize,
        known: &ReplayTree,
    ) -> Option<(ReplayPath, Option<u32>, ItemSet)> {
        let mut way = ReplayPath::new();
        let mut at = &self.partial_paths[number];
        while let Some((before, hop)) = at.last {
            way.push(self.path[hop].clone());
            at = &self.partial_paths[before];
        }
        way.reverse();
        let mut node = known.root();
        for hop in &way {
            node = known.follow(node, hop).ok()?;
        }
        let covered = known.coverage(&way);
        (!matches!(known.status(&way), PathStatus::Diverges(_))).then_some((way, node, covered))
    }
}
