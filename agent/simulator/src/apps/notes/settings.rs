//! Settings, export, and the page about the app.

use retap_shared::micros::Micros;

use super::failures::EXPORT;
use super::{Branch, Notes};
use crate::kit::{Cx, Ui};

/// What is kept of them.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Stored {
    pub(super) template: bool,
    pub(super) discard_silently: bool,
    backup: bool,
    large_text: bool,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Settings {
    exported: bool,
    asks_reset: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum Msg {
    Template,
    DiscardSilently,
    Backup,
    LargeText,
    Export,
    AskReset,
    Reset,
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Settings(msg)
    }
}

impl Settings {
    pub(super) fn view(&self, app: &Notes, ui: &mut Ui<'_, super::Msg>) {
        let stored = &app.settings;
        ui.toolbar("Settings", |_| {});
        ui.scroll(id!("settings_list"), |ui| {
            ui.switch(
                id!("template"),
                "Use a template for new notes",
                stored.template,
                Msg::Template,
            );
            let silently = stored.discard_silently;
            ui.switch(
                id!("discard"),
                "Discard without asking",
                silently,
                Msg::DiscardSilently,
            );
            ui.switch(
                id!("backup"),
                "Put a backup into exports",
                stored.backup,
                Msg::Backup,
            );
            ui.switch(
                id!("large_text"),
                "Large text",
                stored.large_text,
                Msg::LargeText,
            );
            ui.button(id!("export"), "Export", Msg::Export);
            if self.exported {
                ui.text(id!("exported"), "Exported to Documents/notes.zip");
            }
            ui.button(id!("reset"), "Reset", Msg::AskReset);
        });
        if self.asks_reset {
            ui.dialog("Reset all settings?", Msg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("No", Msg::Cancel);
                    ui.positive("Yes", Msg::Reset);
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Notes, msg: Msg, cx: &mut Cx<'_, Notes>) {
        self.asks_reset = false;
        let stored = &mut app.settings;
        match msg {
            Msg::Template => stored.template = !stored.template,
            Msg::DiscardSilently => stored.discard_silently = !stored.discard_silently,
            Msg::Backup => stored.backup = cx.decide(Branch::SettingsBackupOn, !stored.backup),
            Msg::LargeText => stored.large_text = !stored.large_text,
            Msg::Export => self.export(app, cx),
            Msg::AskReset => self.asks_reset = true,
            Msg::Reset => {
                let changed = stored.template || stored.discard_silently || stored.backup;
                if cx.decide(Branch::SettingsResets, changed || stored.large_text) {
                    *stored = Stored::default();
                }
            }
            Msg::Cancel => {}
        }
    }

    /// A backup is compressed on the main thread.
    fn export(&mut self, app: &Notes, cx: &mut Cx<'_, Notes>) {
        if cx.decide(Branch::SettingsExportsBackup, app.settings.backup) {
            cx.block(Micros::from_millis(14_000), &EXPORT);
        }
        cx.decide(Branch::SettingsExportsTrash, !app.trash.is_empty());
        self.exported = true;
    }
}

pub(super) fn view_about(ui: &mut Ui<'_, super::Msg>) {
    ui.toolbar("About", |_| {});
    ui.scroll(id!("about_text"), |ui| {
        ui.text(id!("version"), "Notes 1.7");
        ui.text(id!("license"), "Apache License 2.0");
    });
}
