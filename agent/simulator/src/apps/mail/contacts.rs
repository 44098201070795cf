//! People to write to.

use retap_shared::Text;

use super::mailbox::MailDraft;
use super::{Branch, MailApp};
use crate::framework::{AppContext, Ui};

#[derive(Clone, Debug, Hash)]
pub(super) struct ContactsPage;

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum ContactsMsg {
    Choose(usize),
}

impl From<ContactsMsg> for super::MailMsg {
    fn from(msg: ContactsMsg) -> super::MailMsg {
        super::MailMsg::Contacts(msg)
    }
}

const PEOPLE: [&str; 12] = [
    "Anna", "Ben", "Clara", "David", "Emil", "Frida", "Greta", "Hugo", "Ines", "Jonas", "Karla",
    "Lukas",
];

impl ContactsPage {
    pub(super) fn view(&self, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar("Contacts", |_| {});
        ui.list(id!("people"), PEOPLE.len(), |ui, row| {
            ui.item(id!("person"), ContactsMsg::Choose(row), |ui| {
                ui.text(id!("person_name"), PEOPLE[row]);
            });
        });
    }

    /// Returns the address to the page beneath through the draft.
    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: ContactsMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        let ContactsMsg::Choose(row) = msg;
        let name = Text::new_static(PEOPLE[row]);
        let known = app.messages.iter().any(|message| message.from == name);
        cx.decide(Branch::ContactKnown, known);
        let to = if known {
            name
        } else {
            Text::new(format!("{name}@example.com"))
        };
        app.draft = Some(MailDraft {
            to,
            ..MailDraft::default()
        });
        cx.finish();
    }
}
