//! Suite reduction: fewer and shorter traces with the same coverage (activities, abstract screens, branches and findings). An
//! algorithm (`detreduce`, `auto`) demands replays, `ReplayDispatcher` makes them, `ReplayTree` keeps what they have shown.

mod auto;
mod coverage_item;
mod detreduce;
mod error;
mod interner;
mod item_set;
mod journaled_replayer;
mod learn;
mod loop_cut_search;
mod plan;
mod pooled_replayer;
mod reduction;
mod replay_demand;
mod replay_dispatcher;
mod replay_path;
mod replay_tree;
mod replayer;
mod scripted_steps;
mod speculative_replays;
mod symbol_table;

pub use error::SuiteError;
use error::SuiteStop;
pub use journaled_replayer::{JournaledReplayer, ReplayJournal};
pub use learn::{SuiteLearning, learn};
use plan::SuitePlan;
pub use pooled_replayer::PooledReplayer;
pub use reduction::{
    SuiteCost, SuiteCoverage, SuiteMeasure, SuitePhase, SuitePhaseReport, SuiteReduction,
    SuiteTrace, TraceDisposition, TraceFragment,
};
use replay_dispatcher::ReplayDispatcher;
pub use replayer::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, StepSource,
    SuiteStepOrigin,
};
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};

/// Settings of a suite reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteSettings {
    /// Algorithm that reduces the suite.
    pub algorithm: SuiteReductionAlgorithm,
    /// Number of replays that must visit the same states for a path to be proven.
    pub replays: u32,
    /// DetReduce: maximum number of fragments of a spliced trace.
    pub fragments: u32,
    /// Retap's own algorithm: replace steps by simpler ones where the coverage stays.
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

/// Reduces a suite. All coverage of the original suite that can be replayed is covered by the result, and the coverage of each
/// reduced trace was observed in all of its `replays` replays. There are no random choices, and the journal is the replayer's.
pub async fn reduce_suite(
    originals: &[Trace],
    settings: &SuiteSettings,
    replayer: &dyn Replayer,
    events: &EventSink,
    cancellation: &CancellationToken,
) -> Result<SuiteReduction, SuiteError> {
    settings.validate()?;
    events(started_event(originals, settings)?);
    let mut dispatcher = ReplayDispatcher::new(originals, settings, replayer, events, cancellation);
    let mut plan = SuitePlan::default();
    let ended = match settings.algorithm {
        SuiteReductionAlgorithm::DetReduce => {
            detreduce::detreduce(&mut dispatcher, &mut plan).await
        }
        SuiteReductionAlgorithm::Auto => {
            Box::pin(auto::auto_reduction(&mut dispatcher, &mut plan)).await
        }
    };
    let outcome = match ended {
        Ok(()) if plan.covers_nothing(&dispatcher) => Outcome::DoesNotReproduce,
        Ok(()) => Outcome::Done,
        Err(SuiteStop::Cancelled) => Outcome::Interrupted,
        Err(SuiteStop::Failed(error)) => return Err(error),
    };
    let reduction = plan.into_reduction(&dispatcher, outcome);
    events(RunEvent::SuiteEnded {
        traces: reduction.after.traces,
        transitions: reduction.after.transitions,
        runs: reduction.cost.runs,
        events: reduction.cost.events,
        took: reduction.cost.took,
    });
    Ok(reduction)
}

fn started_event(originals: &[Trace], settings: &SuiteSettings) -> Result<RunEvent, SuiteError> {
    let first = originals.first().ok_or(SuiteError::Empty)?;
    Ok(RunEvent::SuiteStarted {
        app: first.header.app.package.clone(),
        algorithm: settings.algorithm.to_string(),
        traces: u32::try_from(originals.len()).unwrap_or(u32::MAX),
        transitions: originals.iter().map(|trace| trace.steps.len() as u64).sum(),
    })
}

impl SuiteSettings {
    /// Rejects settings with which no trace could be proven or spliced.
    pub fn validate(&self) -> Result<(), SuiteError> {
        match (self.replays, self.fragments) {
            (0, _) => Err(SuiteError::NoReplays),
            (_, 0) => Err(SuiteError::NoFragments),
            _ => Ok(()),
        }
    }
}

impl Default for SuiteSettings {
    /// DetReduce's numbers of replays and fragments.
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
