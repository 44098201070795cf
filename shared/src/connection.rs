//! The interface between host and agent: requests with their replies, and notifications.

use std::future::Future;
use std::pin::Pin;

use crate::phone_event::PhoneEvent;
use crate::phone_health::PhoneHealth;
use crate::protocol::{Reply, Request, RequestFailure};
use crate::verdict::Interruption;

/// A boxed future, so that `Connection` can be used as a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A connection to the agent of one phone.
pub trait Connection: Send + Sync {
    /// Sends a request and waits for its reply. Dropping the future cancels the request: a play ends before its next step.
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>>;

    /// The next event that no reply carries; `None` once the connection has ended.
    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>>;

    /// Starts the phone anew: nothing is left of what earlier requests have done to its processes. Only phones that this
    /// host has started can be.
    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        Box::pin(async { Err(FreshStartError::StartedElsewhere) })
    }

    /// Battery and temperature of the phone; none if it does not tell.
    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        Box::pin(async { None })
    }
}

/// Why a phone was not started anew.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreshStartError {
    /// It is as it was.
    #[error("this host has not started it")]
    StartedElsewhere,
    /// It is gone.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}

/// Why a request has no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The agent replied that the request failed.
    #[error(transparent)]
    Failed(#[from] RequestFailure),
    /// The agent did not reply.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
