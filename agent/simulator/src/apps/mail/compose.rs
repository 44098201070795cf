//! Writing a message, and sending it.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::{BAD_ADDRESS, OUT_OF_MEMORY};
use super::post::{Draft, FILES, Message, SENT};
use super::{Branch, Mail, Page, contacts};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Compose {
    draft: Draft,
    reply: bool,
    error: Option<&'static str>,
    asks: Option<Asks>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asks {
    File,
    NoSubject,
    Keep,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    To(Text),
    Subject(Text),
    Body(Text),
    Contacts,
    AskFile,
    Attach(usize),
    Send,
    SendAnyway,
    /// The message for this address leaves the phone.
    Deliver(Text),
    Keep,
    Discard,
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Compose(msg)
    }
}

/// How long a message waits before it is sent.
const OUTBOX: Micros = Micros::from_millis(1_200);
/// What the encoder can hold, in megabytes.
const MEMORY: u32 = 50;

impl Compose {
    pub(super) fn of(draft: Option<Draft>) -> Compose {
        Compose {
            draft: draft.unwrap_or_default(),
            ..Compose::default()
        }
    }

    pub(super) fn reply(draft: Draft) -> Compose {
        Compose {
            draft,
            reply: true,
            ..Compose::default()
        }
    }

    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar(if self.reply { "Reply" } else { "New message" }, |ui| {
            ui.action(id!("send"), "Send", Msg::Send);
            ui.action(id!("attach"), "Attach", Msg::AskFile);
        });
        ui.scroll(id!("compose_form"), |ui| {
            ui.field(id!("to"), "To", &self.draft.to, |text| Msg::To(text).into());
            ui.button(id!("contacts"), "Choose from contacts", Msg::Contacts);
            if let Some(error) = self.error {
                ui.text(id!("error"), error);
            }
            let subject = &self.draft.subject;
            ui.field(id!("subject_field"), "Subject", subject, |text| {
                Msg::Subject(text).into()
            });
            ui.field(id!("body"), "Message", &self.draft.body, |text| {
                Msg::Body(text).into()
            });
            ui.text(id!("signature_shown"), &app.settings.signature);
            for file in &self.draft.attached {
                ui.text(id!("attached"), file.name);
            }
        });
        self.view_dialogs(ui);
    }

    fn view_dialogs(&self, ui: &mut Ui<'_, super::Msg>) {
        match self.asks {
            Some(Asks::File) => ui.dialog("Attach a file", Msg::Cancel, |ui| {
                for (number, file) in FILES.iter().enumerate() {
                    ui.choice(file.name, false, Msg::Attach(number));
                }
            }),
            Some(Asks::NoSubject) => ui.dialog("Send without a subject?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("No", Msg::Cancel);
                    ui.positive("Yes", Msg::SendAnyway);
                });
            }),
            Some(Asks::Keep) => ui.dialog("Keep this as a draft?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("Discard", Msg::Discard);
                    ui.positive("Keep", Msg::Keep);
                });
            }),
            None => {}
        }
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        (self.asks, self.error) = (None, None);
        match msg {
            Msg::To(to) => self.draft.to = to,
            Msg::Subject(subject) => self.draft.subject = subject,
            Msg::Body(body) => self.draft.body = body,
            Msg::Contacts => cx.start(Page::Contacts(contacts::Contacts)),
            Msg::AskFile => self.asks = Some(Asks::File),
            Msg::Attach(number) => self.attach(number, cx),
            Msg::Send => self.check(app, cx),
            Msg::SendAnyway => self.send(app, cx),
            Msg::Deliver(to) => deliver(app, &to, cx),
            Msg::Keep => {
                app.draft = Some(self.draft.clone());
                cx.finish();
            }
            Msg::Discard => cx.finish(),
            Msg::Cancel => {}
        }
    }

    /// All attachments are encoded in memory, all at once.
    fn attach(&mut self, number: usize, cx: &mut Cx<'_, Mail>) {
        self.draft.attached.extend(FILES.get(number));
        let megabytes: u32 = self.draft.attached.iter().map(|file| file.megabytes).sum();
        if cx.decide(Branch::ComposeTooLarge, megabytes > MEMORY) {
            cx.throw(
                &OUT_OF_MEMORY,
                "Failed to allocate a 83886080 byte allocation with 25165824 free bytes and 61MB until OOM",
            );
        }
    }

    fn check(&mut self, app: &Mail, cx: &mut Cx<'_, Mail>) {
        if cx.decide(Branch::ComposeToEmpty, self.draft.to.is_empty()) {
            self.error = Some("To whom?");
            return;
        }
        let no_subject = cx.decide(Branch::ComposeSubjectEmpty, self.draft.subject.is_empty());
        if cx.decide(
            Branch::ComposeSubjectWarned,
            no_subject && app.settings.warn_subject,
        ) {
            self.asks = Some(Asks::NoSubject);
            return;
        }
        self.send(app, cx);
    }

    fn send(&self, app: &Mail, cx: &mut Cx<'_, Mail>) {
        cx.decide(
            Branch::ComposeHasAttachments,
            !self.draft.attached.is_empty(),
        );
        cx.decide(Branch::ComposeSigned, !app.settings.signature.is_empty());
        cx.decide(Branch::ComposeIsReply, self.reply);
        cx.post(OUTBOX, Msg::Deliver(self.draft.to.clone()));
        cx.finish();
    }

    pub(super) fn resumed(&mut self, app: &mut Mail, _: &mut Cx<'_, Mail>) {
        if let Some(Draft { to, .. }) = app.draft.take_if(|draft| draft.subject.is_empty()) {
            self.draft.to = to;
        }
    }

    pub(super) fn rotated(&mut self) {
        (self.asks, self.error) = (None, None);
    }

    pub(super) fn back(&mut self, cx: &mut Cx<'_, Mail>) {
        let Draft {
            to,
            subject,
            body,
            attached,
        } = &self.draft;
        let written =
            !(to.is_empty() && subject.is_empty() && body.is_empty() && attached.is_empty());
        if cx.decide(Branch::ComposeBackSaves, written) {
            self.asks = Some(Asks::Keep);
        } else {
            cx.finish();
        }
    }
}

/// Runs when the page that the message was written on is long gone. Names of contacts are addresses too.
pub(super) fn deliver(app: &mut Mail, to: &Text, cx: &mut Cx<'_, Mail>) {
    let known = to.contains('@') || app.messages.iter().any(|message| message.from == *to);
    if !cx.decide(Branch::ComposeAddressValid, known) {
        return cx.throw(
            &BAD_ADDRESS,
            format!("Missing final '@domain' in string ``{to}''"),
        );
    }
    let subject = to.clone();
    let from = Text::new_static("Me");
    let sent = Message {
        from,
        subject,
        folder: SENT,
        unread: false,
        starred: false,
        attached: &[],
    };
    app.messages.push(sent);
}
