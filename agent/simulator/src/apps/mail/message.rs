//! One message: reading it, moving it, answering it.

use super::failures::FOLDER_WITHOUT_ID;
use super::loading::LoadingState;
use super::mailbox::{MailDraft, MailMessage, TRASH};
use super::{Branch, MailApp, MailPage, attachments, compose};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct MessagePage {
    place: usize,
    loading: LoadingState,
    images: bool,
    open_dialog: Option<MessageDialog>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MessageDialog {
    Move,
    Delete,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum MessageMsg {
    Tick,
    Again,
    Images,
    Star,
    Reply,
    Attachments,
    AskMove,
    Move(usize),
    AskDelete,
    Delete,
    Cancel,
}

impl From<MessageMsg> for super::MailMsg {
    fn from(msg: MessageMsg) -> super::MailMsg {
        super::MailMsg::Message(msg)
    }
}

impl MessagePage {
    pub(super) fn of(place: usize) -> MessagePage {
        MessagePage {
            place,
            loading: LoadingState::Begun,
            images: false,
            open_dialog: None,
        }
    }

    pub(super) fn opened(&mut self, app: &mut MailApp, cx: &mut AppContext<'_, MailApp>) {
        app.read = (app.read + 1).min(2);
        if let Some(message) = app.messages.get_mut(self.place) {
            cx.decide(Branch::MessageUnread, message.unread);
            message.unread = false;
        }
        self.loading = LoadingState::begin(MessageMsg::Tick, cx);
    }

    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar("Message", |ui| {
            ui.toolbar_action(id!("delete"), "Delete", MessageMsg::AskDelete);
            ui.toolbar_action(id!("move"), "Move", MessageMsg::AskMove);
            ui.toolbar_action(id!("reply"), "Reply", MessageMsg::Reply);
        });
        let Some(message) = app.messages.get(self.place) else {
            return;
        };
        ui.text(id!("message_from"), &message.from);
        ui.text(id!("message_subject"), &message.subject);
        ui.check(
            id!("message_star"),
            "Starred",
            message.starred,
            MessageMsg::Star,
        );
        if !self.loading.view(ui, MessageMsg::Again) {
            return;
        }
        ui.scroll(id!("message_body"), |ui| {
            ui.text(id!("message_text"), "Hello, I only wanted to say that …");
            ui.check(
                id!("images"),
                "Show images",
                self.images,
                MessageMsg::Images,
            );
            if !message.attached.is_empty() {
                ui.button(id!("attachments"), "Attachments", MessageMsg::Attachments);
            }
        });
        self.view_dialog(app, message, ui);
    }

    fn view_dialog(&self, app: &MailApp, message: &MailMessage, ui: &mut Ui<'_, super::MailMsg>) {
        match self.open_dialog {
            Some(MessageDialog::Move) => ui.dialog("Move to", MessageMsg::Cancel, |ui| {
                for (place, folder) in app.folders.iter().enumerate().take(6) {
                    ui.choice(
                        &folder.name,
                        folder.name == message.folder,
                        MessageMsg::Move(place),
                    );
                }
            }),
            Some(MessageDialog::Delete) => {
                ui.dialog("Delete this message?", MessageMsg::Cancel, |ui| {
                    ui.columns(2, |ui| {
                        ui.negative("Keep", MessageMsg::Cancel);
                        ui.positive("Delete", MessageMsg::Delete);
                    });
                });
            }
            None => {}
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: MessageMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        let Some(message) = app.messages.get_mut(self.place) else {
            return cx.finish();
        };
        if !matches!(msg, MessageMsg::Tick) {
            self.open_dialog = None;
        }
        match msg {
            MessageMsg::Tick => self.loading = self.loading.advance(MessageMsg::Tick, cx),
            MessageMsg::Again => self.loading = LoadingState::begin(MessageMsg::Tick, cx),
            MessageMsg::Images => self.images = cx.decide(Branch::MessageLoadsImages, !self.images),
            MessageMsg::Star => {
                message.starred = cx.decide(Branch::MessageStarred, !message.starred);
            }
            MessageMsg::Reply => {
                let draft = MailDraft::reply_to(message);
                cx.start(MailPage::Compose(compose::ComposePage::reply(draft)));
            }
            MessageMsg::Attachments => {
                cx.decide(Branch::MessageHasAttachments, message.attached.len() > 1);
                cx.start(MailPage::Attachments(attachments::AttachmentsPage::of(
                    message.attached,
                )));
            }
            MessageMsg::AskMove => self.open_dialog = Some(MessageDialog::Move),
            MessageMsg::Move(folder) => self.move_to(app, folder, cx),
            MessageMsg::AskDelete => {
                // A message in the trash is deleted without a question.
                if cx.decide(Branch::MessageDeleteAsks, message.folder != TRASH) {
                    self.open_dialog = Some(MessageDialog::Delete);
                } else {
                    app.messages.remove(self.place);
                    cx.finish();
                }
            }
            MessageMsg::Delete => {
                message.folder = TRASH;
                cx.finish();
            }
            MessageMsg::Cancel => {}
        }
    }

    /// Only folders that the server knows have an id.
    fn move_to(&self, app: &mut MailApp, folder: usize, cx: &mut AppContext<'_, MailApp>) {
        let Some(folder) = app.folders.get(folder) else {
            return;
        };
        if !cx.decide(Branch::MessageFolderSynced, folder.synced) {
            return cx.throw(
                &FOLDER_WITHOUT_ID,
                "Attempt to invoke virtual method 'long java.lang.Long.longValue()' on a null object reference",
            );
        }
        let message = &mut app.messages[self.place];
        if cx.decide(Branch::MessageMovedAway, message.folder != folder.name) {
            message.folder = folder.name.clone();
            cx.finish();
        }
    }
}
