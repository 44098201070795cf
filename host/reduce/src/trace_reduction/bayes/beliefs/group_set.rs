//! A set of groups as bits: propagation spends most of its time iterating over such sets. `fixedbitset` has no counterpart to
//! `duplicate`, which runs once per factor and split group, and whose word shifts are most of this file.

const WORD: usize = u64::BITS as usize;

/// Set of groups. Two sets are equal if they contain the same groups and count the same number of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupSet {
    words: Vec<u64>,
    /// Number of groups, inside and outside the set.
    groups: usize,
}

impl GroupSet {
    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(super) fn contains(&self, group: usize) -> bool {
        self.words
            .get(group / WORD)
            .is_some_and(|word| word >> (group % WORD) & 1 == 1)
    }

    pub(super) fn remove(&mut self, group: usize) {
        if let Some(word) = self.words.get_mut(group / WORD) {
            *word &= !(1 << (group % WORD));
        }
    }

    /// Splits a group in two. Both parts are in the set if the group was; the groups behind it move up by one.
    pub(super) fn duplicate(&mut self, group: usize) {
        self.groups += 1;
        if self.words.len() * WORD < self.groups {
            self.words.push(0);
        }
        let first = (group + 1) / WORD;
        let mut carried = u64::from(self.contains(group));
        for (index, word) in self.words.iter_mut().enumerate().skip(first) {
            let low = if index == first {
                (1 << ((group + 1) % WORD)) - 1
            } else {
                0
            };
            let moved = (*word & !low) << 1
                | (if index == first {
                    carried << ((group + 1) % WORD)
                } else {
                    carried
                });
            carried = *word >> (WORD - 1);
            *word = *word & low | moved;
        }
    }

    /// Calls `each` for the groups that are not in `other`, ascending.
    pub(super) fn for_each_difference(&self, other: &GroupSet, mut each: impl FnMut(u32)) {
        for (index, word) in self.words.iter().enumerate() {
            let mut left = word & !other.words.get(index).copied().unwrap_or(0);
            while left != 0 {
                each((index * WORD) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// One item per group: true if it is in the set.
impl FromIterator<bool> for GroupSet {
    fn from_iter<I: IntoIterator<Item = bool>>(membership: I) -> GroupSet {
        let mut set = GroupSet::default();
        for is_in in membership {
            if set.groups.is_multiple_of(WORD) {
                set.words.push(0);
            }
            if let Some(last) = set.words.last_mut() {
                *last |= u64::from(is_in) << (set.groups % WORD);
            }
            set.groups += 1;
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(set: &GroupSet) -> Vec<u32> {
        let mut numbers = Vec::new();
        set.for_each_difference(&GroupSet::default(), |group| numbers.push(group));
        numbers
    }

    proptest! {
        #[test]
        fn sets_behave_like_lists_of_flags(list in prop::collection::vec(any::<bool>(), 1..200), index in any::<prop::sample::Index>()) {
            let mut list = list;
            let mut set = list.iter().copied().collect::<GroupSet>();
            let group = index.index(list.len());
            for _ in 0..70 {
                list.insert(group, list[group]);
                set.duplicate(group);
            }
            prop_assert_eq!(&set, &list.iter().copied().collect::<GroupSet>());
            set.remove(group);
            list[group] = false;
            let members = (0..).zip(&list).filter(|(_, is_in)| **is_in).map(|(group, _)| group);
            prop_assert_eq!(numbers(&set), members.collect::<Vec<u32>>());
            prop_assert_eq!(set.is_empty(), !list.contains(&true));
            prop_assert!(list.iter().enumerate().all(|(group, is_in)| set.contains(group) == *is_in));
        }
    }
}
