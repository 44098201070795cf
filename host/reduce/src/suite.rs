//! Cutting a whole suite of traces down to few and short ones that cover the same: activities, abstract screens,
//! branches and crashes. What a run shows is the replayer's business; this decides what to play.

mod ahead;
mod auto;
mod bits;
mod cuts;
mod detreduce;
mod graph;
mod known;
mod learn;
mod lexicon;
mod numbers;
mod phones;
mod plan;
mod replayer;
mod simplify;
mod splice;
mod trim;
mod walker;
mod work;

use std::collections::BTreeSet;
use std::fmt;

pub use learn::{Lesson, learn};
pub use phones::OnPhones;
use plan::Plan;
pub use plan::{Fate, Fragment, Kept, Phase, PhaseReport};
pub use replayer::{Arrival, Errand, Logged, Next, Origin, Pilot, Replayer, Run, RunLog};
use retap_device::event::{RunEvent, Sink};
use retap_device::stop::Stop;
use retap_device::{JournalError, PoolError};
use retap_model::Coverage;
use retap_model::ape::AbstractionError;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::Fault;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use work::{Halt, Work};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteSettings {
    pub algorithm: SuiteAlgorithm,
    /// So many runs that visit the same states prove a way.
    pub replays: u32,
    /// DetReduce: of how many fragments a spliced trace is made at most.
    pub fragments: u32,
    /// Retap's own: what is left is made simpler where it covers the same.
    pub simplify: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SuiteAlgorithm {
    DetReduce,
    /// Retap's own.
    #[default]
    Auto,
}

/// A suite in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    pub traces: u32,
    pub transitions: u64,
    /// How long it takes to play it once on one phone, clean starts included.
    pub took: Micros,
    pub covered: Covered,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    pub app: Coverage,
    pub problems: BTreeSet<Fingerprint>,
}

/// What the work has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub runs: u64,
    pub events: u64,
    /// The phones' time, of all runs together.
    pub took: Micros,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SuiteReduction {
    pub outcome: Outcome,
    /// The suite that was read; its coverage is what can be replayed of it, which is what must stay.
    pub before: Measure,
    pub after: Measure,
    /// What was left after each phase.
    pub phases: Vec<PhaseReport>,
    pub kept: Vec<Kept>,
    /// What became of each trace that was read.
    pub fates: Vec<Fate>,
    /// How many steps of the result are simpler than they were recorded.
    pub simplified: u32,
    /// What was seen at least once and cannot be replayed by any trace.
    pub not_replayable: u32,
    /// Of so many runs of the result so many went its way.
    pub replays: (u32, u32),
    pub spent: Spent,
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
        fault: Fault,
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
    sink: &Sink,
    stop: &Stop,
) -> Result<SuiteReduction, SuiteError> {
    settings.check()?;
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

    let mut work = Work::new(originals, settings, replayer, sink, stop);
    let mut plan = Plan::default();
    let halted = match settings.algorithm {
        SuiteAlgorithm::DetReduce => detreduce::detreduce(&mut work, &mut plan).await,
        SuiteAlgorithm::Auto => Box::pin(auto::auto(&mut work, &mut plan)).await,
    };
    let outcome = match halted {
        Ok(()) if plan.covers_nothing(&work) => Outcome::DoesNotReproduce,
        Ok(()) => Outcome::Done,
        Err(Halt::Stopped) => Outcome::Interrupted,
        Err(Halt::Failed(error)) => return Err(error),
    };
    let reduction = plan.into_reduction(&work, outcome);
    let Measure {
        traces,
        transitions,
        ..
    } = reduction.after;
    let Spent { runs, events, took } = reduction.spent;
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
    pub fn check(&self) -> Result<(), SuiteError> {
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
            algorithm: SuiteAlgorithm::Auto,
            replays: 10,
            fragments: 3,
            simplify: true,
        }
    }
}

impl fmt::Display for SuiteAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SuiteAlgorithm::DetReduce => "detreduce",
            SuiteAlgorithm::Auto => "auto",
        })
    }
}

impl Covered {
    /// How much of everything.
    pub fn len(&self) -> usize {
        self.app.activities.len()
            + self.app.screens.len()
            + self.app.branches.len()
            + self.problems.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn contains(&self, other: &Covered) -> bool {
        other.app.activities.is_subset(&self.app.activities)
            && other.app.screens.is_subset(&self.app.screens)
            && other.app.branches.is_subset(&self.app.branches)
            && other.problems.is_subset(&self.problems)
    }
}
