//! Attachments of a message.

use super::failures::BAD_ARCHIVE;
use super::mailbox::AttachedFile;
use super::{Branch, MailApp};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Hash)]
pub(super) struct AttachmentsPage {
    files: &'static [AttachedFile],
    open: Option<usize>,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum AttachmentsMsg {
    Open(usize),
    Close,
}

impl From<AttachmentsMsg> for super::MailMsg {
    fn from(msg: AttachmentsMsg) -> super::MailMsg {
        super::MailMsg::Attachments(msg)
    }
}

impl AttachmentsPage {
    pub(super) fn of(files: &'static [AttachedFile]) -> AttachmentsPage {
        AttachmentsPage { files, open: None }
    }

    pub(super) fn view(&self, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar("Attachments", |_| {});
        if let Some(file) = self.open.and_then(|open| self.files.get(open)) {
            ui.text(id!("file_open"), file.name);
            ui.button(id!("file_close"), "Close", AttachmentsMsg::Close);
        }
        ui.list(id!("files"), self.files.len(), |ui, row| {
            let file = &self.files[row];
            ui.item(id!("file"), AttachmentsMsg::Open(row), |ui| {
                ui.text(id!("file_name"), file.name);
                ui.text(
                    id!("file_size"),
                    number_text("", u64::from(file.megabytes), " MB"),
                );
            });
        });
    }

    pub(super) fn update(&mut self, msg: AttachmentsMsg, cx: &mut AppContext<'_, MailApp>) {
        let AttachmentsMsg::Open(row) = msg else {
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
