//! Search in all folders.

use retap_shared::Text;

use super::failures::HIGHLIGHT;
use super::{Branch, Mail, Page, message};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Search {
    query: Text,
    unread_only: bool,
    found: Vec<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Query(Text),
    UnreadOnly,
    Go,
    Open(usize),
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Search(msg)
    }
}

impl Search {
    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Search", |_| {});
        let query = ui.field(id!("query"), "Search for", &self.query, |text| {
            Msg::Query(text).into()
        });
        ui.submit(query, Msg::Go);
        ui.check(
            id!("unread_only"),
            "Only unread",
            self.unread_only,
            Msg::UnreadOnly,
        );
        ui.button(id!("go"), "Search", Msg::Go);
        ui.list(id!("results"), self.found.len(), |ui, row| {
            let place = self.found[row];
            let Some(message) = app.messages.get(place) else {
                return;
            };
            ui.item(id!("result"), Msg::Open(place), |ui| {
                ui.text(id!("result_from"), &message.from);
                ui.text(id!("result_subject"), &message.subject);
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        match msg {
            Msg::Query(query) => self.query = query,
            Msg::UnreadOnly => {
                self.unread_only = cx.decide(Branch::SearchUnreadOnly, !self.unread_only);
            }
            Msg::Go => self.go(app, cx),
            Msg::Open(place) => cx.start(Page::Message(message::Reading::of(place))),
        }
    }

    /// What was found is marked by counting characters, where the texts count halves of them.
    fn go(&mut self, app: &Mail, cx: &mut Cx<'_, Mail>) {
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
