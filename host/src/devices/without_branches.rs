//! A phone whose branches nobody sees: for an exploration that is guided by activities and screens alone.

use std::fmt;
use std::sync::Arc;

use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{Reply, Request};

/// A phone that does not report branches.
pub struct WithoutBranches(pub Arc<dyn Connection>);

impl Connection for WithoutBranches {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            let mut reply = self.0.request(request).await?;
            match &mut reply {
                Reply::ActReply(reply) => reply.branches.clear(),
                Reply::PlayReply(reply) => reply.branches.clear(),
                Reply::DescribePhoneReply(reply) => {
                    reply.capabilities.branches = false;
                    for app in &mut reply.apps {
                        app.branches = 0;
                    }
                }
                _ => {}
            }
            Ok(reply)
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.0.next_notification()
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        self.0.start_fresh()
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        self.0.health()
    }
}

impl fmt::Debug for WithoutBranches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithoutBranches").finish_non_exhaustive()
    }
}
