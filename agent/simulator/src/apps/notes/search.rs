//! Search in titles, and in texts if asked to.

use retap_shared::Text;

use super::failures::RESULTS_LOST;
use super::{Branch, NotesApp, NotesPage, editor};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct NoteSearchPage {
    query: Text,
    in_body: bool,
    /// Places in the list.
    found: Vec<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum NoteSearchMsg {
    Query(Text),
    InBody,
    Clear,
    Open(usize),
}

impl From<NoteSearchMsg> for super::NotesMsg {
    fn from(msg: NoteSearchMsg) -> super::NotesMsg {
        super::NotesMsg::Search(msg)
    }
}

impl NoteSearchPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        ui.toolbar("Search", |ui| {
            ui.toolbar_action(id!("clear"), "Clear", NoteSearchMsg::Clear);
        });
        ui.field(id!("query"), "Search for", &self.query, |text| {
            NoteSearchMsg::Query(text).into()
        });
        ui.check(
            id!("in_body"),
            "Also in the text",
            self.in_body,
            NoteSearchMsg::InBody,
        );
        ui.text(
            id!("count"),
            number_text("", self.found.len() as u64, " found"),
        );
        ui.list(id!("results"), self.found.len(), |ui, result| {
            let place = self.found[result];
            let Some(note) = app.notes.get(place) else {
                return;
            };
            ui.item(id!("result"), NoteSearchMsg::Open(place), |ui| {
                ui.text(id!("result_title"), &note.title);
                ui.text(id!("result_body"), &note.body);
            });
        });
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: NoteSearchMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        match msg {
            NoteSearchMsg::Query(query) => self.query = query,
            NoteSearchMsg::InBody => self.in_body = cx.decide(Branch::SearchInBody, !self.in_body),
            NoteSearchMsg::Clear => self.query = Text::default(),
            NoteSearchMsg::Open(place) => {
                if let Some(note) = app.notes.get(place) {
                    cx.start(NotesPage::Editor(editor::NoteEditorPage::of(place, note)));
                }
            }
        }
        self.search(app, cx);
    }

    fn search(&mut self, app: &NotesApp, cx: &mut AppContext<'_, NotesApp>) {
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
    pub(super) fn rotated(&mut self, cx: &mut AppContext<'_, NotesApp>) {
        if cx.decide(Branch::SearchRestores, !self.query.is_empty()) {
            cx.throw(&RESULTS_LOST, "Attempt to get length of null array");
        }
    }
}
