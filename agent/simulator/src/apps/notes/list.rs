//! All notes, or the starred ones: open, star, duplicate, delete and take back.

use retap_shared::micros::Micros;

use super::failures::{BROKEN_COPY, NO_TEMPLATE, PURGED_NOTHING};
use super::{Branch, Note, Notes, Page, editor, search, settings, statistics, tags, trash};
use crate::kit::{Cx, Shown, Ui, number};
use crate::plan;

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct List {
    starred: bool,
    asks: Option<Asks>,
}

#[derive(Clone, Debug, Hash)]
enum Asks {
    What(usize),
    Delete(usize),
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    New,
    NewFromTemplate,
    Open(usize),
    Press(usize),
    All,
    Starred,
    Star(usize),
    Duplicate(usize),
    Delete(usize),
    ConfirmDelete(usize),
    Cancel,
    Undo,
    Purge,
    Sort,
    Search,
    Tags,
    Trash,
    Settings,
    Statistics,
    About,
    More,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::List(msg)
    }
}

/// How long a deleted note can be taken back.
const UNDO: Micros = Micros::from_millis(1_500);

impl List {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Notes", |ui| {
            ui.menu(|menu| {
                menu.item(id!("sort"), "Sort by title", Msg::Sort);
                menu.item(id!("tags"), "Tags", Msg::Tags);
                menu.item(id!("trash"), "Trash", Msg::Trash);
                menu.item(id!("statistics"), "Statistics", Msg::Statistics);
                menu.item(id!("settings"), "Settings", Msg::Settings);
                menu.item(id!("about"), "About", Msg::About);
                menu.item(id!("more"), "More", Msg::More);
            });
            ui.action(id!("search"), "Search", Msg::Search);
        });
        ui.columns(2, |ui| {
            ui.tab(id!("tab_all"), "All", !self.starred, Msg::All);
            ui.tab(id!("tab_starred"), "Starred", self.starred, Msg::Starred);
        });
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                let new = ui.button(id!("new"), "New note", Msg::New);
                ui.long(new, Msg::NewFromTemplate);
                if app.deleted.is_some() {
                    ui.button(id!("undo"), "Undo delete", Msg::Undo);
                }
            });
        });
        self.view_notes(app, ui);
        self.view_dialogs(app, ui);
    }

    fn view_notes(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        let row = |ui: &mut Ui<'_, super::Msg>, place: usize, note: &Note| {
            let row = ui.item(id!("note"), Msg::Open(place), |ui| {
                ui.at_right(|ui| {
                    ui.text(id!("note_edited"), &note.edited.0);
                });
                ui.text(id!("note_title"), &note.title);
                ui.text(id!("note_views"), number("", note.views.0, " views"));
            });
            ui.long(row, Msg::Press(place));
        };
        if self.starred {
            let starred: Vec<usize> = (0..app.notes.len())
                .filter(|place| app.notes[*place].starred)
                .collect();
            ui.list(id!("starred"), starred.len(), |ui, number| {
                row(ui, starred[number], &app.notes[starred[number]]);
            });
        } else {
            ui.list(id!("notes"), app.notes.len(), |ui, place| {
                row(ui, place, &app.notes[place])
            });
        }
    }

    fn view_dialogs(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        match self.asks {
            Some(Asks::What(place)) => {
                let Some(note) = app.notes.get(place) else {
                    return;
                };
                ui.dialog(&note.title, Msg::Cancel, |ui| {
                    let star = if note.starred { "Remove star" } else { "Star" };
                    ui.choice(star, note.starred, Msg::Star(place));
                    ui.choice("Duplicate", false, Msg::Duplicate(place));
                    ui.choice("Delete", false, Msg::Delete(place));
                });
            }
            Some(Asks::Delete(place)) => {
                ui.dialog("Delete this note?", Msg::Cancel, |ui| {
                    ui.message("It stays in the trash until you empty it.");
                    ui.columns(2, |ui| {
                        ui.negative("Keep", Msg::Cancel);
                        ui.positive("Delete", Msg::ConfirmDelete(place));
                    });
                });
            }
            None => {}
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        self.asks = None;
        match msg {
            Msg::New => {
                cx.decide(Branch::ListMany, app.notes.len() >= 6);
                cx.start(Page::Editor(editor::Editor::new()));
            }
            Msg::NewFromTemplate => {
                if !cx.decide(Branch::ListHasTemplate, app.settings.template) {
                    return cx.throw(&NO_TEMPLATE, NO_TEMPLATE_MESSAGE);
                }
                cx.start(Page::Editor(editor::Editor::from_template()));
            }
            Msg::Open(place) => self.open(app, place, cx),
            Msg::Press(place) => self.asks = Some(Asks::What(place)),
            Msg::All => self.starred = cx.decide(Branch::ListTabStarred, false),
            Msg::Starred => {
                self.starred = cx.decide(Branch::ListTabStarred, true);
                cx.decide(
                    Branch::ListTabHasNotes,
                    app.notes.iter().any(|note| note.starred),
                );
            }
            Msg::Star(place) => {
                if let Some(note) = app.notes.get_mut(place) {
                    note.starred = cx.decide(Branch::ListStars, !note.starred);
                }
            }
            Msg::Duplicate(place) => duplicate(app, place, cx),
            Msg::Delete(place) => self.asks = Some(Asks::Delete(place)),
            Msg::ConfirmDelete(place) => delete(app, place, cx),
            Msg::Cancel => {
                cx.decide(Branch::ListConfirmsDelete, false);
            }
            Msg::Undo => undo(app, cx),
            Msg::Purge => purge(app, cx),
            Msg::Sort => sort(app, cx),
            Msg::Search => cx.start(Page::Search(search::Search::default())),
            Msg::Tags => cx.start(Page::Tags(tags::Tags::default())),
            Msg::Trash => cx.start(Page::Trash(trash::Trash::default())),
            Msg::Settings => cx.start(Page::Settings(settings::Settings::default())),
            Msg::Statistics => cx.start(Page::Statistics(statistics::Statistics::default())),
            Msg::About => cx.start(Page::About),
            Msg::More => cx.start(Page::More(plan::Page::of(0))),
        }
    }

    fn open(&self, app: &mut Notes, place: usize, cx: &mut Cx<'_, Notes>) {
        let Some(note) = app.notes.get_mut(place) else {
            return;
        };
        cx.decide(Branch::ListOpensStarred, note.starred);
        note.views.0 += 1;
        cx.start(Page::Editor(editor::Editor::of(place, note)));
    }

    /// Dialogs are not saved.
    pub(super) fn rotated(&mut self) {
        self.asks = None;
    }
}

const NO_TEMPLATE_MESSAGE: &str = "Attempt to invoke virtual method 'java.lang.String com.example.notes.Template.text()' on a null object reference";

/// A copy of a copy of a copy shares a buffer that the first copy has freed.
fn duplicate(app: &mut Notes, place: usize, cx: &mut Cx<'_, Notes>) {
    let Some(note) = app.notes.get(place) else {
        return;
    };
    let copies = note.title.matches("Copy of ").count();
    cx.decide(Branch::ListDuplicateIsCopy, copies > 0);
    if cx.decide(Branch::ListDuplicateIsDeep, copies >= 2) {
        return cx.signal(&BROKEN_COPY);
    }
    let title = format!("Copy of {}", note.title).into();
    let copy = Note {
        title,
        edited: cx.time_of_day(),
        views: Shown(0),
        ..note.clone()
    };
    app.notes.insert(place, copy);
}

fn delete(app: &mut Notes, place: usize, cx: &mut Cx<'_, Notes>) {
    cx.decide(Branch::ListConfirmsDelete, true);
    if place >= app.notes.len() {
        return;
    }
    let pending = app.deleted.take();
    if cx.decide(Branch::ListDeleteReplacesPending, pending.is_some()) {
        cx.unpost();
    }
    pending
        .into_iter()
        .for_each(|(_, note)| app.throw_away(note));
    app.deleted = app.notes.remove(place).map(|note| (place, note));
    cx.post(UNDO, Msg::Purge);
}

fn undo(app: &mut Notes, cx: &mut Cx<'_, Notes>) {
    let deleted = app.deleted.take();
    cx.decide(Branch::ListUndoInTime, deleted.is_some());
    if let Some((place, note)) = deleted {
        app.notes.insert(place.min(app.notes.len()), note);
    }
}

/// Undo forgets to take back the message that brings us here.
fn purge(app: &mut Notes, cx: &mut Cx<'_, Notes>) {
    let deleted = app.deleted.take();
    if !cx.decide(Branch::ListPurgeFindsNote, deleted.is_some()) {
        return cx.throw(&PURGED_NOTHING, "No value present");
    }
    deleted
        .into_iter()
        .for_each(|(_, note)| app.throw_away(note));
}

fn sort(app: &mut Notes, cx: &mut Cx<'_, Notes>) {
    if cx.decide(
        Branch::ListSortsByTitle,
        !app.notes
            .is_sorted_by(|one, other| one.title <= other.title),
    ) {
        app.notes.sort_by(|one, other| one.title.cmp(&other.title));
    } else {
        app.notes.reverse();
    }
}
