//! The host's end of the link: a `Connection` that survives the breaks of what is below it. Requests that were under
//! way are asked for again under their number, so that each is done once and answered once.

mod courier;
mod dial;
pub mod pairing;
pub mod serving;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use courier::{LinkError, Patience};
pub use dial::{Dial, DialError, OverStream, shake_hands};
use quinn::{Connection as Quic, ReadError, VarInt};
use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::protocol::{Fault, Happening, Reply, Request};
use retap_shared::session::{ANSWER_LIMIT, Answer, Envelope, SessionId};
use retap_shared::verdict::Interruption;
use retap_transport::{MessageError, code, receive, send};
use tokio::sync::{Mutex as Turn, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

const MALFORMED: VarInt = VarInt::from_u32(code::MALFORMED);

const SOON: Duration = Duration::from_micros(500);
/// A fraction of a millisecond's worth.
const TURNS_AWAKE: u32 = 200;

/// A link to one agent.
pub struct Link {
    shared: Arc<Shared>,
    news: Turn<mpsc::UnboundedReceiver<Happening>>,
    courier: AbortHandle,
}

/// What the requests and the courier, who keeps the connection up, have in common.
#[derive(Debug)]
struct Shared {
    session: SessionId,
    state: watch::Sender<State>,
    last_number: AtomicU64,
    open: Mutex<BTreeSet<u64>>,
    news_seen: AtomicU64,
    /// The last answer came soon: a phone that takes its time is waited for asleep.
    answers_soon: AtomicBool,
}

#[derive(Clone, Debug)]
enum State {
    Connecting,
    Up(Up),
    /// For good.
    Down(Interruption),
}

/// A connection on which the handshake is done.
#[derive(Clone, Debug)]
struct Up {
    quic: Quic,
    incarnation: u64,
}

impl Link {
    /// Connects, and keeps connected until dropped. Fails if the agent refuses or cannot be reached in time.
    pub async fn connect(
        dial: Arc<dyn Dial>,
        host: String,
        patience: Patience,
    ) -> Result<Link, LinkError> {
        let shared = Arc::new(Shared {
            session: SessionId(random()),
            state: watch::Sender::new(State::Connecting),
            last_number: AtomicU64::new(0),
            open: Mutex::default(),
            news_seen: AtomicU64::new(0),
            answers_soon: AtomicBool::new(false),
        });
        let (told, news) = mpsc::unbounded_channel();
        let mut courier = courier::Courier::new(dial, host, patience, shared.clone(), told);
        let up = courier.connect().await?;
        shared.state.send_replace(State::Up(up.clone()));
        let courier = tokio::spawn(courier.keep_up(up)).abort_handle();
        Ok(Link {
            shared,
            news: Turn::new(news),
            courier,
        })
    }

    async fn ask(&self, request: Request) -> Result<Reply, RequestError> {
        let number = self.shared.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let _open = Open::new(&self.shared, number);
        let mut asked_of = None;
        loop {
            let up = self.shared.up().await?;
            let other_agent = asked_of.is_some_and(|incarnation| incarnation != up.incarnation);
            asked_of.get_or_insert(up.incarnation);
            let envelope = Envelope {
                number,
                oldest_open: self.shared.oldest_open(),
                news_seen: self.shared.news_seen.load(Ordering::Relaxed),
                only_known: other_agent && !request.only_looks(),
                request: request.clone(),
            };
            let asked = Instant::now();
            match self.exchange(&up.quic, &envelope).await {
                Ok(answer) => {
                    self.shared
                        .answers_soon
                        .store(asked.elapsed() < SOON, Ordering::Relaxed);
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
                Err(_) => self.shared.wait_until_gone(&up).await,
            }
        }
    }

    async fn exchange(&self, quic: &Quic, envelope: &Envelope) -> Result<Answer, MessageError> {
        let (mut request, mut answer) = quic
            .open_bi()
            .await
            .map_err(quinn::WriteError::ConnectionLost)?;
        send(&mut request, envelope).await?;
        let answer = receive(&mut answer, ANSWER_LIMIT);
        if self.shared.answers_soon.load(Ordering::Relaxed) {
            awake(answer).await
        } else {
            answer.await
        }
    }
}

/// Awake for a few turns of the runtime, then asleep: to fall asleep and be woken again takes longer than a quick answer.
async fn awake<T>(answer: impl Future<Output = T>) -> T {
    tokio::pin!(answer);
    for _ in 0..TURNS_AWAKE {
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = tokio::task::yield_now() => {}
        }
    }
    answer.await
}

/// Asked again, it would be refused again.
fn unreadable(request: &Request) -> Fault {
    let name = request.name();
    Fault::Impossible(format!(
        "the agent could not read `{name}`: it holds more than an agent takes at once"
    ))
}

fn reply(answer: Answer) -> Result<Reply, RequestError> {
    match answer {
        Answer::Reply(reply) => Ok(reply),
        Answer::Fault(fault) => Err(fault.into()),
        Answer::Interrupted(interruption) => Err(interruption.into()),
        Answer::Unknown => {
            let why = "it was started anew and does not know the result".to_owned();
            Err(Interruption::AgentDied { why }.into())
        }
    }
}

impl Shared {
    async fn up(&self) -> Result<Up, Interruption> {
        if let State::Up(up) = &*self.state.borrow() {
            return Ok(up.clone());
        }
        let mut state = self.state.subscribe();
        let settled = state
            .wait_for(|state| !matches!(state, State::Connecting))
            .await;
        match settled.map(|state| state.clone()) {
            Ok(State::Up(up)) => Ok(up),
            Ok(State::Down(interruption)) => Err(interruption),
            Ok(State::Connecting) | Err(_) => Err(Interruption::Cancelled),
        }
    }

    /// A stream can fail a moment before the courier knows that its connection has: asking again on the same one
    /// would only fail again.
    async fn wait_until_gone(&self, up: &Up) {
        let id = up.quic.stable_id();
        let same = |state: &State| matches!(state, State::Up(up) if up.quic.stable_id() == id);
        if up.quic.close_reason().is_some() {
            let _ = self.state.subscribe().wait_for(|state| !same(state)).await;
        }
    }

    fn oldest_open(&self) -> u64 {
        let next = self.last_number.load(Ordering::Relaxed) + 1;
        self.open().first().copied().unwrap_or(next)
    }

    fn open(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection for Link {
    fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>> {
        Box::pin(self.ask(request))
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        Box::pin(async { self.news.lock().await.recv().await })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.courier.abort();
        if let State::Up(up) = &*self.shared.state.borrow() {
            up.quic
                .close(VarInt::from_u32(code::DONE), b"the host is done");
        }
    }
}

/// A request whose answer is waited for, until it has come or nobody waits any more.
struct Open<'a> {
    shared: &'a Shared,
    number: u64,
}

impl<'a> Open<'a> {
    fn new(shared: &'a Shared, number: u64) -> Self {
        shared.open().insert(number);
        Open { shared, number }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.shared.open().remove(&self.number);
    }
}

/// Session ids need to differ, not to be reproducible: they come from the operating system.
fn random() -> u128 {
    use std::hash::{BuildHasher, RandomState};
    let half = || u128::from(RandomState::new().hash_one(std::process::id()));
    half() << 64 | half()
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("session", &self.shared.session)
            .finish_non_exhaustive()
    }
}
