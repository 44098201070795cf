//! A phone with what the handlers remember of it between requests, and the way from a request to its handler.

use std::collections::VecDeque;
use std::fmt;

use retap_shared::micros::Micros;
use retap_shared::protocol::{
    About, Described, Fault, Happening, Reply, Request, Screenshot, Shot,
};

use crate::capture::RecentScreens;
use crate::phone::{Phone, PhoneError, TakePixels};
pub use crate::play::Playing;

/// Does what is asked, one request at a time.
pub struct Handlers {
    pub(crate) phone: Box<dyn Phone>,
    pub(crate) recent: RecentScreens,
    /// What no reply has carried, oldest first: a cancelled play leaves it here.
    pub(crate) unsent: VecDeque<Happening>,
}

/// What becomes of a request: an answer, or work that its caller goes on with.
#[derive(Debug)]
pub enum Handled {
    Done(Reply),
    /// To be advanced step by step, so that it can be cancelled in between.
    Playing(Box<Playing>),
}

/// Pixels that are still to be taken: on another thread, so that a tap does not wait for a picture.
pub struct Pixels(TakePixels);

impl Pixels {
    /// May block.
    pub fn take(self) -> Result<Shot, Fault> {
        Ok(Shot {
            picture: (self.0)()?,
        })
    }
}

impl fmt::Debug for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pixels").finish_non_exhaustive()
    }
}

impl Handlers {
    pub fn new(phone: Box<dyn Phone>) -> Self {
        Handlers {
            phone,
            recent: RecentScreens::default(),
            unsent: VecDeque::new(),
        }
    }

    pub fn now(&self) -> Micros {
        self.phone.now()
    }

    pub fn handle(&mut self, request: Request) -> Result<Handled, PhoneError> {
        let reply = match request {
            Request::About(About) => self.about()?.into(),
            Request::Capture(capture) => self.capture(capture)?.into(),
            Request::Act(act) => self.act(&act)?.into(),
            Request::Settle(settle) => self.settle(settle).into(),
            Request::Play(play) => return Ok(Handled::Playing(Box::new(Playing::new(play)))),
            Request::Control(control) => self.control(&control)?.into(),
            Request::Watch(watch) => self.watch(&watch).into(),
            Request::Checkpoint(checkpoint) => self.checkpoint(checkpoint)?.into(),
            Request::Screenshot(Screenshot) => self.pixels()?.take()?.into(),
        };
        Ok(Handled::Done(reply))
    }

    pub fn pixels(&mut self) -> Result<Pixels, PhoneError> {
        Ok(Pixels(self.phone.screenshot()?))
    }

    /// What no reply has carried; each happening is handed out once.
    pub fn next_unsent(&mut self) -> Option<Happening> {
        self.unsent.pop_front()
    }

    fn about(&mut self) -> Result<Described, PhoneError> {
        Ok(Described {
            phone: self.phone.info(),
            can: self.phone.can(),
            apps: self.phone.apps()?,
        })
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("phone", &self.phone.info())
            .finish_non_exhaustive()
    }
}
