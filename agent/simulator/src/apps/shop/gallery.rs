//! A product's pictures.

use super::failures::TOO_WIDE;
use super::{Branch, Shop};
use crate::kit::{Cx, Ui, number};

const PICTURES: usize = 4;

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Gallery {
    at: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Previous,
    Next,
    Full,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Gallery(msg)
    }
}

impl Gallery {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar(number("Picture ", self.at as u64 + 1, " of 4"), |_| {});
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                let previous = ui.button(id!("previous"), "Previous", Msg::Previous);
                ui.enable(previous, self.at > 0);
                let next = ui.button(id!("next"), "Next", Msg::Next);
                ui.enable(next, self.at + 1 < PICTURES);
            });
        });
        let previous = (self.at > 0).then(|| Msg::Previous.into());
        let next = (self.at + 1 < PICTURES).then(|| Msg::Next.into());
        ui.pager(id!("pictures"), previous, next, |ui| {
            ui.picture(id!("full_picture"), "Picture", Msg::Full);
        });
    }

    pub(super) fn update(&mut self, msg: Msg, cx: &mut Cx<'_, Shop>) {
        match msg {
            Msg::Previous => {
                if !cx.decide(Branch::GalleryAtStart, self.at == 0) {
                    self.at -= 1;
                }
            }
            Msg::Next => {
                if !cx.decide(Branch::GalleryAtEnd, self.at + 1 >= PICTURES) {
                    self.at += 1;
                }
            }
            Msg::Full => return cx.finish(),
        }
        self.show(cx);
    }

    /// The last picture is a panorama, wider than the buffer that a wide display makes it use.
    pub(super) fn show(&mut self, cx: &mut Cx<'_, Shop>) {
        let wide = cx.landscape() && self.at + 1 == PICTURES;
        if cx.decide(Branch::GalleryWide, wide) {
            cx.signal(&TOO_WIDE);
        }
    }
}
