//! Reduction of one trace to the steps that its target needs. This decides which candidates to run; the oracle runs them.

mod algorithm;
mod bayes;
mod cdd;
mod claim;
mod ddmin;
mod deletion_plan;
mod deterministic;
mod entropy;
mod evaluation;
mod fresh_start_check;
mod hierarchical;
mod nd3min;
mod pending_attempts;
mod probdd;
mod proof;
mod reducer;
mod reduction;
mod settings;
mod simplify;
mod step_spans;
mod wdd;

use std::sync::Arc;

pub use algorithm::{DEFAULT_RUNS, NOISY_RUNS, ReductionAlgorithm};
pub use claim::{ClaimStanding, PhoneTally, RateInterval, ReproductionClaim};
use evaluation::CandidateEvaluator;
pub use hierarchical::StateGranularity;
pub use nd3min::SchedulerKind;
use reducer::TraceReducer;
pub use reduction::{Reduction, ReductionSample, ReproductionCheck, ResultConfidence};
use retap_device::CancellationToken;
use retap_device::run_event::{EventSink, RunEvent};
use retap_shared::target::Target;
use retap_shared::trace::Trace;
pub use settings::{DEFAULT_PARTS, PassCriterion, ReduceSettings};

use crate::oracle::{Candidate, Oracle, OracleError};

/// A reduction that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    /// No candidate could pass, or none could fail.
    #[error(
        "{successes} successes of {runs} runs cannot decide anything; ask for 1 up to the number of runs"
    )]
    Settings {
        /// Successes that were asked for.
        successes: u32,
        /// Attempts that were asked for.
        runs: u32,
    },
    /// ND3MIN needs at least two parts.
    #[error("a trace is split into 2 parts or more, not into {0}")]
    Parts(usize),
    /// The original could not pass.
    #[error("{needed} successes cannot be asked of {runs} runs of the original trace")]
    Original {
        /// Successes that were asked for.
        needed: u32,
        /// Attempts of the original.
        runs: u32,
    },
    /// Nothing could be run.
    #[error(
        "a reduction without any run or time cannot do anything; allow at least 1 run and 1 minute"
    )]
    Budget,
    /// The oracle has no answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// Checks that the trace reproduces, reduces it, and checks the result. The result does not depend on the number of phones,
/// and it is never a candidate that the oracle has not confirmed. There is no seed: random choices derive from the trace.
pub async fn reduce(
    trace: &Trace,
    algorithm: ReductionAlgorithm,
    settings: &ReduceSettings,
    oracle: &dyn Oracle,
    events: &EventSink,
    cancellation: &CancellationToken,
) -> Result<Reduction, ReduceError> {
    settings.validate()?;
    let target = trace.header.target.as_ref();
    let target = target.unwrap_or(&Target::AnyProblem).label();
    let original = Candidate::from(trace.steps.iter().cloned().collect::<Arc<[_]>>());
    let from = step_count(&original);
    events(RunEvent::ReductionStarted {
        target: target.clone(),
        algorithm: algorithm.to_string(),
        steps: from,
    });

    let evaluator = CandidateEvaluator::new(settings, oracle, events, cancellation);
    let mut reducer = TraceReducer::new(evaluator, settings, original);
    let outcome = reducer.run(algorithm).await?;
    let reduction = reducer.into_reduction(trace, outcome);
    events(RunEvent::ReductionEnded {
        target,
        from,
        to: u32::try_from(reduction.trace.steps.len()).unwrap_or(u32::MAX),
        runs: reduction.runs,
        events: reduction.events,
        took: reduction.took,
    });
    Ok(reduction)
}

fn step_count(candidate: &Candidate) -> u32 {
    u32::try_from(candidate.len()).unwrap_or(u32::MAX)
}
