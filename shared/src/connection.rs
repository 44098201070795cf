//! The one seam between the two halves: request → reply, and news.

use std::future::Future;
use std::pin::Pin;

use crate::protocol::{PhoneEvent, Reply, Request, RequestFailure};
use crate::verdict::Interruption;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way to one phone's agent.
pub trait Connection: Send + Sync {
    /// Dropping the future cancels the request; a play then ends before its next step.
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>>;

    /// The next thing that happened outside any request's reply; `None` once the connection has ended.
    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The phone answered that it could not.
    #[error(transparent)]
    Failed(#[from] RequestFailure),
    /// There is no answer.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
