//! The agent's end of the link: handshake, one host at a time, notifications that survive a broken link.

mod requests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn::{Connection as Quic, Endpoint, Incoming, VarInt};
use retap_shared::connection::Connection;
use retap_shared::error_text::with_causes;
use retap_shared::session::{HELLO_LIMIT, HandshakeRefusal, Hello, SessionId, Welcome};
use retap_transport::{MessageError, close_code, receive, send, send_next};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::handshake_gate::{GatePeer, HandshakeGate};
use crate::outbox::Outbox;

/// Maximum duration of each part of the handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves one host at a time.
pub struct AgentServer {
    phone: Arc<dyn Connection>,
    outbox: Outbox,
    version: String,
    /// A number that changes whenever the agent is restarted.
    incarnation: u64,
    active_host: Mutex<Option<ActiveHost>>,
    /// The name of the connected host.
    connected: watch::Sender<Option<String>>,
    /// Held while a bulk result is sent, so that only one of them fills the link.
    bulk: Semaphore,
}

/// The host that holds the phone.
struct ActiveHost {
    session: SessionId,
    host: String,
    quic: Quic,
    last_heard: Instant,
}

/// Why a handshake failed.
#[derive(Debug, thiserror::Error)]
enum HandshakeError {
    #[error("the handshake failed")]
    Handshake(#[from] quinn::ConnectionError),
    #[error("timed out after {} s", HANDSHAKE_TIMEOUT.as_secs())]
    Silent(#[from] tokio::time::error::Elapsed),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error("refused: {0}")]
    Refused(HandshakeRefusal),
}

impl AgentServer {
    /// Creates a server for a phone.
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

    /// Serves the hosts of an endpoint until it is closed. The gate says who may shake hands.
    pub async fn serve(self: Arc<Self>, endpoint: Endpoint, gate: HandshakeGate) {
        while let Some(incoming) = endpoint.accept().await {
            let address = incoming.remote_address().ip();
            let peer = gate.identify(&incoming.orig_dst_cid(), Some(address));
            // A stranger proves its address first: it costs nothing to send from one that is not one's own.
            if peer != GatePeer::PairedHost && incoming.may_retry() {
                let _ = incoming.retry();
                continue;
            }
            match gate.enter(peer) {
                Some(place) => drop(tokio::spawn(self.clone().accept_host(incoming, place))),
                None => incoming.refuse(),
            }
        }
    }

    /// Serves the one host of an endpoint over a byte stream. Returns when it has disconnected, or if none connects.
    pub async fn serve_one(self: Arc<Self>, endpoint: Endpoint) {
        if let Ok(Some(incoming)) = timeout(HANDSHAKE_TIMEOUT, endpoint.accept()).await {
            self.accept_host(incoming, ()).await;
        }
    }

    /// Performs the handshake and serves the host. `permit` is dropped after the handshake.
    async fn accept_host<P>(self: Arc<Self>, incoming: Incoming, permit: P) {
        let address = incoming.remote_address();
        match self.handshake(incoming).await {
            Ok((quic, hello)) => {
                drop(permit);
                self.serve_requests(quic, hello).await;
            }
            Err(error) => {
                tracing::warn!(%address, error = %with_causes(&error), "refused a host");
            }
        }
    }

    /// Adds the phone's notifications to the outbox.
    pub async fn collect_notifications(self: Arc<Self>) {
        while let Some(event) = self.phone.next_notification().await {
            self.outbox.add_notification(event);
        }
    }

    /// Returns once no host has been connected for this long.
    pub async fn wait_until_idle(&self, limit: Duration) {
        let started = Instant::now();
        loop {
            let (quic, last_heard) = match self.active_host().as_ref() {
                Some(host) => (Some(host.quic.clone()), host.last_heard),
                None => (None, started),
            };
            match quic.filter(|quic| quic.close_reason().is_none()) {
                Some(quic) => drop(quic.closed().await),
                None if last_heard.elapsed() >= limit => return,
                None => sleep_until(last_heard + limit).await,
            }
        }
    }

    /// Returns once the host has closed the connection as done. A broken link does not count.
    pub async fn wait_until_done(&self) {
        let mut connected = self.connected.subscribe();
        // The sender belongs to this server, so it outlives the wait.
        while connected.changed().await.is_ok() {
            let close_reason = self
                .active_host()
                .as_ref()
                .and_then(|host| host.quic.close_reason());
            if let Some(quinn::ConnectionError::ApplicationClosed(closed)) = close_reason
                && closed.error_code == VarInt::from_u32(close_code::DONE)
            {
                return;
            }
        }
    }

    /// The name of the connected host, and its changes.
    pub fn connected(&self) -> watch::Receiver<Option<String>> {
        self.connected.subscribe()
    }

    async fn handshake(&self, incoming: Incoming) -> Result<(Quic, Hello), HandshakeError> {
        let quic = timeout(HANDSHAKE_TIMEOUT, incoming.accept()?).await??;
        let (mut answer, mut question) = timeout(HANDSHAKE_TIMEOUT, quic.accept_bi()).await??;
        let received = receive::<Hello>(&mut question, HELLO_LIMIT);
        let admitted = match timeout(HANDSHAKE_TIMEOUT, received).await? {
            Ok(hello) => self.admit(&quic, hello),
            Err(MessageError::Codec(error)) => Err(HandshakeRefusal::MalformedHello {
                why: with_causes(&error),
            }),
            Err(error) => return Err(error.into()),
        };
        match admitted {
            Ok(hello) => {
                let incarnation = self.incarnation;
                send(&mut answer, &Welcome::Accepted { incarnation }).await?;
                Ok((quic, hello))
            }
            Err(refusal) => {
                send(&mut answer, &Welcome::Refused(refusal.clone())).await?;
                // Closing drops data that has not arrived, so the refusal is awaited.
                let _ = timeout(HANDSHAKE_TIMEOUT, answer.stopped()).await;
                quic.close(
                    VarInt::from_u32(close_code::REFUSED),
                    refusal.to_string().as_bytes(),
                );
                Err(HandshakeError::Refused(refusal))
            }
        }
    }

    /// Makes this host the active one, if it is of the same version and no other host holds the phone.
    fn admit(&self, quic: &Quic, hello: Hello) -> Result<Hello, HandshakeRefusal> {
        if hello.version != self.version {
            return Err(HandshakeRefusal::Version {
                agent: self.version.clone(),
            });
        }
        let mut active = self.active_host();
        if let Some(host) = active
            .as_ref()
            .filter(|host| host.quic.close_reason().is_none())
        {
            if host.session != hello.session {
                let silent_seconds = host.last_heard.elapsed().as_secs();
                return Err(HandshakeRefusal::Held {
                    by: host.host.clone(),
                    silent_seconds,
                });
            }
            host.quic.close(
                VarInt::from_u32(close_code::REPLACED),
                b"the host has reconnected",
            );
        }
        self.outbox.resume(
            hello.session,
            &hello.open_requests,
            hello.notifications_seen,
        );
        *active = Some(ActiveHost {
            session: hello.session,
            host: hello.host.clone(),
            quic: quic.clone(),
            last_heard: Instant::now(),
        });
        self.connected.send_replace(Some(hello.host.clone()));
        Ok(hello)
    }

    /// Replies to the host's requests until the connection ends.
    async fn serve_requests(self: Arc<Self>, quic: Quic, hello: Hello) {
        let notifications = tokio::spawn(
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
                    tracing::info!(host = %hello.host, %error, "the link ended");
                    self.mark_heard();
                    break;
                }
            }
        }
        notifications.abort();
        self.mark_disconnected(&quic);
    }

    /// Clears the name of the connected host, unless the host has reconnected.
    fn mark_disconnected(&self, quic: &Quic) {
        let active = self.active_host();
        if active
            .as_ref()
            .is_some_and(|host| host.quic.stable_id() == quic.stable_id())
        {
            self.connected.send_replace(None);
        }
    }

    async fn send_notifications(self: Arc<Self>, quic: Quic, mut seen: u64) {
        let Ok(mut stream) = quic.open_uni().await else {
            return;
        };
        loop {
            let notification = self.outbox.notification_after(seen).await;
            seen = notification.number;
            if send_next(&mut stream, &notification).await.is_err() {
                return;
            }
        }
    }

    fn mark_heard(&self) {
        if let Some(host) = self.active_host().as_mut() {
            host.last_heard = Instant::now();
        }
    }

    fn active_host(&self) -> MutexGuard<'_, Option<ActiveHost>> {
        self.active_host
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for AgentServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentServer")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
