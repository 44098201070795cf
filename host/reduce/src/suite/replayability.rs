//! Counts of the paths that a reduction replayed, and of the replays it took to see that a path is not replayable (DetReduce's
//! research question 5).

use std::collections::{BTreeMap, HashSet};

/// Paths that were replayed, and those that turned out not to be replayable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayabilityCount {
    /// Number of paths that were replayed at least once.
    pub paths: u64,
    /// Number of paths that diverged, by the number of the first replay that did, counted from 1.
    pub detected_at: BTreeMap<u32, u64>,
}

/// Count that is still growing.
#[derive(Debug, Default)]
pub(super) struct ReplayabilityCounter {
    replayed: HashSet<u64>,
    diverged: HashSet<u64>,
    detected_at: BTreeMap<u32, u64>,
}

impl ReplayabilityCounter {
    /// Adds an attempt of the path with a key.
    pub(super) fn add(&mut self, key: u64, attempt: u32, diverged: bool) {
        self.replayed.insert(key);
        if diverged && self.diverged.insert(key) {
            *self.detected_at.entry(attempt + 1).or_default() += 1;
        }
    }

    pub(super) fn count(&self) -> ReplayabilityCount {
        ReplayabilityCount {
            paths: self.replayed.len() as u64,
            detected_at: self.detected_at.clone(),
        }
    }
}
