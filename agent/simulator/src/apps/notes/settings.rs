//! Settings, export, and the page about the app.

use retap_shared::micros::Micros;

use super::failures::EXPORT;
use super::{Branch, NotesApp};
use crate::framework::{AppContext, Ui};

/// Persistent settings.
#[derive(Clone, Debug, Default, Hash)]
pub(super) struct NotesSettings {
    pub(super) template: bool,
    pub(super) discard_silently: bool,
    backup: bool,
    large_text: bool,
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct NotesSettingsPage {
    exported: bool,
    asks_reset: bool,
}

#[derive(Clone, Copy, Debug, Hash)]
pub(super) enum NotesSettingsMsg {
    Template,
    DiscardSilently,
    Backup,
    LargeText,
    Export,
    AskReset,
    Reset,
    Cancel,
}

impl From<NotesSettingsMsg> for super::NotesMsg {
    fn from(msg: NotesSettingsMsg) -> super::NotesMsg {
        super::NotesMsg::Settings(msg)
    }
}

impl NotesSettingsPage {
    pub(super) fn view(&self, app: &NotesApp, ui: &mut Ui<'_, super::NotesMsg>) {
        let stored = &app.settings;
        ui.toolbar("Settings", |_| {});
        ui.scroll(id!("settings_list"), |ui| {
            ui.switch(
                id!("template"),
                "Use a template for new notes",
                stored.template,
                NotesSettingsMsg::Template,
            );
            let silently = stored.discard_silently;
            ui.switch(
                id!("discard"),
                "Discard without asking",
                silently,
                NotesSettingsMsg::DiscardSilently,
            );
            ui.switch(
                id!("backup"),
                "Put a backup into exports",
                stored.backup,
                NotesSettingsMsg::Backup,
            );
            ui.switch(
                id!("large_text"),
                "Large text",
                stored.large_text,
                NotesSettingsMsg::LargeText,
            );
            ui.button(id!("export"), "Export", NotesSettingsMsg::Export);
            if self.exported {
                ui.text(id!("exported"), "Exported to Documents/notes.zip");
            }
            ui.button(id!("reset"), "Reset", NotesSettingsMsg::AskReset);
        });
        if self.asks_reset {
            ui.dialog("Reset all settings?", NotesSettingsMsg::Cancel, |ui| {
                ui.columns(2, |ui| {
                    ui.negative("No", NotesSettingsMsg::Cancel);
                    ui.positive("Yes", NotesSettingsMsg::Reset);
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut NotesApp,
        msg: NotesSettingsMsg,
        cx: &mut AppContext<'_, NotesApp>,
    ) {
        self.asks_reset = false;
        let stored = &mut app.settings;
        match msg {
            NotesSettingsMsg::Template => stored.template = !stored.template,
            NotesSettingsMsg::DiscardSilently => stored.discard_silently = !stored.discard_silently,
            NotesSettingsMsg::Backup => {
                stored.backup = cx.decide(Branch::SettingsBackupOn, !stored.backup);
            }
            NotesSettingsMsg::LargeText => stored.large_text = !stored.large_text,
            NotesSettingsMsg::Export => self.export(app, cx),
            NotesSettingsMsg::AskReset => self.asks_reset = true,
            NotesSettingsMsg::Reset => {
                let changed = stored.template || stored.discard_silently || stored.backup;
                if cx.decide(Branch::SettingsResets, changed || stored.large_text) {
                    *stored = NotesSettings::default();
                }
            }
            NotesSettingsMsg::Cancel => {}
        }
    }

    /// A backup is compressed on the main thread.
    fn export(&mut self, app: &NotesApp, cx: &mut AppContext<'_, NotesApp>) {
        if cx.decide(Branch::SettingsExportsBackup, app.settings.backup) {
            cx.block(Micros::from_millis(14_000), &EXPORT);
        }
        cx.decide(Branch::SettingsExportsTrash, !app.trash.is_empty());
        self.exported = true;
    }
}

pub(super) fn view_about(ui: &mut Ui<'_, super::NotesMsg>) {
    ui.toolbar("About", |_| {});
    ui.scroll(id!("about_text"), |ui| {
        ui.text(id!("version"), "Notes 1.7");
        ui.text(id!("license"), "Apache License 2.0");
    });
}
