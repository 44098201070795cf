//! Draws the activities of a declarative app.

use retap_shared::Text;

use super::{
    AppDefinition, DeclarativeMsg, DeclarativePage, DeclarativeState, DialogKind, FieldText,
    RuleCondition, ScreenDefinition, Variable, WidgetDefinition, WidgetKind,
};
use crate::framework::{PlacedNode, Ui, number_text};

impl AppDefinition {
    pub(crate) fn view<M: From<DeclarativeMsg>>(
        &self,
        state: &DeclarativeState,
        page: &DeclarativePage,
        ui: &mut Ui<'_, M>,
    ) {
        let screen = &self.screens[usize::from(page.screen)];
        ui.toolbar(&screen.title, |ui| {
            if !screen.menu.is_empty() {
                ui.menu(|menu| {
                    for (item, place) in screen.menu.iter().zip(0..) {
                        menu.item(&item.id, &item.label, DeclarativeMsg::Menu(place));
                    }
                });
            }
        });
        let fills = |widget: &WidgetDefinition| {
            matches!(widget.kind, WidgetKind::Rows { .. } | WidgetKind::Web)
        };
        if screen.widgets.iter().any(fills) {
            screen.view_widgets(state, ui);
        } else {
            ui.scroll("android:id/content", |ui| screen.view_widgets(state, ui));
        }
        if let Some(number) = page.open_dialog {
            screen.view_dialog(number, ui);
        }
    }
}

impl ScreenDefinition {
    fn view_widgets<M: From<DeclarativeMsg>>(&self, state: &DeclarativeState, ui: &mut Ui<'_, M>) {
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

    fn view_dialog<M: From<DeclarativeMsg>>(&self, number: u8, ui: &mut Ui<'_, M>) {
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
                    ui.button(
                        id[usize::from(place).min(2)],
                        label,
                        DeclarativeMsg::Answer(place),
                    );
                }
            });
        };
        match dialog.kind {
            DialogKind::Plain => ui.dialog(&dialog.title, DeclarativeMsg::Cancel, fill),
            DialogKind::NotCancellable => ui.uncancellable_dialog(&dialog.title, fill),
            DialogKind::SystemConsent => ui.consent_dialog(&dialog.title, fill),
        }
    }
}

impl WidgetDefinition {
    fn view<M: From<DeclarativeMsg>>(
        &self,
        place: u16,
        state: &DeclarativeState,
        ui: &mut Ui<'_, M>,
    ) {
        if !self
            .visible_when
            .iter()
            .all(|is| is.in_state(state).unwrap_or(true))
        {
            return;
        }
        let id = &self.id;
        let label = &self.label;
        let tap = DeclarativeMsg::Tap(place);
        let placed = match self.kind {
            WidgetKind::Text => ui.text(id, label),
            WidgetKind::Value(var) => ui.text(id, number_text(label, state.get(var).into(), "")),
            WidgetKind::Button => ui.button(id, label, tap),
            WidgetKind::Picture => ui.picture(id, label, tap),
            WidgetKind::Row => ui.item(id, tap, |ui| {
                ui.text("android:id/title", label);
            }),
            WidgetKind::Switch(var) => ui.switch(id, label, state.get(var) != 0, tap),
            WidgetKind::Check(var) => ui.check(id, label, state.get(var) != 0, tap),
            WidgetKind::Radio(var, value) => ui.radio(id, label, state.get(var) == value, tap),
            WidgetKind::Tab(var, value) => ui.tab(id, label, state.get(var) == value, tap),
            WidgetKind::Field(field) => self.view_field(field, state.text(field), ui),
            WidgetKind::Rows { .. } => return self.view_rows(place, state, ui),
            WidgetKind::Web => ui.web_page(id, vec![(4, tap.into())]),
            WidgetKind::EndlessProgress => ui.endless_progress(id),
        };
        if let WidgetKind::Switch(Variable::Inert(own)) | WidgetKind::Check(Variable::Inert(own)) =
            self.kind
        {
            ui.checked_by(placed, own);
        }
        if !self.on_long_press.0.is_empty() {
            ui.on_long_press(placed, DeclarativeMsg::LongPress(place));
        }
    }

    fn view_field<M: From<DeclarativeMsg>>(
        &self,
        field: FieldText,
        value: &Text,
        ui: &mut Ui<'_, M>,
    ) -> PlacedNode {
        match field {
            FieldText::Persistent(number) => {
                let edit = |number, text| DeclarativeMsg::Edit(number, text).into();
                ui.numbered_field(&self.id, &self.label, value, number, edit)
            }
            FieldText::Inert(number) => {
                let edit = |number, text| DeclarativeMsg::EditInert(number, text).into();
                ui.numbered_field(&self.id, &self.label, value, number, edit)
            }
        }
    }

    fn view_rows<M: From<DeclarativeMsg>>(
        &self,
        place: u16,
        state: &DeclarativeState,
        ui: &mut Ui<'_, M>,
    ) {
        let WidgetKind::Rows {
            count,
            more,
            content_version: turn,
            ..
        } = self.kind
        else {
            return;
        };
        let pages = more.map_or(1, |more| usize::from(state.get(more)) + 1);
        let turn = turn.map_or(0, |turn| u64::from(state.get(turn)));
        let list = Text::new_static("android:id/list");
        let placed = ui.list(list, usize::from(count) * pages, |ui, row| {
            let shown = row as u64 + turn * 7;
            ui.item(
                &self.id,
                DeclarativeMsg::Row(place, row.min(255) as u8),
                |ui| {
                    ui.text("android:id/title", number_text(&self.label, shown + 1, ""));
                    ui.text(
                        "android:id/summary",
                        number_text("", shown * 31 % 97, " others"),
                    );
                },
            );
        });
        if more.is_some() {
            ui.at_end(placed, DeclarativeMsg::More(place));
        }
    }
}

impl RuleCondition {
    /// True if it holds, as far as variables and texts alone decide that.
    pub(super) fn in_state(&self, state: &DeclarativeState) -> Option<bool> {
        Some(match *self {
            RuleCondition::Equals(var, value) => state.get(var) == value,
            RuleCondition::NotEquals(var, value) => state.get(var) != value,
            RuleCondition::GreaterThan(var, value) => state.get(var) > value,
            RuleCondition::Text(field, kind) => kind.matches(state.text(field)),
            RuleCondition::Landscape | RuleCondition::ForeignLanguage | RuleCondition::Offline => {
                return None;
            }
        })
    }
}
