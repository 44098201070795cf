//! Writing a message, and sending it.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::{BAD_ADDRESS, OUT_OF_MEMORY};
use super::mailbox::{FILES, MailDraft, MailMessage, SENT};
use super::{Branch, MailApp, MailPage, contacts};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct ComposePage {
    draft: MailDraft,
    reply: bool,
    error: Option<&'static str>,
    open_dialog: Option<ComposeDialog>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ComposeDialog {
    File,
    NoSubject,
    Keep,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum ComposeMsg {
    To(Text),
    Subject(Text),
    Body(Text),
    Contacts,
    AskFile,
    Attach(usize),
    Send,
    SendAnyway,
    /// The message to this address is sent.
    Deliver(Text),
    Keep,
    Discard,
    Cancel,
}

impl From<ComposeMsg> for super::MailMsg {
    fn from(msg: ComposeMsg) -> super::MailMsg {
        super::MailMsg::Compose(msg)
    }
}

/// Delay before a message is sent.
const OUTBOX: Micros = Micros::from_millis(1_200);
/// Capacity of the encoder in megabytes.
const MEMORY: u32 = 50;

impl ComposePage {
    pub(super) fn of(draft: Option<MailDraft>) -> ComposePage {
        ComposePage {
            draft: draft.unwrap_or_default(),
            ..ComposePage::default()
        }
    }

    pub(super) fn reply(draft: MailDraft) -> ComposePage {
        ComposePage {
            draft,
            reply: true,
            ..ComposePage::default()
        }
    }

    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar(if self.reply { "Reply" } else { "New message" }, |ui| {
            ui.toolbar_action(id!("send"), "Send", ComposeMsg::Send);
            ui.toolbar_action(id!("attach"), "Attach", ComposeMsg::AskFile);
        });
        ui.scroll(id!("compose_form"), |ui| {
            ui.field(id!("to"), "To", &self.draft.to, |text| {
                ComposeMsg::To(text).into()
            });
            ui.button(
                id!("contacts"),
                "Choose from contacts",
                ComposeMsg::Contacts,
            );
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            let subject = &self.draft.subject;
            ui.field(id!("subject_field"), "Subject", subject, |text| {
                ComposeMsg::Subject(text).into()
            });
            ui.field(id!("body"), "Message", &self.draft.body, |text| {
                ComposeMsg::Body(text).into()
            });
            ui.text(id!("signature_shown"), &app.settings.signature);
            for file in &self.draft.attached {
                ui.text(id!("attached"), file.name);
            }
        });
        self.view_dialogs(ui);
    }

    fn view_dialogs(&self, ui: &mut Ui<'_, super::MailMsg>) {
        match self.open_dialog {
            Some(ComposeDialog::File) => ui.dialog("Attach a file", ComposeMsg::Cancel, |ui| {
                for (number, file) in FILES.iter().enumerate() {
                    ui.choice(file.name, false, ComposeMsg::Attach(number));
                }
            }),
            Some(ComposeDialog::NoSubject) => {
                ui.dialog("Send without a subject?", ComposeMsg::Cancel, |ui| {
                    ui.columns(2, |ui| {
                        ui.negative("No", ComposeMsg::Cancel);
                        ui.positive("Yes", ComposeMsg::SendAnyway);
                    });
                });
            }
            Some(ComposeDialog::Keep) => {
                ui.dialog("Keep this as a draft?", ComposeMsg::Cancel, |ui| {
                    ui.columns(2, |ui| {
                        ui.negative("Discard", ComposeMsg::Discard);
                        ui.positive("Keep", ComposeMsg::Keep);
                    });
                });
            }
            None => {}
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: ComposeMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        (self.open_dialog, self.error) = (None, None);
        match msg {
            ComposeMsg::To(to) => self.draft.to = to,
            ComposeMsg::Subject(subject) => self.draft.subject = subject,
            ComposeMsg::Body(body) => self.draft.body = body,
            ComposeMsg::Contacts => cx.start(MailPage::Contacts(contacts::ContactsPage)),
            ComposeMsg::AskFile => self.open_dialog = Some(ComposeDialog::File),
            ComposeMsg::Attach(number) => self.attach(number, cx),
            ComposeMsg::Send => self.check(app, cx),
            ComposeMsg::SendAnyway => self.send(app, cx),
            ComposeMsg::Deliver(to) => deliver(app, &to, cx),
            ComposeMsg::Keep => {
                app.draft = Some(self.draft.clone());
                cx.finish();
            }
            ComposeMsg::Discard => cx.finish(),
            ComposeMsg::Cancel => {}
        }
    }

    /// All attachments are encoded in memory, all at once.
    fn attach(&mut self, number: usize, cx: &mut AppContext<'_, MailApp>) {
        self.draft.attached.extend(FILES.get(number));
        let megabytes: u32 = self.draft.attached.iter().map(|file| file.megabytes).sum();
        if cx.decide(Branch::ComposeTooLarge, megabytes > MEMORY) {
            cx.throw(
                &OUT_OF_MEMORY,
                "Failed to allocate a 83886080 byte allocation with 25165824 free bytes and 61MB until OOM",
            );
        }
    }

    fn check(&mut self, app: &MailApp, cx: &mut AppContext<'_, MailApp>) {
        if cx.decide(Branch::ComposeToEmpty, self.draft.to.is_empty()) {
            self.error = Some("To whom?");
            return;
        }
        let no_subject = cx.decide(Branch::ComposeSubjectEmpty, self.draft.subject.is_empty());
        if cx.decide(
            Branch::ComposeSubjectWarned,
            no_subject && app.settings.warn_subject,
        ) {
            self.open_dialog = Some(ComposeDialog::NoSubject);
            return;
        }
        self.send(app, cx);
    }

    fn send(&self, app: &MailApp, cx: &mut AppContext<'_, MailApp>) {
        cx.decide(
            Branch::ComposeHasAttachments,
            !self.draft.attached.is_empty(),
        );
        cx.decide(Branch::ComposeSigned, !app.settings.signature.is_empty());
        cx.decide(Branch::ComposeIsReply, self.reply);
        cx.post(OUTBOX, ComposeMsg::Deliver(self.draft.to.clone()));
        cx.finish();
    }

    pub(super) fn resumed(&mut self, app: &mut MailApp, _: &mut AppContext<'_, MailApp>) {
        if let Some(MailDraft { to, .. }) = app.draft.take_if(|draft| draft.subject.is_empty()) {
            self.draft.to = to;
        }
    }

    pub(super) fn rotated(&mut self) {
        (self.open_dialog, self.error) = (None, None);
    }

    pub(super) fn back(&mut self, cx: &mut AppContext<'_, MailApp>) {
        let MailDraft {
            to,
            subject,
            body,
            attached,
        } = &self.draft;
        let written =
            !(to.is_empty() && subject.is_empty() && body.is_empty() && attached.is_empty());
        if cx.decide(Branch::ComposeBackSaves, written) {
            self.open_dialog = Some(ComposeDialog::Keep);
        } else {
            cx.finish();
        }
    }
}

/// Runs after the page of the message was closed. Names of contacts are addresses too.
pub(super) fn deliver(app: &mut MailApp, to: &Text, cx: &mut AppContext<'_, MailApp>) {
    let known = to.contains('@') || app.messages.iter().any(|message| message.from == *to);
    if !cx.decide(Branch::ComposeAddressValid, known) {
        return cx.throw(
            &BAD_ADDRESS,
            format!("Missing final '@domain' in string ``{to}''"),
        );
    }
    let subject = to.clone();
    let from = Text::new_static("Me");
    let sent = MailMessage {
        from,
        subject,
        folder: SENT,
        unread: false,
        starred: false,
        attached: &[],
    };
    app.messages.push(sent);
}
