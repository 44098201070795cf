//! Something that comes from the network: how far it is, and whether it came.

use super::{Branch, Mail, Msg};
use crate::kit::{Cx, Ui};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Loading {
    #[default]
    Begun,
    Half,
    Done,
    Failed,
}

impl Loading {
    /// Asks for it; `tick` is to bring the answer to `went_on`.
    pub(super) fn begin(tick: impl Into<Msg>, cx: &mut Cx<'_, Mail>) -> Loading {
        let half = cx.network().0 / 2;
        cx.post(retap_shared::micros::Micros(half), tick);
        Loading::Begun
    }

    pub(super) fn went_on(self, tick: impl Into<Msg>, cx: &mut Cx<'_, Mail>) -> Loading {
        if !cx.decide(Branch::LoadingDone, self == Loading::Half) {
            Loading::begin(tick, cx);
            return Loading::Half;
        }
        let fails = cx.network_fails();
        if cx.decide(Branch::LoadingFails, fails) {
            Loading::Failed
        } else {
            Loading::Done
        }
    }

    /// Shows how far it is; true once there is nothing to wait for.
    pub(super) fn view(self, ui: &mut Ui<'_, Msg>, again: impl Into<Msg>) -> bool {
        match self {
            Loading::Begun => ui.progress(id!("loading"), "Loading…"),
            Loading::Half => ui.progress(id!("loading"), "Loading… 50 %"),
            Loading::Failed => {
                ui.text(id!("failed"), "No connection");
                ui.button(id!("again"), "Try again", again)
            }
            Loading::Done => return true,
        };
        false
    }
}
