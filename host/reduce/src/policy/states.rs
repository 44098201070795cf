//! Multisets of tallies: their number, a rank for each, and the undecided states as packed multisets.

use super::PolicyParameters;
use super::open_tallies::OpenTallies;

/// Ranks of multisets of up to `size` members. The rank of a larger multiset follows from a smaller one and the new member.
#[derive(Clone, Debug)]
pub(super) struct MultisetIndex {
    kinds: usize,
    /// For multisets of 0, 1, 2 … members: rank of the larger multiset, by the rank of the smaller one and the new member.
    with: Vec<Vec<u32>>,
    /// Ascending members of each multiset of the largest size.
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
                    let index = set.partition_point(|member| *member <= kind);
                    rank(set[..index].iter().chain([&kind]).chain(&set[index..]))
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

    /// Rank of `set`, which has `size` members, with one more member.
    pub(super) fn insert(&self, size: usize, set: u32, kind: u8) -> u32 {
        self.with[size][set as usize * self.kinds + kind as usize]
    }
}

/// Index among all multisets of the same size, in the order of `multisets`.
fn rank<'a>(members: impl Iterator<Item = &'a u8>) -> u32 {
    members
        .enumerate()
        .map(|(index, &kind)| multiset_count(u64::from(kind), index + 1))
        .sum::<u64>() as u32
}

/// Number of multisets of `size` members out of `kinds`.
pub(super) fn multiset_count(kinds: u64, size: usize) -> u64 {
    let mut product: u64 = 1;
    for index in 0..size as u64 {
        product = product.saturating_mul(kinds + index) / (index + 1);
    }
    product
}

/// All multisets of a size, by ascending rank: the largest member is the most significant.
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

/// Undecided states with this number of candidates alive, in order. While all candidates are alive only full rounds can have
/// been played.
pub(super) fn open_states(
    parameters: &PolicyParameters,
    tallies: &OpenTallies,
    alive: usize,
) -> Vec<u64> {
    let mut states = Vec::new();
    let mut members = vec![0u8; alive];
    loop {
        let attempts: u32 = members.iter().map(|member| tallies.attempts(*member)).sum();
        if alive < parameters.candidates || attempts.is_multiple_of(parameters.parallel) {
            states.push(pack(&members));
        }
        // The next ascending sequence: the last member that can be raised, and all behind it.
        let Some(index) = members
            .iter()
            .rposition(|member| *member + 1 < tallies.dead())
        else {
            break;
        };
        let next = members[index] + 1;
        members[index..].fill(next);
    }
    states
}

/// Packs up to eight members, the first in the highest byte, so that packed states have the order of the sequences.
pub(super) fn pack(members: &[u8]) -> u64 {
    members
        .iter()
        .fold(0, |packed, member| packed << 8 | u64::from(*member))
}

/// Members of a packed state.
pub(super) fn unpack(state: u64, alive: usize) -> impl Iterator<Item = u8> {
    (0..alive)
        .rev()
        .map(move |index| (state >> (8 * index)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserting_members_in_any_order_leads_to_the_rank_of_the_multiset() {
        let sets = MultisetIndex::new(5, 3);
        assert_eq!(sets.members.len() as u64, multiset_count(5, 3));
        for (number, set) in sets.members.iter().enumerate() {
            for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
                let rank = order.iter().enumerate().fold(0, |rank, (size, &index)| {
                    sets.insert(size, rank, set[index])
                });
                assert_eq!(rank as usize, number);
            }
        }
    }

    #[test]
    fn packed_states_keep_their_order() {
        assert_eq!(unpack(pack(&[3, 7, 9]), 3).collect::<Vec<_>>(), [3, 7, 9]);
        assert!(pack(&[3, 7, 9]) < pack(&[3, 8, 8]));
    }
}
