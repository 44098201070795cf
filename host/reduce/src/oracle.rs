//! "Does this candidate still do it?" Reducers ask, and do not know who answers.

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

pub trait Oracle: Send + Sync {
    /// Dropping the future cancels the run. A lost phone is not an answer: the run is then done again elsewhere.
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>>;
}

/// One run of one candidate.
#[derive(Clone, Debug)]
pub struct OracleQuery {
    pub candidate: Candidate,
    /// Which run of this candidate it is: a target that comes only sometimes is asked for several times.
    pub attempt: u32,
    /// It must be played from the trace's start, as every proof is. Otherwise it may go on from a state that was saved where
    /// another candidate began in the same way.
    pub from_start: bool,
}

/// What one run showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    pub reached: bool,
    pub verdict: Verdict,
    /// How many steps were injected.
    pub played: u32,
    pub took: Micros,
}

#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("`{device}` will not play the trace")]
    Refused {
        device: String,
        #[source]
        fault: RequestFailure,
    },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl OracleQuery {
    pub fn key(&self) -> CandidateKey {
        self.candidate.key()
    }
}

impl<O: Oracle + ?Sized> Oracle for &O {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        (**self).ask(question)
    }
}
