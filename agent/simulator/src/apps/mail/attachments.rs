//! What came with a message.

use super::failures::BAD_ARCHIVE;
use super::post::File;
use super::{Branch, Mail};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Hash)]
pub(super) struct Attachments {
    files: &'static [File],
    open: Option<usize>,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Open(usize),
    Close,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Attachments(msg)
    }
}

impl Attachments {
    pub(super) fn of(files: &'static [File]) -> Attachments {
        Attachments { files, open: None }
    }

    pub(super) fn view(&self, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Attachments", |_| {});
        if let Some(file) = self.open.and_then(|open| self.files.get(open)) {
            ui.text(id!("file_open"), file.name);
            ui.button(id!("file_close"), "Close", Msg::Close);
        }
        ui.list(id!("files"), self.files.len(), |ui, row| {
            let file = &self.files[row];
            ui.item(id!("file"), Msg::Open(row), |ui| {
                ui.text(id!("file_name"), file.name);
                ui.text(
                    id!("file_size"),
                    number("", u64::from(file.megabytes), " MB"),
                );
            });
        });
    }

    pub(super) fn update(&mut self, msg: Msg, cx: &mut Cx<'_, Mail>) {
        let Msg::Open(row) = msg else {
            self.open = None;
            return;
        };
        let Some(file) = self.files.get(row) else {
            return;
        };
        cx.decide(Branch::AttachmentLarge, file.megabytes > 1);
        cx.decide(Branch::AttachmentOpenTwice, self.open == Some(row));
        if cx.decide(Branch::AttachmentArchive, file.name.ends_with(".zip")) {
            return cx.signal(&BAD_ARCHIVE);
        }
        self.open = Some(row);
    }
}
