//! All ways of cutting loops out of a way, the shortest first, found one by one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::bits::Bits;
use super::known::{Hop, Known, Standing, Way};

/// Where every loop is free to go there are more ways than could be looked at: after so many beginnings it ends.
const BEGINNINGS: usize = 50_000;

pub(super) struct Cuts<'a> {
    way: &'a [Hop],
    /// What must be covered.
    needed: &'a Bits,
    /// The end may be cut off as well, not only loops.
    tails: bool,
    /// The states before each transition, and last.
    states: Vec<u32>,
    /// What can still be covered from each place on.
    ahead: Vec<Bits>,
    /// How many transitions it takes at least from each place to the end.
    left: Vec<Option<u32>>,
    /// Up to where one may jump at most: what lies there is covered nowhere else.
    reach: Vec<usize>,
    heap: BinaryHeap<Reverse<(u32, u32, usize)>>,
    begun: Vec<Begun>,
    told: HashSet<Vec<u32>>,
}

/// The beginning of a way: the place in the original after its last transition.
struct Begun {
    place: usize,
    last: Option<(usize, usize)>,
    length: u32,
    covered: Bits,
}

impl<'a> Cuts<'a> {
    pub(super) fn new(way: &'a [Hop], start: u32, needed: &'a Bits, tails: bool) -> Cuts<'a> {
        let states: Vec<u32> = std::iter::once(start)
            .chain(way.iter().map(|hop| hop.to))
            .collect();
        let mut ahead = vec![Bits::default(); states.len()];
        for place in (0..way.len()).rev() {
            ahead[place] = ahead[place + 1].clone();
            ahead[place].add(&way[place].covers);
        }
        let mut cuts = Cuts {
            way,
            needed,
            tails,
            states,
            ahead,
            left: Vec::new(),
            reach: Vec::new(),
            heap: BinaryHeap::new(),
            begun: Vec::new(),
            told: HashSet::new(),
        };
        cuts.look_ahead();
        cuts.begin(Begun {
            place: 0,
            last: None,
            length: 0,
            covered: Bits::default(),
        });
        cuts
    }

    /// What only one transition covers must stay, so that no jump goes over it.
    fn look_ahead(&mut self) {
        let length = self.way.len();
        let mut only = vec![false; length];
        for item in self.needed.numbers() {
            let mut by = (0..length).filter(|&place| self.way[place].covers.contains(item));
            if let (Some(place), None) = (by.next(), by.next()) {
                only[place] = true;
            }
        }
        self.reach = vec![length; length + 1];
        for place in (0..length).rev() {
            self.reach[place] = if only[place] {
                place
            } else {
                self.reach[place + 1]
            };
        }
        self.left = vec![None; length + 1];
        self.left[length] = Some(0);
        for place in (0..length).rev() {
            let free = self.tails && self.reach[place] == length;
            let by = self
                .landings(place)
                .filter_map(|to| {
                    if to == length {
                        Some(0)
                    } else {
                        self.left[to + 1].map(|left| left + 1)
                    }
                })
                .min();
            self.left[place] = if free { Some(0) } else { by };
        }
    }

    /// From where one can go on at a place: there, or after a loop.
    fn landings(&self, place: usize) -> impl Iterator<Item = usize> {
        (place..=self.reach[place]).filter(move |&to| self.states[to] == self.states[place])
    }

    fn begin(&mut self, begun: Begun) {
        let Some(left) = self.left[begun.place] else {
            return;
        };
        let number = self.begun.len();
        self.heap
            .push(Reverse((begun.length + left, begun.length, number)));
        self.begun.push(begun);
    }

    /// The next shortest that covers what is needed and is not known to fail.
    pub(super) fn next(&mut self, known: &Known) -> Option<Way> {
        while let Some(Reverse((_, _, number))) = self.heap.pop() {
            if self.begun.len() > BEGINNINGS {
                return None;
            }
            let Some((way, node, covered)) = self.as_known(number, known) else {
                continue;
            };
            let place = self.begun[number].place;
            self.begun[number].covered = covered;
            let is_end = self.tails || self.landings(place).any(|to| to == self.way.len());
            if is_end && self.needed.is_within(&self.begun[number].covered) {
                let actions: Vec<u32> = way.iter().map(|hop| hop.action).collect();
                if self.told.insert(actions) {
                    // What begins with it is found again when it turns out to fail.
                    self.go_on(number, node, known);
                    return Some(way);
                }
            }
            self.go_on(number, node, known);
        }
        None
    }

    fn go_on(&mut self, number: usize, node: Option<u32>, known: &Known) {
        let Begun { place, length, .. } = self.begun[number];
        let landings: Vec<usize> = self
            .landings(place)
            .filter(|&to| to < self.way.len())
            .collect();
        for to in landings {
            let hop = &self.way[to];
            let Ok(next) = known.follow(node, hop) else {
                continue;
            };
            let mut covered = self.begun[number].covered.clone();
            covered.add(known.covers(next, hop));
            let mut hoped = covered.clone();
            hoped.add(&self.ahead[to + 1]);
            if self.needed.is_within(&hoped) {
                let last = Some((number, to));
                self.begin(Begun {
                    place: to + 1,
                    last,
                    length: length + 1,
                    covered,
                });
            }
        }
    }

    /// A beginning by what is known by now; none if it is known to fail.
    fn as_known(&self, number: usize, known: &Known) -> Option<(Way, Option<u32>, Bits)> {
        let mut way = Way::new();
        let mut at = &self.begun[number];
        while let Some((before, hop)) = at.last {
            way.push(self.way[hop].clone());
            at = &self.begun[before];
        }
        way.reverse();
        let mut node = known.root();
        for hop in &way {
            node = known.follow(node, hop).ok()?;
        }
        let covered = known.coverage(&way);
        (!matches!(known.standing(&way), Standing::Fails(_))).then_some((way, node, covered))
    }
}
