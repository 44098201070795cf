//! The agent's end of the link: one host at a time, handshake, resume. What is asked is done by a `Connection` in
//! this process, whether or not the link holds meanwhile.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn::{Connection as Quic, Endpoint, Incoming, RecvStream, SendStream, VarInt};
use retap_shared::connection::{Connection, RequestError};
use retap_shared::protocol::Request;
use retap_shared::session::{
    HELLO_LIMIT, HandshakeRefusal, Hello, REQUEST_LIMIT, RequestEnvelope, RequestResult, SessionId,
    Welcome,
};
use retap_transport::{
    MessageError, close_code, receive, send, send_large, send_next, with_causes,
};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::outbox::{Outbox, OutboxAdmission};

/// A peer that takes longer than this for its next move of the handshake is dropped.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Handshakes of strangers that may be under way at once; beyond that an address must prove itself first.
const MAX_HANDSHAKES: usize = 8;

/// Bulk results wait for everything else.
const BULK_PRIORITY: i32 = -1;

pub struct AgentServer {
    phone: Arc<dyn Connection>,
    outbox: Outbox,
    version: String,
    /// Differs from one start of the agent to the next.
    incarnation: u64,
    active_host: Mutex<Option<ActiveHost>>,
    /// Who is connected right now.
    connected: watch::Sender<Option<String>>,
    /// Bulk results are sent one after the other, so that little of them is under way at once.
    bulk: Semaphore,
}

/// The host that has the phone.
struct ActiveHost {
    session: SessionId,
    host: String,
    quic: Quic,
    last_heard: Instant,
}

/// Why a connection came to nothing.
#[derive(Debug, thiserror::Error)]
enum HandshakeError {
    #[error("the handshake failed")]
    Handshake(#[from] quinn::ConnectionError),
    #[error("it was silent for {} s", HANDSHAKE_TIMEOUT.as_secs())]
    Silent(#[from] tokio::time::error::Elapsed),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error("refused: {0}")]
    Refused(HandshakeRefusal),
}

impl AgentServer {
    pub fn new(
        phone: Arc<dyn Connection>,
        outbox: Outbox,
        version: String,
        incarnation: u64,
    ) -> Arc<Self> {
        Arc::new(AgentServer {
            phone,
            outbox,
            version,
            incarnation,
            active_host: Mutex::new(None),
            connected: watch::Sender::new(None),
            bulk: Semaphore::new(1),
        })
    }

    /// Serves whoever comes through this endpoint, until it is closed.
    pub async fn serve(self: Arc<Self>, endpoint: Endpoint) {
        let strangers = Arc::new(Semaphore::new(MAX_HANDSHAKES));
        while let Some(incoming) = endpoint.accept().await {
            let Ok(place) = strangers.clone().try_acquire_owned() else {
                retry_or_refuse(incoming);
                continue;
            };
            tokio::spawn(self.clone().accept_host(incoming, place));
        }
    }

    /// Serves the one host that an endpoint over a byte stream can have. Returns when it is gone, or if none came.
    pub async fn serve_one(self: Arc<Self>, endpoint: Endpoint) {
        if let Ok(Some(incoming)) = timeout(HANDSHAKE_TIMEOUT, endpoint.accept()).await {
            self.accept_host(incoming, ()).await;
        }
    }

    /// `place` is given back once the stranger is a stranger no more.
    async fn accept_host<P>(self: Arc<Self>, incoming: Incoming, place: P) {
        let address = incoming.remote_address();
        match self.handshake(incoming).await {
            Ok((quic, hello)) => {
                drop(place);
                self.serve_requests(quic, hello).await;
            }
            Err(error) => {
                tracing::warn!(%address, error = %with_causes(&error), "turned a host away");
            }
        }
    }

    /// News for whichever host there is or will be.
    pub async fn collect_notifications(self: Arc<Self>) {
        while let Some(happening) = self.phone.next_notification().await {
            self.outbox.add_notification(happening);
        }
    }

    /// Returns once no host has been there for this long.
    pub async fn wait_until_idle(&self, limit: Duration) {
        let started = Instant::now();
        loop {
            let (host, heard) = match self.active_host().as_ref() {
                Some(holder) => (Some(holder.quic.clone()), holder.last_heard),
                None => (None, started),
            };
            match host.filter(|host| host.close_reason().is_none()) {
                Some(host) => drop(host.closed().await),
                None if heard.elapsed() >= limit => return,
                None => sleep_until(heard + limit).await,
            }
        }
    }

    /// Returns once the host has said that it is done: not if the link breaks.
    pub async fn wait_until_done(&self) {
        let mut connected = self.connected.subscribe();
        // The sender is this server's own: it does not end before the wait does.
        while connected.changed().await.is_ok() {
            let ended = self
                .active_host()
                .as_ref()
                .and_then(|holder| holder.quic.close_reason());
            if let Some(quinn::ConnectionError::ApplicationClosed(closed)) = ended
                && closed.error_code == VarInt::from_u32(close_code::DONE)
            {
                return;
            }
        }
    }

    /// The name of the host that is connected, and every change of it.
    pub fn connected(&self) -> watch::Receiver<Option<String>> {
        self.connected.subscribe()
    }

    async fn handshake(&self, incoming: Incoming) -> Result<(Quic, Hello), HandshakeError> {
        let quic = timeout(HANDSHAKE_TIMEOUT, incoming.accept()?).await??;
        let (mut answer, mut greeting) = timeout(HANDSHAKE_TIMEOUT, quic.accept_bi()).await??;
        let hello = match timeout(
            HANDSHAKE_TIMEOUT,
            receive::<Hello>(&mut greeting, HELLO_LIMIT),
        )
        .await?
        {
            Ok(hello) => self.admit(&quic, hello),
            Err(MessageError::Codec(error)) => Err(HandshakeRefusal::MalformedHello {
                why: with_causes(&error),
            }),
            Err(error) => return Err(error.into()),
        };
        match hello {
            Ok(hello) => {
                send(
                    &mut answer,
                    &Welcome::Accepted {
                        incarnation: self.incarnation,
                    },
                )
                .await?;
                Ok((quic, hello))
            }
            Err(refusal) => {
                send(&mut answer, &Welcome::Refused(refusal.clone())).await?;
                // Closing drops what has not arrived; the words must.
                let _ = timeout(HANDSHAKE_TIMEOUT, answer.stopped()).await;
                quic.close(
                    VarInt::from_u32(close_code::REFUSED),
                    refusal.to_string().as_bytes(),
                );
                Err(HandshakeError::Refused(refusal))
            }
        }
    }

    /// Gives the phone to this host if it may have it.
    fn admit(&self, quic: &Quic, hello: Hello) -> Result<Hello, HandshakeRefusal> {
        if hello.version != self.version {
            return Err(HandshakeRefusal::Version {
                agent: self.version.clone(),
            });
        }
        let mut holder = self.active_host();
        if let Some(holder) = holder
            .as_ref()
            .filter(|holder| holder.quic.close_reason().is_none())
        {
            if holder.session != hello.session {
                let silent_seconds = holder.last_heard.elapsed().as_secs();
                return Err(HandshakeRefusal::Held {
                    by: holder.host.clone(),
                    silent_seconds,
                });
            }
            holder.quic.close(
                VarInt::from_u32(close_code::REPLACED),
                b"the host has connected anew",
            );
        }
        self.outbox.resume(
            hello.session,
            &hello.open_requests,
            hello.notifications_seen,
        );
        *holder = Some(ActiveHost {
            session: hello.session,
            host: hello.host.clone(),
            quic: quic.clone(),
            last_heard: Instant::now(),
        });
        self.connected.send_replace(Some(hello.host.clone()));
        Ok(hello)
    }

    /// Answers the host's requests until the connection ends.
    async fn serve_requests(self: Arc<Self>, quic: Quic, hello: Hello) {
        let news = tokio::spawn(
            self.clone()
                .send_notifications(quic.clone(), hello.notifications_seen),
        );
        tracing::info!(host = %hello.host, session = %hello.session, "serving");
        loop {
            match quic.accept_bi().await {
                Ok((answer, request)) => {
                    self.mark_heard();
                    tokio::spawn(self.clone().serve_request(answer, request));
                }
                Err(error) => {
                    tracing::info!(host = %hello.host, %error, "the link has ended");
                    self.mark_heard();
                    break;
                }
            }
        }
        news.abort();
        self.mark_disconnected(&quic);
    }

    /// Nothing has changed if the same host is back on a newer connection.
    fn mark_disconnected(&self, quic: &Quic) {
        let holder = self.active_host();
        if holder
            .as_ref()
            .is_some_and(|holder| holder.quic.stable_id() == quic.stable_id())
        {
            self.connected.send_replace(None);
        }
    }

    async fn serve_request(self: Arc<Self>, mut stream: SendStream, mut request: RecvStream) {
        // However long it takes: the host is no stranger any more, and a bad network may hold up half of a request.
        let envelope = match receive::<RequestEnvelope>(&mut request, REQUEST_LIMIT).await {
            Ok(envelope) => envelope,
            Err(MessageError::Codec(error)) => {
                tracing::warn!(error = %with_causes(&error), "a request could not be read");
                let _ = stream.reset(VarInt::from_u32(close_code::MALFORMED));
                return;
            }
            // The link broke or the host has changed its mind: there is nobody to answer.
            Err(_) => return,
        };
        self.outbox
            .acknowledge(envelope.oldest_open, envelope.notifications_seen);
        let number = envelope.number;
        let is_bulk = envelope.request.is_bulk();
        let only_known = envelope.only_known;
        let answer = {
            let work = self.result_of(envelope);
            tokio::pin!(work);
            tokio::select! {
                biased;
                answer = &mut work => answer,
                stopped = stream.stopped() => {
                    // Only a host that is there can have changed its mind; a link that broke means nothing, and
                    // the answer is kept for the host that comes back.
                    match stopped {
                        Ok(Some(_)) => self.outbox.cancel(number),
                        Ok(None) | Err(_) => drop(work.await),
                    }
                    return;
                }
            }
        };
        // Whatever keeps it from arriving, an answer stays in the outbox until it is acknowledged.
        let _ = match answer {
            Some(answer) if is_bulk => self.send_bulk(&mut stream, answer).await,
            Some(answer) => send(&mut stream, answer.as_ref()).await,
            None if only_known => send(&mut stream, &RequestResult::Unknown).await,
            None => return,
        };
    }

    /// After all other answers, and after other bulk.
    async fn send_bulk(
        &self,
        stream: &mut SendStream,
        answer: Arc<RequestResult>,
    ) -> Result<(), MessageError> {
        let _ = stream.set_priority(BULK_PRIORITY);
        let _turn = self.bulk.acquire().await;
        send_large(stream, answer).await?;
        // The turn lasts until it has arrived, or cannot any more.
        let _ = stream.stopped().await;
        Ok(())
    }

    /// Does what is asked unless it is under way or done. None if it was cancelled, or is not known.
    async fn result_of(&self, envelope: RequestEnvelope) -> Option<Arc<RequestResult>> {
        let number = envelope.number;
        let entered = if envelope.only_known {
            OutboxAdmission::Known
        } else {
            self.outbox.admit(number)
        };
        match entered {
            OutboxAdmission::Known => self.outbox.result_of(number).await,
            OutboxAdmission::New(cancelled) => tokio::select! {
                biased;
                answer = self.forward_request(envelope.request) => Some(self.outbox.complete(number, answer)),
                () = cancelled.notified() => None,
            },
        }
    }

    async fn forward_request(&self, request: Request) -> RequestResult {
        match self.phone.request(request).await {
            Ok(reply) => RequestResult::Reply(reply),
            Err(RequestError::Failed(fault)) => RequestResult::Failed(fault),
            Err(RequestError::Interrupted(interruption)) => {
                RequestResult::Interrupted(interruption)
            }
        }
    }

    async fn send_notifications(self: Arc<Self>, quic: Quic, mut seen: u64) {
        let Ok(mut stream) = quic.open_uni().await else {
            return;
        };
        loop {
            let news = self.outbox.notification_after(seen).await;
            seen = news.number;
            if send_next(&mut stream, &news).await.is_err() {
                return;
            }
        }
    }

    fn mark_heard(&self) {
        if let Some(holder) = self.active_host().as_mut() {
            holder.last_heard = Instant::now();
        }
    }

    fn active_host(&self) -> MutexGuard<'_, Option<ActiveHost>> {
        self.active_host
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Under a flood: an address that has not proven itself is asked to, one that has must come again later.
fn retry_or_refuse(incoming: Incoming) {
    if incoming.may_retry() {
        let _ = incoming.retry();
    } else {
        incoming.refuse();
    }
}

impl fmt::Debug for AgentServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
