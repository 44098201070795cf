//! What came of an exploration: its sessions put together in their order, or the whole that several phones made.

use retap_model::{Coverage, CoveragePoint};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use crate::finding_record::{self, FindingRecord};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorationResult {
    pub outcome: Outcome,
    pub coverage: Coverage,
    /// How coverage grew; sessions count as if they had been played one after the other.
    pub curve: Vec<CoveragePoint>,
    /// Each problem once, as it came first.
    pub findings: Vec<FindingRecord>,
    /// Problems that came only after a state was restored or data was kept, and not again from a clean start.
    pub unconfirmed: Vec<FindingRecord>,
    /// When each problem that counts was first met, in that order.
    pub first_seen: Vec<FindingPoint>,
    pub events: u64,
    /// How many of the events the journal knew.
    pub recalled_events: u64,
    /// The phones' time, of all of them together.
    pub took: Micros,
    /// The time of the phone that worked longest.
    pub longest_worker_time: Micros,
    pub counts: ExplorationCounts,
    /// What each walker did from each clean start on, where traces are kept.
    pub traces: Vec<(u32, Trace)>,
    /// What the explorer learned, by the names of files.
    pub learned_files: Vec<(&'static str, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingPoint {
    pub fingerprint: Fingerprint,
    pub events: u64,
    pub took: Micros,
}

/// How often something other than an event was done, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExplorationCounts {
    /// The first start of each phone included.
    pub clean_starts: u32,
    /// With the data that was there.
    pub restarts: u32,
    pub starting_time: Micros,
    pub snapshots: u32,
    /// Of these: only of the app's data.
    pub app_data_snapshots: u32,
    pub snapshot_time: Micros,
    pub restores: u32,
    pub restore_time: Micros,
    /// Recorded ways that were played again from a clean start to get somewhere, and their events.
    pub replayed_paths: u32,
    pub replayed_events: u64,
}

impl ExplorationResult {
    pub(super) fn empty(outcome: Outcome) -> ExplorationResult {
        ExplorationResult {
            outcome,
            coverage: Coverage::default(),
            curve: Vec::new(),
            findings: Vec::new(),
            unconfirmed: Vec::new(),
            first_seen: Vec::new(),
            events: 0,
            recalled_events: 0,
            took: Micros::ZERO,
            longest_worker_time: Micros::ZERO,
            counts: ExplorationCounts::default(),
            traces: Vec::new(),
            learned_files: Vec::new(),
        }
    }

    /// Ends the curve.
    pub(super) fn finish_curve(&mut self) {
        let end = self.coverage.at(self.events, self.longest_worker_time);
        if self.curve.last() != Some(&end) {
            self.curve.push(end);
        }
    }

    /// Adds a finding that came from a clean start.
    pub(super) fn add_finding(&mut self, found: FindingRecord, first_seen: FindingPoint) {
        let is_known = self
            .first_seen
            .iter()
            .any(|point| point.fingerprint == found.fingerprint);
        if !is_known {
            self.first_seen.push(first_seen);
        }
        finding_record::merge_finding(&mut self.findings, found);
    }
}
