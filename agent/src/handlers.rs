//! A phone with what the handlers remember of it between requests, and the way from a request to its handler.

use std::collections::VecDeque;
use std::fmt;

use retap_shared::micros::Micros;
use retap_shared::protocol::{
    DescribePhone, DescribePhoneReply, PhoneEvent, Reply, Request, RequestFailure, TakeScreenshot,
    TakeScreenshotReply,
};

use crate::capture::RecentScreens;
use crate::phone::{Phone, PhoneError, ScreenshotTask};
pub use crate::play::PlayInProgress;

/// Does what is asked, one request at a time.
pub struct Handlers {
    pub(crate) phone: Box<dyn Phone>,
    pub(crate) recent_screens: RecentScreens,
    /// What no reply has carried, oldest first: a cancelled play leaves it here.
    pub(crate) unsent_events: VecDeque<PhoneEvent>,
}

/// What becomes of a request: an answer, or work that its caller goes on with.
#[derive(Debug)]
pub enum HandlerResult {
    Done(Reply),
    /// To be advanced step by step, so that it can be cancelled in between.
    Playing(Box<PlayInProgress>),
}

/// Pixels that are still to be taken: on another thread, so that a tap does not wait for a picture.
pub struct PendingScreenshot(ScreenshotTask);

impl PendingScreenshot {
    /// May block.
    pub fn take(self) -> Result<TakeScreenshotReply, RequestFailure> {
        Ok(TakeScreenshotReply {
            picture: (self.0)()?,
        })
    }
}

impl fmt::Debug for PendingScreenshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pixels").finish_non_exhaustive()
    }
}

impl Handlers {
    pub fn new(phone: Box<dyn Phone>) -> Self {
        Handlers {
            phone,
            recent_screens: RecentScreens::default(),
            unsent_events: VecDeque::new(),
        }
    }

    pub fn now(&self) -> Micros {
        self.phone.now()
    }

    pub fn handle(&mut self, request: Request) -> Result<HandlerResult, PhoneError> {
        let reply = match request {
            Request::DescribePhone(DescribePhone) => self.describe_phone()?.into(),
            Request::Capture(capture) => self.capture(capture)?.into(),
            Request::Act(act) => self.act(&act)?.into(),
            Request::Settle(settle) => self.settle(settle).into(),
            Request::Play(play) => {
                return Ok(HandlerResult::Playing(Box::new(PlayInProgress::new(play))));
            }
            Request::ControlApp(control) => self.control_app(&control)?.into(),
            Request::WatchApp(watch) => self.watch_app(&watch).into(),
            Request::ManageSnapshot(checkpoint) => self.manage_snapshot(checkpoint)?.into(),
            Request::TakeScreenshot(TakeScreenshot) => self.pending_screenshot()?.take()?.into(),
        };
        Ok(HandlerResult::Done(reply))
    }

    pub fn pending_screenshot(&mut self) -> Result<PendingScreenshot, PhoneError> {
        Ok(PendingScreenshot(self.phone.screenshot()?))
    }

    /// What no reply has carried; each happening is handed out once.
    pub fn next_unsent_event(&mut self) -> Option<PhoneEvent> {
        self.unsent_events.pop_front()
    }

    fn describe_phone(&mut self) -> Result<DescribePhoneReply, PhoneError> {
        Ok(DescribePhoneReply {
            phone: self.phone.info(),
            capabilities: self.phone.capabilities(),
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
