//! Calls the handler of each request.

use retap_shared::protocol::{DescribePhone, Reply, Request, TakeScreenshot};

use crate::handlers::Handlers;
use crate::phone::PhoneError;
pub use crate::play::PlayInProgress;

/// The result of a handler: a reply, or a play that its caller advances.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each request, and it is moved once"
)]
pub enum HandlerResult {
    /// The reply.
    Done(Reply),
    /// A play that is advanced step by step, so that it can be cancelled between two steps.
    Playing(Box<PlayInProgress>),
}

impl Handlers {
    /// Handles a request.
    pub fn handle(&mut self, request: Request) -> Result<HandlerResult, PhoneError> {
        let reply = match request {
            Request::DescribePhone(DescribePhone) => self.describe_phone()?.into(),
            Request::Capture(capture) => self.capture(capture)?.into(),
            Request::Act(act) => self.act(&act)?.into(),
            Request::Settle(settle) => self.settle(settle).into(),
            Request::Play(play) => {
                return Ok(HandlerResult::Playing(Box::new(PlayInProgress::new(play)?)));
            }
            Request::ControlApp(control) => self.control_app(&control)?.into(),
            Request::WatchApp(watch) => self.watch_app(&watch).into(),
            Request::ManageSnapshot(operation) => self.manage_snapshot(operation)?.into(),
            Request::ReadLog(wanted) => self.read_log(wanted)?.into(),
            Request::TakeScreenshot(TakeScreenshot) => self.pending_screenshot()?.take()?.into(),
        };
        Ok(HandlerResult::Done(reply))
    }
}
