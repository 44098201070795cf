//! Deleted notes: put back, or gone for good.

use super::{Branch, Notes};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Trash {
    asks: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Restore(usize),
    AskEmpty,
    Empty,
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Trash(msg)
    }
}

impl Trash {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Trash", |ui| {
            ui.action(id!("empty_trash"), "Empty trash", Msg::AskEmpty);
        });
        if app.trash.is_empty() {
            ui.text(id!("trash_hint"), "Nothing here");
        }
        ui.list(id!("trash_list"), app.trash.len(), |ui, place| {
            let note = &app.trash[place];
            ui.item(id!("trashed"), Msg::Restore(place), |ui| {
                ui.text(id!("trashed_title"), &note.title);
                ui.text(id!("trashed_hint"), "Tap to restore");
            });
        });
        if self.asks {
            ui.dialog("Empty the trash?", Msg::Cancel, |ui| {
                ui.message("What is in it cannot be restored.");
                ui.columns(2, |ui| {
                    ui.negative("Keep", Msg::Cancel);
                    ui.positive("Empty", Msg::Empty);
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        self.asks = false;
        match msg {
            Msg::Restore(place) => {
                let Some(note) = app.trash.remove(place) else {
                    return;
                };
                cx.decide(Branch::TrashRestoresTag, note.tag.is_some());
                cx.decide(Branch::TrashRestoresStarred, note.starred);
                app.notes.push(note);
            }
            Msg::AskEmpty => self.asks = !cx.decide(Branch::TrashEmpty, app.trash.is_empty()),
            Msg::Empty => app.trash.clear(),
            Msg::Cancel => {}
        }
    }
}
