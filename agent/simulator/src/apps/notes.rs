//! Notes: lists that grow, texts that change, an editor, search, tags, a trash.

/// A resource id of this app.
macro_rules! id {
    ($name:literal) => {
        concat!("com.example.notes:id/", $name)
    };
}

mod editor;
mod extra_screens;
mod failures;
mod list;
mod search;
mod settings;
mod statistics;
mod tags;
mod trash;

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::SystemEvent;

use super::SimulatedAppEntry;
use crate::declarative;
use crate::framework::{
    AppContext, AppManifest, AppProcess, Recreation, RunningApp, SharedRows, SimulatedApp, Ui,
    Unhashed, branches,
};

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "notes",
    about: "notes with an editor, search, tags and a trash: lists that grow, texts that change",
    install: || -> Box<dyn AppProcess> {
        Box::new(RunningApp::install(manifest(), NotesApp::new()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(|| Arc::clone(&extra_screens::DEFINITION)),
};

/// On disk, but for `deleted`.
#[derive(Clone, Debug, Hash)]
struct NotesApp {
    notes: SharedRows<Note>,
    trash: SharedRows<Note>,
    tags: Vec<Text>,
    settings: settings::NotesSettings,
    /// Last deleted note with its place, while the deletion can be undone.
    deleted: Option<(usize, Note)>,
    extra: declarative::DeclarativeState,
}

#[derive(Clone, Debug, Hash)]
struct Note {
    title: Text,
    body: Text,
    tag: Option<Text>,
    starred: bool,
    edited: Unhashed<Text>,
    views: Unhashed<u64>,
}

#[derive(Clone, Debug, Hash)]
enum NotesPage {
    List(list::NoteListPage),
    Editor(editor::NoteEditorPage),
    Search(search::NoteSearchPage),
    Tags(tags::TagsPage),
    Trash(trash::TrashPage),
    Settings(settings::NotesSettingsPage),
    Statistics(statistics::StatisticsPage),
    About,
    More(declarative::DeclarativePage),
}

#[derive(Clone, Debug, Hash)]
enum NotesMsg {
    List(list::NoteListMsg),
    Editor(editor::NoteEditorMsg),
    Search(search::NoteSearchMsg),
    Tags(tags::TagsMsg),
    Trash(trash::TrashMsg),
    Settings(settings::NotesSettingsMsg),
    Statistics(statistics::StatisticsMsg),
    More(declarative::DeclarativeMsg),
}

impl From<declarative::DeclarativePage> for NotesPage {
    fn from(page: declarative::DeclarativePage) -> NotesPage {
        NotesPage::More(page)
    }
}

impl From<declarative::DeclarativeMsg> for NotesMsg {
    fn from(msg: declarative::DeclarativeMsg) -> NotesMsg {
        NotesMsg::More(msg)
    }
}

const ACTIVITIES: [&str; 8] = [
    "com.example.notes/.ListActivity",
    "com.example.notes/.EditorActivity",
    "com.example.notes/.SearchActivity",
    "com.example.notes/.TagsActivity",
    "com.example.notes/.TrashActivity",
    "com.example.notes/.SettingsActivity",
    "com.example.notes/.StatisticsActivity",
    "com.example.notes/.AboutActivity",
];

branches![
    ListHasTemplate,
    ListOpensStarred,
    ListTabStarred,
    ListTabHasNotes,
    ListSortsByTitle,
    ListStars,
    ListDuplicateIsDeep,
    ListDuplicateIsCopy,
    ListConfirmsDelete,
    ListDeleteReplacesPending,
    ListUndoInTime,
    ListPurgeFindsNote,
    ListMany,
    EditorIsNew,
    EditorHasTitle,
    EditorTitleLong,
    EditorBodyEmpty,
    EditorChanged,
    EditorBackAsks,
    EditorTagTaken,
    EditorPreviewHeading,
    EditorPreviewLong,
    EditorRotatedWithDialog,
    SearchEmpty,
    SearchInBody,
    SearchFinds,
    SearchManyResults,
    SearchRestores,
    TagNameEmpty,
    TagNameQuoted,
    TagExists,
    TagInUse,
    TagFiltersNotes,
    TrashEmpty,
    TrashRestoresTag,
    TrashRestoresStarred,
    SettingsBackupOn,
    SettingsExportsBackup,
    SettingsExportsTrash,
    SettingsResets,
    StatisticsTagKnown,
    StatisticsAnyStarred,
    StatisticsMoreWords,
];

impl NotesApp {
    fn new() -> NotesApp {
        let note = |title, body, starred| Note {
            title: Text::new_static(title),
            body: Text::new_static(body),
            tag: None,
            starred,
            edited: Unhashed(Text::new_static("yesterday")),
            views: Unhashed(0),
        };
        NotesApp {
            notes: SharedRows::from_iter([
                note("Shopping", "milk, bread, apples", false),
                note("Ideas", "# An app that tests apps", true),
                note("Birthday", "ask Anna", false),
            ]),
            trash: SharedRows::default(),
            tags: vec![Text::new_static("home"), Text::new_static("work")],
            settings: settings::NotesSettings::default(),
            deleted: None,
            extra: declarative::DeclarativeState::default(),
        }
    }

    fn throw_away(&mut self, note: Note) {
        self.trash.insert(0, note);
    }
}

impl SimulatedApp for NotesApp {
    type Page = NotesPage;
    type Msg = NotesMsg;

    fn first_page(&self) -> NotesPage {
        NotesPage::List(list::NoteListPage::default())
    }

    fn activity_index(&self, page: &NotesPage) -> usize {
        match page {
            NotesPage::List(_) => 0,
            NotesPage::Editor(_) => 1,
            NotesPage::Search(_) => 2,
            NotesPage::Tags(_) => 3,
            NotesPage::Trash(_) => 4,
            NotesPage::Settings(_) => 5,
            NotesPage::Statistics(_) => 6,
            NotesPage::About => 7,
            NotesPage::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &NotesPage, ui: &mut Ui<'_, NotesMsg>) {
        match page {
            NotesPage::List(page) => page.view(self, ui),
            NotesPage::Editor(page) => page.view(self, ui),
            NotesPage::Search(page) => page.view(self, ui),
            NotesPage::Tags(page) => page.view(self, ui),
            NotesPage::Trash(page) => page.view(self, ui),
            NotesPage::Settings(page) => page.view(self, ui),
            NotesPage::Statistics(page) => page.view(self, ui),
            NotesPage::About => settings::view_about(ui),
            NotesPage::More(page) => extra_screens::DEFINITION.view(&self.extra, page, ui),
        }
    }

    fn update(&mut self, page: &mut NotesPage, msg: NotesMsg, cx: &mut AppContext<'_, NotesApp>) {
        match (page, msg) {
            (NotesPage::List(page), NotesMsg::List(msg)) => page.update(self, msg, cx),
            (NotesPage::Editor(page), NotesMsg::Editor(msg)) => page.update(self, msg, cx),
            (NotesPage::Search(page), NotesMsg::Search(msg)) => page.update(self, msg, cx),
            (NotesPage::Tags(page), NotesMsg::Tags(msg)) => page.update(self, msg, cx),
            (NotesPage::Trash(page), NotesMsg::Trash(msg)) => page.update(self, msg, cx),
            (NotesPage::Settings(page), NotesMsg::Settings(msg)) => page.update(self, msg, cx),
            (NotesPage::Statistics(page), NotesMsg::Statistics(msg)) => page.update(self, msg, cx),
            (NotesPage::More(page), NotesMsg::More(msg)) => {
                extra_screens::DEFINITION.update(&mut self.extra, page, msg, cx);
            }
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut NotesPage, cx: &mut AppContext<'_, NotesApp>) {
        match page {
            NotesPage::Statistics(page) => page.count(self, cx),
            NotesPage::More(page) => extra_screens::DEFINITION.opened(&mut self.extra, page, cx),
            _ => {}
        }
    }

    fn system_event(
        &mut self,
        page: &mut NotesPage,
        event: &SystemEvent,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        if let NotesPage::More(page) = page {
            extra_screens::DEFINITION.system_event(event, &mut self.extra, page, cx);
        }
    }

    fn recreated(
        &mut self,
        page: &mut NotesPage,
        by: Recreation,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        match page {
            NotesPage::List(page) => page.rotated(),
            NotesPage::Editor(page) => page.rotated(cx),
            NotesPage::Search(page) => page.rotated(cx),
            NotesPage::More(page) => {
                extra_screens::DEFINITION.recreated(by, &mut self.extra, page, cx);
            }
            _ => {}
        }
    }

    fn back(&mut self, page: &mut NotesPage, cx: &mut AppContext<'_, NotesApp>) {
        match page {
            NotesPage::Editor(page) => page.back(self, cx),
            _ => cx.finish(),
        }
    }

    fn leaked_message(&mut self, msg: NotesMsg, _: &mut AppContext<'_, NotesApp>) {
        if let (NotesMsg::List(list::NoteListMsg::Purge), Some((_, note))) =
            (msg, self.deleted.take())
        {
            self.throw_away(note);
        }
    }

    fn process_died(&mut self) {
        self.extra.process_died();
        if let Some((_, note)) = self.deleted.take() {
            self.throw_away(note);
        }
    }
}

fn manifest() -> AppManifest {
    let more = extra_screens::DEFINITION
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.notes/.{}", screen.class)));
    AppManifest {
        package: Text::new_static("com.example.notes"),
        label: Text::new_static("Notes"),
        version_code: 7,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * extra_screens::DEFINITION.decisions,
    }
}
