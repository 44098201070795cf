//! Folders: opening, adding and deleting them.

use retap_shared::Text;

use super::post::{Folder, TRASH};
use super::{Branch, Mail, Page, inbox};
use crate::kit::{Cx, Ui, number};

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct Folders {
    /// The new folder's name, while the dialog for it is up.
    adds: Option<Text>,
    error: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) enum Msg {
    Open(usize),
    Delete(usize),
    New,
    Name(Text),
    Create,
    Cancel,
}

impl From<Msg> for super::Msg {
    fn from(msg: Msg) -> super::Msg {
        super::Msg::Folders(msg)
    }
}

impl Folders {
    pub(super) fn view(&self, app: &Mail, ui: &mut Ui<'_, super::Msg>) {
        ui.toolbar("Folders", |ui| {
            ui.action(id!("new_folder"), "New folder", Msg::New);
        });
        ui.list(id!("folder_list"), app.folders.len(), |ui, row| {
            let folder = &app.folders[row];
            let held = app
                .messages
                .iter()
                .filter(|message| message.folder == folder.name)
                .count();
            let item = ui.item(id!("folder"), Msg::Open(row), |ui| {
                ui.text(id!("folder_name"), &folder.name);
                ui.text(id!("folder_count"), number("", held as u64, " messages"));
            });
            ui.long(item, Msg::Delete(row));
        });
        if let Some(name) = &self.adds {
            ui.dialog("New folder", Msg::Cancel, |ui| {
                let field = ui.field(id!("folder_field"), "Name", name, |text| {
                    Msg::Name(text).into()
                });
                ui.submit(field, Msg::Create);
                if self.error {
                    ui.message("Choose another name");
                }
                ui.columns(2, |ui| {
                    ui.negative("Cancel", Msg::Cancel);
                    ui.positive("Create", Msg::Create);
                });
            });
        }
    }

    pub(super) fn update(&mut self, app: &mut Mail, msg: Msg, cx: &mut Cx<'_, Mail>) {
        self.error = false;
        match msg {
            Msg::Open(row) => {
                if let Some(folder) = app.folders.get(row) {
                    cx.start(Page::Inbox(inbox::Inbox::of(folder.name.clone())));
                }
            }
            Msg::Delete(row) => delete(app, row, cx),
            Msg::New => self.adds = Some(Text::default()),
            Msg::Name(name) => self.adds = Some(name),
            Msg::Create => self.create(app, cx),
            Msg::Cancel => self.adds = None,
        }
    }

    fn create(&mut self, app: &mut Mail, cx: &mut Cx<'_, Mail>) {
        let name = self.adds.clone().unwrap_or_default();
        let empty = cx.decide(Branch::FolderNameEmpty, name.is_empty());
        let exists = app.folders.iter().any(|folder| folder.name == name);
        self.error = empty || cx.decide(Branch::FolderExists, exists);
        if !self.error {
            app.folders.push(Folder {
                name,
                synced: false,
            });
            self.adds = None;
        }
    }
}

/// Those that every account has stay; what is in others goes to the trash.
fn delete(app: &mut Mail, row: usize, cx: &mut Cx<'_, Mail>) {
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
