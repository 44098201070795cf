//! Run events: everything that happens in a run, as one stream. Console, JSON lines and reports are made from it.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::finding::FindingKind;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::ClaimStanding;
use retap_shared::verdict::Outcome;
use serde::{Deserialize, Serialize};

/// Receives the events of a run.
pub type EventSink = Arc<dyn Fn(RunEvent) + Send + Sync>;

/// One event of a run.
#[expect(
    missing_docs,
    reason = "the fields are those of the JSON lines in `events.jsonl`"
)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    RunStarted {
        command: String,
        seed: u64,
        devices: Vec<String>,
    },
    /// A part of the run begins; `text` is its heading.
    Heading {
        text: String,
    },
    /// Remark to the reader, such as the summary of a part.
    Note {
        text: String,
    },
    ExplorationStarted {
        app: Text,
        explorer: String,
        events: u64,
        sessions: u32,
        activities_total: u32,
        branches_total: u32,
    },
    SessionStarted {
        session: u32,
        device: String,
        seed: u64,
    },
    Stepped {
        session: u32,
        device: String,
        /// Number of the worker's event, from 1.
        step: u32,
        action: String,
        widget: Option<String>,
        activity: Text,
        /// Why the phone did not take the action, or only the beginning of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<String>,
    },
    /// Coverage of the exploration has grown.
    Covered {
        app: Text,
        events: u64,
        /// Phone time of the worker that covered it, until then.
        took: Micros,
        activities: u32,
        screens: u32,
        branches: u32,
    },
    ProblemFound {
        app: Text,
        session: u32,
        fingerprint: Fingerprint,
        kind: FindingKind,
        summary: String,
        /// Number of steps from the last clean start.
        steps: u32,
        /// True for its first occurrence in this run.
        first: bool,
    },
    SessionEnded {
        session: u32,
        events: u32,
        took: Micros,
        /// True in logs of earlier versions for a session that was recalled from the journal.
        recalled: bool,
    },
    ExplorationEnded {
        app: Text,
        events: u64,
        problems: u32,
        took: Micros,
    },
    ReductionStarted {
        target: String,
        algorithm: String,
        steps: u32,
    },
    /// The original trace, or the result, was replayed to see how often it reproduces.
    Checked {
        what: CheckSubject,
        successes: u32,
        runs: u32,
    },
    Observed {
        steps: u32,
        attempt: u32,
        reached: bool,
        played: u32,
        took: Micros,
        /// Name of the phone; empty in logs of earlier versions.
        #[serde(default)]
        phone: String,
        recalled: bool,
    },
    /// The smallest candidate so far.
    Shrunk {
        steps: u32,
        runs: u64,
    },
    /// Current beliefs of a reduction.
    Believed {
        /// Number of steps that are almost surely needed; then of those that are almost surely not.
        needed: u32,
        not_needed: u32,
        under_way: u32,
        /// Estimated number of runs until the end.
        runs_left: u32,
        /// One digit per step, or per few neighbours of a long trace: 0 is almost surely not needed, 9 almost surely is.
        strip: String,
    },
    /// Number of runs of a reduction that began at a snapshot, and of steps that were saved by that.
    Resumed {
        runs: u64,
        steps: u64,
    },
    /// How often the result of a reduction reproduces, by all runs of it.
    Claimed {
        standing: ClaimStanding,
        successes: u32,
        runs: u32,
        /// Ends of the 95 % interval of the rate.
        low: f64,
        high: f64,
        required: f64,
        phones: u32,
        /// Runs on freshly started phones.
        #[serde(default)]
        fresh_starts: u32,
        /// Phones that never, or hardly ever, reproduced what others did; their runs are not in the tally.
        suspect_phones: Vec<String>,
    },
    ReductionEnded {
        target: String,
        from: u32,
        to: u32,
        runs: u64,
        events: u64,
        took: Micros,
    },
    SuiteStarted {
        app: Text,
        algorithm: String,
        traces: u32,
        transitions: u64,
    },
    /// One run of a suite's reduction.
    SuiteReplayed {
        attempt: u32,
        played: u32,
        took: Micros,
        recalled: bool,
        /// Number of the step with which the replay left its path, counted from 1; 0 is the clean start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diverged_at: Option<u32>,
    },
    /// The suite so far, and its coverage.
    SuiteShrunk {
        phase: String,
        traces: u32,
        transitions: u64,
        covered: u32,
        runs: u64,
    },
    SuiteEnded {
        traces: u32,
        transitions: u64,
        runs: u64,
        events: u64,
        took: Micros,
    },
    Replayed {
        run: u32,
        runs: u32,
        reached: bool,
        verdict: String,
        took: Micros,
    },
    DeviceLost {
        device: String,
        why: String,
    },
    Warning {
        text: String,
    },
    Finished {
        outcome: Outcome,
        problems: u32,
        took: Micros,
    },
}

/// The subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckSubject {
    /// The original trace.
    Original,
    /// The reduced trace.
    Result,
}

/// A sink that drops all events.
pub fn null_sink() -> EventSink {
    Arc::new(|_| {})
}
