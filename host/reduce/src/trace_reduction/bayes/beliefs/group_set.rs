//! A set of groups, as bits: most of a pass is going through such sets.

const WORD: usize = u64::BITS as usize;

/// Equal for equal sets of as many groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupSet {
    words: Vec<u64>,
    /// How many groups there are.
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

    /// Makes two groups of one: both are in it or neither is, and those behind have a number one higher.
    pub(super) fn duplicate(&mut self, group: usize) {
        self.groups += 1;
        if self.words.len() * WORD < self.groups {
            self.words.push(0);
        }
        let first = (group + 1) / WORD;
        let has = self.contains(group);
        let mut carried = u64::from(has);
        for (place, word) in self.words.iter_mut().enumerate().skip(first) {
            let low = if place == first {
                (1 << ((group + 1) % WORD)) - 1
            } else {
                0
            };
            let moved = (*word & !low) << 1
                | (if place == first {
                    carried << ((group + 1) % WORD)
                } else {
                    carried
                });
            carried = *word >> (WORD - 1);
            *word = *word & low | moved;
        }
    }

    /// Ascending, those that are not in `other`.
    pub(super) fn for_each_difference(&self, other: &GroupSet, mut each: impl FnMut(u32)) {
        for (place, word) in self.words.iter().enumerate() {
            let mut left = word & !other.words.get(place).copied().unwrap_or(0);
            while left != 0 {
                each((place * WORD) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Whether each group is in it.
impl FromIterator<bool> for GroupSet {
    fn from_iter<I: IntoIterator<Item = bool>>(are_in: I) -> GroupSet {
        let mut set = GroupSet::default();
        for is_in in are_in {
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
        fn they_do_what_lists_do(list in prop::collection::vec(any::<bool>(), 1..200), place in any::<prop::sample::Index>()) {
            let (mut list, mut set) = (list.clone(), list.into_iter().collect::<GroupSet>());
            let place = place.index(list.len());
            for _ in 0..70 {
                list.insert(place, list[place]);
                set.duplicate(place);
            }
            prop_assert_eq!(&set, &list.iter().copied().collect::<GroupSet>());
            set.remove(place);
            list[place] = false;
            let are_in = (0..).zip(&list).filter(|(_, is_in)| **is_in).map(|(group, _)| group);
            prop_assert_eq!(numbers(&set), are_in.collect::<Vec<u32>>());
            prop_assert_eq!(set.is_empty(), !list.contains(&true));
            prop_assert!(list.iter().enumerate().all(|(group, is_in)| set.contains(group) == *is_in));
        }
    }
}
