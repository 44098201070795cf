//! The screens that were sent last, as bases of screen diffs, and the latest capture.

use std::collections::VecDeque;

use retap_shared::micros::Micros;
use retap_shared::protocol::ScreenUpdate;
use retap_shared::screen::{ScreenDiff, ScreenHash, SharedScreen};

/// Number of screens that are kept. The host holds the screen of the last reply, or of one a few requests earlier if
/// replies overtake each other.
const KEPT: usize = 4;

/// The screens that were sent last.
#[derive(Debug, Default)]
pub(crate) struct RecentScreens {
    sent: VecDeque<SharedScreen>,
    /// The latest capture and its time.
    latest: Option<(SharedScreen, Micros)>,
}

impl RecentScreens {
    /// The update that gives `screen` to a host that holds `held`.
    pub(crate) fn update(
        &mut self,
        screen: SharedScreen,
        held: Option<ScreenHash>,
    ) -> ScreenUpdate {
        let Some(held) = held else {
            return ScreenUpdate::Full(screen);
        };
        if held == screen.hash() {
            self.add(screen);
            return ScreenUpdate::Unchanged;
        }
        let update = match self.sent.iter().find(|sent| sent.hash() == held) {
            Some(base) => ScreenUpdate::Changed(ScreenDiff::between(base, &screen)),
            None => ScreenUpdate::Full(screen.clone()),
        };
        self.add(screen);
        update
    }

    fn add(&mut self, screen: SharedScreen) {
        self.sent.retain(|sent| sent.hash() != screen.hash());
        if self.sent.len() == KEPT {
            self.sent.pop_front();
        }
        self.sent.push_back(screen);
    }

    /// Sets the latest capture.
    pub(crate) fn set_latest(&mut self, screen: SharedScreen, captured_at: Micros) {
        self.latest = Some((screen, captured_at));
    }

    /// The latest capture, if the screen has not changed since.
    pub(crate) fn latest_if_unchanged(&self, last_change: Micros) -> Option<&SharedScreen> {
        let (screen, captured_at) = self.latest.as_ref()?;
        (last_change < *captured_at).then_some(screen)
    }

    /// Drops the latest capture: after a restore it is not the current screen.
    pub(crate) fn forget_latest(&mut self) {
        self.latest = None;
    }
}
