//! Handler of `Capture`: the current screen, as little of it as the host needs.

use std::time::Instant;

use retap_shared::protocol::{Capture, CaptureReply};
use retap_shared::screen::SharedScreen;

use crate::handlers::Handlers;
use crate::phone::PhoneError;

impl Handlers {
    pub(crate) fn capture(&mut self, capture: Capture) -> Result<CaptureReply, PhoneError> {
        let started = Instant::now();
        let screen = self.fresh_screen()?;
        let screen = self.recent_screens.update(screen, capture.held_screen);
        Ok(CaptureReply {
            screen,
            agent_time: started.elapsed().into(),
        })
    }

    /// Captures the screen.
    pub(crate) fn fresh_screen(&mut self) -> Result<SharedScreen, PhoneError> {
        let screen = self.phone.capture()?;
        self.recent_screens
            .set_latest(screen.clone(), self.phone.now());
        Ok(screen)
    }

    /// The latest capture if the screen has not changed since, otherwise a new one.
    pub(crate) fn current_screen(&mut self) -> Result<SharedScreen, PhoneError> {
        let last_change = self.phone.last_change();
        match self.recent_screens.latest_if_unchanged(last_change) {
            Some(screen) => Ok(screen.clone()),
            None => self.fresh_screen(),
        }
    }
}
