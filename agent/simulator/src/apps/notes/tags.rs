//! The tags that notes can have.

use retap_shared::Text;

use super::failures::UNQUOTED;
use super::{Branch, NotesApp};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct TagsPage {
    name: Text,
    error: bool,
    asks: Option<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum TagsMsg {
    Name(Text),
    Add,
    Select(usize),
    Press(usize),
    Delete(usize),
    Cancel,
}

impl From<TagsMsg> for super::NotesMsg {
    fn from(msg: TagsMsg) -> super::NotesMsg {
        super::NotesMsg::Tags(msg)
    }
}

impl TagsPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        ui.toolbar("Tags", |_| {});
        let name = ui.field(id!("tag_name"), "New tag", &self.name, |text| {
            TagsMsg::Name(text).into()
        });
        ui.on_submit(name, TagsMsg::Add);
        ui.button(id!("add_tag"), "Add", TagsMsg::Add);
        if self.error {
            ui.text(id!("tag_error"), "Choose another name");
        }
        ui.list(id!("tags"), app.tags.len(), |ui, place| {
            let tag = &app.tags[place];
            let used = app
                .notes
                .iter()
                .filter(|note| note.tag.as_ref() == Some(tag))
                .count();
            let row = ui.item(id!("tag"), TagsMsg::Select(place), |ui| {
                ui.text(id!("tag_label"), tag);
                ui.text(id!("tag_used"), number_text("", used as u64, " notes"));
            });
            ui.on_long_press(row, TagsMsg::Press(place));
        });
        if let Some(place) = self.asks {
            ui.dialog("Delete this tag?", TagsMsg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("Keep", TagsMsg::Cancel);
                    ui.positive("Delete", TagsMsg::Delete(place));
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: TagsMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        self.asks = None;
        match msg {
            TagsMsg::Name(name) => {
                self.name = name;
                self.error = false;
            }
            TagsMsg::Add => self.add(app, cx),
            TagsMsg::Select(place) => {
                let in_use = app
                    .notes
                    .iter()
                    .any(|note| note.tag.as_ref() == app.tags.get(place));
                cx.decide(Branch::TagFiltersNotes, in_use);
            }
            TagsMsg::Press(place) => self.asks = Some(place),
            TagsMsg::Delete(place) if place < app.tags.len() => {
                // Notes that have it keep its name.
                let tag = app.tags.remove(place);
                cx.decide(
                    Branch::TagInUse,
                    app.notes.iter().any(|note| note.tag.as_ref() == Some(&tag)),
                );
            }
            TagsMsg::Delete(_) | TagsMsg::Cancel => {}
        }
    }

    fn add(&mut self, app: &mut NotesApp, cx: &mut AppContext<'_, NotesApp>) {
        if cx.decide(Branch::TagNameQuoted, self.name.contains('\'')) {
            return cx.throw(
                &UNQUOTED,
                "near \"Neil\": syntax error (code 1 SQLITE_ERROR)",
            );
        }
        let empty = cx.decide(Branch::TagNameEmpty, self.name.is_empty());
        self.error = empty || cx.decide(Branch::TagExists, app.tags.contains(&self.name));
        if !self.error {
            app.tags.push(std::mem::take(&mut self.name));
        }
    }
}
