//! Small numbers (ids) for values that are compared and stored often, in the order in which they were first interned.

use std::collections::HashMap;
use std::hash::Hash;

/// Values with ids.
#[derive(Clone, Debug)]
pub(super) struct Interner<T> {
    ids: HashMap<T, u32>,
    /// Values by id.
    values: Vec<T>,
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
    /// Id of a value, which is a new one for a new value.
    pub(super) fn intern(&mut self, value: T) -> u32 {
        if let Some(id) = self.id(&value) {
            return id;
        }
        let id = self.len();
        self.ids.insert(value.clone(), id);
        self.values.push(value);
        id
    }

    /// Id of a value, if it was interned.
    pub(super) fn id(&self, value: &T) -> Option<u32> {
        self.ids.get(value).copied()
    }

    pub(super) fn value(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }
}
