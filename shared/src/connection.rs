//! The interface between host and agent: requests with their replies, and notifications.

use std::future::Future;
use std::pin::Pin;

use crate::phone_event::PhoneEvent;
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
