//! Counts of the replays of one trace: how many visited the same states, and with which step the others diverged.

use std::collections::BTreeMap;

/// Replays of one trace. Interrupted replays are made again and are not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayTally {
    /// Number of replays that visited the same states to the end.
    pub followed: u32,
    /// Number of replays that diverged, by the number of the step, counted from 1; 0 is the clean start.
    pub diverged: BTreeMap<u32, u32>,
}

impl ReplayTally {
    /// Adds one replay with the step at which it diverged, if it did.
    pub(super) fn add(&mut self, divergence: Option<u32>) {
        match divergence {
            None => self.followed += 1,
            Some(step) => *self.diverged.entry(step).or_default() += 1,
        }
    }

    /// Number of all replays.
    pub fn runs(&self) -> u32 {
        self.followed + self.diverged.values().sum::<u32>()
    }

    /// True if a replay diverged.
    pub fn is_flaky(&self) -> bool {
        !self.diverged.is_empty()
    }
}
