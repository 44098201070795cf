//! The host's requests: each is handled once by a `Connection` in this process, and its result survives a broken link.

use std::sync::Arc;

use quinn::{RecvStream, SendStream, VarInt};
use retap_shared::connection::RequestError;
use retap_shared::error_text::with_causes;
use retap_shared::protocol::{Request, RequestFailure};
use retap_shared::session::{MAX_OPEN_REQUESTS, REQUEST_LIMIT, RequestEnvelope, RequestResult};
use retap_transport::{MessageError, close_code, receive, send, send_large};

use super::AgentServer;
use crate::outbox::OutboxAdmission;

/// Priority of bulk results, below all other results.
const BULK_PRIORITY: i32 = -1;

impl AgentServer {
    pub(super) async fn serve_request(
        self: Arc<Self>,
        mut stream: SendStream,
        mut request: RecvStream,
    ) {
        // Without a timeout: a slow network may delay half of a request.
        let envelope = match receive::<RequestEnvelope>(&mut request, REQUEST_LIMIT).await {
            Ok(envelope) => envelope,
            Err(error @ (MessageError::Codec(_) | MessageError::TooLong { .. })) => {
                tracing::warn!(error = %with_causes(&error), "could not read a request");
                let malformed = VarInt::from_u32(close_code::MALFORMED);
                let _ = stream.reset(malformed);
                let _ = request.stop(malformed);
                return;
            }
            // The link broke or the host cancelled the request.
            Err(_) => return,
        };
        self.outbox
            .acknowledge(envelope.oldest_open, envelope.notifications_seen);
        let is_bulk = envelope.request.is_bulk();
        let only_known = envelope.only_known;
        let Some(result) = self.result_unless_cancelled(envelope, &mut stream).await else {
            return;
        };
        // A result that does not arrive stays in the outbox until it is acknowledged.
        let _ = match result {
            Some(result) if is_bulk => self.send_bulk(&mut stream, result).await,
            Some(result) => send(&mut stream, result.as_ref()).await,
            None if only_known => send(&mut stream, &RequestResult::Unknown).await,
            None => return,
        };
    }

    /// The result of a request; `None` if the host has stopped the stream or the link broke meanwhile.
    async fn result_unless_cancelled(
        &self,
        envelope: RequestEnvelope,
        stream: &mut SendStream,
    ) -> Option<Option<Arc<RequestResult>>> {
        let number = envelope.number;
        let work = self.result_of(envelope);
        tokio::pin!(work);
        tokio::select! {
            biased;
            result = &mut work => Some(result),
            stopped = stream.stopped() => {
                // Only a connected host can cancel. After a broken link the result is kept for the host's return.
                match stopped {
                    Ok(Some(_)) => self.outbox.cancel(number),
                    Ok(None) | Err(_) => drop(work.await),
                }
                None
            }
        }
    }

    /// Sends a bulk result after all other results.
    async fn send_bulk(
        &self,
        stream: &mut SendStream,
        result: Arc<RequestResult>,
    ) -> Result<(), MessageError> {
        let _ = stream.set_priority(BULK_PRIORITY);
        let _turn = self.bulk.acquire().await;
        send_large(stream, result).await?;
        // The turn lasts until the result has arrived or the stream has failed.
        let _ = stream.stopped().await;
        Ok(())
    }

    /// The result of a request, which is handled unless it is in the outbox. None if it was cancelled or is unknown.
    async fn result_of(&self, envelope: RequestEnvelope) -> Option<Arc<RequestResult>> {
        let number = envelope.number;
        let admission = if envelope.only_known {
            OutboxAdmission::Known
        } else {
            self.outbox.admit(number)
        };
        match admission {
            OutboxAdmission::Known => self.outbox.result_of(number).await,
            OutboxAdmission::Full => Some(Arc::new(RequestResult::Failed(too_many_results()))),
            OutboxAdmission::New(cancelled) => tokio::select! {
                biased;
                result = self.forward_request(envelope.request) => Some(self.outbox.complete(number, result)),
                () = cancelled.notified() => None,
            },
        }
    }

    async fn forward_request(&self, request: Request) -> RequestResult {
        match self.phone.request(request).await {
            Ok(reply) => RequestResult::Reply(reply),
            Err(RequestError::Failed(failure)) => RequestResult::Failed(failure),
            Err(RequestError::Interrupted(interruption)) => {
                RequestResult::Interrupted(interruption)
            }
        }
    }
}

fn too_many_results() -> RequestFailure {
    RequestFailure::Impossible(format!(
        "{MAX_OPEN_REQUESTS} results wait for the host, which has not acknowledged them"
    ))
}
