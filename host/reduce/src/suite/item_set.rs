//! Sets of small numbers.

#[derive(Clone, Debug, Default)]
pub(super) struct ItemSet(Vec<u64>);

impl ItemSet {
    pub(super) fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        self.0
            .get(number as usize / 64)
            .is_some_and(|word| word >> (number % 64) & 1 == 1)
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

    /// How many of them `other` does not have.
    pub(super) fn difference_count(&self, other: &ItemSet) -> u32 {
        let word = |place: usize| other.0.get(place).copied().unwrap_or(0);
        self.0
            .iter()
            .enumerate()
            .map(|(place, own)| (own & !word(place)).count_ones())
            .sum()
    }

    /// How many of them neither has.
    pub(super) fn difference_count_of_both(&self, one: &ItemSet, other: &ItemSet) -> u32 {
        let word = |bits: &ItemSet, place: usize| bits.0.get(place).copied().unwrap_or(0);
        self.0
            .iter()
            .enumerate()
            .map(|(place, own)| (own & !word(one, place) & !word(other, place)).count_ones())
            .sum()
    }

    pub(super) fn is_subset(&self, other: &ItemSet) -> bool {
        self.difference_count(other) == 0
    }

    pub(super) fn is_clear(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn ones(&self) -> impl Iterator<Item = u32> {
        (0u32..).zip(&self.0).flat_map(|(place, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| place * 64 + bit)
        })
    }
}

impl FromIterator<u32> for ItemSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> ItemSet {
        let mut bits = ItemSet::default();
        numbers.into_iter().for_each(|number| bits.insert(number));
        bits
    }
}
