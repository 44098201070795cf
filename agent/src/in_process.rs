//! A `Connection` without a link: it calls the handlers directly. Phone time is slept on tokio's clock, which tests and
//! simulated runs pause.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Act, Capture, Reply, Request, RequestFailure};
use tokio::sync::{Mutex as Turn, Notify};

use crate::dispatch::{HandlerResult, PlayInProgress};
use crate::handlers::Handlers;
use crate::phone::Phone;

/// Microseconds per tick of tokio's clock. The remainder of a request is slept with the next one.
const TICK: u64 = 1_000;

/// A connection to a phone in this process.
pub struct InProcessConnection {
    handlers: Mutex<Handlers>,
    /// Held by one request at a time, in the order of arrival. Its value is the microseconds that were not slept yet.
    turn: Turn<u64>,
    unsent_added: Notify,
    sleeps: bool,
    /// False without a link: a shared screen costs less than a diff.
    sends_diffs: bool,
}

impl InProcessConnection {
    /// Creates a connection whose phone time is slept.
    pub fn new(phone: Box<dyn Phone>) -> Self {
        let handlers = Mutex::new(Handlers::new(phone));
        InProcessConnection {
            handlers,
            turn: Turn::new(0),
            unsent_added: Notify::new(),
            sleeps: true,
            sends_diffs: false,
        }
    }

    /// Sends screens as diffs from the screen that the host holds, as an agent does over a link.
    pub fn with_screen_diffs(self) -> Self {
        InProcessConnection {
            sends_diffs: true,
            ..self
        }
    }

    /// Does not sleep phone time, for benchmarks of the rest.
    pub fn without_sleeping(self) -> Self {
        InProcessConnection {
            sleeps: false,
            ..self
        }
    }

    async fn answer(&self, request: Request) -> Result<Reply, RequestError> {
        if let Request::TakeScreenshot(_) = request {
            return self.screenshot().await;
        }
        let mut owed = self.turn.lock().await;
        let request = if self.sends_diffs {
            request
        } else {
            without_held_screen(request)
        };
        let (handled, took) = self.timed(|handlers| handlers.handle(request));
        self.sleep(&mut owed, took).await;
        match handled? {
            HandlerResult::Done(reply) => Ok(reply),
            HandlerResult::Playing(playing) => self.play(*playing, &mut owed).await,
        }
    }

    /// Takes a screenshot on a thread of its own, without waiting for a turn.
    async fn screenshot(&self) -> Result<Reply, RequestError> {
        let pending = self.lock().pending_screenshot()?;
        let taken = tokio::task::spawn_blocking(|| pending.take()).await;
        let reply = taken.map_err(|error| {
            RequestFailure::Phone(format!("the screenshot was not taken: {error}"))
        })??;
        Ok(reply.into())
    }

    /// Plays step by step. A dropped request ends at the await between two steps.
    async fn play(&self, playing: PlayInProgress, owed: &mut u64) -> Result<Reply, RequestError> {
        let mut guard = PlayGuard {
            connection: self,
            playing,
        };
        loop {
            let (advanced, took) = self.timed(|handlers| guard.playing.advance(handlers));
            self.sleep(owed, took).await;
            if let Some(reply) = advanced? {
                return Ok(reply.into());
            }
        }
    }

    /// Sleeps phone time. Otherwise other tasks have their turn, so that a request can be cancelled.
    async fn sleep(&self, owed: &mut u64, took: Micros) {
        if !self.sleeps {
            return tokio::task::yield_now().await;
        }
        *owed += took.0;
        let whole = *owed - *owed % TICK;
        if whole > 0 {
            *owed -= whole;
            tokio::time::sleep(Duration::from_micros(whole)).await;
        }
    }

    fn timed<T>(&self, work: impl FnOnce(&mut Handlers) -> T) -> (T, Micros) {
        let mut handlers = self.lock();
        let start = handlers.now();
        let done = work(&mut handlers);
        (done, handlers.now().since(start))
    }

    fn lock(&self) -> MutexGuard<'_, Handlers> {
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection for InProcessConnection {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(self.answer(request))
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        Box::pin(async {
            loop {
                let added = self.unsent_added.notified();
                if let Some(event) = self.lock().next_unsent_event() {
                    return Some(event);
                }
                added.await;
            }
        })
    }
}

/// Cancels the play if its request is dropped. Cancelling a play that has ended does nothing.
struct PlayGuard<'a> {
    connection: &'a InProcessConnection,
    playing: PlayInProgress,
}

impl Drop for PlayGuard<'_> {
    fn drop(&mut self) {
        self.playing.cancel(&mut self.connection.lock());
        self.connection.unsent_added.notify_waiters();
    }
}

fn without_held_screen(request: Request) -> Request {
    match request {
        Request::Capture(_) => Capture { held_screen: None }.into(),
        Request::Act(act) => Act {
            held_screen: None,
            ..act
        }
        .into(),
        other => other,
    }
}

impl fmt::Debug for InProcessConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessConnection")
            .finish_non_exhaustive()
    }
}
