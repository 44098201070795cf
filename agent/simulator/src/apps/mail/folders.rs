//! Folders: opening, adding and deleting them.

use retap_shared::Text;

use super::mailbox::{MailFolder, TRASH};
use super::{Branch, MailApp, MailPage, inbox};
use crate::framework::{AppContext, Ui, number_text};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct FoldersPage {
    /// Name of the new folder, while its dialog is open.
    adds: Option<Text>,
    error: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum FoldersMsg {
    Open(usize),
    Delete(usize),
    New,
    Name(Text),
    Create,
    Cancel,
}

impl From<FoldersMsg> for super::MailMsg {
    fn from(msg: FoldersMsg) -> super::MailMsg {
        super::MailMsg::Folders(msg)
    }
}

impl FoldersPage {
    pub(super) fn view(&self, app: &MailApp, ui: &mut Ui<'_, super::MailMsg>) {
        ui.toolbar("Folders", |ui| {
            ui.toolbar_action(id!("new_folder"), "New folder", FoldersMsg::New);
        });
        ui.list(id!("folder_list"), app.folders.len(), |ui, row| {
            let folder = &app.folders[row];
            let held = app
                .messages
                .iter()
                .filter(|message| message.folder == folder.name)
                .count();
            let item = ui.item(id!("folder"), FoldersMsg::Open(row), |ui| {
                ui.text(id!("folder_name"), &folder.name);
                ui.text(
                    id!("folder_count"),
                    number_text("", held as u64, " messages"),
                );
            });
            ui.on_long_press(item, FoldersMsg::Delete(row));
        });
        if let Some(name) = &self.adds {
            ui.dialog("New folder", FoldersMsg::Cancel, |ui| {
                let field = ui.field(id!("folder_field"), "Name", name, |text| {
                    FoldersMsg::Name(text).into()
                });
                ui.on_submit(field, FoldersMsg::Create);
                if self.error {
                    ui.message("Choose another name");
                }
                ui.columns(2, |ui| {
                    ui.negative("Cancel", FoldersMsg::Cancel);
                    ui.positive("Create", FoldersMsg::Create);
                });
            });
        }
    }

    pub(super) fn update(
        &mut self,
        app: &mut MailApp,
        msg: FoldersMsg,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        self.error = false;
        match msg {
            FoldersMsg::Open(row) => {
                if let Some(folder) = app.folders.get(row) {
                    cx.start(MailPage::Inbox(inbox::InboxPage::of(folder.name.clone())));
                }
            }
            FoldersMsg::Delete(row) => delete(app, row, cx),
            FoldersMsg::New => self.adds = Some(Text::default()),
            FoldersMsg::Name(name) => self.adds = Some(name),
            FoldersMsg::Create => self.create(app, cx),
            FoldersMsg::Cancel => self.adds = None,
        }
    }

    fn create(&mut self, app: &mut MailApp, cx: &mut AppContext<'_, MailApp>) {
        let name = self.adds.clone().unwrap_or_default();
        let empty = cx.decide(Branch::FolderNameEmpty, name.is_empty());
        let exists = app.folders.iter().any(|folder| folder.name == name);
        self.error = empty || cx.decide(Branch::FolderExists, exists);
        if !self.error {
            app.folders.push(MailFolder {
                name,
                synced: false,
            });
            self.adds = None;
        }
    }
}

/// Deletes a folder. Standard folders stay; messages of the others go to the trash.
fn delete(app: &mut MailApp, row: usize, cx: &mut AppContext<'_, MailApp>) {
    if cx.decide(Branch::FolderIsSystem, row < 3) || row >= app.folders.len() {
        return;
    }
    let folder = app.folders.remove(row);
    let held = (0..app.messages.len()).filter(|place| app.messages[*place].folder == folder.name);
    let held: Vec<usize> = held.collect();
    held.iter()
        .for_each(|place| app.messages[*place].folder = TRASH);
    cx.decide(Branch::FolderHasMail, !held.is_empty());
}
