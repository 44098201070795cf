//! The values of all states that are solved, laid out so that everything about one part of the candidates lies together: a
//! state is split into a tail of two candidates and a head of the others, and is entered under every such split.

use super::PolicyParameters;
use super::open_tallies::OpenTallies;
use super::states::{MultisetIndex, multiset_count};

#[derive(Clone, Debug)]
pub(super) struct ValueTable {
    pub(super) heads: MultisetIndex,
    kinds: usize,
    /// Tails by their two pairs: first those with a dead one, then the others by what their runs leave over.
    tails: Vec<u32>,
    dead_tails: u32,
    /// Where a head's tails with a dead one begin, and where its other tails would begin if it had all of them.
    offsets: Vec<(u32, u32)>,
    values: Vec<f64>,
}

impl ValueTable {
    pub(super) fn new(rules: &PolicyParameters, pairs: &OpenTallies) -> ValueTable {
        let kinds = pairs.kind_count();
        let parallel = rules.parallel as usize;
        let dead_tails = kinds as u32;
        let mut living: Vec<(u32, u8, u8)> = Vec::new();
        for one in 0..pairs.dead() {
            for other in one..pairs.dead() {
                living.push((
                    (pairs.attempts(one) + pairs.attempts(other)) % rules.parallel,
                    one,
                    other,
                ));
            }
        }
        living.sort_unstable();
        let all_tails = dead_tails + living.len() as u32;
        let mut tails = vec![0; kinds * kinds];
        let mut enter = |one: u8, other: u8, number: u32| {
            tails[one as usize * kinds + other as usize] = number;
            tails[other as usize * kinds + one as usize] = number;
        };
        (0..kinds as u8).for_each(|kind| enter(kind, pairs.dead(), u32::from(kind)));
        let mut of_rest = vec![(all_tails, 0); parallel];
        for (number, (rest, one, other)) in (dead_tails..).zip(living) {
            enter(one, other, number);
            let (first, length) = &mut of_rest[rest as usize];
            *first = number.min(*first);
            *length += 1;
        }

        let heads = MultisetIndex::new(kinds, rules.candidates - 2);
        let mut next: u32 = 0;
        let mut places = Vec::with_capacity(heads.members.len());
        for head in &heads.members {
            if head.contains(&pairs.dead()) {
                places.push((next, next));
                next += all_tails;
            } else {
                let used: u32 = head.iter().map(|pair| pairs.attempts(*pair)).sum();
                let (first, length) =
                    of_rest[((rules.parallel - used % rules.parallel) % rules.parallel) as usize];
                places.push((next, (next + dead_tails).wrapping_sub(first)));
                next += dead_tails + length;
            }
        }
        ValueTable {
            heads,
            kinds,
            tails,
            dead_tails,
            offsets: places,
            values: vec![0.0; next as usize],
        }
    }

    /// How many values it will hold, before it is made.
    pub(super) fn size(rules: &PolicyParameters) -> u64 {
        let pairs = rules.tally_count();
        let head = rules.candidates - 2;
        let tails = multiset_count(pairs + 1, 2);
        let living = multiset_count(pairs, head);
        let with_dead = multiset_count(pairs + 1, head).saturating_sub(living);
        let few = pairs + 1 + multiset_count(pairs, 2) / u64::from(rules.parallel) + 1;
        with_dead
            .saturating_mul(tails)
            .saturating_add(living.saturating_mul(few))
    }

    pub(super) fn tail(&self, one: u8, other: u8) -> u32 {
        self.tails[one as usize * self.kinds + other as usize]
    }

    pub(super) fn has_dead(&self, tail: u32) -> bool {
        tail < self.dead_tails
    }

    /// The values beside a head: of tails with a dead one in the first answer, of all others in the second.
    pub(super) fn values_of_head(&self, head: u32) -> (impl Fn(u32) -> f64, impl Fn(u32) -> f64) {
        let (dead, living) = self.offsets[head as usize];
        (
            move |tail: u32| self.values[(dead + tail) as usize],
            move |tail: u32| self.values[living.wrapping_add(tail) as usize],
        )
    }

    /// Enters a state, dead ones included, under every split.
    pub(super) fn insert(&mut self, state: &[u8], value: f64) {
        for one in 0..state.len() {
            for other in one + 1..state.len() {
                let rest = state
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| *place != one && *place != other);
                let (_, head) = rest.fold((0, 0), |(size, head), (_, pair)| {
                    (size + 1, self.heads.insert(size, head, *pair))
                });
                let tail = self.tail(state[one], state[other]);
                let (dead, living) = self.offsets[head as usize];
                let place = if self.has_dead(tail) {
                    dead + tail
                } else {
                    living.wrapping_add(tail)
                };
                self.values[place as usize] = value;
            }
        }
    }
}
