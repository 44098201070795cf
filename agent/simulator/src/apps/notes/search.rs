//! Search in titles, and in texts if asked to.

use retap_shared::Text;

use super::failures::RESULTS_LOST;
use super::{Branch, Notes, Page, editor};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Search {
    query: Text,
    in_body: bool,
    /// Places in the list.
    found: Vec<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Query(Text),
    InBody,
    Clear,
    Open(usize),
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Search(msg)
    }
}

impl Search {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Search", |ui| {
            ui.action(id!("clear"), "Clear", Msg::Clear);
        });
        ui.field(id!("query"), "Search for", &self.query, |text| {
            Msg::Query(text).into()
        });
        ui.check(
            id!("in_body"),
            "Also in the text",
            self.in_body,
            Msg::InBody,
        );
        ui.text(id!("count"), number("", self.found.len() as u64, " found"));
        ui.list(id!("results"), self.found.len(), |ui, result| {
            let place = self.found[result];
            let Some(note) = app.notes.get(place) else {
                return;
            };
            ui.item(id!("result"), Msg::Open(place), |ui| {
                ui.text(id!("result_title"), &note.title);
                ui.text(id!("result_body"), &note.body);
            });
        });
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        match msg {
            Msg::Query(query) => self.query = query,
            Msg::InBody => self.in_body = cx.decide(Branch::SearchInBody, !self.in_body),
            Msg::Clear => self.query = Text::default(),
            Msg::Open(place) => {
                if let Some(note) = app.notes.get(place) {
                    cx.start(Page::Editor(editor::Editor::of(place, note)));
                }
            }
        }
        self.search(app, cx);
    }

    fn search(&mut self, app: &Notes, cx: &mut Cx<'_, Notes>) {
        self.found.clear();
        if cx.decide(Branch::SearchEmpty, self.query.is_empty()) {
            return;
        }
        let query = self.query.as_str();
        let matches = |place: &usize| {
            let note = &app.notes[*place];
            note.title.contains(query) || (self.in_body && note.body.contains(query))
        };
        self.found.extend((0..app.notes.len()).filter(matches));
        if cx.decide(Branch::SearchFinds, !self.found.is_empty()) {
            cx.decide(Branch::SearchManyResults, self.found.len() > 3);
        }
    }

    /// The field keeps its text by itself; the results were only in memory.
    pub(super) fn rotated(&mut self, cx: &mut Cx<'_, Notes>) {
        if cx.decide(Branch::SearchRestores, !self.query.is_empty()) {
            cx.throw(&RESULTS_LOST, "Attempt to get length of null array");
        }
    }
}
