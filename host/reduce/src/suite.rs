//! Cutting a whole suite of traces down to few and short ones that cover the same: activities, abstract screens,
//! branches and crashes. What a run shows is the replayer's business; this decides what to play.

mod coverage_walker;
mod detreduce;
mod interner;
mod item_set;
mod learn;
mod loop_cut_search;
mod plan;
mod pooled_replayer;
mod reducer;
mod replay_tree;
mod replayer;
mod simplify;
mod speculative;
mod splice;
mod symbol_table;
mod transition_graph;
mod trim;
mod walk_reducer;

use std::collections::BTreeSet;

pub use learn::{SuiteLearning, learn};
use plan::SuitePlan;
pub use plan::{SuitePhase, SuitePhaseReport, SuiteTrace, TraceDisposition, TraceFragment};
pub use pooled_replayer::PooledReplayer;
use reducer::{SuiteReducer, SuiteStop};
pub use replayer::{
    JournaledReplayer, ReplayJournal, ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep,
    Replayer, StepSource, SuiteStepOrigin,
};
use retap_device::run_event::{EventSink, RunEvent};
use retap_device::{CancellationToken, JournalError, PoolError};
use retap_model::Coverage;
use retap_model::ape::AbstractionError;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::RequestFailure;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteSettings {
    pub algorithm: SuiteReductionAlgorithm,
    /// So many runs that visit the same states prove a way.
    pub replays: u32,
    /// DetReduce: of how many fragments a spliced trace is made at most.
    pub fragments: u32,
    /// Retap's own: what is left is made simpler where it covers the same.
    pub simplify: bool,
}

/// An algorithm that reduces a suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuiteReductionAlgorithm {
    /// Retap's own: every trace is replayed once, new paths through the observed states cover the same, and only these are
    /// replayed as often as a proof needs.
    #[default]
    Auto,
    /// DetReduce: replayable prefixes, redundant traces, loops, bounded splicing.
    DetReduce,
}

/// A suite in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteMeasure {
    pub traces: u32,
    pub transitions: u64,
    /// How long it takes to play it once on one phone, clean starts included.
    pub took: Micros,
    pub covered: SuiteCoverage,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteCoverage {
    pub app: Coverage,
    pub findings: BTreeSet<Fingerprint>,
}

/// What the work has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuiteCost {
    pub runs: u64,
    pub events: u64,
    /// The phones' time, of all runs together.
    pub took: Micros,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SuiteReduction {
    pub outcome: Outcome,
    /// The suite that was read; its coverage is what can be replayed of it, which is what must stay.
    pub before: SuiteMeasure,
    pub after: SuiteMeasure,
    /// What was left after each phase.
    pub phases: Vec<SuitePhaseReport>,
    pub traces: Vec<SuiteTrace>,
    /// What became of each trace that was read.
    pub dispositions: Vec<TraceDisposition>,
    /// How many steps of the result are simpler than they were recorded.
    pub simplified: u32,
    /// What was seen at least once and cannot be replayed by any trace.
    pub not_replayable: u32,
    /// Of so many runs of the result so many went its way.
    pub replays: (u32, u32),
    pub cost: SuiteCost,
}

#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error("a suite of no traces covers nothing")]
    Empty,
    #[error("a way that is never replayed is never proven; ask for one replay or more")]
    NoReplays,
    #[error("a trace is made of one fragment or more")]
    NoFragments,
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{device}` cannot start `{app}`")]
    Refused {
        device: String,
        app: String,
        #[source]
        fault: RequestFailure,
    },
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the rules for screens are none")]
    Abstraction(#[from] AbstractionError),
}

/// Reduces a suite. What every trace of the result covers was seen in as many runs as `replays` says, and all that the
/// suite covers when it is replayed is covered by the result.
pub async fn reduce_suite(
    originals: &[Trace],
    settings: &SuiteSettings,
    replayer: &dyn Replayer,
    sink: &EventSink,
    stop: &CancellationToken,
) -> Result<SuiteReduction, SuiteError> {
    settings.validate()?;
    let app = originals
        .first()
        .ok_or(SuiteError::Empty)?
        .header
        .app
        .package
        .clone();
    let transitions = originals.iter().map(|trace| trace.steps.len() as u64).sum();
    let traces = u32::try_from(originals.len()).unwrap_or(u32::MAX);
    sink(RunEvent::SuiteStarted {
        app,
        algorithm: settings.algorithm.to_string(),
        traces,
        transitions,
    });

    let mut work = SuiteReducer::new(originals, settings, replayer, sink, stop);
    let mut plan = SuitePlan::default();
    let halted = match settings.algorithm {
        SuiteReductionAlgorithm::DetReduce => detreduce::detreduce(&mut work, &mut plan).await,
        SuiteReductionAlgorithm::Auto => {
            Box::pin(walk_reducer::walk_reduction(&mut work, &mut plan)).await
        }
    };
    let outcome = match halted {
        Ok(()) if plan.covers_nothing(&work) => Outcome::DoesNotReproduce,
        Ok(()) => Outcome::Done,
        Err(SuiteStop::Stopped) => Outcome::Interrupted,
        Err(SuiteStop::Failed(error)) => return Err(error),
    };
    let reduction = plan.into_reduction(&work, outcome);
    let SuiteMeasure {
        traces,
        transitions,
        ..
    } = reduction.after;
    let SuiteCost { runs, events, took } = reduction.cost;
    sink(RunEvent::SuiteEnded {
        traces,
        transitions,
        runs,
        events,
        took,
    });
    Ok(reduction)
}

impl SuiteSettings {
    pub fn validate(&self) -> Result<(), SuiteError> {
        match (self.replays, self.fragments) {
            (0, _) => Err(SuiteError::NoReplays),
            (_, 0) => Err(SuiteError::NoFragments),
            _ => Ok(()),
        }
    }
}

impl Default for SuiteSettings {
    /// The paper's.
    fn default() -> SuiteSettings {
        SuiteSettings {
            algorithm: SuiteReductionAlgorithm::Auto,
            replays: 10,
            fragments: 3,
            simplify: true,
        }
    }
}

impl NamedChoice for SuiteReductionAlgorithm {
    const KIND: &'static str = "algorithm";
    const ALL: &'static [SuiteReductionAlgorithm] = &[
        SuiteReductionAlgorithm::Auto,
        SuiteReductionAlgorithm::DetReduce,
    ];

    fn name(self) -> &'static str {
        match self {
            SuiteReductionAlgorithm::Auto => "auto",
            SuiteReductionAlgorithm::DetReduce => "detreduce",
        }
    }

    fn description(self) -> &'static str {
        match self {
            SuiteReductionAlgorithm::Auto => {
                "Retap's own: one replay of every trace, new paths with the same coverage, and a proof of the result only"
            }
            SuiteReductionAlgorithm::DetReduce => {
                "As published: replayable prefixes, redundant traces, loops, bounded splicing"
            }
        }
    }
}

named_choice_text!(SuiteReductionAlgorithm);

impl SuiteCoverage {
    /// How much of everything.
    pub fn len(&self) -> usize {
        self.app.activities.len()
            + self.app.screens.len()
            + self.app.branches.len()
            + self.findings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn contains(&self, other: &SuiteCoverage) -> bool {
        other.app.activities.is_subset(&self.app.activities)
            && other.app.screens.is_subset(&self.app.screens)
            && other.app.branches.is_subset(&self.app.branches)
            && other.findings.is_subset(&self.findings)
    }
}
