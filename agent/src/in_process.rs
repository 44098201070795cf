//! A `Connection` without a link: the same handlers, called directly. The phone's time is slept on tokio's clock,
//! which tests and simulated runs pause.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Act, Capture, Fault, Happening, Reply, Request};
use tokio::sync::{Mutex as Turn, Notify};

use crate::handlers::{Handled, Handlers, Playing};
use crate::phone::{Phone, PhoneError};

/// tokio's clock counts whole milliseconds; what is left of a step is carried to the next one.
const TICK: u64 = 1_000;

pub struct InProcess {
    handlers: Mutex<Handlers>,
    /// One request at a time, in the order in which they came. Holds the microseconds not yet slept.
    turn: Turn<u64>,
    unsent: Notify,
    sleeps: bool,
    /// Without a link there is nothing to save by making differences: the screen itself is handed over.
    differences: bool,
}

impl InProcess {
    pub fn new(phone: Box<dyn Phone>) -> Self {
        let handlers = Mutex::new(Handlers::new(phone));
        InProcess {
            handlers,
            turn: Turn::new(0),
            unsent: Notify::new(),
            sleeps: true,
            differences: false,
        }
    }

    /// For an agent's end of a link: screens as the difference to what the host holds.
    pub fn for_link(self) -> Self {
        InProcess {
            differences: true,
            ..self
        }
    }

    /// A phone whose time costs nothing, for measuring what is around it.
    pub fn timeless(self) -> Self {
        InProcess {
            sleeps: false,
            ..self
        }
    }

    async fn answer(&self, request: Request) -> Result<Reply, RequestError> {
        if let Request::Screenshot(_) = request {
            return self.screenshot().await;
        }
        let mut owed = self.turn.lock().await;
        let request = if self.differences {
            request
        } else {
            without_holds(request)
        };
        let (handled, took) = self.timed(|handlers| handlers.handle(request));
        self.sleep(&mut owed, took).await;
        match handled? {
            Handled::Done(reply) => Ok(reply),
            Handled::Playing(playing) => self.play(*playing, &mut owed).await,
        }
    }

    /// Out of turn and on a thread of its own: nothing waits for a picture.
    async fn screenshot(&self) -> Result<Reply, RequestError> {
        let pixels = self.lock().pixels()?;
        let taken = tokio::task::spawn_blocking(|| pixels.take()).await;
        let shot = taken
            .map_err(|error| Fault::Phone(format!("the picture was not taken: {error}")))??;
        Ok(shot.into())
    }

    /// The awaits between the steps are where a dropped request ends.
    async fn play(&self, playing: Playing, owed: &mut u64) -> Result<Reply, RequestError> {
        let mut under_way = UnderWay {
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

impl Connection for InProcess {
    fn request(&self, request: Request) -> Pending<'_, Result<Reply, RequestError>> {
        Box::pin(self.answer(request))
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        Box::pin(async {
            loop {
                let unsent = self.unsent.notified();
                if let Some(happening) = self.lock().next_unsent() {
                    return Some(happening);
                }
                unsent.await;
            }
        })
    }
}

/// A play whose request may be dropped at any await. A play that is over has nothing left to hand on.
struct UnderWay<'a> {
    connection: &'a InProcess,
    playing: Playing,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.playing.abandon(&mut self.connection.lock());
        self.connection.unsent.notify_waiters();
    }
}

fn without_holds(request: Request) -> Request {
    match request {
        Request::Capture(_) => Capture { holds: None }.into(),
        Request::Act(act) => Act { holds: None, ..act }.into(),
        other => other,
    }
}

impl From<PhoneError> for RequestError {
    fn from(error: PhoneError) -> Self {
        match error {
            PhoneError::Fault(fault) => RequestError::Refused(fault),
            PhoneError::Lost(interruption) => RequestError::Interrupted(interruption),
        }
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}
