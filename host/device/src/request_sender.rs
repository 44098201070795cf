//! Sends typed requests over a connection, says when the phone is silent, and gives it up in the end.

use std::sync::Arc;
use std::time::Duration;

use retap_shared::connection::Connection;
use retap_shared::protocol::{Reply, Request, TypedRequest};
use retap_shared::verdict::Interruption;
use tokio::time::timeout;

use crate::reply_limit::{ReplyLimit, reply_limit};
use crate::run_event::{EventSink, RunEvent};
use crate::{DeviceError, ProtocolViolation};

/// Longest time that a connection may spend on restoring itself while a request waits. It ends its own attempts earlier.
const RECONNECT_LIMIT: Duration = Duration::from_secs(15 * 60);

/// The requests to one phone.
pub(crate) struct RequestSender {
    pub(crate) name: String,
    pub(crate) connection: Arc<dyn Connection>,
    /// Receives the notices about a silent phone.
    pub(crate) notices: EventSink,
}

impl RequestSender {
    pub(crate) async fn ask<A: TypedRequest>(&self, request: A) -> Result<A::Reply, DeviceError> {
        let request: Request = request.into();
        let asked = request.name();
        let limit = reply_limit(&request);
        let reply = self.wait(asked, limit, request).await?;
        let wrong = |answered: Reply| ProtocolViolation::WrongReply {
            asked,
            answered: answered.name(),
        };
        Ok(A::Reply::try_from(reply).map_err(wrong)?)
    }

    async fn wait(
        &self,
        asked: &'static str,
        limit: ReplyLimit,
        request: Request,
    ) -> Result<Reply, DeviceError> {
        let mut replying = self.connection.request(request);
        if let Ok(reply) = timeout(limit.notice, &mut replying).await {
            return Ok(reply?);
        }
        (self.notices)(RunEvent::Warning {
            text: format!(
                "`{}` is silent: no reply to `{asked}` for {} s; it is given up after {} s, or when a broken link \
                 does not come back",
                self.name,
                limit.notice.as_secs(),
                limit.limit.as_secs()
            ),
        });
        let rest = limit.limit.saturating_sub(limit.notice) + RECONNECT_LIMIT;
        match timeout(rest, replying).await {
            Ok(reply) => Ok(reply?),
            Err(_) => {
                let minutes = (limit.notice + rest).as_secs() / 60;
                let why = format!("it has not answered `{asked}` for {minutes} min");
                Err(Interruption::PhoneLost { why }.into())
            }
        }
    }
}
