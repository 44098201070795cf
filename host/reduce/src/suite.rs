//! Suite reduction: fewer and shorter traces with the same coverage (activities, abstract screens, branches and findings). An
//! algorithm (`detreduce`, `auto`) demands replays, `ReplayDispatcher` makes them, `ReplayTree` keeps what they have shown.

mod auto;
mod coverage_item;
mod detreduce;
mod error;
mod final_check;
mod interner;
mod item_set;
mod journaled_replayer;
mod learn;
mod loop_cut_search;
mod loop_cuts;
mod plan;
mod pooled_replayer;
mod reduction;
mod replay_budget;
mod replay_demand;
mod replay_dispatcher;
mod replay_path;
mod replay_tally;
mod replay_tree;
mod replayability;
mod replayer;
mod scripted_steps;
mod speculative_replays;
mod symbol_table;

pub use detreduce::splice_survey::{SpliceSurvey, SpliceSurveySettings};
pub use error::SuiteError;
use error::SuiteStop;
use final_check::FinalCheck;
pub use journaled_replayer::{JournaledReplayer, ReplayJournal};
pub use learn::{SuiteLearning, learn};
use plan::SuitePlan;
pub use pooled_replayer::PooledReplayer;
pub use reduction::{
    SuiteCheck, SuiteCost, SuiteCoverage, SuiteMeasure, SuitePhase, SuitePhaseReport,
    SuiteReduction, SuiteTrace, TraceDisposition, TraceFragment,
};
use replay_dispatcher::ReplayDispatcher;
pub use replay_tally::ReplayTally;
pub use replayability::ReplayabilityCount;
pub use replayer::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, StepSource,
    SuiteStepOrigin,
};
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_shared::micros::Micros;
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
    /// DetReduce: how far the search for one trace goes before greedy cuts take over.
    pub search_limits: SearchLimits,
    /// Maximum number of replays, those of the check included.
    pub max_runs: Option<u64>,
    /// Maximum phone time of each phone. A replay that is under way then is finished.
    pub max_phone_time: Option<Micros>,
}

/// Limits of DetReduce's searches. A search that reaches one gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchLimits {
    /// Maximum number of candidates that are replayed for one trace.
    pub candidates: u32,
    /// Maximum number of events that are replayed for one trace.
    pub events: u64,
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

/// Reduces a suite. All coverage of the original suite that can be replayed is covered by the result, also if the budget ends the
/// search. Each reduced trace is then played fresh, `replays` times: `SuiteTrace::check` counts what these replays did. There are
/// no random choices, and the journal is the replayer's.
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
    let mut outcome = match ended {
        Ok(()) if plan.covers_nothing(&dispatcher) => Outcome::DoesNotReproduce,
        ended => outcome_of(ended)?,
    };
    let mut check = FinalCheck::default();
    if matches!(outcome, Outcome::Done | Outcome::BudgetSpent) {
        plan.settle();
        let checked = outcome_of(check.play(&mut dispatcher, &plan.paths).await)?;
        if checked != Outcome::Done {
            outcome = checked;
        }
        plan.record_check(&dispatcher);
    }
    let reduction = plan.into_reduction(&dispatcher, &check, outcome);
    events(RunEvent::SuiteEnded {
        traces: reduction.after.traces,
        transitions: reduction.after.transitions,
        runs: reduction.cost.runs,
        events: reduction.cost.events,
        took: reduction.cost.took,
    });
    Ok(reduction)
}

/// Surveys how many spliced traces of a suite are replayable, after DetReduce's phase 1. None if it was cancelled or the budget
/// was spent.
pub async fn survey_splices(
    originals: &[Trace],
    settings: &SuiteSettings,
    survey: &SpliceSurveySettings,
    replayer: &dyn Replayer,
    cancellation: &CancellationToken,
) -> Result<Option<SpliceSurvey>, SuiteError> {
    settings.validate()?;
    let events = null_sink();
    let mut dispatcher =
        ReplayDispatcher::new(originals, settings, replayer, &events, cancellation);
    match detreduce::splice_survey::survey(&mut dispatcher, survey).await {
        Ok(survey) => Ok(Some(survey)),
        Err(SuiteStop::Failed(error)) => Err(error),
        Err(SuiteStop::Cancelled | SuiteStop::BudgetSpent) => Ok(None),
    }
}

fn outcome_of(ended: Result<(), SuiteStop>) -> Result<Outcome, SuiteError> {
    match ended {
        Ok(()) => Ok(Outcome::Done),
        Err(SuiteStop::BudgetSpent) => Ok(Outcome::BudgetSpent),
        Err(SuiteStop::Cancelled) => Ok(Outcome::Interrupted),
        Err(SuiteStop::Failed(error)) => Err(error),
    }
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
    /// Rejects settings with which no trace could be replayed or spliced.
    pub fn validate(&self) -> Result<(), SuiteError> {
        if self.replays == 0 {
            return Err(SuiteError::NoReplays);
        }
        if self.fragments == 0 {
            return Err(SuiteError::NoFragments);
        }
        if self.max_runs == Some(0) || self.max_phone_time == Some(Micros::ZERO) {
            return Err(SuiteError::NoBudget);
        }
        Ok(())
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
            search_limits: SearchLimits::default(),
            max_runs: None,
            max_phone_time: None,
        }
    }
}

impl SearchLimits {
    fn halved(self) -> SearchLimits {
        SearchLimits {
            candidates: self.candidates / 2,
            events: self.events / 2,
        }
    }
}

impl Default for SearchLimits {
    fn default() -> SearchLimits {
        SearchLimits {
            candidates: 1_000,
            events: 20_000,
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
