//! The values of all solved states. A state is split into a tail of two candidates and a head of the others, and entered under
//! every such split, so that all values of one head are close together in memory.

use super::PolicyParameters;
use super::open_tallies::OpenTallies;
use super::states::{MultisetIndex, multiset_count};

/// Values by head and tail.
#[derive(Clone, Debug)]
pub(super) struct ValueTable {
    pub(super) heads: MultisetIndex,
    kinds: usize,
    /// Number of each tail, by its two tallies: first tails with a dead candidate, then the others by their attempts modulo the
    /// size of a round.
    tails: Vec<u32>,
    dead_tails: u32,
    /// For each head the offset of its tails with a dead candidate, and that of its other tails if it had all of them.
    offsets: Vec<(u32, u32)>,
    values: Vec<f64>,
}

impl ValueTable {
    pub(super) fn new(parameters: &PolicyParameters, tallies: &OpenTallies) -> ValueTable {
        let tails = TailIndex::new(parameters, tallies);
        let heads = MultisetIndex::new(tallies.kind_count(), parameters.candidates - 2);
        let dead_tails = tails.dead_tails;
        let mut next: u32 = 0;
        let mut offsets = Vec::with_capacity(heads.members.len());
        for head in &heads.members {
            if head.contains(&tallies.dead()) {
                offsets.push((next, next));
                next += tails.count;
            } else {
                let attempts: u32 = head.iter().map(|tally| tallies.attempts(*tally)).sum();
                let missing =
                    (parameters.parallel - attempts % parameters.parallel) % parameters.parallel;
                let (first, length) = tails.living_by_remainder[missing as usize];
                offsets.push((next, (next + dead_tails).wrapping_sub(first)));
                next += dead_tails + length;
            }
        }
        ValueTable {
            heads,
            kinds: tallies.kind_count(),
            tails: tails.numbers,
            dead_tails,
            offsets,
            values: vec![0.0; next as usize],
        }
    }

    /// Number of values of a table with these parameters.
    pub(super) fn size(parameters: &PolicyParameters) -> u64 {
        let tallies = parameters.tally_count();
        let head = parameters.candidates - 2;
        let tails = multiset_count(tallies + 1, 2);
        let living = multiset_count(tallies, head);
        let with_dead = multiset_count(tallies + 1, head).saturating_sub(living);
        let per_living_head =
            tallies + 1 + multiset_count(tallies, 2) / u64::from(parameters.parallel) + 1;
        with_dead
            .saturating_mul(tails)
            .saturating_add(living.saturating_mul(per_living_head))
    }

    /// Number of the tail with these tallies.
    pub(super) fn tail(&self, one: u8, other: u8) -> u32 {
        self.tails[one as usize * self.kinds + other as usize]
    }

    pub(super) fn has_dead(&self, tail: u32) -> bool {
        tail < self.dead_tails
    }

    /// Values of a head by tail: for tails with a dead candidate, and for all others.
    pub(super) fn values_of_head(&self, head: u32) -> (impl Fn(u32) -> f64, impl Fn(u32) -> f64) {
        let (dead, living) = self.offsets[head as usize];
        (
            move |tail: u32| self.values[(dead + tail) as usize],
            move |tail: u32| self.values[living.wrapping_add(tail) as usize],
        )
    }

    /// Enters a state, dead candidates included, under every split.
    pub(super) fn insert(&mut self, state: &[u8], value: f64) {
        for one in 0..state.len() {
            for other in one + 1..state.len() {
                let others = state
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index != one && *index != other);
                let (_, head) = others.fold((0, 0), |(size, head), (_, tally)| {
                    (size + 1, self.heads.insert(size, head, *tally))
                });
                let tail = self.tail(state[one], state[other]);
                let (dead, living) = self.offsets[head as usize];
                let index = if self.has_dead(tail) {
                    dead + tail
                } else {
                    living.wrapping_add(tail)
                };
                self.values[index as usize] = value;
            }
        }
    }
}

/// Numbers of all tails.
struct TailIndex {
    numbers: Vec<u32>,
    /// Number of tails with a dead candidate, which come first.
    dead_tails: u32,
    count: u32,
    /// First number and length of the tails without a dead candidate, by their attempts modulo the size of a round.
    living_by_remainder: Vec<(u32, u32)>,
}

impl TailIndex {
    fn new(parameters: &PolicyParameters, tallies: &OpenTallies) -> TailIndex {
        let kinds = tallies.kind_count();
        let dead = tallies.dead();
        let mut living: Vec<(u32, u8, u8)> = Vec::new();
        for one in 0..dead {
            for other in one..dead {
                let attempts = tallies.attempts(one) + tallies.attempts(other);
                living.push((attempts % parameters.parallel, one, other));
            }
        }
        living.sort_unstable();
        let dead_tails = kinds as u32;
        let count = dead_tails + living.len() as u32;
        let mut numbers = vec![0; kinds * kinds];
        let mut enter = |one: u8, other: u8, number: u32| {
            numbers[one as usize * kinds + other as usize] = number;
            numbers[other as usize * kinds + one as usize] = number;
        };
        (0..kinds as u8).for_each(|kind| enter(kind, dead, u32::from(kind)));
        let mut living_by_remainder = vec![(count, 0); parameters.parallel as usize];
        for (number, (remainder, one, other)) in (dead_tails..).zip(living) {
            enter(one, other, number);
            let (first, length) = &mut living_by_remainder[remainder as usize];
            *first = number.min(*first);
            *length += 1;
        }
        TailIndex {
            numbers,
            dead_tails,
            count,
            living_by_remainder,
        }
    }
}
