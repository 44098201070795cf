//! What is known of a finding before a run: by the baseline if one is named, else by the store.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::run::utc_time::UtcTime;

/// An earlier sighting of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFinding {
    /// Other runs of the store met it.
    Store {
        first_seen: UtcTime,
        occurrences: u64,
    },
    /// The baseline lists it.
    Baseline { first_seen_version: u64 },
}

impl KnownFinding {
    /// The time or the version of the first sighting, for people and programs.
    pub fn since(self) -> String {
        match self {
            KnownFinding::Store { first_seen, .. } => first_seen.to_text(),
            KnownFinding::Baseline { first_seen_version } => {
                format!("version {first_seen_version}")
            }
        }
    }
}

/// `2026-04-14 12:30:05 UTC (3 times)`, `version 31 (baseline)`.
impl fmt::Display for KnownFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.since();
        match self {
            KnownFinding::Store { occurrences: 1, .. } => write!(f, "{since} (1 time)"),
            KnownFinding::Store { occurrences, .. } => write!(f, "{since} ({occurrences} times)"),
            KnownFinding::Baseline { .. } => write!(f, "{since} (baseline)"),
        }
    }
}

/// Whether a finding was known before its run, as the run's files and its page say it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    New,
    Known {
        /// The time or the version of the first sighting.
        since: String,
    },
}

impl From<Option<KnownFinding>> for FindingStatus {
    fn from(known: Option<KnownFinding>) -> FindingStatus {
        known.map_or(FindingStatus::New, |known| FindingStatus::Known {
            since: known.since(),
        })
    }
}
