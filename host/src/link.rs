//! The host's end of the link: a `Connection` that survives the breaks of what is below it. Requests that were under
//! way are asked for again under their number, so that each is done once and answered once.

mod dialer;
pub mod pairing;
pub mod served_keys;
mod supervisor;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use dialer::{DialError, Dialer, StreamDialer, handshake};
use quinn::{Connection as Quic, ReadError, VarInt};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request, RequestFailure};
use retap_shared::session::{REPLY_LIMIT, RequestEnvelope, RequestResult, SessionId};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, close_code, receive, send};
pub use supervisor::{LinkError, ReconnectPolicy};
use tokio::sync::{Mutex as Turn, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

const MALFORMED: VarInt = VarInt::from_u32(close_code::MALFORMED);

const FAST_ANSWER: Duration = Duration::from_micros(500);
/// A fraction of a millisecond's worth.
const SPIN_TURNS: u32 = 200;

/// A link to one agent.
pub struct Link {
    shared: Arc<LinkShared>,
    notifications: Turn<mpsc::UnboundedReceiver<PhoneEvent>>,
    supervisor: AbortHandle,
}

/// What the requests and the courier, who keeps the connection up, have in common.
#[derive(Debug)]
struct LinkShared {
    session: SessionId,
    state: watch::Sender<ConnectionState>,
    last_number: AtomicU64,
    open_requests: Mutex<BTreeSet<u64>>,
    notifications_seen: AtomicU64,
    /// The last answer came soon: a phone that takes its time is waited for asleep.
    answers_fast: AtomicBool,
}

#[derive(Clone, Debug)]
enum ConnectionState {
    Connecting,
    Connected(ActiveConnection),
    /// For good.
    Lost(Interruption),
}

/// A connection on which the handshake is done.
#[derive(Clone, Debug)]
struct ActiveConnection {
    quic: Quic,
    incarnation: u64,
}

impl Link {
    /// Connects, and keeps connected until dropped. Fails if the agent refuses or cannot be reached in time.
    pub async fn connect(
        dial: Arc<dyn Dialer>,
        host: String,
        patience: ReconnectPolicy,
    ) -> Result<Link, LinkError> {
        let shared = Arc::new(LinkShared {
            session: SessionId(rand::random()),
            state: watch::Sender::new(ConnectionState::Connecting),
            last_number: AtomicU64::new(0),
            open_requests: Mutex::default(),
            notifications_seen: AtomicU64::new(0),
            answers_fast: AtomicBool::new(false),
        });
        let (told, news) = mpsc::unbounded_channel();
        let mut courier =
            supervisor::LinkSupervisor::new(dial, host, patience, shared.clone(), told);
        let up = courier.connect().await?;
        shared
            .state
            .send_replace(ConnectionState::Connected(up.clone()));
        let courier = tokio::spawn(courier.keep_connected(up)).abort_handle();
        Ok(Link {
            shared,
            notifications: Turn::new(news),
            supervisor: courier,
        })
    }

    async fn ask(&self, request: Request) -> Result<Reply, RequestError> {
        let number = self.shared.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let _open = OpenRequest::new(&self.shared, number);
        let mut asked_of = None;
        loop {
            let up = self.shared.connection().await?;
            let other_agent = asked_of.is_some_and(|incarnation| incarnation != up.incarnation);
            asked_of.get_or_insert(up.incarnation);
            let envelope = RequestEnvelope {
                number,
                oldest_open: self.shared.oldest_open(),
                notifications_seen: self.shared.notifications_seen.load(Ordering::Relaxed),
                only_known: other_agent && !request.is_read_only(),
                request: request.clone(),
            };
            let asked = Instant::now();
            match self.exchange(&up.quic, &envelope).await {
                Ok(answer) => {
                    self.shared
                        .answers_fast
                        .store(asked.elapsed() < FAST_ANSWER, Ordering::Relaxed);
                    return reply(answer);
                }
                Err(MessageError::Codec(error)) => {
                    return Err(Interruption::LinkLost {
                        why: format!("an answer made no sense: {error}"),
                    }
                    .into());
                }
                Err(MessageError::Read(ReadError::Reset(code))) if code == MALFORMED => {
                    return Err(unreadable(&envelope.request).into());
                }
                Err(_) => self.shared.wait_until_replaced(&up).await,
            }
        }
    }

    async fn exchange(
        &self,
        quic: &Quic,
        envelope: &RequestEnvelope,
    ) -> Result<RequestResult, MessageError> {
        let (mut request, mut answer) = quic
            .open_bi()
            .await
            .map_err(quinn::WriteError::ConnectionLost)?;
        send(&mut request, envelope).await?;
        let answer = receive(&mut answer, REPLY_LIMIT);
        if self.shared.answers_fast.load(Ordering::Relaxed) {
            spin_then_wait(answer).await
        } else {
            answer.await
        }
    }
}

/// Awake for a few turns of the runtime, then asleep: to fall asleep and be woken again takes longer than a quick answer.
async fn spin_then_wait<T>(answer: impl Future<Output = T>) -> T {
    tokio::pin!(answer);
    for _ in 0..SPIN_TURNS {
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::task::yield_now() => {}
        }
    }
    answer.await
}

/// Asked again, it would be refused again.
fn unreadable(request: &Request) -> RequestFailure {
    let name = request.name();
    RequestFailure::Impossible(format!(
        "the agent could not read `{name}`: it holds more than an agent takes at once"
    ))
}

fn reply(answer: RequestResult) -> Result<Reply, RequestError> {
    match answer {
        RequestResult::Reply(reply) => Ok(reply),
        RequestResult::Failed(fault) => Err(fault.into()),
        RequestResult::Interrupted(interruption) => Err(interruption.into()),
        RequestResult::Unknown => {
            let why = "it was started anew and does not know the result".to_owned();
            Err(Interruption::AgentDied { why }.into())
        }
    }
}

impl LinkShared {
    async fn connection(&self) -> Result<ActiveConnection, Interruption> {
        if let ConnectionState::Connected(up) = &*self.state.borrow() {
            return Ok(up.clone());
        }
        let mut state = self.state.subscribe();
        let settled = state
            .wait_for(|state| !matches!(state, ConnectionState::Connecting))
            .await;
        match settled.map(|state| state.clone()) {
            Ok(ConnectionState::Connected(up)) => Ok(up),
            Ok(ConnectionState::Lost(interruption)) => Err(interruption),
            Ok(ConnectionState::Connecting) | Err(_) => Err(Interruption::Cancelled),
        }
    }

    /// A stream can fail a moment before the courier knows that its connection has: asking again on the same one
    /// would only fail again.
    async fn wait_until_replaced(&self, up: &ActiveConnection) {
        let id = up.quic.stable_id();
        let same = |state: &ConnectionState| matches!(state, ConnectionState::Connected(up) if up.quic.stable_id() == id);
        if up.quic.close_reason().is_some() {
            let _ = self.state.subscribe().wait_for(|state| !same(state)).await;
        }
    }

    fn oldest_open(&self) -> u64 {
        let next = self.last_number.load(Ordering::Relaxed) + 1;
        self.lock_open_requests().first().copied().unwrap_or(next)
    }

    fn lock_open_requests(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.open_requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection for Link {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(self.ask(request))
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async { self.notifications.lock().await.recv().await })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.supervisor.abort();
        if let ConnectionState::Connected(up) = &*self.shared.state.borrow() {
            up.quic
                .close(VarInt::from_u32(close_code::DONE), b"the host is done");
        }
    }
}

/// A request whose answer is waited for, until it has come or nobody waits any more.
struct OpenRequest<'a> {
    shared: &'a LinkShared,
    number: u64,
}

impl<'a> OpenRequest<'a> {
    fn new(shared: &'a LinkShared, number: u64) -> Self {
        shared.lock_open_requests().insert(number);
        OpenRequest { shared, number }
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.shared.lock_open_requests().remove(&self.number);
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("session", &self.shared.session)
            .finish_non_exhaustive()
    }
}
