//! Search in all folders.

use retap_shared::Text;

use super::failures::HIGHLIGHT;
use super::{Branch, MailApp, MailPage, message};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct MailSearchPage {
    query: Text,
    unread_only: bool,
    found: Vec<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum MailSearchMsg {
    Query(Text),
    UnreadOnly,
    Go,
    Open(usize),
}

impl From<MailSearchMsg> for super::MailMsg {
    fn from(msg: MailSearchMsg) -> super::MailMsg {
        super::MailMsg::Search(msg)
    }
}

impl MailSearchPage {
    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar("Search", |_| {});
        let query = ui.field(id!("query"), "Search for", &self.query, |text| {
            MailSearchMsg::Query(text).into()
        });
        ui.on_submit(query, MailSearchMsg::Go);
        ui.check(
            id!("unread_only"),
            "Only unread",
            self.unread_only,
            MailSearchMsg::UnreadOnly,
        );
        ui.button(id!("go"), "Search", MailSearchMsg::Go);
        ui.list(id!("results"), self.found.len(), |ui, row| {
            let place = self.found[row];
            let Some(message) = app.messages.get(place) else {
                return;
            };
            ui.item(id!("result"), MailSearchMsg::Open(place), |ui| {
                ui.text(id!("result_from"), &message.from);
                ui.text(id!("result_subject"), &message.subject);
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: MailSearchMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        match msg {
            MailSearchMsg::Query(query) => self.query = query,
            MailSearchMsg::UnreadOnly => {
                self.unread_only = cx.decide(Branch::SearchUnreadOnly, !self.unread_only);
            }
            MailSearchMsg::Go => self.go(app, cx),
            MailSearchMsg::Open(place) => {
                cx.start(MailPage::Message(message::MessagePage::of(place)));
            }
        }
    }

    /// Results are marked by counting characters, but the texts count UTF-16 units.
    fn go(&mut self, app: &MailApp, cx: &mut AppContext<'_, MailApp>) {
        self.found.clear();
        if cx.decide(Branch::SearchEmpty, self.query.is_empty()) {
            return;
        }
        let halves = self.query.chars().any(|letter| letter.len_utf16() > 1);
        if cx.decide(Branch::SearchSurrogate, halves) {
            return cx.throw(&HIGHLIGHT, "begin 0, end 9, length 8");
        }
        let query = self.query.as_str();
        let matches = |place: &usize| {
            let message = &app.messages[*place];
            (message.subject.contains(query) || message.from.contains(query))
                && (message.unread || !self.unread_only)
        };
        self.found.extend((0..app.messages.len()).filter(matches));
        cx.decide(Branch::SearchFinds, !self.found.is_empty());
    }
}
