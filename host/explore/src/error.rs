//! Errors that end an exploration.

use retap_device::{JournalError, PoolError};
use retap_shared::protocol::RequestFailure;

/// An error that ends an exploration.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    /// No phone is left.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The phone refused something that the exploration cannot do without.
    #[error("`{device}` cannot start `{app}`")]
    Refused {
        /// Name of the phone.
        device: String,
        /// Package of the app.
        app: String,
        /// The phone's reason.
        #[source]
        fault: RequestFailure,
    },
    /// The setup steps failed in every attempt.
    #[error("the setup steps of `{app}` failed on `{device}`: {why}")]
    SetupFailed {
        /// Name of the phone.
        device: String,
        /// Package of the app.
        app: String,
        /// The failure of the last attempt.
        why: String,
    },
    /// The journal could not be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
