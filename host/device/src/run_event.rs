//! Everything that happens in a run, as one stream. Console, JSON lines and reports are consumers of it.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::finding::FindingKind;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;
use serde::{Deserialize, Serialize};

/// Where a run's events go.
pub type EventSink = Arc<dyn Fn(RunEvent) + Send + Sync>;

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
        /// Counted over the whole session.
        step: u32,
        action: String,
        widget: Option<String>,
        activity: Text,
    },
    /// Coverage of the whole exploration has grown.
    Covered {
        app: Text,
        events: u64,
        /// The phone's time until then. Sessions count as if they had been played one after the other; of phones that
        /// work on one whole it is the time of the one that met it.
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
        /// How many steps from the last clean start led to it.
        steps: u32,
        /// Nobody has seen it in this run before.
        first: bool,
    },
    SessionEnded {
        session: u32,
        events: u32,
        took: Micros,
        /// It was not played now but recalled from the journal of an earlier process.
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
    /// Whether the whole trace, or the result, does it again.
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
        recalled: bool,
    },
    /// The smallest candidate so far.
    Shrunk {
        steps: u32,
        runs: u64,
    },
    /// What a reduction by beliefs holds of the steps at this moment.
    Believed {
        /// How many steps are surely needed, and how many surely not.
        needed: u32,
        not_needed: u32,
        under_way: u32,
        /// How many more runs it will take, by how fast it has learned so far.
        runs_left: u32,
        /// One digit for each step, or for each few neighbours of a long trace: 0 is surely not needed, 9 surely is.
        strip: String,
    },
    /// Of the runs of a reduction so many went on from a saved state, and so many steps were not played again for it.
    Resumed {
        runs: u64,
        steps: u64,
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
    },
    /// What is left of a suite so far, and how much that covers.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckSubject {
    Original,
    Result,
}

/// A sink for those who do not listen.
pub fn null_sink() -> EventSink {
    Arc::new(|_| {})
}
