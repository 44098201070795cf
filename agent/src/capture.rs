//! The screen as it is now, sent as little as the host needs.

use std::collections::VecDeque;
use std::time::Instant;

use retap_shared::micros::Micros;
use retap_shared::protocol::{Capture, CaptureReply, ScreenUpdate};
use retap_shared::screen::{ScreenDiff, ScreenHash, SharedScreen};

use crate::handlers::Handlers;
use crate::phone::PhoneError;

/// The host holds the screen of the reply before, or of one a few requests earlier when replies overtake.
const KEPT: usize = 4;

/// The last screens that were sent: differences are made against them.
#[derive(Debug, Default)]
pub(crate) struct RecentScreens {
    sent: VecDeque<SharedScreen>,
    /// The newest capture and when it was made.
    latest: Option<(SharedScreen, Micros)>,
}

impl Handlers {
    pub(crate) fn capture(&mut self, capture: Capture) -> Result<CaptureReply, PhoneError> {
        let began = Instant::now();
        let screen = self.fresh_screen()?;
        let screen = self.recent_screens.update(screen, capture.held_screen);
        Ok(CaptureReply {
            screen,
            agent_time: began.elapsed().into(),
        })
    }

    /// The screen as it is, captured anew.
    pub(crate) fn fresh_screen(&mut self) -> Result<SharedScreen, PhoneError> {
        let screen = self.phone.capture()?;
        self.recent_screens.latest = Some((screen.clone(), self.phone.now()));
        Ok(screen)
    }

    /// The last capture if nothing has changed since, otherwise a new one.
    pub(crate) fn current_screen(&mut self) -> Result<SharedScreen, PhoneError> {
        let changed = self.phone.last_change();
        match &self.recent_screens.latest {
            Some((screen, captured)) if changed < *captured => Ok(screen.clone()),
            _ => self.fresh_screen(),
        }
    }
}

impl RecentScreens {
    /// The form in which `screen` travels to a host that holds `holds`.
    pub(crate) fn update(
        &mut self,
        screen: SharedScreen,
        holds: Option<ScreenHash>,
    ) -> ScreenUpdate {
        let Some(holds) = holds else {
            return ScreenUpdate::Full(screen);
        };
        if holds == screen.hash() {
            self.remember(screen);
            return ScreenUpdate::Unchanged;
        }
        let update = match self.sent.iter().find(|sent| sent.hash() == holds) {
            Some(base) => ScreenUpdate::Changed(ScreenDiff::between(base, &screen)),
            None => ScreenUpdate::Full(screen.clone()),
        };
        self.remember(screen);
        update
    }

    fn remember(&mut self, screen: SharedScreen) {
        self.sent.retain(|sent| sent.hash() != screen.hash());
        if self.sent.len() == KEPT {
            self.sent.pop_front();
        }
        self.sent.push_back(screen);
    }

    /// After a restore nothing that was captured before says anything about now.
    pub(crate) fn forget_latest(&mut self) {
        self.latest = None;
    }
}
