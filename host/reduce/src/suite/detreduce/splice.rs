//! Search for the path that covers most of what is not covered yet, spliced from at most k fragments of other paths.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::suite::item_set::ItemSet;
use crate::suite::replay_path::{ReplayPath, ReplayTransition, states};
use crate::suite::replay_tree::ReplayTree;

/// Maximum number of transitions that one search looks at, since there can be more spliced paths than can be looked at.
const MAX_EXPANSIONS: u32 = 4_000_000;
/// Number of best candidates that one search keeps, since most of them fail when they are replayed.
const MAX_RESULTS: usize = 64;

/// A transition: index of the path, and position in it.
type Position = (usize, usize);

/// Splices fragments of paths.
pub(super) struct FragmentSplicer<'a> {
    paths: &'a [ReplayPath],
    /// Transitions by the state that they leave.
    outgoing: HashMap<u32, Vec<Position>>,
    start: u32,
    /// Everything that can be covered from a position on, by remaining splices, path and position.
    coverage_ahead: Vec<Vec<Vec<ItemSet>>>,
    /// Maximum number of fragments.
    fragments: usize,
    /// Candidates of the latest search, the best one last.
    candidates: Vec<SplicedPath>,
    /// Number of items that were covered at the latest search.
    covered: u32,
    /// True if only the paths themselves are candidates.
    unspliced_only: bool,
}

/// Candidate by its transitions. The order of the fields is the order of preference.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SplicedPath {
    /// Number of items it covers that are not covered yet.
    gain: u32,
    shortness: Reverse<usize>,
    path: Vec<Position>,
}

struct SpliceSearch<'a, 'b> {
    splicer: &'b FragmentSplicer<'a>,
    tree: &'b ReplayTree,
    covered: &'b ItemSet,
    /// Transitions of the path that is being built.
    path: Vec<Position>,
    best: BinaryHeap<Reverse<SplicedPath>>,
    expansions_left: u32,
}

impl<'a> FragmentSplicer<'a> {
    pub(super) fn new(
        paths: &'a [ReplayPath],
        start: u32,
        fragments: usize,
    ) -> FragmentSplicer<'a> {
        let mut outgoing: HashMap<u32, Vec<Position>> = HashMap::new();
        for (number, path) in paths.iter().enumerate() {
            for (index, state) in states(path, start).into_iter().take(path.len()).enumerate() {
                outgoing.entry(state).or_default().push((number, index));
            }
        }
        let mut splicer = FragmentSplicer {
            paths,
            outgoing,
            start,
            coverage_ahead: Vec::new(),
            fragments,
            candidates: Vec::new(),
            covered: 0,
            unspliced_only: false,
        };
        for _ in 0..fragments.max(1) {
            let ahead = splicer.with_one_more_splice();
            splicer.coverage_ahead.push(ahead);
        }
        splicer
    }

    /// Makes only the paths themselves candidates, or their splices too.
    pub(super) fn set_unspliced_only(&mut self, unspliced_only: bool) {
        self.unspliced_only = unspliced_only;
        self.candidates.clear();
    }

    /// True if only the paths themselves are candidates.
    pub(super) fn is_unspliced_only(&self) -> bool {
        self.unspliced_only
    }

    /// Coverage ahead of each position with one more splice than in the latest such table.
    fn with_one_more_splice(&self) -> Vec<Vec<ItemSet>> {
        let mut by_state: HashMap<u32, ItemSet> = HashMap::new();
        if let Some(fewer) = self.coverage_ahead.last() {
            for (&state, positions) in &self.outgoing {
                let covered = by_state.entry(state).or_default();
                for &(number, index) in positions {
                    covered.union_with(&fewer[number][index]);
                }
            }
        }
        let of_path = |path: &ReplayPath| {
            let mut ahead = vec![ItemSet::default(); path.len() + 1];
            for (index, transition) in path.iter().enumerate().rev() {
                let mut covered = ahead[index + 1].clone();
                covered.union_with(&transition.covers);
                if let Some(others) = by_state.get(&transition.to) {
                    covered.union_with(others);
                }
                ahead[index] = covered;
            }
            ahead
        };
        self.paths.iter().map(of_path).collect()
    }

    /// Path with the highest gain; none if no path covers anything more. Paths that diverge are left out. Replayed transitions
    /// count with their observed coverage, others with their predicted one.
    pub(super) fn best(&mut self, tree: &ReplayTree, covered: &ItemSet) -> Option<ReplayPath> {
        if covered.count() != self.covered {
            self.candidates.clear();
            self.covered = covered.count();
        }
        loop {
            while let Some(candidate) = self.candidates.pop() {
                let gain = self.gain(&candidate.path, tree, covered);
                let Some(gain) = gain.filter(|gain| *gain > 0) else {
                    continue;
                };
                let next = self.candidates.last().map_or(0, |next| next.gain);
                if gain == candidate.gain || gain >= next {
                    return Some(self.transitions(&candidate.path));
                }
                // Replayed in part since it was found, with less coverage than predicted.
                let rank = self.candidates.partition_point(|other| other.gain <= gain);
                self.candidates
                    .insert(rank, SplicedPath { gain, ..candidate });
            }
            self.search(tree, covered);
            if self.candidates.is_empty() {
                return None;
            }
        }
    }

    fn search(&mut self, tree: &ReplayTree, covered: &ItemSet) {
        let mut search = SpliceSearch {
            splicer: self,
            tree,
            covered,
            path: Vec::new(),
            best: BinaryHeap::new(),
            expansions_left: MAX_EXPANSIONS,
        };
        // The unspliced paths come first: they can always be replayed, so that a search that was cut short finds them.
        for number in 0..self.paths.len() {
            search.add_unspliced(number);
        }
        if !self.unspliced_only {
            let nothing = ItemSet::default();
            search.splice(self.start, tree.root(), &nothing, 0, self.fragments.max(1));
        }
        let best = search.best.into_sorted_vec();
        self.candidates = best
            .into_iter()
            .map(|Reverse(candidate)| candidate)
            .rev()
            .collect();
    }

    /// Number of items that a path covers and that are not covered yet; none if it diverges.
    fn gain(&self, path: &[Position], tree: &ReplayTree, covered: &ItemSet) -> Option<u32> {
        let mut node = tree.root();
        let mut gained = ItemSet::default();
        for &(number, index) in path {
            let transition = &self.paths[number][index];
            node = tree.follow(node, transition).ok()?;
            gained.union_with(tree.covers(node, transition));
        }
        Some(gained.difference_count(covered))
    }

    fn transitions(&self, path: &[Position]) -> ReplayPath {
        path.iter()
            .map(|&(number, index)| self.paths[number][index].clone())
            .collect()
    }
}

impl SpliceSearch<'_, '_> {
    /// Offers the prefixes of an unspliced path.
    fn add_unspliced(&mut self, number: usize) {
        let path = &self.splicer.paths[number];
        self.path = (0..path.len()).map(|index| (number, index)).collect();
        let mut gained = ItemSet::default();
        let mut node = self.tree.root();
        for (index, transition) in path.iter().enumerate() {
            let Ok(next) = self.tree.follow(node, transition) else {
                break;
            };
            node = next;
            let gain_before = gained.difference_count(self.covered);
            gained.union_with(self.tree.covers(node, transition));
            let gain = gained.difference_count(self.covered);
            if gain > gain_before {
                self.offer(gain, index + 1);
            }
        }
        self.path.clear();
    }

    /// Gain that a path must exceed to be among the best.
    fn min_gain(&self) -> u32 {
        if self.best.len() < MAX_RESULTS {
            return 0;
        }
        self.best.peek().map_or(0, |Reverse(worst)| worst.gain)
    }

    /// Offers the first `length` transitions of the current path, the last of which has just covered something more.
    fn offer(&mut self, gain: u32, length: usize) {
        if gain <= self.min_gain() {
            return;
        }
        self.best.push(Reverse(SplicedPath {
            gain,
            shortness: Reverse(length),
            path: self.path[..length].to_vec(),
        }));
        if self.best.len() > MAX_RESULTS {
            self.best.pop();
        }
    }

    /// Continues with every transition that leaves the state, the most promising first.
    fn splice(
        &mut self,
        state: u32,
        node: Option<u32>,
        gained: &ItemSet,
        gain: u32,
        fragments_left: usize,
    ) {
        let Some(outgoing) = self.splicer.outgoing.get(&state) else {
            return;
        };
        let ahead = &self.splicer.coverage_ahead[fragments_left - 1];
        self.expansions_left = self
            .expansions_left
            .saturating_sub(u32::try_from(outgoing.len()).unwrap_or(u32::MAX));
        let gain_ahead = |&(number, index): &Position| {
            ahead[number][index].difference_count_of_both(self.covered, gained)
        };
        let mut promising: Vec<(u32, Position)> = outgoing
            .iter()
            .map(|position| (gain_ahead(position), *position))
            .filter(|(more, _)| gain + more > self.min_gain())
            .collect();
        promising.sort_unstable_by_key(|&(more, position)| (Reverse(more), position));
        for (more, position) in promising {
            if gain + more > self.min_gain() {
                self.follow_path(position, node, gained, fragments_left - 1);
            }
        }
    }

    /// Follows a path from a position on, and tries a splice after each transition.
    fn follow_path(
        &mut self,
        (number, from): Position,
        mut node: Option<u32>,
        gained: &ItemSet,
        fragments_left: usize,
    ) {
        let mut gained = gained.clone();
        let length = self.path.len();
        let transitions: &[ReplayTransition] = &self.splicer.paths[number];
        let ahead = &self.splicer.coverage_ahead[fragments_left][number];
        for (index, transition) in transitions.iter().enumerate().skip(from) {
            if self.expansions_left == 0 {
                break;
            }
            self.expansions_left -= 1;
            let Ok(next) = self.tree.follow(node, transition) else {
                break;
            };
            node = next;
            self.path.push((number, index));
            let gain_before = gained.difference_count(self.covered);
            gained.union_with(self.tree.covers(node, transition));
            let gain = gained.difference_count(self.covered);
            if gain > gain_before {
                self.offer(gain, self.path.len());
            }
            let more = ahead[index + 1].difference_count_of_both(self.covered, &gained);
            if fragments_left > 0 {
                self.splice(transition.to, node, &gained, gain, fragments_left);
            }
            if gain + more <= self.min_gain() {
                break;
            }
        }
        self.path.truncate(length);
    }
}
