//! Deleted notes: restored, or deleted for good.

use super::{Branch, NotesApp};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct TrashPage {
    asks: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum TrashMsg {
    Restore(usize),
    AskEmpty,
    Empty,
    Cancel,
}

impl From<TrashMsg> for super::NotesMsg {
    fn from(msg: TrashMsg) -> super::NotesMsg {
        super::NotesMsg::Trash(msg)
    }
}

impl TrashPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        ui.toolbar("Trash", |ui| {
            ui.toolbar_action(id!("empty_trash"), "Empty trash", TrashMsg::AskEmpty);
        });
        if app.trash.is_empty() {
            ui.text(id!("trash_hint"), "Nothing here");
        }
        ui.list(id!("trash_list"), app.trash.len(), |ui, place| {
            let note = &app.trash[place];
            ui.item(id!("trashed"), TrashMsg::Restore(place), |ui| {
                ui.text(id!("trashed_title"), &note.title);
                ui.text(id!("trashed_hint"), "Tap to restore");
            });
        });
        if self.asks {
            ui.dialog("Empty the trash?", TrashMsg::Cancel, |ui| {
                ui.message("What is in it cannot be restored.");
                ui.columns(2, |ui| {
                    ui.negative("Keep", TrashMsg::Cancel);
                    ui.positive("Empty", TrashMsg::Empty);
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: TrashMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        self.asks = false;
        match msg {
            TrashMsg::Restore(place) => {
                let Some(note) = app.trash.remove(place) else {
                    return;
                };
                cx.decide(Branch::TrashRestoresTag, note.tag.is_some());
                cx.decide(Branch::TrashRestoresStarred, note.starred);
                app.notes.push(note);
            }
            TrashMsg::AskEmpty => self.asks = !cx.decide(Branch::TrashEmpty, app.trash.is_empty()),
            TrashMsg::Empty => app.trash.clear(),
            TrashMsg::Cancel => {}
        }
    }
}
