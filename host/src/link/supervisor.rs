//! Who keeps a link up: dials, shakes hands, listens for news, and dials again with back-off when the link breaks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quinn::Connection as Quic;
use retap_shared::error_text::with_causes;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::session::{
    HELLO_LIMIT, HandshakeRefusal, Hello, NOTIFICATION_LIMIT, NumberedNotification, Welcome,
};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, receive, receive_next, send};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::dialer::{DialError, Dialer};
use super::{ActiveConnection, ConnectionState, LinkShared};

/// How long to go on trying.
#[derive(Clone, Copy, Debug)]
pub struct ReconnectPolicy {
    /// For the first connection.
    pub connect_timeout: Duration,
    /// For the link to come back after it broke.
    pub reconnect_timeout: Duration,
}

impl Default for ReconnectPolicy {
    fn default() -> Self {
        // A host that was killed holds the phone for up to 13 s: the silence that ends a connection is counted from
        // the last sign of life that the agent asked for.
        ReconnectPolicy {
            connect_timeout: Duration::from_secs(20),
            reconnect_timeout: Duration::from_secs(120),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Refused(#[from] HandshakeRefusal),
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("the agent did not finish the handshake in time")]
    TimedOut(#[from] tokio::time::error::Elapsed),
    #[error("the handshake broke off")]
    Broken(#[from] MessageError),
}

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
const BACK_OFF: Duration = Duration::from_millis(50);
const BACK_OFF_LIMIT: Duration = Duration::from_secs(2);

pub(super) struct LinkSupervisor {
    dialer: Arc<dyn Dialer>,
    host: String,
    policy: ReconnectPolicy,
    shared: Arc<LinkShared>,
    notifications: mpsc::UnboundedSender<PhoneEvent>,
}

impl LinkSupervisor {
    pub(super) fn new(
        dial: Arc<dyn Dialer>,
        host: String,
        patience: ReconnectPolicy,
        shared: Arc<LinkShared>,
        told: mpsc::UnboundedSender<PhoneEvent>,
    ) -> Self {
        LinkSupervisor {
            dialer: dial,
            host,
            policy: patience,
            shared,
            notifications: told,
        }
    }

    pub(super) async fn connect(&mut self) -> Result<ActiveConnection, LinkError> {
        self.connect_with_retry(self.policy.connect_timeout).await
    }

    pub(super) async fn keep_connected(self, mut up: ActiveConnection) {
        loop {
            let news = tokio::spawn(receive_notifications(
                up.quic.clone(),
                self.shared.clone(),
                self.notifications.clone(),
            ));
            let ended = up.quic.closed().await;
            news.abort();
            tracing::info!(%ended, "the link broke");
            self.shared.state.send_replace(ConnectionState::Connecting);
            match self.connect_with_retry(self.policy.reconnect_timeout).await {
                Ok(again) => up = again,
                Err(error) => {
                    let why = format!(
                        "{} (tried for {} s)",
                        with_causes(&error),
                        self.policy.reconnect_timeout.as_secs()
                    );
                    self.shared
                        .state
                        .send_replace(ConnectionState::Lost(Interruption::LinkLost { why }));
                    return;
                }
            }
            self.shared
                .state
                .send_replace(ConnectionState::Connected(up.clone()));
        }
    }

    /// Tries until it works, until the agent says no for good, or until the time is over.
    async fn connect_with_retry(&self, limit: Duration) -> Result<ActiveConnection, LinkError> {
        let end = Instant::now() + limit;
        let mut pause = BACK_OFF;
        loop {
            let error = match self.connect_once().await {
                Ok(up) => return Ok(up),
                Err(error) => error,
            };
            if error.is_final() || Instant::now() + pause >= end {
                return Err(error);
            }
            tracing::debug!(error = %with_causes(&error), "trying again");
            sleep(pause).await;
            pause = (pause * 2).min(BACK_OFF_LIMIT);
        }
    }

    async fn connect_once(&self) -> Result<ActiveConnection, LinkError> {
        let quic = timeout(self.dialer.timeout(), self.dialer.dial()).await??;
        let hello = Hello {
            version: env!("CARGO_PKG_VERSION").into(),
            session: self.shared.session,
            host: self.host.clone(),
            open_requests: self.shared.lock_open_requests().iter().copied().collect(),
            notifications_seen: self.shared.notifications_seen.load(Ordering::Relaxed),
        };
        match timeout(HANDSHAKE_TIMEOUT, exchange_hello(&quic, &hello)).await?? {
            Welcome::Accepted { incarnation } => Ok(ActiveConnection { quic, incarnation }),
            Welcome::Refused(refusal) => Err(refusal.into()),
        }
    }
}

impl LinkError {
    /// Trying again would get the same answer.
    fn is_final(&self) -> bool {
        match self {
            LinkError::Refused(HandshakeRefusal::Held { .. }) => false,
            LinkError::Refused(_) => true,
            LinkError::Dial(error) => error.is_final(),
            LinkError::TimedOut(_) | LinkError::Broken(_) => false,
        }
    }
}

async fn exchange_hello(quic: &Quic, hello: &Hello) -> Result<Welcome, MessageError> {
    let (mut out, mut back) = quic
        .open_bi()
        .await
        .map_err(quinn::WriteError::ConnectionLost)?;
    send(&mut out, hello).await?;
    receive(&mut back, HELLO_LIMIT).await
}

/// News come on one stream; what came before the link broke does not come again.
async fn receive_notifications(
    quic: Quic,
    shared: Arc<LinkShared>,
    told: mpsc::UnboundedSender<PhoneEvent>,
) {
    let Ok(mut stream) = quic.accept_uni().await else {
        return;
    };
    while let Ok(news) = receive_next::<NumberedNotification>(&mut stream, NOTIFICATION_LIMIT).await
    {
        if shared
            .notifications_seen
            .fetch_max(news.number, Ordering::Relaxed)
            < news.number
        {
            let _ = told.send(news.event);
        }
    }
}
