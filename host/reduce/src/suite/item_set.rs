//! Sets of coverage items, by id. Not `fixedbitset`: its `difference_count` (0.5.7) does not count what lies beyond the end of
//! a shorter set, and sets differ in length here, since ids are given while replays are recorded.

/// Set of coverage items.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemSet(Vec<u64>);

impl ItemSet {
    pub(super) fn insert(&mut self, item: u32) {
        let index = item as usize / 64;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] |= 1 << (item % 64);
    }

    pub(super) fn contains(&self, item: u32) -> bool {
        self.word(item as usize / 64) >> (item % 64) & 1 == 1
    }

    pub(super) fn union_with(&mut self, other: &ItemSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(own, other)| *own |= other);
    }

    pub(super) fn intersect_with(&mut self, other: &ItemSet) {
        self.0.truncate(other.0.len());
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(own, other)| *own &= other);
    }

    pub(super) fn difference_with(&mut self, other: &ItemSet) {
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(own, other)| *own &= !other);
    }

    /// Number of items that `other` does not contain.
    pub(super) fn difference_count(&self, other: &ItemSet) -> u32 {
        self.0
            .iter()
            .enumerate()
            .map(|(index, own)| (own & !other.word(index)).count_ones())
            .sum()
    }

    /// Number of items that neither of two other sets contains.
    pub(super) fn difference_count_of_both(&self, first: &ItemSet, second: &ItemSet) -> u32 {
        self.0
            .iter()
            .enumerate()
            .map(|(index, own)| (own & !first.word(index) & !second.word(index)).count_ones())
            .sum()
    }

    pub(super) fn is_subset(&self, other: &ItemSet) -> bool {
        self.difference_count(other) == 0
    }

    /// True if the set has no items.
    pub(super) fn is_clear(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Number of items.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Items in ascending order.
    pub(super) fn ones(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.0).flat_map(|(index, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| index * 64 + bit)
        })
    }

    fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }
}

impl FromIterator<u32> for ItemSet {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> ItemSet {
        let mut set = ItemSet::default();
        items.into_iter().for_each(|item| set.insert(item));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_lengths_are_compared_as_a_whole() {
        let short: ItemSet = [1, 3].into_iter().collect();
        let long: ItemSet = [1, 70, 130].into_iter().collect();
        assert_eq!(long.difference_count(&short), 2);
        assert_eq!(short.difference_count(&long), 1);
        assert_eq!(long.difference_count_of_both(&short, &short), 2);
        assert!(!long.is_subset(&short));
        assert_eq!(long.ones().collect::<Vec<u32>>(), [1, 70, 130]);
        assert_eq!(long.count(), 3);
    }
}
