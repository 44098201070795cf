//! "Does this candidate still do it?" Reducers ask, and do not know who answers.

mod candidate;
mod journaled;
mod pooled;
mod prefixes;
mod recording;

pub use candidate::{Candidate, CandidateKey, Place};
pub use journaled::Journaled;
pub use pooled::{Conditions, Pooled};
pub use prefixes::Resumed;
pub use recording::{ACTIVITY_MACHINE, Invented, NotRecorded, Recording};
use retap_device::{JournalError, PoolError};
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::protocol::Fault;
use retap_shared::verdict::Verdict;
use serde::{Deserialize, Serialize};

pub trait Oracle: Send + Sync {
    /// Dropping the future cancels the run. A lost phone is not an answer: the run is then done again elsewhere.
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>>;
}

/// One run of one candidate.
#[derive(Clone, Debug)]
pub struct Question {
    pub steps: Candidate,
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
        fault: Fault,
    },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Question {
    pub fn key(&self) -> CandidateKey {
        self.steps.key()
    }
}

impl<O: Oracle + ?Sized> Oracle for &O {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        (**self).ask(question)
    }
}
