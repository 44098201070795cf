//! Loading from the network: its progress, and whether it failed.

use super::{Branch, MailApp, MailMsg};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum LoadingState {
    #[default]
    Begun,
    Half,
    Done,
    Failed,
}

impl LoadingState {
    /// Begins to load. The app answers `tick` with `advance`.
    pub(super) fn begin(
        tick: impl Into<MailMsg>,
        cx: &mut AppContext<'_, MailApp>,
    ) -> LoadingState {
        let half = cx.network_delay().0 / 2;
        cx.post(retap_shared::micros::Micros(half), tick);
        LoadingState::Begun
    }

    pub(super) fn advance(
        self,
        tick: impl Into<MailMsg>,
        cx: &mut AppContext<'_, MailApp>,
    ) -> LoadingState {
        if !cx.decide(Branch::LoadingDone, self == LoadingState::Half) {
            LoadingState::begin(tick, cx);
            return LoadingState::Half;
        }
        let fails = cx.network_fails();
        if cx.decide(Branch::LoadingFails, fails) {
            LoadingState::Failed
        } else {
            LoadingState::Done
        }
    }

    /// Shows the progress. Returns true once loading is done.
    pub(super) fn view(self, ui: &mut Ui<'_, MailMsg>, again: impl Into<MailMsg>) -> bool {
        match self {
            LoadingState::Begun => ui.progress(id!("loading"), "Loading…"),
            LoadingState::Half => ui.progress(id!("loading"), "Loading… 50 %"),
            LoadingState::Failed => {
                ui.text(id!("failed"), "No connection");
                ui.button(id!("again"), "Try again", again)
            }
            LoadingState::Done => return true,
        };
        false
    }
}
