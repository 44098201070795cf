//! A product's pictures.

use super::failures::TOO_WIDE;
use super::{Branch, ShopApp};
use crate::framework::{AppContext, Ui, number_text};

const PICTURES: usize = 4;

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct GalleryPage {
    at: usize,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum GalleryMsg {
    Previous,
    Next,
    Full,
}

impl From<GalleryMsg> for super::ShopMsg {
    fn from(msg: GalleryMsg) -> super::ShopMsg {
        super::ShopMsg::Gallery(msg)
    }
}

impl GalleryPage {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::ShopMsg>) {
        ui.toolbar(number_text("Picture ", self.at as u64 + 1, " of 4"), |_| {});
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                let previous = ui.button(id!("previous"), "Previous", GalleryMsg::Previous);
                ui.enable(previous, self.at > 0);
                let next = ui.button(id!("next"), "Next", GalleryMsg::Next);
                ui.enable(next, self.at + 1 < PICTURES);
            });
        });
        let previous = (self.at > 0).then(|| GalleryMsg::Previous.into());
        let next = (self.at + 1 < PICTURES).then(|| GalleryMsg::Next.into());
        ui.pager(id!("pictures"), previous, next, |ui| {
            ui.picture(id!("full_picture"), "Picture", GalleryMsg::Full);
        });
    }

    pub(super) fn update(&mut self, msg: GalleryMsg, cx: &mut AppContext<'_, ShopApp>) {
        match msg {
            GalleryMsg::Previous => {
                if !cx.decide(Branch::GalleryAtStart, self.at == 0) {
                    self.at -= 1;
                }
            }
            GalleryMsg::Next => {
                if !cx.decide(Branch::GalleryAtEnd, self.at + 1 >= PICTURES) {
                    self.at += 1;
                }
            }
            GalleryMsg::Full => return cx.finish(),
        }
        self.show(cx);
    }

    /// The last picture is a panorama, wider than the buffer that a wide display makes it use.
    pub(super) fn show(&mut self, cx: &mut AppContext<'_, ShopApp>) {
        let wide = cx.landscape() && self.at + 1 == PICTURES;
        if cx.decide(Branch::GalleryWide, wide) {
            cx.signal(&TOO_WIDE);
        }
    }
}
