//! The tags that notes can have.

use retap_shared::Text;

use super::failures::UNQUOTED;
use super::{Branch, Notes};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Tags {
    name: Text,
    error: bool,
    asks: Option<usize>,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Name(Text),
    Add,
    Select(usize),
    Press(usize),
    Delete(usize),
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Tags(msg)
    }
}

impl Tags {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Tags", |_| {});
        let name = ui.field(id!("tag_name"), "New tag", &self.name, |text| {
            Msg::Name(text).into()
        });
        ui.submit(name, Msg::Add);
        ui.button(id!("add_tag"), "Add", Msg::Add);
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
            let row = ui.item(id!("tag"), Msg::Select(place), |ui| {
                ui.text(id!("tag_label"), tag);
                ui.text(id!("tag_used"), number("", used as u64, " notes"));
            });
            ui.long(row, Msg::Press(place));
        });
        if let Some(place) = self.asks {
            ui.dialog("Delete this tag?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("Keep", Msg::Cancel);
                    ui.positive("Delete", Msg::Delete(place));
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        self.asks = None;
        match msg {
            Msg::Name(name) => {
                self.name = name;
                self.error = false;
            }
            Msg::Add => self.add(app, cx),
            Msg::Select(place) => {
                let in_use = app
                    .notes
                    .iter()
                    .any(|note| note.tag.as_ref() == app.tags.get(place));
                cx.decide(Branch::TagFiltersNotes, in_use);
            }
            Msg::Press(place) => self.asks = Some(place),
            Msg::Delete(place) if place < app.tags.len() => {
                // Notes that have it keep its name.
                let tag = app.tags.remove(place);
                cx.decide(
                    Branch::TagInUse,
                    app.notes.iter().any(|note| note.tag.as_ref() == Some(&tag)),
                );
            }
            Msg::Delete(_) | Msg::Cancel => {}
        }
    }

    fn add(&mut self, app: &mut Notes, cx: &mut Cx<'_, Notes>) {
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
