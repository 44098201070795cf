//! All notes, or the starred ones: open, star, duplicate, delete and undo.

use retap_shared::micros::Micros;

use super::failures::{BROKEN_COPY, NO_TEMPLATE, PURGED_NOTHING};
use super::{Branch, Note, NotesApp, NotesPage, editor, search, settings, statistics, tags, trash};
use crate::declarative;
use crate::framework::{AppContext, Ui, Unhashed, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct NoteListPage {
    starred: bool,
    open_dialog: Option<NoteListDialog>,
}

#[derive(Clone, Debug, Hash)]
enum NoteListDialog {
    NoteMenu(usize),
    Delete(usize),
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum NoteListMsg {
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

impl From<NoteListMsg> for super::NotesMsg {
    fn from(msg: NoteListMsg) -> super::NotesMsg {
        super::NotesMsg::List(msg)
    }
}

/// Time in which a deletion can be undone.
const UNDO: Micros = Micros::from_millis(1_500);

impl NoteListPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        ui.toolbar("Notes", |ui| {
            ui.menu(|menu| {
                menu.item(id!("sort"), "Sort by title", NoteListMsg::Sort);
                menu.item(id!("tags"), "Tags", NoteListMsg::Tags);
                menu.item(id!("trash"), "Trash", NoteListMsg::Trash);
                menu.item(id!("statistics"), "Statistics", NoteListMsg::Statistics);
                menu.item(id!("settings"), "Settings", NoteListMsg::Settings);
                menu.item(id!("about"), "About", NoteListMsg::About);
                menu.item(id!("more"), "More", NoteListMsg::More);
            });
            ui.toolbar_action(id!("search"), "Search", NoteListMsg::Search);
        });
        ui.columns(2, |ui| {
            ui.tab(id!("tab_all"), "All", !self.starred, NoteListMsg::All);
            ui.tab(
                id!("tab_starred"),
                "Starred",
                self.starred,
                NoteListMsg::Starred,
            );
        });
        ui.at_bottom(132, |ui| {
            ui.columns(2, |ui| {
                let new = ui.button(id!("new"), "New note", NoteListMsg::New);
                ui.on_long_press(new, NoteListMsg::NewFromTemplate);
                if app.deleted.is_some() {
                    ui.button(id!("undo"), "Undo delete", NoteListMsg::Undo);
                }
            });
        });
        self.view_notes(app, ui);
        self.view_dialogs(app, ui);
    }

    fn view_notes(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        let row = |ui: &mut Ui<'_, super::NotesMsg>, place: usize, note: &Note| {
            let row = ui.item(id!("note"), NoteListMsg::Open(place), |ui| {
                ui.at_right(|ui| {
                    ui.text(id!("note_edited"), &note.edited.0);
                });
                ui.text(id!("note_title"), &note.title);
                ui.text(id!("note_views"), number_text("", note.views.0, " views"));
            });
            ui.on_long_press(row, NoteListMsg::Press(place));
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
                row(ui, place, &app.notes[place]);
            });
        }
    }

    fn view_dialogs(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        match self.open_dialog {
            Some(NoteListDialog::NoteMenu(place)) => {
                let Some(note) = app.notes.get(place) else {
                    return;
                };
                ui.dialog(&note.title, NoteListMsg::Cancel, |ui| {
                    let star = if note.starred { "Remove star" } else { "Star" };
                    ui.choice(star, note.starred, NoteListMsg::Star(place));
                    ui.choice("Duplicate", false, NoteListMsg::Duplicate(place));
                    ui.choice("Delete", false, NoteListMsg::Delete(place));
                });
            }
            Some(NoteListDialog::Delete(place)) => {
                ui.dialog("Delete this note?", NoteListMsg::Cancel, |ui| {
                    ui.message("It stays in the trash until you empty it.");
                    ui.columns(2, |ui| {
                        ui.negative("Keep", NoteListMsg::Cancel);
                        ui.positive("Delete", NoteListMsg::ConfirmDelete(place));
                    });
                });
            }
            None => {}
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: NoteListMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        self.open_dialog = None;
        match msg {
            NoteListMsg::New => {
                cx.decide(Branch::ListMany, app.notes.len() >= 6);
                cx.start(NotesPage::Editor(editor::NoteEditorPage::new()));
            }
            NoteListMsg::NewFromTemplate => new_from_template(app, cx),
            NoteListMsg::Open(place) => self.open(app, place, cx),
            NoteListMsg::Press(place) => self.open_dialog = Some(NoteListDialog::NoteMenu(place)),
            NoteListMsg::All => self.starred = cx.decide(Branch::ListTabStarred, false),
            NoteListMsg::Starred => {
                self.starred = cx.decide(Branch::ListTabStarred, true);
                let has_notes = app.notes.iter().any(|note| note.starred);
                cx.decide(Branch::ListTabHasNotes, has_notes);
            }
            NoteListMsg::Star(place) => {
                if let Some(note) = app.notes.get_mut(place) {
                    note.starred = cx.decide(Branch::ListStars, !note.starred);
                }
            }
            NoteListMsg::Duplicate(place) => duplicate(app, place, cx),
            NoteListMsg::Delete(place) => self.open_dialog = Some(NoteListDialog::Delete(place)),
            NoteListMsg::ConfirmDelete(place) => delete(app, place, cx),
            NoteListMsg::Cancel => {
                cx.decide(Branch::ListConfirmsDelete, false);
            }
            NoteListMsg::Undo => undo(app, cx),
            NoteListMsg::Purge => purge(app, cx),
            NoteListMsg::Sort => sort(app, cx),
            NoteListMsg::Search => cx.start(NotesPage::Search(search::NoteSearchPage::default())),
            NoteListMsg::Tags => cx.start(NotesPage::Tags(tags::TagsPage::default())),
            NoteListMsg::Trash => cx.start(NotesPage::Trash(trash::TrashPage::default())),
            NoteListMsg::Settings => {
                cx.start(NotesPage::Settings(settings::NotesSettingsPage::default()));
            }
            NoteListMsg::Statistics => {
                cx.start(NotesPage::Statistics(statistics::StatisticsPage::default()));
            }
            NoteListMsg::About => cx.start(NotesPage::About),
            NoteListMsg::More => cx.start(NotesPage::More(declarative::DeclarativePage::of(0))),
        }
    }

    fn open(&self, app: &mut NotesApp, place: usize, cx: &mut AppContext<'_, NotesApp>) {
        let Some(note) = app.notes.get_mut(place) else {
            return;
        };
        cx.decide(Branch::ListOpensStarred, note.starred);
        note.views.0 += 1;
        cx.start(NotesPage::Editor(editor::NoteEditorPage::of(place, note)));
    }

    /// Dialogs are not saved.
    pub(super) fn rotated(&mut self) {
        self.open_dialog = None;
    }
}

fn new_from_template(app: &NotesApp, cx: &mut AppContext<'_, NotesApp>) {
    if !cx.decide(Branch::ListHasTemplate, app.settings.template) {
        return cx.throw(&NO_TEMPLATE, NO_TEMPLATE_MESSAGE);
    }
    cx.start(NotesPage::Editor(editor::NoteEditorPage::from_template()));
}

const NO_TEMPLATE_MESSAGE: &str = "Attempt to invoke virtual method 'java.lang.String com.example.notes.Template.text()' on a null object reference";

/// A copy of a copy of a copy shares a buffer that the first copy has freed.
fn duplicate(app: &mut NotesApp, place: usize, cx: &mut AppContext<'_, NotesApp>) {
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
        views: Unhashed(0),
        ..note.clone()
    };
    app.notes.insert(place, copy);
}

fn delete(app: &mut NotesApp, place: usize, cx: &mut AppContext<'_, NotesApp>) {
    cx.decide(Branch::ListConfirmsDelete, true);
    if place >= app.notes.len() {
        return;
    }
    let pending = app.deleted.take();
    if cx.decide(Branch::ListDeleteReplacesPending, pending.is_some()) {
        cx.cancel_posted();
    }
    pending
        .into_iter()
        .for_each(|(_, note)| app.throw_away(note));
    app.deleted = app.notes.remove(place).map(|note| (place, note));
    cx.post(UNDO, NoteListMsg::Purge);
}

fn undo(app: &mut NotesApp, cx: &mut AppContext<'_, NotesApp>) {
    let deleted = app.deleted.take();
    cx.decide(Branch::ListUndoInTime, deleted.is_some());
    if let Some((place, note)) = deleted {
        app.notes.insert(place.min(app.notes.len()), note);
    }
}

/// Undo does not cancel the message that leads here.
fn purge(app: &mut NotesApp, cx: &mut AppContext<'_, NotesApp>) {
    let deleted = app.deleted.take();
    if !cx.decide(Branch::ListPurgeFindsNote, deleted.is_some()) {
        return cx.throw(&PURGED_NOTHING, "No value present");
    }
    deleted
        .into_iter()
        .for_each(|(_, note)| app.throw_away(note));
}

fn sort(app: &mut NotesApp, cx: &mut AppContext<'_, NotesApp>) {
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
