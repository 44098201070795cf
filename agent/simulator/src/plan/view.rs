//! Drawing a plan's activities.

use retap_shared::Text;

use super::{DialogKind, Is, Look, Msg, Page, Plan, Screen, State, Typed, Var, Widget};
use crate::kit::{Ui, number};

impl Plan {
    pub(crate) fn view<M: From<Msg>>(&self, state: &State, page: &Page, ui: &mut Ui<'_, M>) {
        let screen = &self.screens[usize::from(page.screen)];
        ui.toolbar(&screen.title, |ui| {
            if !screen.menu.is_empty() {
                ui.menu(|menu| {
                    for (item, place) in screen.menu.iter().zip(0..) {
                        menu.item(&item.id, &item.label, Msg::Menu(place));
                    }
                });
            }
        });
        let fills = |widget: &Widget| matches!(widget.look, Look::Rows { .. } | Look::Web);
        if screen.widgets.iter().any(fills) {
            screen.view_widgets(state, ui);
        } else {
            ui.scroll("android:id/content", |ui| screen.view_widgets(state, ui));
        }
        if let Some(number) = page.asks {
            screen.view_dialog(number, ui);
        }
    }
}

impl Screen {
    fn view_widgets<M: From<Msg>>(&self, state: &State, ui: &mut Ui<'_, M>) {
        let mut place = 0;
        while let Some(widget) = self.widgets.get(place) {
            let columns = usize::from(widget.columns);
            if columns == 0 {
                widget.view(place as u16, state, ui);
                place += 1;
                continue;
            }
            let line = self.widgets[place..].iter().take(columns);
            let together = line
                .take_while(|other| usize::from(other.columns) == columns)
                .count();
            ui.columns(columns as i32, |ui| {
                for (widget, place) in self.widgets[place..place + together].iter().zip(place..) {
                    widget.view(place as u16, state, ui);
                }
            });
            place += together;
        }
    }

    fn view_dialog<M: From<Msg>>(&self, number: u8, ui: &mut Ui<'_, M>) {
        let Some(dialog) = self.dialogs.get(usize::from(number)) else {
            return;
        };
        let fill = |ui: &mut Ui<'_, M>| {
            ui.message(&dialog.message);
            ui.columns(dialog.buttons.len() as i32, |ui| {
                for ((label, _), place) in dialog.buttons.iter().zip(0..) {
                    let id = [
                        "android:id/button2",
                        "android:id/button1",
                        "android:id/button3",
                    ];
                    ui.button(id[usize::from(place).min(2)], label, Msg::Answer(place));
                }
            });
        };
        match dialog.kind {
            DialogKind::Plain => ui.dialog(&dialog.title, Msg::Cancel, fill),
            DialogKind::Stubborn => ui.stubborn_dialog(&dialog.title, fill),
            DialogKind::Consent => ui.consent_dialog(&dialog.title, fill),
        }
    }
}

impl Widget {
    fn view<M: From<Msg>>(&self, place: u16, state: &State, ui: &mut Ui<'_, M>) {
        if !self
            .shown
            .iter()
            .all(|is| is.in_state(state).unwrap_or(true))
        {
            return;
        }
        let id = &self.id;
        let label = &self.label;
        let tap = Msg::Tap(place);
        let placed = match self.look {
            Look::Text => ui.text(id, label),
            Look::Value(var) => ui.text(id, number(label, state.get(var).into(), "")),
            Look::Button => ui.button(id, label, tap),
            Look::Picture => ui.picture(id, label, tap),
            Look::Row => ui.item(id, tap, |ui| {
                ui.text("android:id/title", label);
            }),
            Look::Switch(var) => ui.switch(id, label, state.get(var) != 0, tap),
            Look::Check(var) => ui.check(id, label, state.get(var) != 0, tap),
            Look::Radio(var, value) => ui.radio(id, label, state.get(var) == value, tap),
            Look::Tab(var, value) => ui.tab(id, label, state.get(var) == value, tap),
            Look::Field(field) => {
                let value = state.text(field);
                match field {
                    Typed::Kept(number) => {
                        let edit = |number, text| Msg::Edit(number, text).into();
                        ui.numbered_field(id, label, value, number, edit)
                    }
                    Typed::Inert(number) => {
                        let edit = |number, text| Msg::EditInert(number, text).into();
                        ui.numbered_field(id, label, value, number, edit)
                    }
                }
            }
            Look::Rows { .. } => return self.view_rows(place, state, ui),
            Look::Web => ui.web(id, vec![(4, tap.into())]),
            Look::Restless => ui.restless(id),
        };
        if let Look::Switch(Var::Inert(own)) | Look::Check(Var::Inert(own)) = self.look {
            ui.ticked_by(placed, own);
        }
        if !self.long.0.is_empty() {
            ui.long(placed, Msg::Long(place));
        }
    }

    fn view_rows<M: From<Msg>>(&self, place: u16, state: &State, ui: &mut Ui<'_, M>) {
        let Look::Rows {
            count, more, turn, ..
        } = self.look
        else {
            return;
        };
        let pages = more.map_or(1, |more| usize::from(state.get(more)) + 1);
        let turn = turn.map_or(0, |turn| u64::from(state.get(turn)));
        let list = Text::new_static("android:id/list");
        let placed = ui.list(list, usize::from(count) * pages, |ui, row| {
            let shown = row as u64 + turn * 7;
            ui.item(&self.id, Msg::Row(place, row.min(255) as u8), |ui| {
                ui.text("android:id/title", number(&self.label, shown + 1, ""));
                ui.text("android:id/summary", number("", shown * 31 % 97, " others"));
            });
        });
        if more.is_some() {
            ui.at_end(placed, Msg::More(place));
        }
    }
}

impl Is {
    /// Whether it holds, if the variables and texts alone decide that.
    pub(super) fn in_state(&self, state: &State) -> Option<bool> {
        Some(match *self {
            Is::At(var, value) => state.get(var) == value,
            Is::Not(var, value) => state.get(var) != value,
            Is::Over(var, value) => state.get(var) > value,
            Is::Text(field, kind) => kind.fits(state.text(field)),
            Is::Landscape | Is::Foreign | Is::Offline => return None,
        })
    }
}
