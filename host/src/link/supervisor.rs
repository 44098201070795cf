//! Keeps a link connected: dials, does the handshake, receives notifications, and reconnects with backoff.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quinn::Connection as Quic;
use retap_shared::error_text::with_causes;
use retap_shared::session::{
    HELLO_LIMIT, HandshakeRefusal, Hello, NOTIFICATION_LIMIT, NumberedNotification, Welcome,
};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, receive, receive_next, send};
use tokio::time::{Instant, sleep, timeout};

use super::dialer::{DialError, Dialer};
use super::notification_inbox::InboxWriter;
use super::{ActiveConnection, ConnectionState, LinkShared};

/// Timeouts of the first connection and of reconnecting.
#[derive(Clone, Copy, Debug)]
pub struct ReconnectPolicy {
    /// Timeout of the first connection.
    pub connect_timeout: Duration,
    /// Timeout of reconnecting after the connection broke.
    pub reconnect_timeout: Duration,
}

impl Default for ReconnectPolicy {
    fn default() -> Self {
        // A killed host holds the phone for up to 13 s: the idle timeout is counted from the last probe of the agent.
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
    #[error("the connection broke during the handshake")]
    Broken(#[from] MessageError),
}

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
const BACK_OFF: Duration = Duration::from_millis(50);
const BACK_OFF_LIMIT: Duration = Duration::from_secs(2);
/// Maximum number of connections in a row that the agent ends soon and without a reply, before it is given up.
const MAX_FRUITLESS_CONNECTIONS: u32 = 10;
/// Maximum age of such a connection.
const FRUITLESS_AGE: Duration = Duration::from_secs(10);

pub(super) struct LinkSupervisor {
    dialer: Arc<dyn Dialer>,
    host: String,
    policy: ReconnectPolicy,
    shared: Arc<LinkShared>,
    notifications: InboxWriter,
}

impl LinkSupervisor {
    pub(super) fn new(
        dialer: Arc<dyn Dialer>,
        host: String,
        policy: ReconnectPolicy,
        shared: Arc<LinkShared>,
        notifications: InboxWriter,
    ) -> Self {
        LinkSupervisor {
            dialer,
            host,
            policy,
            shared,
            notifications,
        }
    }

    pub(super) async fn connect(&mut self) -> Result<ActiveConnection, LinkError> {
        self.connect_with_retry(self.policy.connect_timeout).await
    }

    pub(super) async fn keep_connected(self, mut connection: ActiveConnection) {
        let mut fruitless = 0;
        loop {
            let replies = self.shared.replies.load(Ordering::Relaxed);
            let began = Instant::now();
            let receiver = tokio::spawn(receive_notifications(
                connection.quic.clone(),
                self.shared.clone(),
                self.notifications.clone(),
            ));
            let ended = connection.quic.closed().await;
            receiver.abort();
            tracing::info!(%ended, "the link broke");
            self.shared.state.send_replace(ConnectionState::Connecting);
            // A network that loses everything is no fault of the agent's.
            let is_fruitless = !matches!(ended, quinn::ConnectionError::TimedOut)
                && began.elapsed() < FRUITLESS_AGE
                && self.shared.replies.load(Ordering::Relaxed) == replies;
            fruitless = if is_fruitless { fruitless + 1 } else { 0 };
            if fruitless == MAX_FRUITLESS_CONNECTIONS {
                let why =
                    format!("it ended {fruitless} connections in a row without a reply: {ended}");
                return self.give_up(why);
            }
            if fruitless > 1 {
                sleep((BACK_OFF * (1 << fruitless)).min(BACK_OFF_LIMIT)).await;
            }
            match self.connect_with_retry(self.policy.reconnect_timeout).await {
                Ok(again) => connection = again,
                Err(error) => {
                    let why = format!(
                        "{} (tried for {} s)",
                        with_causes(&error),
                        self.policy.reconnect_timeout.as_secs()
                    );
                    return self.give_up(why);
                }
            }
            self.shared
                .state
                .send_replace(ConnectionState::Connected(connection.clone()));
        }
    }

    fn give_up(&self, why: String) {
        let lost = Interruption::LinkLost { why };
        self.shared.state.send_replace(ConnectionState::Lost(lost));
    }

    /// Connects, with retries until a final error or the timeout.
    async fn connect_with_retry(&self, limit: Duration) -> Result<ActiveConnection, LinkError> {
        let end = Instant::now() + limit;
        let mut pause = BACK_OFF;
        loop {
            let error = match self.connect_once().await {
                Ok(connection) => return Ok(connection),
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
    /// Returns whether another attempt would fail in the same way.
    fn is_final(&self) -> bool {
        match self {
            LinkError::Refused(HandshakeRefusal::Held { .. }) => false,
            LinkError::Refused(_) => true,
            LinkError::Dial(error) => error.is_final(),
            LinkError::Broken(MessageError::Codec(_) | MessageError::TooLong { .. }) => true,
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

/// Passes notifications on. Those that were received before the connection broke are dropped.
async fn receive_notifications(quic: Quic, shared: Arc<LinkShared>, notifications: InboxWriter) {
    let Ok(mut stream) = quic.accept_uni().await else {
        return;
    };
    while let Ok((notification, bytes)) =
        receive_next::<NumberedNotification>(&mut stream, NOTIFICATION_LIMIT).await
    {
        if shared
            .notifications_seen
            .fetch_max(notification.number, Ordering::Relaxed)
            < notification.number
        {
            notifications.push(notification.event, bytes);
        }
    }
}
