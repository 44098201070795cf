//! One note: title, text, star, tag, and a preview.

use retap_shared::Text;

use super::{Branch, Note, NotesApp};
use crate::framework::{AppContext, Ui, Unhashed};

#[derive(Clone, Debug, Hash)]
pub(super) struct NoteEditorPage {
    /// Its place in the list; none for a new one.
    place: Option<usize>,
    title: Text,
    body: Text,
    tag: Option<Text>,
    starred: bool,
    changed: bool,
    preview: bool,
    open_dialog: Option<NoteEditorDialog>,
    edited: Unhashed<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NoteEditorDialog {
    Tag,
    Discard,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum NoteEditorMsg {
    Title(Text),
    Body(Text),
    Star,
    AskTag,
    Tag(usize),
    NoTag,
    Preview,
    Save,
    Discard,
    Cancel,
}

impl From<NoteEditorMsg> for super::NotesMsg {
    fn from(msg: NoteEditorMsg) -> super::NotesMsg {
        super::NotesMsg::Editor(msg)
    }
}

impl NoteEditorPage {
    pub(super) fn new() -> NoteEditorPage {
        NoteEditorPage {
            place: None,
            title: Text::default(),
            body: Text::default(),
            tag: None,
            starred: false,
            changed: false,
            preview: false,
            open_dialog: None,
            edited: Unhashed(Text::new_static("never")),
        }
    }

    pub(super) fn from_template() -> NoteEditorPage {
        let title = Text::new_static("Meeting");
        NoteEditorPage {
            title,
            body: Text::new_static("# Who was there"),
            changed: true,
            ..NoteEditorPage::new()
        }
    }

    pub(super) fn of(place: usize, note: &Note) -> NoteEditorPage {
        NoteEditorPage {
            place: Some(place),
            title: note.title.clone(),
            body: note.body.clone(),
            tag: note.tag.clone(),
            starred: note.starred,
            edited: note.edited.clone(),
            ..NoteEditorPage::new()
        }
    }

    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        let heading = if self.place.is_some() {
            "Edit note"
        } else {
            "New note"
        };
        ui.toolbar(heading, |ui| {
            ui.toolbar_action(id!("preview"), "Preview", NoteEditorMsg::Preview);
        });
        ui.scroll(id!("editor"), |ui| {
            if self.preview {
                ui.text(id!("preview_title"), &self.title);
                ui.text(id!("preview_body"), &self.body);
            } else {
                ui.field(id!("title"), "Title", &self.title, |text| {
                    NoteEditorMsg::Title(text).into()
                });
                ui.field(id!("body"), "Text", &self.body, |text| {
                    NoteEditorMsg::Body(text).into()
                });
            }
            ui.check(id!("star"), "Starred", self.starred, NoteEditorMsg::Star);
            ui.text(id!("edited"), &self.edited.0);
            let tag = self.tag.clone().unwrap_or(Text::new_static("No tag"));
            ui.button(id!("tag"), tag, NoteEditorMsg::AskTag);
            ui.button(id!("save"), "Save", NoteEditorMsg::Save);
        });
        match self.open_dialog {
            Some(NoteEditorDialog::Tag) => ui.dialog("Tag", NoteEditorMsg::Cancel, |ui| {
                ui.choice("No tag", self.tag.is_none(), NoteEditorMsg::NoTag);
                for (place, tag) in app.tags.iter().enumerate().take(4) {
                    ui.choice(
                        tag,
                        self.tag.as_ref() == Some(tag),
                        NoteEditorMsg::Tag(place),
                    );
                }
            }),
            Some(NoteEditorDialog::Discard) => {
                ui.dialog("Discard your changes?", NoteEditorMsg::Cancel, |ui| {
                    ui.columns(2, |ui| {
                        ui.negative("Discard", NoteEditorMsg::Discard);
                        ui.positive("Save", NoteEditorMsg::Save);
                    });
                });
            }
            None => {}
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: NoteEditorMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        self.open_dialog = None;
        match msg {
            NoteEditorMsg::Title(title) => {
                cx.decide(Branch::EditorTitleLong, title.len() > 40);
                self.title = title;
                self.changed = true;
            }
            NoteEditorMsg::Body(body) => {
                cx.decide(Branch::EditorBodyEmpty, body.is_empty());
                self.body = body;
                self.changed = true;
            }
            NoteEditorMsg::Star => {
                self.starred = !self.starred;
                self.changed = true;
            }
            NoteEditorMsg::AskTag => self.open_dialog = Some(NoteEditorDialog::Tag),
            NoteEditorMsg::Tag(place) => {
                cx.decide(Branch::EditorTagTaken, self.tag.is_some());
                self.tag = app.tags.get(place).cloned();
                self.changed = true;
            }
            NoteEditorMsg::NoTag => {
                self.tag = None;
                self.changed = true;
            }
            NoteEditorMsg::Preview => {
                cx.decide(Branch::EditorPreviewHeading, self.body.starts_with('#'));
                cx.decide(Branch::EditorPreviewLong, self.body.len() > 100);
                self.preview = !self.preview;
            }
            NoteEditorMsg::Save => self.save(app, cx),
            NoteEditorMsg::Discard => cx.finish(),
            NoteEditorMsg::Cancel => {}
        }
    }

    fn save(&self, app: &mut NotesApp, cx: &mut AppContext<'_, NotesApp>) {
        let mut title = self.title.clone();
        if !cx.decide(Branch::EditorHasTitle, !title.is_empty()) {
            title = Text::new_static("Untitled");
        }
        let body = self.body.clone();
        let tag = self.tag.clone();
        let starred = self.starred;
        let note = Note {
            title,
            body,
            tag,
            starred,
            edited: cx.time_of_day(),
            views: Unhashed(0),
        };
        let place = self.place.filter(|place| *place < app.notes.len());
        cx.decide(Branch::EditorIsNew, place.is_none());
        match place {
            Some(place) => {
                let views = app.notes[place].views.clone();
                app.notes[place] = Note { views, ..note };
            }
            None => app.notes.insert(0, note),
        }
        cx.finish();
    }

    pub(super) fn back(&mut self, app: &NotesApp, cx: &mut AppContext<'_, NotesApp>) {
        let changed = cx.decide(Branch::EditorChanged, self.changed);
        if cx.decide(
            Branch::EditorBackAsks,
            changed && !app.settings.discard_silently,
        ) {
            self.open_dialog = Some(NoteEditorDialog::Discard);
        } else {
            cx.finish();
        }
    }

    /// The text survives, the dialog does not.
    pub(super) fn rotated(&mut self, cx: &mut AppContext<'_, NotesApp>) {
        cx.decide(Branch::EditorRotatedWithDialog, self.open_dialog.is_some());
        self.open_dialog = None;
    }
}
