//! Who keeps a link up: dials, shakes hands, listens for news, and dials again with back-off when the link breaks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quinn::Connection as Quic;
use retap_shared::protocol::Happening;
use retap_shared::session::{HELLO_LIMIT, Hello, NEWS_LIMIT, NumberedNews, Refusal, Welcome};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, receive, receive_next, send, with_causes};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::dial::{Dial, DialError};
use super::{Shared, State, Up};

/// How long to go on trying.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the first connection.
    pub first: Duration,
    /// For the link to come back after it broke.
    pub again: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        // A host that was killed holds the phone for up to 13 s: the silence that ends a connection is counted from
        // the last sign of life that the agent asked for.
        Patience {
            first: Duration::from_secs(20),
            again: Duration::from_secs(120),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("the agent did not finish the handshake in time")]
    Silent(#[from] tokio::time::error::Elapsed),
    #[error("the handshake broke off")]
    Broken(#[from] MessageError),
}

const GREETING: Duration = Duration::from_secs(5);
const BACK_OFF: Duration = Duration::from_millis(50);
const BACK_OFF_LIMIT: Duration = Duration::from_secs(2);

pub(super) struct Courier {
    dial: Arc<dyn Dial>,
    host: String,
    patience: Patience,
    shared: Arc<Shared>,
    told: mpsc::UnboundedSender<Happening>,
}

impl Courier {
    pub(super) fn new(
        dial: Arc<dyn Dial>,
        host: String,
        patience: Patience,
        shared: Arc<Shared>,
        told: mpsc::UnboundedSender<Happening>,
    ) -> Self {
        Courier {
            dial,
            host,
            patience,
            shared,
            told,
        }
    }

    pub(super) async fn connect(&mut self) -> Result<Up, LinkError> {
        self.insist(self.patience.first).await
    }

    pub(super) async fn keep_up(self, mut up: Up) {
        loop {
            let news = tokio::spawn(listen(
                up.quic.clone(),
                self.shared.clone(),
                self.told.clone(),
            ));
            let ended = up.quic.closed().await;
            news.abort();
            tracing::info!(%ended, "the link broke");
            self.shared.state.send_replace(State::Connecting);
            match self.insist(self.patience.again).await {
                Ok(again) => up = again,
                Err(error) => {
                    let why = format!(
                        "{} (tried for {} s)",
                        with_causes(&error),
                        self.patience.again.as_secs()
                    );
                    self.shared
                        .state
                        .send_replace(State::Down(Interruption::LinkLost { why }));
                    return;
                }
            }
            self.shared.state.send_replace(State::Up(up.clone()));
        }
    }

    /// Tries until it works, until the agent says no for good, or until the time is over.
    async fn insist(&self, limit: Duration) -> Result<Up, LinkError> {
        let end = Instant::now() + limit;
        let mut pause = BACK_OFF;
        loop {
            let error = match self.greet().await {
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

    async fn greet(&self) -> Result<Up, LinkError> {
        let quic = timeout(self.dial.limit(), self.dial.dial()).await??;
        let hello = Hello {
            version: env!("CARGO_PKG_VERSION").into(),
            session: self.shared.session,
            host: self.host.clone(),
            open: self.shared.open().iter().copied().collect(),
            news_seen: self.shared.news_seen.load(Ordering::Relaxed),
        };
        match timeout(GREETING, greeting(&quic, &hello)).await?? {
            Welcome::Accepted { incarnation } => Ok(Up { quic, incarnation }),
            Welcome::Refused(refusal) => Err(refusal.into()),
        }
    }
}

impl LinkError {
    /// Trying again would get the same answer.
    fn is_final(&self) -> bool {
        match self {
            LinkError::Refused(Refusal::Held { .. }) => false,
            LinkError::Refused(_) => true,
            LinkError::Dial(error) => error.is_final(),
            LinkError::Silent(_) | LinkError::Broken(_) => false,
        }
    }
}

async fn greeting(quic: &Quic, hello: &Hello) -> Result<Welcome, MessageError> {
    let (mut out, mut back) = quic
        .open_bi()
        .await
        .map_err(quinn::WriteError::ConnectionLost)?;
    send(&mut out, hello).await?;
    receive(&mut back, HELLO_LIMIT).await
}

/// News come on one stream; what came before the link broke does not come again.
async fn listen(quic: Quic, shared: Arc<Shared>, told: mpsc::UnboundedSender<Happening>) {
    let Ok(mut stream) = quic.accept_uni().await else {
        return;
    };
    while let Ok(news) = receive_next::<NumberedNews>(&mut stream, NEWS_LIMIT).await {
        if shared.news_seen.fetch_max(news.number, Ordering::Relaxed) < news.number {
            let _ = told.send(news.happening);
        }
    }
}
