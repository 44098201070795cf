//! A finding of an exploration, with the trace that leads to it.

use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::protocol::ReadLogReply;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::Trace;

/// A finding of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRecord {
    /// The finding as it was reported first.
    pub finding: Finding,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Trace from a clean start to its first occurrence.
    pub trace: Trace,
    /// Number of occurrences.
    pub occurrences: u32,
    /// Circumstances of its first occurrence.
    pub context: FindingContext,
}

/// Circumstances of a finding's first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingContext {
    /// Screen before the step that led to it.
    pub screen: Option<SharedScreen>,
    /// Screenshot after that step, if screenshots are wanted and the phone can take them.
    pub screenshot: Option<Png>,
    /// Last lines of the log of steps and reports.
    pub log: Vec<String>,
    /// The app's own log since its launch, and the system's report.
    pub app_log: ReadLogReply,
}

/// Adds a finding to those found before. Each is kept as it was found first, and counted.
pub(super) fn merge_finding(findings: &mut Vec<FindingRecord>, finding: FindingRecord) {
    match findings
        .iter_mut()
        .find(|known| known.fingerprint == finding.fingerprint)
    {
        Some(known) => known.occurrences += finding.occurrences,
        None => findings.push(finding),
    }
}
