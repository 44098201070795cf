//! Results of a suite reduction: the reduced suite, its measures, its origin and its cost.

use std::collections::BTreeSet;
use std::ops::Range;

use retap_model::Coverage;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use super::replay_tally::ReplayTally;
use super::replayability::ReplayabilityCount;
use super::replayer::ReplayRecord;

/// Result of a suite reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteReduction {
    /// Outcome of the reduction.
    pub outcome: Outcome,
    /// The original suite. Its coverage is what can be replayed of it, which the result must cover.
    pub before: SuiteMeasure,
    /// The reduced suite.
    pub after: SuiteMeasure,
    /// The suite after each phase, in order.
    pub phases: Vec<SuitePhaseReport>,
    /// The reduced traces.
    pub traces: Vec<SuiteTrace>,
    /// Use of each original trace, in the order of the suite.
    pub dispositions: Vec<TraceDisposition>,
    /// Number of steps of the result that are simpler than recorded.
    pub simplified: u32,
    /// Number of coverage items that were observed at least once but that no trace can replay.
    pub not_replayable: u32,
    /// Check of the result: its traces, played fresh.
    pub check: SuiteCheck,
    /// Paths that the search replayed, and how soon those that diverge were seen to.
    pub replayability: ReplayabilityCount,
    /// Cost of the reduction, check included.
    pub cost: SuiteCost,
}

/// Check of a reduced suite. The tally of each trace is with the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteCheck {
    /// Number of replays of all traces that visited the same states.
    pub followed: u32,
    /// Number of replays of all traces.
    pub runs: u32,
    /// Coverage of the result that no trace had in all of its replays.
    pub unconfirmed: SuiteCoverage,
    /// Cost of the check.
    pub cost: SuiteCost,
}

impl SuiteReduction {
    /// Coverage of the original suite that the result does not have.
    pub fn lost(&self) -> SuiteCoverage {
        self.before.covered.without(&self.after.covered)
    }

    /// Number of traces that were cut greedily because a search gave up, over all phases.
    pub fn greedy(&self) -> u32 {
        self.phases.iter().map(|report| report.greedy).sum()
    }
}

/// Measures of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteMeasure {
    /// Number of traces.
    pub traces: u32,
    /// Number of transitions of all traces.
    pub transitions: u64,
    /// Phone time of one replay of the suite on one phone, clean starts included.
    pub took: Micros,
    /// Coverage of the suite.
    pub covered: SuiteCoverage,
}

/// Coverage of a suite: activities, screens, branches and findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteCoverage {
    /// Activities, abstract screens and branches.
    pub app: Coverage,
    /// Failures of the app.
    pub findings: BTreeSet<Fingerprint>,
}

/// Cost of a suite reduction so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCost {
    /// Number of replays.
    pub runs: u64,
    /// Number of these that left the path they were to follow.
    pub diverged: u64,
    /// Number of events of all replays.
    pub events: u64,
    /// Phone time of all replays.
    pub took: Micros,
}

/// Phase of a suite reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuitePhase {
    /// DetReduce: the longest replayable prefix of each trace.
    Prefixes,
    /// DetReduce: redundant traces are dropped.
    Traces,
    /// Redundant loops are cut.
    Loops,
    /// DetReduce: fragments are spliced.
    Splices,
    /// Retap's own algorithm: each trace was replayed once.
    Seen,
    /// Retap's own algorithm: guided replays cover the suite again.
    GuidedReplays,
    /// Retap's own algorithm: steps are replaced by simpler ones.
    Simpler,
    /// Every trace has been replayed as often as required.
    Proven,
    /// Every trace of the result was played fresh.
    Checked,
}

/// The suite at the end of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuitePhaseReport {
    /// The phase that ended.
    pub phase: SuitePhase,
    /// Number of traces.
    pub traces: u32,
    /// Number of transitions of all traces.
    pub transitions: u64,
    /// Number of traces for which the search gave up, so that they were cut greedily.
    pub greedy: u32,
    /// Cost of the reduction up to the end of the phase.
    pub cost: SuiteCost,
}

/// Trace of the reduced suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteTrace {
    /// The trace itself.
    pub trace: Trace,
    /// The fragments it was spliced from.
    pub fragments: Vec<TraceFragment>,
    /// Indices of the steps that are simpler than recorded.
    pub simplified: Vec<u32>,
    /// Mean phone time of one replay.
    pub took: Micros,
    /// Replays of the check.
    pub check: ReplayTally,
    /// Number of coverage items that no other trace of the result covers.
    pub unique_coverage: u32,
}

/// Consecutive steps of an original trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFragment {
    /// Index of the original trace.
    pub trace: u32,
    /// Indices of its steps.
    pub steps: Range<u32>,
}

/// Use of an original trace in the reduced suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceDisposition {
    /// Number of its steps.
    pub steps: u32,
    /// Length of its replayable prefix.
    pub replayable: u32,
    /// Reduced traces that contain steps of it, and the number of these steps.
    pub in_result: Vec<(u32, u32)>,
}

impl SuiteCoverage {
    /// Number of covered items.
    pub fn len(&self) -> usize {
        self.app.activities.len()
            + self.app.screens.len()
            + self.app.branches.len()
            + self.findings.len()
    }

    /// True if nothing is covered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if everything that `other` covers is covered.
    pub fn contains(&self, other: &SuiteCoverage) -> bool {
        other.app.activities.is_subset(&self.app.activities)
            && other.app.screens.is_subset(&self.app.screens)
            && other.app.branches.is_subset(&self.app.branches)
            && other.findings.is_subset(&self.findings)
    }

    /// Everything that is covered here and not by `other`.
    pub fn without(&self, other: &SuiteCoverage) -> SuiteCoverage {
        let own = &self.app;
        let others = &other.app;
        SuiteCoverage {
            app: Coverage {
                activities: own
                    .activities
                    .difference(&others.activities)
                    .cloned()
                    .collect(),
                screens: own.screens.difference(&others.screens).copied().collect(),
                branches: own.branches.difference(&others.branches).copied().collect(),
            },
            findings: self.findings.difference(&other.findings).copied().collect(),
        }
    }
}

impl SuiteCost {
    /// Adds one replay, and whether it diverged.
    pub(super) fn add(&mut self, record: &ReplayRecord, diverged: bool) {
        self.runs += 1;
        self.diverged += u64::from(diverged);
        self.events += record.hops.len() as u64;
        self.took += record.took();
    }

    /// The cost without a part of it.
    pub fn without(&self, part: &SuiteCost) -> SuiteCost {
        SuiteCost {
            runs: self.runs - part.runs,
            diverged: self.diverged - part.diverged,
            events: self.events - part.events,
            took: Micros(self.took.0 - part.took.0),
        }
    }

    /// Sum of two costs.
    pub(super) fn plus(self, other: &SuiteCost) -> SuiteCost {
        SuiteCost {
            runs: self.runs + other.runs,
            diverged: self.diverged + other.diverged,
            events: self.events + other.events,
            took: self.took + other.took,
        }
    }
}

impl SuitePhase {
    /// Name of the phase in run events and reports.
    pub fn name(self) -> &'static str {
        match self {
            SuitePhase::Prefixes => "replayable beginnings",
            SuitePhase::Traces => "traces that add something",
            SuitePhase::Loops => "loops cut",
            SuitePhase::Splices => "fragments spliced",
            SuitePhase::Seen => "traces played once",
            SuitePhase::GuidedReplays => "guided replays",
            SuitePhase::Simpler => "steps made simpler",
            SuitePhase::Proven => "proven",
            SuitePhase::Checked => "checked",
        }
    }
}
