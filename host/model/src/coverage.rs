//! Coverage of an app: activities, abstract screens and branches that were reached, and how they grow over time.

use std::collections::BTreeSet;

use retap_shared::Text;
use retap_shared::micros::Micros;
use serde::{Deserialize, Serialize};

/// Everything that has been covered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Activities of the app.
    pub activities: BTreeSet<Text>,
    /// Abstract screens, see [`abstract_screen`](crate::abstract_screen).
    pub screens: BTreeSet<u64>,
    /// Branches of the app's code, by number.
    pub branches: BTreeSet<u32>,
}

/// Coverage that one step reached for the first time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageGain {
    /// Number of events up to this one.
    pub events: u32,
    /// Phone time up to this event.
    pub took: Micros,
    /// New activities.
    pub activities: Vec<Text>,
    /// New abstract screens.
    pub screens: Vec<u64>,
    /// New branches.
    pub branches: Vec<u32>,
}

/// Size of the coverage after a number of events: one point of its curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// Number of events up to this point.
    pub events: u64,
    /// Phone time up to this point.
    pub took: Micros,
    /// Number of activities.
    pub activities: u32,
    /// Number of abstract screens.
    pub screens: u32,
    /// Number of branches.
    pub branches: u32,
}

impl Coverage {
    /// Adds an activity; true if it is new.
    pub fn activity(&mut self, activity: &Text) -> bool {
        // It is rarely new, and looking it up copies nothing.
        !self.activities.contains(activity) && self.activities.insert(activity.clone())
    }

    /// Adds an abstract screen; true if it is new.
    pub fn screen(&mut self, screen: u64) -> bool {
        self.screens.insert(screen)
    }

    /// Adds a branch; true if it is new.
    pub fn branch(&mut self, branch: u32) -> bool {
        self.branches.insert(branch)
    }

    /// Adds a gain; true if any of it is new.
    pub fn gain(&mut self, gain: &CoverageGain) -> bool {
        let before = self.at(0, Micros::ZERO);
        self.activities.extend(gain.activities.iter().cloned());
        self.screens.extend(&gain.screens);
        self.branches.extend(&gain.branches);
        self.at(0, Micros::ZERO) != before
    }

    /// Point of the curve after this number of events and this time.
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
    /// Nothing was covered for the first time.
    pub fn is_empty(&self) -> bool {
        self.activities.is_empty() && self.screens.is_empty() && self.branches.is_empty()
    }
}
