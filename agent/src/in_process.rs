//! A `Connection` without a link: the same handlers, called directly. The phone's time is slept on tokio's clock,
//! which tests and simulated runs pause.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Act, Capture, PhoneEvent, Reply, Request, RequestFailure};
use tokio::sync::{Mutex as Turn, Notify};

use crate::handlers::{HandlerResult, Handlers, PlayInProgress};
use crate::phone::{Phone, PhoneError};

/// tokio's clock counts whole milliseconds; what is left of a step is carried to the next one.
const TICK: u64 = 1_000;

pub struct InProcessConnection {
    handlers: Mutex<Handlers>,
    /// One request at a time, in the order in which they came. Holds the microseconds not yet slept.
    turn: Turn<u64>,
    unsent_added: Notify,
    sleeps: bool,
    /// Without a link there is nothing to save by making differences: the screen itself is handed over.
    sends_diffs: bool,
}

impl InProcessConnection {
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

    /// For an agent's end of a link: screens as the difference to what the host holds.
    pub fn with_screen_diffs(self) -> Self {
        InProcessConnection {
            sends_diffs: true,
            ..self
        }
    }

    /// A phone whose time costs nothing, for measuring what is around it.
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

    /// Out of turn and on a thread of its own: nothing waits for a picture.
    async fn screenshot(&self) -> Result<Reply, RequestError> {
        let pixels = self.lock().pending_screenshot()?;
        let taken = tokio::task::spawn_blocking(|| pixels.take()).await;
        let shot = taken.map_err(|error| {
            RequestFailure::Phone(format!("the picture was not taken: {error}"))
        })??;
        Ok(shot.into())
    }

    /// The awaits between the steps are where a dropped request ends.
    async fn play(&self, playing: PlayInProgress, owed: &mut u64) -> Result<Reply, RequestError> {
        let mut under_way = PlayGuard {
            connection: self,
            playing,
        };
        loop {
            let (played, took) = self.timed(|handlers| under_way.playing.advance(handlers));
            self.sleep(owed, took).await;
            if let Some(played) = played? {
                return Ok(played.into());
            }
        }
    }

    async fn sleep(&self, owed: &mut u64, took: Micros) {
        *owed += took.0;
        let whole = *owed - *owed % TICK;
        if whole > 0 && self.sleeps {
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
                let unsent = self.unsent_added.notified();
                if let Some(happening) = self.lock().next_unsent_event() {
                    return Some(happening);
                }
                unsent.await;
            }
        })
    }
}

/// A play whose request may be dropped at any await. A play that is over has nothing left to hand on.
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

impl From<PhoneError> for RequestError {
    fn from(error: PhoneError) -> Self {
        match error {
            PhoneError::Failed(fault) => RequestError::Failed(fault),
            PhoneError::Lost(interruption) => RequestError::Interrupted(interruption),
        }
    }
}

impl fmt::Debug for InProcessConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}
