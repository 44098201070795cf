//! The result of an exploration: coverage, findings, counts and traces of all workers together.

use retap_model::{Coverage, CoveragePoint};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use crate::finding_record::{self, FindingRecord};

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplorationResult {
    /// `Done`, or `Interrupted` if the run was cancelled.
    pub outcome: Outcome,
    /// Everything that was covered.
    pub coverage: Coverage,
    /// Growth of the coverage, by events and by the phone time of the worker that covered it.
    pub curve: Vec<CoveragePoint>,
    /// Findings that came from a clean start, each once, as it was found first.
    pub findings: Vec<FindingRecord>,
    /// Findings that came only after a restore or with kept data, and did not reproduce from a clean start.
    pub unconfirmed: Vec<FindingRecord>,
    /// First occurrence of each finding, in the order of time.
    pub first_seen: Vec<FindingPoint>,
    /// Number of events.
    pub events: u64,
    /// Number of events that were recalled from the journal.
    pub recalled_events: u64,
    /// Phone time of all workers together.
    pub took: Micros,
    /// Phone time of the worker that took longest.
    pub longest_worker_time: Micros,
    /// Counts of starts, travels and refused events.
    pub counts: ExplorationCounts,
    /// Trace from each clean start, with the number of its worker, if traces are kept.
    pub traces: Vec<(u32, Trace)>,
    /// Files about what the strategy has learned: names and contents.
    pub learned_files: Vec<(&'static str, String)>,
}

/// The moment when a finding was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingPoint {
    /// The finding.
    pub fingerprint: Fingerprint,
    /// Number of events of the run until then.
    pub events: u64,
    /// Phone time of its worker until then.
    pub took: Micros,
}

/// Counts of starts, travels and refused events, and the phone time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExplorationCounts {
    /// Number of events that the phone did not take.
    pub refused_events: u64,
    /// Number of clean starts, with the first one of each worker.
    pub clean_starts: u32,
    /// Number of restarts with the app's data.
    pub restarts: u32,
    /// Time of all starts.
    pub starting_time: Micros,
    /// Number of snapshots.
    pub snapshots: u32,
    /// Number of app-data snapshots among them.
    pub app_data_snapshots: u32,
    /// Time of all snapshots.
    pub snapshot_time: Micros,
    /// Number of restores.
    pub restores: u32,
    /// Time of all restores.
    pub restore_time: Micros,
    /// Number of step paths that were replayed from a clean start in order to travel.
    pub replayed_paths: u32,
    /// Number of their events.
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

    /// Adds the last point of the curve.
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
