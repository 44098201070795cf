//! One message: reading it, moving it, answering it.

use super::failures::FOLDER_WITHOUT_ID;
use super::loading::Loading;
use super::post::{Draft, TRASH};
use super::{Branch, Mail, Page, attachments, compose};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct Reading {
    place: usize,
    loading: Loading,
    images: bool,
    asks: Option<Asks>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asks {
    Move,
    Delete,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
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

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Message(msg)
    }
}

impl Reading {
    pub(super) fn of(place: usize) -> Reading {
        Reading {
            place,
            loading: Loading::Begun,
            images: false,
            asks: None,
        }
    }

    pub(super) fn opened(&mut self, app: &mut Mail, cx: &mut Cx<'_, Mail>) {
        app.read = (app.read + 1).min(2);
        if let Some(message) = app.messages.get_mut(self.place) {
            cx.decide(Branch::MessageUnread, message.unread);
            message.unread = false;
        }
        self.loading = Loading::begin(Msg::Tick, cx);
    }

    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Message", |ui| {
            ui.action(id!("delete"), "Delete", Msg::AskDelete);
            ui.action(id!("move"), "Move", Msg::AskMove);
            ui.action(id!("reply"), "Reply", Msg::Reply);
        });
        let Some(message) = app.messages.get(self.place) else {
            return;
        };
        ui.text(id!("message_from"), &message.from);
        ui.text(id!("message_subject"), &message.subject);
        ui.check(id!("message_star"), "Starred", message.starred, Msg::Star);
        if !self.loading.view(ui, Msg::Again) {
            return;
        }
        ui.scroll(id!("message_body"), |ui| {
            ui.text(id!("message_text"), "Hello, I only wanted to say that …");
            ui.check(id!("images"), "Show images", self.images, Msg::Images);
            if !message.attached.is_empty() {
                ui.button(id!("attachments"), "Attachments", Msg::Attachments);
            }
        });
        match self.asks {
            Some(Asks::Move) => ui.dialog("Move to", Msg::Cancel, |ui| {
                for (place, folder) in app.folders.iter().enumerate().take(6) {
                    ui.choice(
                        &folder.name,
                        folder.name == message.folder,
                        Msg::Move(place),
                    );
                }
            }),
            Some(Asks::Delete) => ui.dialog("Delete this message?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("Keep", Msg::Cancel);
                    ui.positive("Delete", Msg::Delete);
                });
            }),
            None => {}
        }
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        let Some(message) = app.messages.get_mut(self.place) else {
            return cx.finish();
        };
        if !matches!(msg, Msg::Tick) {
            self.asks = None;
        }
        match msg {
            Msg::Tick => self.loading = self.loading.went_on(Msg::Tick, cx),
            Msg::Again => self.loading = Loading::begin(Msg::Tick, cx),
            Msg::Images => self.images = cx.decide(Branch::MessageLoadsImages, !self.images),
            Msg::Star => message.starred = cx.decide(Branch::MessageStarred, !message.starred),
            Msg::Reply => {
                let to = message.from.clone();
                let subject = message.subject.clone();
                let draft = Draft {
                    to,
                    subject,
                    ..Draft::default()
                };
                cx.start(Page::Compose(compose::Compose::reply(draft)));
            }
            Msg::Attachments => {
                cx.decide(Branch::MessageHasAttachments, message.attached.len() > 1);
                cx.start(Page::Attachments(attachments::Attachments::of(
                    message.attached,
                )));
            }
            Msg::AskMove => self.asks = Some(Asks::Move),
            Msg::Move(folder) => self.move_to(app, folder, cx),
            Msg::AskDelete => {
                // What is in the trash goes without asking.
                if cx.decide(Branch::MessageDeleteAsks, message.folder != TRASH) {
                    self.asks = Some(Asks::Delete);
                } else {
                    app.messages.remove(self.place);
                    cx.finish();
                }
            }
            Msg::Delete => {
                message.folder = TRASH;
                cx.finish();
            }
            Msg::Cancel => {}
        }
    }

    /// Only folders that the server knows have an id.
    fn move_to(&self, app: &mut Mail, folder: usize, cx: &mut Cx<'_, Mail>) {
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
