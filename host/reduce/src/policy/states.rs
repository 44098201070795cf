//! Sets of candidates whose order is forgotten: how many there are, each with a number, and all of them in order.

use super::PolicyParameters;
use super::open_tallies::OpenTallies;

/// Sets of up to `size` kinds, each set with a number. A set one larger is found from a set and what is put into it.
#[derive(Clone, Debug)]
pub(super) struct MultisetIndex {
    kinds: usize,
    /// For sets of 0, 1, 2 … kinds: by the set's number and the kind that is added, the number of the larger one.
    with: Vec<Vec<u32>>,
    /// The members of each set of the largest size, ascending.
    pub(super) members: Vec<Vec<u8>>,
}

impl MultisetIndex {
    pub(super) fn new(kinds: usize, size: usize) -> MultisetIndex {
        let mut with = Vec::new();
        let mut members: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..size {
            let larger = multisets(kinds, members[0].len() + 1);
            let table = members.iter().flat_map(|set| {
                (0..kinds as u8).map(|kind| {
                    let place = set.partition_point(|member| *member <= kind);
                    rank(set[..place].iter().chain([&kind]).chain(&set[place..]))
                })
            });
            with.push(table.collect());
            members = larger;
        }
        MultisetIndex {
            kinds,
            with,
            members,
        }
    }

    /// The number of the set that `set`, which has `size` members, becomes with one more.
    pub(super) fn insert(&self, size: usize, set: u32, kind: u8) -> u32 {
        self.with[size][set as usize * self.kinds + kind as usize]
    }
}

/// Its place among all sets of its size, as `multisets` lists them.
fn rank<'a>(members: impl Iterator<Item = &'a u8>) -> u32 {
    members
        .enumerate()
        .map(|(place, &kind)| multiset_count(u64::from(kind), place + 1))
        .sum::<u64>() as u32
}

/// How many sets of `size` there are out of `kinds`, order forgotten and repetition allowed.
pub(super) fn multiset_count(kinds: u64, size: usize) -> u64 {
    let mut product: u64 = 1;
    for place in 0..size as u64 {
        product = product.saturating_mul(kinds + place) / (place + 1);
    }
    product
}

/// All sets of a size, ascending by their rank: the largest member counts most.
fn multisets(kinds: usize, size: usize) -> Vec<Vec<u8>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let smaller = multisets(kinds, size - 1);
    let mut sets = Vec::new();
    for largest in 0..kinds as u8 {
        let fitting = smaller
            .iter()
            .filter(|set| set.last().is_none_or(|member| *member <= largest));
        sets.extend(fitting.map(|set| [set.as_slice(), &[largest]].concat()));
    }
    sets
}

/// Every state in which something is alive and nothing has passed, by how many are alive, then by their pairs. While all
/// are alive only full rounds can have been played.
pub(super) fn open_states(rules: &PolicyParameters, pairs: &OpenTallies, alive: usize) -> Vec<u64> {
    let mut states = Vec::new();
    let mut members = vec![0u8; alive];
    loop {
        let used: u32 = members.iter().map(|member| pairs.attempts(*member)).sum();
        if alive < rules.candidates || used.is_multiple_of(rules.parallel) {
            states.push(pack(&members));
        }
        // The next ascending row, counted from its end.
        let Some(place) = members
            .iter()
            .rposition(|member| *member + 1 < pairs.dead())
        else {
            break;
        };
        let next = members[place] + 1;
        members[place..].fill(next);
    }
    states
}

/// Eight members at most, the first in the highest byte, so that packed states are ordered as the rows are.
pub(super) fn pack(members: &[u8]) -> u64 {
    members
        .iter()
        .fold(0, |packed, member| packed << 8 | u64::from(*member))
}

pub(super) fn unpack(state: u64, alive: usize) -> impl Iterator<Item = u8> {
    (0..alive)
        .rev()
        .map(move |place| (state >> (8 * place)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_found_by_the_number_that_the_list_gives_it() {
        let sets = MultisetIndex::new(5, 3);
        assert_eq!(sets.members.len() as u64, multiset_count(5, 3));
        for (number, set) in sets.members.iter().enumerate() {
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
                let found = order.iter().enumerate().fold(0, |found, (size, &place)| {
                    sets.insert(size, found, set[place])
                });
                assert_eq!(found as usize, number);
            }
        }
    }

    #[test]
    fn states_are_packed_in_their_order() {
        assert_eq!(unpack(pack(&[3, 7, 9]), 3).collect::<Vec<_>>(), [3, 7, 9]);
        assert!(pack(&[3, 7, 9]) < pack(&[3, 8, 8]));
    }
}
