//! Settings, and a synchronisation by hand.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::SYNC;
use super::{Branch, Mail};
use crate::kit::{Cx, Shown, Ui};

/// What is kept of them.
#[derive(Clone, Debug, Hash)]
pub(super) struct Stored {
    pub(super) notifications: bool,
    pub(super) warn_subject: bool,
    pub(super) signature: Text,
    keep: Keep,
    synced: Shown<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Keep {
    Month,
    Year,
    All,
}

impl Default for Stored {
    fn default() -> Stored {
        Stored {
            notifications: false,
            warn_subject: false,
            signature: Text::new_static("Sent from my phone"),
            keep: Keep::Month,
            synced: Shown(Text::new_static("never")),
        }
    }
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Settings {
    asks_keep: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Notifications,
    WarnSubject,
    Signature(Text),
    AskKeep,
    Keep(Keep),
    Cancel,
    Sync,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Settings(msg)
    }
}

impl Settings {
    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        let stored = &app.settings;
        ui.toolbar("Settings", |_| {});
        ui.scroll(id!("settings_list"), |ui| {
            ui.switch(
                id!("notifications"),
                "Notifications",
                stored.notifications,
                Msg::Notifications,
            );
            ui.switch(
                id!("warn"),
                "Warn if there is no subject",
                stored.warn_subject,
                Msg::WarnSubject,
            );
            ui.field(id!("signature"), "Signature", &stored.signature, |text| {
                Msg::Signature(text).into()
            });
            ui.button(id!("keep"), "How much to keep", Msg::AskKeep);
            ui.text(id!("synced"), &stored.synced.0);
            ui.button(id!("sync"), "Synchronise now", Msg::Sync);
        });
        if self.asks_keep {
            ui.dialog("Keep mail on this phone", Msg::Cancel, |ui| {
                for (keep, label) in [
                    (Keep::Month, "A month"),
                    (Keep::Year, "A year"),
                    (Keep::All, "All of it"),
                ] {
                    ui.choice(label, stored.keep == keep, Msg::Keep(keep));
                }
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        self.asks_keep = false;
        let stored = &mut app.settings;
        match msg {
            Msg::Notifications => {
                let on = cx.decide(Branch::SettingsNotifications, !stored.notifications);
                stored.notifications = on;
            }
            Msg::WarnSubject => stored.warn_subject = !stored.warn_subject,
            Msg::Signature(signature) => {
                cx.decide(Branch::SettingsSignatureEmpty, signature.is_empty());
                stored.signature = signature;
            }
            Msg::AskKeep => self.asks_keep = true,
            Msg::Keep(keep) => stored.keep = keep,
            Msg::Cancel => {}
            Msg::Sync => {
                // All of it is sorted into threads on the main thread.
                if cx.decide(Branch::SettingsKeepsAll, stored.keep == Keep::All) {
                    cx.block(Micros::from_millis(9_000), &SYNC);
                }
                stored.synced = cx.time_of_day();
                app.folders
                    .iter_mut()
                    .for_each(|folder| folder.synced = true);
            }
        }
    }
}
