//! The way that covers most of what is not covered yet, made of at most k fragments of others.

use std::collections::{BinaryHeap, HashMap};

use super::item_set::ItemSet;
use super::replay_tree::{ReplayPath, ReplayTransition, ReplayTree};

/// There are more ways than could be looked at: after so many looks at a transition the best so far is taken.
const MAX_EXPANSIONS: u32 = 4_000_000;
/// So many of the best are kept from one search, since most of them fail when they are played.
const MAX_RESULTS: usize = 64;

pub(super) struct FragmentSplicer<'a> {
    paths: &'a [ReplayPath],
    /// The state before a transition → the transitions that leave it: which way, which place.
    outgoing: HashMap<u32, Vec<(usize, usize)>>,
    start: u32,
    /// By switches left, way and place: all that could be covered from there on.
    coverage_ahead: Vec<Vec<Vec<ItemSet>>>,
    fragments: usize,
    /// The best of the last search, the best of all last, and how much was covered then.
    found: Vec<SplicedPath>,
    covered: u32,
}

/// A way by its places, and what it covers beyond what is covered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SplicedPath {
    gain: u32,
    shortness: std::cmp::Reverse<usize>,
    path: Vec<(usize, usize)>,
}

struct SpliceSearch<'a, 'b> {
    splicing: &'b FragmentSplicer<'a>,
    replay_tree: &'b ReplayTree,
    covered: &'b ItemSet,
    /// Places of the way that is being made.
    path: Vec<(usize, usize)>,
    found: BinaryHeap<std::cmp::Reverse<SplicedPath>>,
    expansions_left: u32,
}

impl<'a> FragmentSplicer<'a> {
    pub(super) fn new(ways: &'a [ReplayPath], start: u32, fragments: usize) -> FragmentSplicer<'a> {
        let mut leaving: HashMap<u32, Vec<(usize, usize)>> = HashMap::new();
        for (number, way) in ways.iter().enumerate() {
            for place in 0..way.len() {
                leaving
                    .entry(before(way, place, start))
                    .or_default()
                    .push((number, place));
            }
        }
        let mut splicing = FragmentSplicer {
            paths: ways,
            outgoing: leaving,
            start,
            coverage_ahead: Vec::new(),
            fragments,
            found: Vec::new(),
            covered: 0,
        };
        for _ in 0..fragments.max(1) {
            let ahead = splicing.with_one_more_switch();
            splicing.coverage_ahead.push(ahead);
        }
        splicing
    }

    /// What can be covered from each place on, if one more switch may be made than in the last such table.
    fn with_one_more_switch(&self) -> Vec<Vec<ItemSet>> {
        let mut by_state: HashMap<u32, ItemSet> = HashMap::new();
        if let Some(fewer) = self.coverage_ahead.last() {
            for (&state, places) in &self.outgoing {
                let all = by_state.entry(state).or_default();
                places
                    .iter()
                    .for_each(|&(way, place)| all.union_with(&fewer[way][place]));
            }
        }
        let of_way = |way: &ReplayPath| {
            let mut ahead = vec![ItemSet::default(); way.len() + 1];
            for (place, hop) in way.iter().enumerate().rev() {
                let mut all = ahead[place + 1].clone();
                all.union_with(&hop.covers);
                if let Some(others) = by_state.get(&hop.to) {
                    all.union_with(others);
                }
                ahead[place] = all;
            }
            ahead
        };
        self.paths.iter().map(of_way).collect()
    }

    /// None if nothing covers anything more. Ways that are known to fail are left out; what was played counts as it was
    /// seen, the rest as it is hoped for.
    pub(super) fn best(&mut self, known: &ReplayTree, covered: &ItemSet) -> Option<ReplayPath> {
        let count = covered.ones().count() as u32;
        if count != self.covered {
            self.found.clear();
            self.covered = count;
        }
        loop {
            while let Some(found) = self.found.pop() {
                let Some(gain) = self
                    .gain(&found.path, known, covered)
                    .filter(|gain| *gain > 0)
                else {
                    continue;
                };
                let next = self.found.last().map_or(0, |next| next.gain);
                if gain == found.gain || gain >= next {
                    return Some(
                        found
                            .path
                            .iter()
                            .map(|&(way, place)| self.paths[way][place].clone())
                            .collect(),
                    );
                }
                // Played in part since it was found, and less worth than hoped.
                let place = self.found.partition_point(|other| other.gain <= gain);
                self.found.insert(place, SplicedPath { gain, ..found });
            }
            self.search(known, covered);
            if self.found.is_empty() {
                return None;
            }
        }
    }

    fn search(&mut self, known: &ReplayTree, covered: &ItemSet) {
        let mut search = SpliceSearch {
            splicing: self,
            replay_tree: known,
            covered,
            path: Vec::new(),
            found: BinaryHeap::new(),
            expansions_left: MAX_EXPANSIONS,
        };
        // First those that are as they were: they always work, however short the search is.
        for number in 0..self.paths.len() {
            search.add_original(number);
        }
        search.switch(
            self.start,
            known.root(),
            &ItemSet::default(),
            0,
            self.fragments.max(1),
        );
        let found = search.found.into_sorted_vec();
        self.found = found
            .into_iter()
            .map(|std::cmp::Reverse(found)| found)
            .rev()
            .collect();
    }

    /// None if it is known to fail.
    fn gain(&self, path: &[(usize, usize)], known: &ReplayTree, covered: &ItemSet) -> Option<u32> {
        let mut node = known.root();
        let mut gained = ItemSet::default();
        for &(way, place) in path {
            let hop = &self.paths[way][place];
            node = known.follow(node, hop).ok()?;
            gained.union_with(known.covers(node, hop));
        }
        Some(gained.difference_count(covered))
    }
}

impl SpliceSearch<'_, '_> {
    fn add_original(&mut self, number: usize) {
        let way = &self.splicing.paths[number];
        self.path = (0..way.len()).map(|place| (number, place)).collect();
        let mut gained = ItemSet::default();
        let mut node = self.replay_tree.root();
        for (place, hop) in way.iter().enumerate() {
            let Ok(next) = self.replay_tree.follow(node, hop) else {
                break;
            };
            node = next;
            let before = gained.difference_count(self.covered);
            gained.union_with(self.replay_tree.covers(node, hop));
            let gain = gained.difference_count(self.covered);
            if gain > before {
                self.offer(gain, place + 1);
            }
        }
        self.path.clear();
    }

    /// What a way must cover more than to be among the best.
    fn min_gain(&self) -> u32 {
        let worst = self.found.peek().map_or(0, |worst| worst.0.gain);
        if self.found.len() < MAX_RESULTS {
            0
        } else {
            worst
        }
    }

    /// The end of the path that is being made has just covered something more.
    fn offer(&mut self, gain: u32, length: usize) {
        if gain <= self.min_gain() {
            return;
        }
        let shortness = std::cmp::Reverse(length);
        self.found.push(std::cmp::Reverse(SplicedPath {
            gain,
            shortness,
            path: self.path[..length].to_vec(),
        }));
        if self.found.len() > MAX_RESULTS {
            self.found.pop();
        }
    }

    /// Goes on with any transition that leaves the state, the most promising first.
    fn switch(
        &mut self,
        state: u32,
        node: Option<u32>,
        gained: &ItemSet,
        gain: u32,
        switches: usize,
    ) {
        let Some(leaving) = self.splicing.outgoing.get(&state) else {
            return;
        };
        let ahead = &self.splicing.coverage_ahead[switches - 1];
        self.expansions_left = self
            .expansions_left
            .saturating_sub(u32::try_from(leaving.len()).unwrap_or(u32::MAX));
        let mut hopeful: Vec<(u32, (usize, usize))> = leaving
            .iter()
            .map(|&(way, place)| {
                (
                    ahead[way][place].difference_count_of_both(self.covered, gained),
                    (way, place),
                )
            })
            .filter(|(more, _)| gain + more > self.min_gain())
            .collect();
        hopeful.sort_unstable_by_key(|&(more, place)| (std::cmp::Reverse(more), place));
        for (more, (way, place)) in hopeful {
            if gain + more > self.min_gain() {
                self.follow_path(way, place, node, gained, switches - 1);
            }
        }
    }

    /// Follows a way from a place on; at each of its states it may be left for another.
    fn follow_path(
        &mut self,
        way: usize,
        from: usize,
        node: Option<u32>,
        gained: &ItemSet,
        switches: usize,
    ) {
        let mut node = node;
        let mut gained = gained.clone();
        let length = self.path.len();
        let hops: &[ReplayTransition] = &self.splicing.paths[way];
        for (place, hop) in hops.iter().enumerate().skip(from) {
            if self.expansions_left == 0 {
                break;
            }
            self.expansions_left = self.expansions_left.saturating_sub(1);
            let Ok(next) = self.replay_tree.follow(node, hop) else {
                break;
            };
            node = next;
            self.path.push((way, place));
            let before = gained.difference_count(self.covered);
            gained.union_with(self.replay_tree.covers(node, hop));
            let gain = gained.difference_count(self.covered);
            if gain > before {
                self.offer(gain, self.path.len());
            }
            let more = self.splicing.coverage_ahead[switches][way][place + 1]
                .difference_count_of_both(self.covered, &gained);
            if switches > 0 {
                self.switch(hop.to, node, &gained, gain, switches);
            }
            if gain + more <= self.min_gain() {
                break;
            }
        }
        self.path.truncate(length);
    }
}

fn before(way: &ReplayPath, place: usize, start: u32) -> u32 {
    place.checked_sub(1).map_or(start, |last| way[last].to)
}
