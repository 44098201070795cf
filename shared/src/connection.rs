//! The one seam between the two halves: request → reply, and news.

use std::future::Future;
use std::pin::Pin;

use crate::protocol::{Fault, Happening, Reply, Request};
use crate::verdict::Interruption;

pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way to one phone's agent.
pub trait Connection: Send + Sync {
    /// Dropping the future cancels the request; a play then ends before its next step.
    fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>>;

    /// The next thing that happened outside any request's reply; `None` once the connection has ended.
    fn news(&self) -> Pending<'_, Option<Happening>>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The phone answered that it could not.
    #[error(transparent)]
    Refused(#[from] Fault),
    /// There is no answer.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
