//! The agent's end of the link: one host at a time, handshake, resume. What is asked is done by a `Connection` in
//! this process, whether or not the link holds meanwhile.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn::{Connection as Quic, Endpoint, Incoming, RecvStream, SendStream, VarInt};
use retap_shared::connection::{Connection, RequestError};
use retap_shared::protocol::Request;
use retap_shared::session::{
    Answer, Envelope, HELLO_LIMIT, Hello, REQUEST_LIMIT, Refusal, SessionId, Welcome,
};
use retap_transport::{MessageError, code, receive, send, send_large, send_next, with_causes};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::outbox::{Entered, Outbox};

/// A peer that takes longer than this for its next move of the handshake is dropped.
const PATIENCE: Duration = Duration::from_secs(5);
/// Handshakes of strangers that may be under way at once; beyond that an address must prove itself first.
const STRANGERS: usize = 8;

/// Bulk results wait for everything else.
const BULK: i32 = -1;

pub struct Server {
    phone: Arc<dyn Connection>,
    outbox: Outbox,
    version: String,
    /// Differs from one start of the agent to the next.
    incarnation: u64,
    holder: Mutex<Option<Holder>>,
    /// Who is connected right now.
    connected: watch::Sender<Option<String>>,
    /// Bulk results are sent one after the other, so that little of them is under way at once.
    bulk: Semaphore,
}

/// The host that has the phone.
struct Holder {
    session: SessionId,
    host: String,
    quic: Quic,
    heard: Instant,
}

/// Why a connection came to nothing.
#[derive(Debug, thiserror::Error)]
enum Dropped {
    #[error("the handshake failed")]
    Handshake(#[from] quinn::ConnectionError),
    #[error("it was silent for {} s", PATIENCE.as_secs())]
    Silent(#[from] tokio::time::error::Elapsed),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error("refused: {0}")]
    Refused(Refusal),
}

impl Server {
    pub fn new(
        phone: Arc<dyn Connection>,
        outbox: Outbox,
        version: String,
        incarnation: u64,
    ) -> Arc<Self> {
        Arc::new(Server {
            phone,
            outbox,
            version,
            incarnation,
            holder: Mutex::new(None),
            connected: watch::Sender::new(None),
            bulk: Semaphore::new(1),
        })
    }

    /// Serves whoever comes through this endpoint, until it is closed.
    pub async fn serve(self: Arc<Self>, endpoint: Endpoint) {
        let strangers = Arc::new(Semaphore::new(STRANGERS));
        while let Some(incoming) = endpoint.accept().await {
            let Ok(place) = strangers.clone().try_acquire_owned() else {
                turn_away(incoming);
                continue;
            };
            tokio::spawn(self.clone().meet(incoming, place));
        }
    }

    /// Serves the one host that an endpoint over a byte stream can have. Returns when it is gone, or if none came.
    pub async fn serve_one(self: Arc<Self>, endpoint: Endpoint) {
        if let Ok(Some(incoming)) = timeout(PATIENCE, endpoint.accept()).await {
            self.meet(incoming, ()).await;
        }
    }

    /// `place` is given back once the stranger is a stranger no more.
    async fn meet<P>(self: Arc<Self>, incoming: Incoming, place: P) {
        let address = incoming.remote_address();
        match self.greet(incoming).await {
            Ok((quic, hello)) => {
                drop(place);
                self.attend(quic, hello).await;
            }
            Err(error) => {
                tracing::warn!(%address, error = %with_causes(&error), "turned a host away")
            }
        }
    }

    /// News for whichever host there is or will be.
    pub async fn gather_news(self: Arc<Self>) {
        while let Some(happening) = self.phone.news().await {
            self.outbox.add_news(happening);
        }
    }

    /// Returns once no host has been there for this long.
    pub async fn wait_until_forgotten(&self, limit: Duration) {
        let started = Instant::now();
        loop {
            let (host, heard) = match self.holder().as_ref() {
                Some(holder) => (Some(holder.quic.clone()), holder.heard),
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
                .holder()
                .as_ref()
                .and_then(|holder| holder.quic.close_reason());
            if let Some(quinn::ConnectionError::ApplicationClosed(closed)) = ended
                && closed.error_code == VarInt::from_u32(code::DONE)
            {
                return;
            }
        }
    }

    /// The name of the host that is connected, and every change of it.
    pub fn connected(&self) -> watch::Receiver<Option<String>> {
        self.connected.subscribe()
    }

    async fn greet(&self, incoming: Incoming) -> Result<(Quic, Hello), Dropped> {
        let quic = timeout(PATIENCE, incoming.accept()?).await??;
        let (mut answer, mut greeting) = timeout(PATIENCE, quic.accept_bi()).await??;
        let hello = match timeout(PATIENCE, receive::<Hello>(&mut greeting, HELLO_LIMIT)).await? {
            Ok(hello) => self.admit(&quic, hello),
            Err(MessageError::Codec(error)) => Err(Refusal::Greeting {
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
                let _ = timeout(PATIENCE, answer.stopped()).await;
                quic.close(
                    VarInt::from_u32(code::REFUSED),
                    refusal.to_string().as_bytes(),
                );
                Err(Dropped::Refused(refusal))
            }
        }
    }

    /// Gives the phone to this host if it may have it.
    fn admit(&self, quic: &Quic, hello: Hello) -> Result<Hello, Refusal> {
        if hello.version != self.version {
            return Err(Refusal::Version {
                agent: self.version.clone(),
            });
        }
        let mut holder = self.holder();
        if let Some(holder) = holder
            .as_ref()
            .filter(|holder| holder.quic.close_reason().is_none())
        {
            if holder.session != hello.session {
                let silent_seconds = holder.heard.elapsed().as_secs();
                return Err(Refusal::Held {
                    by: holder.host.clone(),
                    silent_seconds,
                });
            }
            holder.quic.close(
                VarInt::from_u32(code::REPLACED),
                b"the host has connected anew",
            );
        }
        self.outbox
            .resume(hello.session, &hello.open, hello.news_seen);
        *holder = Some(Holder {
            session: hello.session,
            host: hello.host.clone(),
            quic: quic.clone(),
            heard: Instant::now(),
        });
        self.connected.send_replace(Some(hello.host.clone()));
        Ok(hello)
    }

    /// Answers the host's requests until the connection ends.
    async fn attend(self: Arc<Self>, quic: Quic, hello: Hello) {
        let news = tokio::spawn(self.clone().tell_news(quic.clone(), hello.news_seen));
        tracing::info!(host = %hello.host, session = %hello.session, "serving");
        loop {
            match quic.accept_bi().await {
                Ok((answer, request)) => {
                    self.heard();
                    tokio::spawn(self.clone().answer(answer, request));
                }
                Err(error) => {
                    tracing::info!(host = %hello.host, %error, "the link has ended");
                    self.heard();
                    break;
                }
            }
        }
        news.abort();
        self.left(&quic);
    }

    /// Nothing has changed if the same host is back on a newer connection.
    fn left(&self, quic: &Quic) {
        let holder = self.holder();
        if holder
            .as_ref()
            .is_some_and(|holder| holder.quic.stable_id() == quic.stable_id())
        {
            self.connected.send_replace(None);
        }
    }

    async fn answer(self: Arc<Self>, mut stream: SendStream, mut request: RecvStream) {
        // However long it takes: the host is no stranger any more, and a bad network may hold up half of a request.
        let envelope = match receive::<Envelope>(&mut request, REQUEST_LIMIT).await {
            Ok(envelope) => envelope,
            Err(MessageError::Codec(error)) => {
                tracing::warn!(error = %with_causes(&error), "a request could not be read");
                let _ = stream.reset(VarInt::from_u32(code::MALFORMED));
                return;
            }
            // The link broke or the host has changed its mind: there is nobody to answer.
            Err(_) => return,
        };
        self.outbox
            .acknowledge(envelope.oldest_open, envelope.news_seen);
        let number = envelope.number;
        let is_bulk = envelope.request.is_bulk();
        let only_known = envelope.only_known;
        let answer = {
            let work = self.answer_to(envelope);
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
            None if only_known => send(&mut stream, &Answer::Unknown).await,
            None => return,
        };
    }

    /// After all other answers, and after other bulk.
    async fn send_bulk(
        &self,
        stream: &mut SendStream,
        answer: Arc<Answer>,
    ) -> Result<(), MessageError> {
        let _ = stream.set_priority(BULK);
        let _turn = self.bulk.acquire().await;
        send_large(stream, answer).await?;
        // The turn lasts until it has arrived, or cannot any more.
        let _ = stream.stopped().await;
        Ok(())
    }

    /// Does what is asked unless it is under way or done. None if it was cancelled, or is not known.
    async fn answer_to(&self, envelope: Envelope) -> Option<Arc<Answer>> {
        let number = envelope.number;
        let entered = if envelope.only_known {
            Entered::Known
        } else {
            self.outbox.enter(number)
        };
        match entered {
            Entered::Known => self.outbox.answer_of(number).await,
            Entered::New(cancelled) => tokio::select! {
                biased;
                answer = self.work(envelope.request) => Some(self.outbox.complete(number, answer)),
                () = cancelled.notified() => None,
            },
        }
    }

    async fn work(&self, request: Request) -> Answer {
        match self.phone.request(request).await {
            Ok(reply) => Answer::Reply(reply),
            Err(RequestError::Refused(fault)) => Answer::Fault(fault),
            Err(RequestError::Interrupted(interruption)) => Answer::Interrupted(interruption),
        }
    }

    async fn tell_news(self: Arc<Self>, quic: Quic, mut seen: u64) {
        let Ok(mut stream) = quic.open_uni().await else {
            return;
        };
        loop {
            let news = self.outbox.news_after(seen).await;
            seen = news.number;
            if send_next(&mut stream, &news).await.is_err() {
                return;
            }
        }
    }

    fn heard(&self) {
        if let Some(holder) = self.holder().as_mut() {
            holder.heard = Instant::now();
        }
    }

    fn holder(&self) -> MutexGuard<'_, Option<Holder>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Under a flood: an address that has not proven itself is asked to, one that has must come again later.
fn turn_away(incoming: Incoming) {
    if incoming.may_retry() {
        let _ = incoming.retry();
    } else {
        incoming.refuse();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
