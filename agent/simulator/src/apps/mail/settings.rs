//! Settings, and a synchronisation by hand.

use retap_shared::Text;
use retap_shared::micros::Micros;

use super::failures::SYNC;
use super::{Branch, MailApp};
use crate::framework::{AppContext, Ui, Unhashed};

/// Persistent settings.
#[derive(Clone, Debug, Hash)]
pub(super) struct MailSettings {
    pub(super) notifications: bool,
    pub(super) warn_subject: bool,
    pub(super) signature: Text,
    keep: KeepPeriod,
    synced: Unhashed<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum KeepPeriod {
    Month,
    Year,
    All,
}

impl Default for MailSettings {
    fn default() -> MailSettings {
        MailSettings {
            notifications: false,
            warn_subject: false,
            signature: Text::new_static("Sent from my phone"),
            keep: KeepPeriod::Month,
            synced: Unhashed(Text::new_static("never")),
        }
    }
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct MailSettingsPage {
    asks_keep: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum MailSettingsMsg {
    Notifications,
    WarnSubject,
    Signature(Text),
    AskKeep,
    Keep(KeepPeriod),
    Cancel,
    Sync,
}

impl From<MailSettingsMsg> for super::MailMsg {
    fn from(msg: MailSettingsMsg) -> super::MailMsg {
        super::MailMsg::Settings(msg)
    }
}

impl MailSettingsPage {
    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        let stored = &app.settings;
        ui.toolbar("Settings", |_| {});
        ui.scroll(id!("settings_list"), |ui| {
            ui.switch(
                id!("notifications"),
                "Notifications",
                stored.notifications,
                MailSettingsMsg::Notifications,
            );
            ui.switch(
                id!("warn"),
                "Warn if there is no subject",
                stored.warn_subject,
                MailSettingsMsg::WarnSubject,
            );
            ui.field(id!("signature"), "Signature", &stored.signature, |text| {
                MailSettingsMsg::Signature(text).into()
            });
            ui.button(id!("keep"), "How much to keep", MailSettingsMsg::AskKeep);
            ui.text(id!("synced"), &stored.synced.0);
            ui.button(id!("sync"), "Synchronise now", MailSettingsMsg::Sync);
        });
        if self.asks_keep {
            ui.dialog("Keep mail on this phone", MailSettingsMsg::Cancel, |ui| {
                for (keep, label) in [
                    (KeepPeriod::Month, "A month"),
                    (KeepPeriod::Year, "A year"),
                    (KeepPeriod::All, "All of it"),
                ] {
                    ui.choice(label, stored.keep == keep, MailSettingsMsg::Keep(keep));
                }
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: MailSettingsMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        self.asks_keep = false;
        let stored = &mut app.settings;
        match msg {
            MailSettingsMsg::Notifications => {
                let on = cx.decide(Branch::SettingsNotifications, !stored.notifications);
                stored.notifications = on;
            }
            MailSettingsMsg::WarnSubject => stored.warn_subject = !stored.warn_subject,
            MailSettingsMsg::Signature(signature) => {
                cx.decide(Branch::SettingsSignatureEmpty, signature.is_empty());
                stored.signature = signature;
            }
            MailSettingsMsg::AskKeep => self.asks_keep = true,
            MailSettingsMsg::Keep(keep) => stored.keep = keep,
            MailSettingsMsg::Cancel => {}
            MailSettingsMsg::Sync => {
                // All of it is sorted into threads on the main thread.
                if cx.decide(Branch::SettingsKeepsAll, stored.keep == KeepPeriod::All) {
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
