//! One note: title, text, star, tag, and a preview.

use retap_shared::Text;

use super::{Branch, Note, Notes};
use crate::kit::{Cx, Shown, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct Editor {
    /// Its place in the list; none for a new one.
    place: Option<usize>,
    title: Text,
    body: Text,
    tag: Option<Text>,
    starred: bool,
    changed: bool,
    preview: bool,
    asks: Option<Asks>,
    edited: Shown<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asks {
    Tag,
    Discard,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
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

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Editor(msg)
    }
}

impl Editor {
    pub(super) fn new() -> Editor {
        Editor {
            place: None,
            title: Text::default(),
            body: Text::default(),
            tag: None,
            starred: false,
            changed: false,
            preview: false,
            asks: None,
            edited: Shown(Text::new_static("never")),
        }
    }

    pub(super) fn from_template() -> Editor {
        let title = Text::new_static("Meeting");
        Editor {
            title,
            body: Text::new_static("# Who was there"),
            changed: true,
            ..Editor::new()
        }
    }

    pub(super) fn of(place: usize, note: &Note) -> Editor {
        Editor {
            place: Some(place),
            title: note.title.clone(),
            body: note.body.clone(),
            tag: note.tag.clone(),
            starred: note.starred,
            edited: note.edited.clone(),
            ..Editor::new()
        }
    }

    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        let heading = if self.place.is_some() {
            "Edit note"
        } else {
            "New note"
        };
        ui.toolbar(heading, |ui| {
            ui.action(id!("preview"), "Preview", Msg::Preview);
        });
        ui.scroll(id!("editor"), |ui| {
            if self.preview {
                ui.text(id!("preview_title"), &self.title);
                ui.text(id!("preview_body"), &self.body);
            } else {
                ui.field(id!("title"), "Title", &self.title, |text| {
                    Msg::Title(text).into()
                });
                ui.field(id!("body"), "Text", &self.body, |text| {
                    Msg::Body(text).into()
                });
            }
            ui.check(id!("star"), "Starred", self.starred, Msg::Star);
            ui.text(id!("edited"), &self.edited.0);
            let tag = self.tag.clone().unwrap_or(Text::new_static("No tag"));
            ui.button(id!("tag"), tag, Msg::AskTag);
            ui.button(id!("save"), "Save", Msg::Save);
        });
        match self.asks {
            Some(Asks::Tag) => ui.dialog("Tag", Msg::Cancel, |ui| {
                ui.choice("No tag", self.tag.is_none(), Msg::NoTag);
                for (place, tag) in app.tags.iter().enumerate().take(4) {
                    ui.choice(tag, self.tag.as_ref() == Some(tag), Msg::Tag(place));
                }
            }),
            Some(Asks::Discard) => ui.dialog("Discard your changes?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("Discard", Msg::Discard);
                    ui.positive("Save", Msg::Save);
                });
            }),
            None => {}
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        self.asks = None;
        match msg {
            Msg::Title(title) => {
                cx.decide(Branch::EditorTitleLong, title.len() > 40);
                self.title = title;
                self.changed = true;
            }
            Msg::Body(body) => {
                cx.decide(Branch::EditorBodyEmpty, body.is_empty());
                self.body = body;
                self.changed = true;
            }
            Msg::Star => {
                self.starred = !self.starred;
                self.changed = true;
            }
            Msg::AskTag => self.asks = Some(Asks::Tag),
            Msg::Tag(place) => {
                cx.decide(Branch::EditorTagTaken, self.tag.is_some());
                self.tag = app.tags.get(place).cloned();
                self.changed = true;
            }
            Msg::NoTag => {
                self.tag = None;
                self.changed = true;
            }
            Msg::Preview => {
                cx.decide(Branch::EditorPreviewHeading, self.body.starts_with('#'));
                cx.decide(Branch::EditorPreviewLong, self.body.len() > 100);
                self.preview = !self.preview;
            }
            Msg::Save => self.save(app, cx),
            Msg::Discard => cx.finish(),
            Msg::Cancel => {}
        }
    }

    fn save(&self, app: &mut Notes, cx: &mut Cx<'_, Notes>) {
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
            views: Shown(0),
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

    pub(super) fn back(&mut self, app: &Notes, cx: &mut Cx<'_, Notes>) {
        let changed = cx.decide(Branch::EditorChanged, self.changed);
        if cx.decide(
            Branch::EditorBackAsks,
            changed && !app.settings.discard_silently,
        ) {
            self.asks = Some(Asks::Discard);
        } else {
            cx.finish();
        }
    }

    /// The text survives, the dialog does not.
    pub(super) fn rotated(&mut self, cx: &mut Cx<'_, Notes>) {
        cx.decide(Branch::EditorRotatedWithDialog, self.asks.is_some());
        self.asks = None;
    }
}
