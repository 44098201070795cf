//! Notes: lists that grow, texts that change, an editor, search, tags, a trash.

/// A resource id of this app.
macro_rules! id {
    ($name:literal) => {
        concat!("com.example.notes:id/", $name)
    };
}

mod editor;
mod failures;
mod list;
mod more;
mod search;
mod settings;
mod statistics;
mod tags;
mod trash;

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::System;

use super::Entry;
use crate::kit::{App, Cx, Manifest, Process, Recreation, Rows, Running, Shown, Ui, branches};
use crate::plan;

pub(super) const ENTRY: Entry = Entry {
    name: "notes",
    about: "notes with an editor, search, tags and a trash: lists that grow, texts that change",
    install: || -> Box<dyn Process> { Box::new(Running::install(manifest(), Notes::new())) },
    planted: failures::PLANTED,
    plan: Some(|| Arc::clone(&more::PLAN)),
};

/// On disk, but for `deleted`.
#[derive(Clone, Debug, Hash)]
struct Notes {
    notes: Rows<Note>,
    trash: Rows<Note>,
    tags: Vec<Text>,
    settings: settings::Stored,
    /// Deleted a moment ago, with its place: it can still be taken back.
    deleted: Option<(usize, Note)>,
    more: plan::State,
}

#[derive(Clone, Debug, Hash)]
struct Note {
    title: Text,
    body: Text,
    tag: Option<Text>,
    starred: bool,
    edited: Shown<Text>,
    views: Shown<u64>,
}

#[derive(Clone, Debug, Hash)]
enum Page {
    List(list::List),
    Editor(editor::Editor),
    Search(search::Search),
    Tags(tags::Tags),
    Trash(trash::Trash),
    Settings(settings::Settings),
    Statistics(statistics::Statistics),
    About,
    More(plan::Page),
}

#[derive(Clone, Debug, Hash)]
enum Msg {
    List(list::Msg),
    Editor(editor::Msg),
    Search(search::Msg),
    Tags(tags::Msg),
    Trash(trash::Msg),
    Settings(settings::Msg),
    Statistics(statistics::Msg),
    More(plan::Msg),
}

impl From<plan::Page> for Page {
    fn from(page: plan::Page) -> Page {
        Page::More(page)
    }
}

impl From<plan::Msg> for Msg {
    fn from(msg: plan::Msg) -> Msg {
        Msg::More(msg)
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

impl Notes {
    fn new() -> Notes {
        let note = |title, body, starred| Note {
            title: Text::new_static(title),
            body: Text::new_static(body),
            tag: None,
            starred,
            edited: Shown(Text::new_static("yesterday")),
            views: Shown(0),
        };
        Notes {
            notes: Rows::from_iter([
                note("Shopping", "milk, bread, apples", false),
                note("Ideas", "# An app that tests apps", true),
                note("Birthday", "ask Anna", false),
            ]),
            trash: Rows::default(),
            tags: vec![Text::new_static("home"), Text::new_static("work")],
            settings: settings::Stored::default(),
            deleted: None,
            more: plan::State::default(),
        }
    }

    fn throw_away(&mut self, note: Note) {
        self.trash.insert(0, note);
    }
}

impl App for Notes {
    type Page = Page;
    type Msg = Msg;

    fn first_page(&self) -> Page {
        Page::List(list::List::default())
    }

    fn activity(&self, page: &Page) -> usize {
        match page {
            Page::List(_) => 0,
            Page::Editor(_) => 1,
            Page::Search(_) => 2,
            Page::Tags(_) => 3,
            Page::Trash(_) => 4,
            Page::Settings(_) => 5,
            Page::Statistics(_) => 6,
            Page::About => 7,
            Page::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &Page, ui: &mut Ui<'_, Msg>) {
        match page {
            Page::List(page) => page.view(self, ui),
            Page::Editor(page) => page.view(self, ui),
            Page::Search(page) => page.view(self, ui),
            Page::Tags(page) => page.view(self, ui),
            Page::Trash(page) => page.view(self, ui),
            Page::Settings(page) => page.view(self, ui),
            Page::Statistics(page) => page.view(self, ui),
            Page::About => settings::view_about(ui),
            Page::More(page) => more::PLAN.view(&self.more, page, ui),
        }
    }

    fn update(&mut self, page: &mut Page, msg: Msg, cx: &mut Cx<'_, Notes>) {
        match (page, msg) {
            (Page::List(page), Msg::List(msg)) => page.update(self, msg, cx),
            (Page::Editor(page), Msg::Editor(msg)) => page.update(self, msg, cx),
            (Page::Search(page), Msg::Search(msg)) => page.update(self, msg, cx),
            (Page::Tags(page), Msg::Tags(msg)) => page.update(self, msg, cx),
            (Page::Trash(page), Msg::Trash(msg)) => page.update(self, msg, cx),
            (Page::Settings(page), Msg::Settings(msg)) => page.update(self, msg, cx),
            (Page::Statistics(page), Msg::Statistics(msg)) => page.update(self, msg, cx),
            (Page::More(page), Msg::More(msg)) => more::PLAN.update(&mut self.more, page, msg, cx),
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut Page, cx: &mut Cx<'_, Notes>) {
        match page {
            Page::Statistics(page) => page.count(self, cx),
            Page::More(page) => more::PLAN.opened(&mut self.more, page, cx),
            _ => {}
        }
    }

    fn told(&mut self, page: &mut Page, event: &System, cx: &mut Cx<'_, Notes>) {
        if let Page::More(page) = page {
            more::PLAN.told(event, &mut self.more, page, cx);
        }
    }

    fn recreated(&mut self, page: &mut Page, by: Recreation, cx: &mut Cx<'_, Notes>) {
        match page {
            Page::List(page) => page.rotated(),
            Page::Editor(page) => page.rotated(cx),
            Page::Search(page) => page.rotated(cx),
            Page::More(page) => more::PLAN.recreated(by, &mut self.more, page, cx),
            _ => {}
        }
    }

    fn back(&mut self, page: &mut Page, cx: &mut Cx<'_, Notes>) {
        match page {
            Page::Editor(page) => page.back(self, cx),
            _ => cx.finish(),
        }
    }

    fn orphaned(&mut self, msg: Msg, _: &mut Cx<'_, Notes>) {
        if let (Msg::List(list::Msg::Purge), Some((_, note))) = (msg, self.deleted.take()) {
            self.throw_away(note);
        }
    }

    fn died(&mut self) {
        self.more.died();
        if let Some((_, note)) = self.deleted.take() {
            self.throw_away(note);
        }
    }
}

fn manifest() -> Manifest {
    let more = more::PLAN
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.notes/.{}", screen.class)));
    Manifest {
        package: Text::new_static("com.example.notes"),
        label: Text::new_static("Notes"),
        version_code: 7,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * more::PLAN.decisions,
    }
}
