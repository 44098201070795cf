//! The host's end of the link: a `Connection` that survives broken connections. Open requests are sent again with the same
//! number, so that each is done once and answered once.

mod dialer;
mod notification_inbox;
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
use notification_inbox::{InboxWriter, NotificationInbox};
use quinn::{Connection as Quic, ReadError, VarInt, WriteError};
use retap_device::reply_limit;
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::error_text::with_causes;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request, RequestFailure};
use retap_shared::session::{REPLY_LIMIT, RequestEnvelope, RequestResult, SessionId};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, close_code, receive, send};
pub use supervisor::{LinkError, ReconnectPolicy};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

const MALFORMED: VarInt = VarInt::from_u32(close_code::MALFORMED);

/// Maximum time of a reply that counts as fast.
const FAST_ANSWER: Duration = Duration::from_micros(500);
/// Maximum number of times that one request fails on connections that work, before the phone is given up.
const MAX_WRONG_ANSWERS: u32 = 5;
/// Pause after the first of them; each further one doubles it.
const WRONG_ANSWER_PAUSE: Duration = Duration::from_millis(50);
/// Turns of the runtime to wait actively for a fast reply: a fraction of a millisecond.
const SPIN_TURNS: u32 = 200;

/// A link to one agent.
pub struct Link {
    shared: Arc<LinkShared>,
    notifications: Arc<NotificationInbox>,
    supervisor: AbortHandle,
}

/// State that requests share with the supervisor.
#[derive(Debug)]
struct LinkShared {
    session: SessionId,
    state: watch::Sender<ConnectionState>,
    last_number: AtomicU64,
    /// Number of replies so far, on all connections.
    replies: AtomicU64,
    open_requests: Mutex<BTreeSet<u64>>,
    notifications_seen: AtomicU64,
    /// True if the last reply was fast; the next one is then waited for actively.
    answers_fast: AtomicBool,
}

/// State of the connection below the link.
#[derive(Clone, Debug)]
enum ConnectionState {
    Connecting,
    Connected(ActiveConnection),
    /// Not tried again.
    Lost(Interruption),
}

/// A connection after its handshake.
#[derive(Clone, Debug)]
struct ActiveConnection {
    quic: Quic,
    incarnation: u64,
}

impl Link {
    /// Connects, and keeps connected until dropped. Fails if the agent refuses or cannot be reached in time.
    pub async fn connect(
        dialer: Arc<dyn Dialer>,
        host: String,
        policy: ReconnectPolicy,
    ) -> Result<Link, LinkError> {
        let shared = Arc::new(LinkShared {
            session: SessionId(rand::random()),
            state: watch::Sender::new(ConnectionState::Connecting),
            last_number: AtomicU64::new(0),
            replies: AtomicU64::new(0),
            open_requests: Mutex::default(),
            notifications_seen: AtomicU64::new(0),
            answers_fast: AtomicBool::new(false),
        });
        let notifications = Arc::new(NotificationInbox::default());
        let mut supervisor = supervisor::LinkSupervisor::new(
            dialer,
            host,
            policy,
            shared.clone(),
            InboxWriter::new(&notifications),
        );
        let connection = supervisor.connect().await?;
        shared
            .state
            .send_replace(ConnectionState::Connected(connection.clone()));
        let supervisor = tokio::spawn(supervisor.keep_connected(connection)).abort_handle();
        Ok(Link {
            shared,
            notifications,
            supervisor,
        })
    }

    async fn send_request(&self, request: Request) -> Result<Reply, RequestError> {
        let number = self.shared.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let _open = OpenRequest::new(&self.shared, number);
        let limit = reply_limit(&request).limit;
        let mut first_incarnation = None;
        let mut wrong_answers = 0;
        loop {
            let up = self.shared.connection().await?;
            let other_agent = first_incarnation.is_some_and(|first| first != up.incarnation);
            first_incarnation.get_or_insert(up.incarnation);
            let only_known = other_agent && !request.is_read_only();
            let envelope = self.envelope(number, &request, only_known);
            let sent = Instant::now();
            let Ok(exchanged) = timeout(limit, self.exchange(&up.quic, &envelope)).await else {
                return Err(silent(&request, limit).into());
            };
            match exchanged {
                Ok(result) => {
                    self.shared.replies.fetch_add(1, Ordering::Relaxed);
                    self.shared
                        .answers_fast
                        .store(sent.elapsed() < FAST_ANSWER, Ordering::Relaxed);
                    return into_reply(result);
                }
                Err(MessageError::Codec(error)) => {
                    return Err(Interruption::LinkLost {
                        why: format!("a reply could not be decoded: {error}"),
                    }
                    .into());
                }
                Err(
                    MessageError::Read(ReadError::Reset(code))
                    | MessageError::Write(WriteError::Stopped(code)),
                ) if code == MALFORMED => {
                    return Err(too_large(&envelope.request).into());
                }
                Err(_) if up.quic.close_reason().is_some() => {
                    self.shared.wait_until_replaced(&up).await;
                }
                Err(error) => {
                    wrong_answers += 1;
                    let is_final = matches!(error, MessageError::TooLong { .. });
                    if is_final || wrong_answers == MAX_WRONG_ANSWERS {
                        return Err(wrongly_answered(&request, wrong_answers, &error).into());
                    }
                    sleep(WRONG_ANSWER_PAUSE * (1 << wrong_answers)).await;
                }
            }
        }
    }

    fn envelope(&self, number: u64, request: &Request, only_known: bool) -> RequestEnvelope {
        RequestEnvelope {
            number,
            oldest_open: self.shared.oldest_open(),
            notifications_seen: self.shared.notifications_seen.load(Ordering::Relaxed),
            only_known,
            request: request.clone(),
        }
    }

    async fn exchange(
        &self,
        quic: &Quic,
        envelope: &RequestEnvelope,
    ) -> Result<RequestResult, MessageError> {
        let (mut request, mut reply) = quic
            .open_bi()
            .await
            .map_err(quinn::WriteError::ConnectionLost)?;
        send(&mut request, envelope).await?;
        let reply = receive(&mut reply, REPLY_LIMIT);
        if self.shared.answers_fast.load(Ordering::Relaxed) {
            spin_then_wait(reply).await
        } else {
            reply.await
        }
    }
}

/// Waits actively for a few turns of the runtime, then passively: to be woken takes longer than a fast reply.
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

/// Failure of a request that the agent would refuse again.
fn too_large(request: &Request) -> RequestFailure {
    let name = request.name();
    RequestFailure::Impossible(format!(
        "the agent refused `{name}`: the request is too large"
    ))
}

/// A phone that holds its connection and does not answer.
fn silent(request: &Request, limit: Duration) -> Interruption {
    let (name, seconds) = (request.name(), limit.as_secs());
    Interruption::PhoneLost {
        why: format!("it has not answered `{name}` for {seconds} s, although the link holds"),
    }
}

/// A phone that holds its connection and answers with something else.
fn wrongly_answered(request: &Request, times: u32, error: &MessageError) -> Interruption {
    let (name, why) = (request.name(), with_causes(error));
    Interruption::LinkLost {
        why: format!("`{name}` was answered wrongly {times} times, at last: {why}"),
    }
}

fn into_reply(result: RequestResult) -> Result<Reply, RequestError> {
    match result {
        RequestResult::Reply(reply) => Ok(reply),
        RequestResult::Failed(failure) => Err(failure.into()),
        RequestResult::Interrupted(interruption) => Err(interruption.into()),
        RequestResult::Unknown => {
            let why = "it was restarted and has lost the result".to_owned();
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

    /// Waits until the supervisor has noticed that the connection is closed: a stream fails a moment earlier, and a request
    /// on the same connection would fail again.
    async fn wait_until_replaced(&self, up: &ActiveConnection) {
        let id = up.quic.stable_id();
        let same = |state: &ConnectionState| matches!(state, ConnectionState::Connected(up) if up.quic.stable_id() == id);
        let _ = self.state.subscribe().wait_for(|state| !same(state)).await;
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
        Box::pin(self.send_request(request))
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(self.notifications.next())
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

/// A request without a reply yet. Dropped with the reply, or when it is cancelled.
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
