//! Reasons for which a suite reduction ends early: errors, and cancellation.

use retap_device::{JournalError, PoolError};
use retap_model::ape::AbstractionError;
use retap_shared::protocol::RequestFailure;

/// Failure of a suite reduction or of its environment, never of the app.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// There is nothing to reduce.
    #[error("the suite has no traces")]
    Empty,
    /// `replays` is 0.
    #[error("`replays` is 0: a trace is replayable only if it was replayed at least once")]
    NoReplays,
    /// `fragments` is 0.
    #[error("`fragments` is 0: a spliced trace consists of at least one fragment")]
    NoFragments,
    /// The budget is 0 replays or no time.
    #[error("the budget is 0: not one replay could be made")]
    NoBudget,
    /// No phone is left.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A phone refused to start the app.
    #[error("`{device}` cannot start `{app}`")]
    Refused {
        /// Name of the phone.
        device: String,
        /// Package of the app.
        app: String,
        /// Reply of the phone.
        #[source]
        fault: RequestFailure,
    },
    /// A replay could not be recalled or recorded.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rules of the abstraction are invalid.
    #[error("invalid abstraction of screens")]
    Abstraction(#[from] AbstractionError),
}

/// Reason for which an algorithm ends before it is done.
#[derive(Debug)]
pub(super) enum SuiteStop {
    Cancelled,
    BudgetSpent,
    Failed(SuiteError),
}
