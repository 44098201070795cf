//! What has been covered of an app, and when.

use std::collections::BTreeSet;

use retap_shared::Text;
use retap_shared::micros::Micros;
use serde::{Deserialize, Serialize};

/// The app's activities, abstract screens and branches that have been seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub activities: BTreeSet<Text>,
    pub screens: BTreeSet<u64>,
    pub branches: BTreeSet<u32>,
}

/// What one moment of a session covered that the session had not covered before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageGain {
    /// Events and time since the session began.
    pub events: u32,
    pub took: Micros,
    pub activities: Vec<Text>,
    pub screens: Vec<u64>,
    pub branches: Vec<u32>,
}

/// How much had been covered after so many events and so much time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    pub events: u64,
    pub took: Micros,
    pub activities: u32,
    pub screens: u32,
    pub branches: u32,
}

impl Coverage {
    /// True if it is new.
    pub fn activity(&mut self, activity: &Text) -> bool {
        // Nearly always it is not, and asking costs no copy.
        !self.activities.contains(activity) && self.activities.insert(activity.clone())
    }

    pub fn screen(&mut self, screen: u64) -> bool {
        self.screens.insert(screen)
    }

    pub fn branch(&mut self, branch: u32) -> bool {
        self.branches.insert(branch)
    }

    /// True if any of it is new.
    pub fn gain(&mut self, gain: &CoverageGain) -> bool {
        let before = self.at(0, Micros::ZERO);
        self.activities.extend(gain.activities.iter().cloned());
        self.screens.extend(&gain.screens);
        self.branches.extend(&gain.branches);
        self.at(0, Micros::ZERO) != before
    }

    /// The point of the curve that this is after so many events and so much time.
    pub fn at(&self, events: u64, took: Micros) -> CoveragePoint {
        let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        CoveragePoint {
            events,
            took,
            activities: count(self.activities.len()),
            screens: count(self.screens.len()),
            branches: count(self.branches.len()),
        }
    }
}

impl CoverageGain {
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty() && self.screens.is_empty() && self.branches.is_empty()
    }
}
