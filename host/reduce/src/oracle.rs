//! The oracle: does this candidate reach the target? Reducers ask it and do not know who answers: phones, a journal or a
//! recording.

mod activity_machine;
mod candidate;
mod journaled;
mod pooled;
mod prefix_snapshots;

pub use activity_machine::{
    ACTIVITY_MACHINE, ActivityMachine, ActivityMachineError, ActivityMachineSettings,
};
pub use candidate::{AppState, Candidate, CandidateKey};
pub use journaled::{JournaledOracle, ObservationJournal};
pub use pooled::{PooledOracle, ReplayConditions};
pub use prefix_snapshots::ResumeStatistics;
use retap_device::{JournalError, PoolError};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// Answers whether candidates reach the target.
pub trait Oracle: Send + Sync {
    /// Runs one attempt. Dropping the future cancels it. A lost phone is not an observation: the attempt is repeated elsewhere.
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>>;
}

/// One attempt of one candidate.
#[derive(Clone, Debug)]
pub struct OracleQuery {
    /// Steps to play.
    pub candidate: Candidate,
    /// Number of the attempt: a target that is reached only sometimes needs several.
    pub attempt: u32,
    /// The attempt must start clean, as every check does. Otherwise it may resume from a snapshot that another candidate with
    /// the same prefix has saved.
    pub from_start: bool,
    /// The attempt should be made on a freshly started phone, if the phone that is free can be started.
    pub fresh_phone: bool,
}

/// Result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// True if the target was reached.
    pub reached: bool,
    /// Verdict of the replay.
    pub verdict: Verdict,
    /// Number of injected steps.
    pub played: u32,
    /// Phone time.
    pub took: Micros,
    /// Name of the phone that played it; empty if the oracle has no phones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phone: String,
    /// True if that phone was started for this attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_phone: bool,
    /// Number of the candidate's steps after which the target was reached. Steps that a snapshot stood in for count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached_after: Option<u32>,
}

/// An attempt without an observation.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// No phone is left.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A phone rejects the trace.
    #[error("`{device}` does not play the trace")]
    Refused {
        /// Name of the phone.
        device: String,
        /// Failure of the request.
        #[source]
        fault: RequestFailure,
    },
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Observation {
    /// Observation of a run without a named phone, which played the candidate from its start.
    pub fn new(verdict: Verdict, played: u32, took: Micros) -> Observation {
        let reached = verdict == Verdict::TargetReached;
        Observation {
            reached,
            verdict,
            played,
            took,
            phone: String::new(),
            fresh_phone: false,
            reached_after: reached.then_some(played),
        }
    }
}

impl OracleQuery {
    /// Attempt that starts clean, on any phone.
    pub fn from_start(candidate: Candidate, attempt: u32) -> OracleQuery {
        OracleQuery {
            candidate,
            attempt,
            from_start: true,
            fresh_phone: false,
        }
    }

    /// Key of the candidate.
    pub fn key(&self) -> CandidateKey {
        self.candidate.key()
    }
}

impl<O: Oracle + ?Sized> Oracle for &O {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        (**self).ask(query)
    }
}
