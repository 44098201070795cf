//! People to write to.

use retap_shared::Text;

use super::post::Draft;
use super::{Branch, Mail};
use crate::kit::{Cx, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct Contacts;

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Choose(usize),
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Contacts(msg)
    }
}

const PEOPLE: [&str; 12] = [
    "Anna", "Ben", "Clara", "David", "Emil", "Frida", "Greta", "Hugo", "Ines", "Jonas", "Karla",
    "Lukas",
];

impl Contacts {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Contacts", |_| {});
        ui.list(id!("people"), PEOPLE.len(), |ui, row| {
            ui.item(id!("person"), Msg::Choose(row), |ui| {
                ui.text(id!("person_name"), PEOPLE[row]);
            });
        });
    }

    /// Hands the address back to the page beneath, by way of the draft.
    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        let Msg::Choose(row) = msg;
        let name = Text::new_static(PEOPLE[row]);
        let known = app.messages.iter().any(|message| message.from == name);
        cx.decide(Branch::ContactKnown, known);
        let to = if known {
            name
        } else {
            Text::new(format!("{name}@example.com"))
        };
        app.draft = Some(Draft {
            to,
            ..Draft::default()
        });
        cx.finish();
    }
}
