//! Small numbers for values that are compared and kept often, in the order in which they were first met.

use std::collections::HashMap;
use std::hash::Hash;

#[derive(Debug)]
pub(super) struct Interner<T> {
    pub(super) ids: HashMap<T, u32>,
    /// By their numbers.
    pub(super) values: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner {
            ids: HashMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(super) fn intern(&mut self, value: T) -> u32 {
        if let Some(&number) = self.ids.get(&value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.ids.insert(value.clone(), number);
        self.values.push(value);
        number
    }
}
