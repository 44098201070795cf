//! Small numbers for values that are compared and kept often, in the order in which they were first met.

use std::collections::HashMap;
use std::hash::Hash;

#[derive(Debug)]
pub(super) struct Numbers<T> {
    pub(super) numbers: HashMap<T, u32>,
    /// By their numbers.
    pub(super) known: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers {
            numbers: HashMap::new(),
            known: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    pub(super) fn of(&mut self, value: T) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.numbers.insert(value.clone(), number);
        self.known.push(value);
        number
    }
}
