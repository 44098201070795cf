//! The way that covers most of what is not covered yet, made of at most k fragments of others.

use std::collections::{BinaryHeap, HashMap};

use super::bits::Bits;
use super::known::{Hop, Known, Way};

/// There are more ways than could be looked at: after so many looks at a transition the best so far is taken.
const LOOKS: u32 = 4_000_000;
/// So many of the best are kept from one search, since most of them fail when they are played.
const KEPT: usize = 64;

pub(super) struct Splicing<'a> {
    ways: &'a [Way],
    /// The state before a transition → the transitions that leave it: which way, which place.
    leaving: HashMap<u32, Vec<(usize, usize)>>,
    start: u32,
    /// By switches left, way and place: all that could be covered from there on.
    ahead: Vec<Vec<Vec<Bits>>>,
    fragments: usize,
    /// The best of the last search, the best of all last, and how much was covered then.
    found: Vec<Found>,
    covered: u32,
}

/// A way by its places, and what it covers beyond what is covered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    gain: u32,
    shortness: std::cmp::Reverse<usize>,
    path: Vec<(usize, usize)>,
}

struct Search<'a, 'b> {
    splicing: &'b Splicing<'a>,
    known: &'b Known,
    covered: &'b Bits,
    /// Places of the way that is being made.
    path: Vec<(usize, usize)>,
    found: BinaryHeap<std::cmp::Reverse<Found>>,
    left: u32,
}

impl<'a> Splicing<'a> {
    pub(super) fn new(ways: &'a [Way], start: u32, fragments: usize) -> Splicing<'a> {
        let mut leaving: HashMap<u32, Vec<(usize, usize)>> = HashMap::new();
        for (number, way) in ways.iter().enumerate() {
            for place in 0..way.len() {
                leaving
                    .entry(before(way, place, start))
                    .or_default()
                    .push((number, place));
            }
        }
        let mut splicing = Splicing {
            ways,
            leaving,
            start,
            ahead: Vec::new(),
            fragments,
            found: Vec::new(),
            covered: 0,
        };
        for _ in 0..fragments.max(1) {
            let ahead = splicing.with_one_more_switch();
            splicing.ahead.push(ahead);
        }
        splicing
    }

    /// What can be covered from each place on, if one more switch may be made than in the last such table.
    fn with_one_more_switch(&self) -> Vec<Vec<Bits>> {
        let mut by_state: HashMap<u32, Bits> = HashMap::new();
        if let Some(fewer) = self.ahead.last() {
            for (&state, places) in &self.leaving {
                let all = by_state.entry(state).or_default();
                places
                    .iter()
                    .for_each(|&(way, place)| all.add(&fewer[way][place]));
            }
        }
        let of_way = |way: &Way| {
            let mut ahead = vec![Bits::default(); way.len() + 1];
            for (place, hop) in way.iter().enumerate().rev() {
                let mut all = ahead[place + 1].clone();
                all.add(&hop.covers);
                if let Some(others) = by_state.get(&hop.to) {
                    all.add(others);
                }
                ahead[place] = all;
            }
            ahead
        };
        self.ways.iter().map(of_way).collect()
    }

    /// None if nothing covers anything more. Ways that are known to fail are left out; what was played counts as it was
    /// seen, the rest as it is hoped for.
    pub(super) fn best(&mut self, known: &Known, covered: &Bits) -> Option<Way> {
        let count = covered.numbers().count() as u32;
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
                            .map(|&(way, place)| self.ways[way][place].clone())
                            .collect(),
                    );
                }
                // Played in part since it was found, and less worth than hoped.
                let place = self.found.partition_point(|other| other.gain <= gain);
                self.found.insert(place, Found { gain, ..found });
            }
            self.search(known, covered);
            if self.found.is_empty() {
                return None;
            }
        }
    }

    fn search(&mut self, known: &Known, covered: &Bits) {
        let mut search = Search {
            splicing: self,
            known,
            covered,
            path: Vec::new(),
            found: BinaryHeap::new(),
            left: LOOKS,
        };
        // First those that are as they were: they always work, however short the search is.
        for number in 0..self.ways.len() {
            search.whole(number);
        }
        search.switch(
            self.start,
            known.root(),
            &Bits::default(),
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
    fn gain(&self, path: &[(usize, usize)], known: &Known, covered: &Bits) -> Option<u32> {
        let mut node = known.root();
        let mut gained = Bits::default();
        for &(way, place) in path {
            let hop = &self.ways[way][place];
            node = known.follow(node, hop).ok()?;
            gained.add(known.covers(node, hop));
        }
        Some(gained.beyond(covered))
    }
}

impl Search<'_, '_> {
    fn whole(&mut self, number: usize) {
        let way = &self.splicing.ways[number];
        self.path = (0..way.len()).map(|place| (number, place)).collect();
        let mut gained = Bits::default();
        let mut node = self.known.root();
        for (place, hop) in way.iter().enumerate() {
            let Ok(next) = self.known.follow(node, hop) else {
                break;
            };
            node = next;
            let before = gained.beyond(self.covered);
            gained.add(self.known.covers(node, hop));
            let gain = gained.beyond(self.covered);
            if gain > before {
                self.judge(gain, place + 1);
            }
        }
        self.path.clear();
    }

    /// What a way must cover more than to be among the best.
    fn bar(&self) -> u32 {
        let worst = self.found.peek().map_or(0, |worst| worst.0.gain);
        if self.found.len() < KEPT { 0 } else { worst }
    }

    /// The end of the path that is being made has just covered something more.
    fn judge(&mut self, gain: u32, length: usize) {
        if gain <= self.bar() {
            return;
        }
        let shortness = std::cmp::Reverse(length);
        self.found.push(std::cmp::Reverse(Found {
            gain,
            shortness,
            path: self.path[..length].to_vec(),
        }));
        if self.found.len() > KEPT {
            self.found.pop();
        }
    }

    /// Goes on with any transition that leaves the state, the most promising first.
    fn switch(&mut self, state: u32, node: Option<u32>, gained: &Bits, gain: u32, switches: usize) {
        let Some(leaving) = self.splicing.leaving.get(&state) else {
            return;
        };
        let ahead = &self.splicing.ahead[switches - 1];
        self.left = self
            .left
            .saturating_sub(u32::try_from(leaving.len()).unwrap_or(u32::MAX));
        let mut hopeful: Vec<(u32, (usize, usize))> = leaving
            .iter()
            .map(|&(way, place)| {
                (
                    ahead[way][place].beyond_both(self.covered, gained),
                    (way, place),
                )
            })
            .filter(|(more, _)| gain + more > self.bar())
            .collect();
        hopeful.sort_unstable_by_key(|&(more, place)| (std::cmp::Reverse(more), place));
        for (more, (way, place)) in hopeful {
            if gain + more > self.bar() {
                self.along(way, place, node, gained, switches - 1);
            }
        }
    }

    /// Follows a way from a place on; at each of its states it may be left for another.
    fn along(
        &mut self,
        way: usize,
        from: usize,
        node: Option<u32>,
        gained: &Bits,
        switches: usize,
    ) {
        let mut node = node;
        let mut gained = gained.clone();
        let length = self.path.len();
        let hops: &[Hop] = &self.splicing.ways[way];
        for (place, hop) in hops.iter().enumerate().skip(from) {
            if self.left == 0 {
                break;
            }
            self.left = self.left.saturating_sub(1);
            let Ok(next) = self.known.follow(node, hop) else {
                break;
            };
            node = next;
            self.path.push((way, place));
            let before = gained.beyond(self.covered);
            gained.add(self.known.covers(node, hop));
            let gain = gained.beyond(self.covered);
            if gain > before {
                self.judge(gain, self.path.len());
            }
            let more =
                self.splicing.ahead[switches][way][place + 1].beyond_both(self.covered, &gained);
            if switches > 0 {
                self.switch(hop.to, node, &gained, gain, switches);
            }
            if gain + more <= self.bar() {
                break;
            }
        }
        self.path.truncate(length);
    }
}

fn before(way: &Way, place: usize, start: u32) -> u32 {
    place.checked_sub(1).map_or(start, |last| way[last].to)
}
