//! Mail: loading that takes its time and may fail, dialogs that come late, folders, writing, attachments.

/// A resource id of this app.
macro_rules! id {
    ($name:literal) => {
        concat!("com.example.mail:id/", $name)
    };
}

mod attachments;
mod compose;
mod contacts;
mod extra_screens;
mod failures;
mod folders;
mod inbox;
mod loading;
mod mailbox;
mod message;
mod search;
mod settings;

use std::sync::Arc;

use mailbox::{MailDraft, MailFolder, MailMessage};
use retap_shared::Text;
use retap_shared::action::SystemEvent;

use super::SimulatedAppEntry;
use crate::declarative;
use crate::framework::{
    AppContext, AppManifest, AppProcess, Recreation, RunningApp, SharedRows, SimulatedApp, Ui,
    branches,
};

pub(super) const ENTRY: SimulatedAppEntry = SimulatedAppEntry {
    name: "mail",
    about: "mail with loading that may fail, dialogs that come late, folders, writing and attachments",
    install: || -> Box<dyn AppProcess> {
        Box::new(RunningApp::install(manifest(), MailApp::new()))
    },
    planted_crashes: failures::PLANTED,
    definition: Some(|| Arc::clone(&extra_screens::DEFINITION)),
};

#[derive(Clone, Debug, Hash)]
struct MailApp {
    folders: Vec<MailFolder>,
    messages: SharedRows<MailMessage>,
    draft: Option<MailDraft>,
    settings: settings::MailSettings,
    /// Number of messages that came after the app was installed.
    arrived: u32,
    /// Number of messages read; notifications are offered after the second.
    read: u32,
    offered: bool,
    extra: declarative::DeclarativeState,
}

#[derive(Clone, Debug, Hash)]
enum MailPage {
    Inbox(inbox::InboxPage),
    Message(message::MessagePage),
    Attachments(attachments::AttachmentsPage),
    Compose(compose::ComposePage),
    Contacts(contacts::ContactsPage),
    Folders(folders::FoldersPage),
    Search(search::MailSearchPage),
    Settings(settings::MailSettingsPage),
    More(declarative::DeclarativePage),
}

#[derive(Clone, Debug, Hash)]
enum MailMsg {
    Inbox(inbox::InboxMsg),
    Message(message::MessageMsg),
    Attachments(attachments::AttachmentsMsg),
    Compose(compose::ComposeMsg),
    Contacts(contacts::ContactsMsg),
    Folders(folders::FoldersMsg),
    Search(search::MailSearchMsg),
    Settings(settings::MailSettingsMsg),
    More(declarative::DeclarativeMsg),
}

impl From<declarative::DeclarativePage> for MailPage {
    fn from(page: declarative::DeclarativePage) -> MailPage {
        MailPage::More(page)
    }
}

impl From<declarative::DeclarativeMsg> for MailMsg {
    fn from(msg: declarative::DeclarativeMsg) -> MailMsg {
        MailMsg::More(msg)
    }
}

const ACTIVITIES: [&str; 8] = [
    "com.example.mail/.InboxActivity",
    "com.example.mail/.MessageActivity",
    "com.example.mail/.AttachmentsActivity",
    "com.example.mail/.ComposeActivity",
    "com.example.mail/.ContactsActivity",
    "com.example.mail/.FoldersActivity",
    "com.example.mail/.SearchActivity",
    "com.example.mail/.SettingsActivity",
];

branches![
    LoadingFails,
    LoadingDone,
    InboxNewMail,
    InboxLoadsMore,
    InboxSelects,
    InboxSelectionMany,
    InboxDeletesUnread,
    InboxRotatedSelecting,
    InboxOffersNotifications,
    InboxAcceptsNotifications,
    InboxDraftKept,
    MessageUnread,
    MessageHasAttachments,
    MessageLoadsImages,
    MessageStarred,
    MessageDeleteAsks,
    MessageFolderSynced,
    MessageMovedAway,
    AttachmentArchive,
    AttachmentLarge,
    AttachmentOpenTwice,
    ComposeToEmpty,
    ComposeSubjectEmpty,
    ComposeSubjectWarned,
    ComposeHasAttachments,
    ComposeTooLarge,
    ComposeBackSaves,
    ComposeSigned,
    ComposeAddressValid,
    ComposeIsReply,
    ContactKnown,
    FolderNameEmpty,
    FolderExists,
    FolderHasMail,
    FolderIsSystem,
    SearchEmpty,
    SearchSurrogate,
    SearchFinds,
    SearchUnreadOnly,
    SettingsKeepsAll,
    SettingsSignatureEmpty,
    SettingsNotifications,
];

impl MailApp {
    fn new() -> MailApp {
        MailApp {
            folders: mailbox::folders(),
            messages: mailbox::messages().into_iter().collect(),
            draft: None,
            settings: settings::MailSettings::default(),
            arrived: 0,
            read: 0,
            offered: false,
            extra: declarative::DeclarativeState::default(),
        }
    }
}

impl SimulatedApp for MailApp {
    type Page = MailPage;
    type Msg = MailMsg;

    fn first_page(&self) -> MailPage {
        MailPage::Inbox(inbox::InboxPage::default())
    }

    fn activity_index(&self, page: &MailPage) -> usize {
        match page {
            MailPage::Inbox(_) => 0,
            MailPage::Message(_) => 1,
            MailPage::Attachments(_) => 2,
            MailPage::Compose(_) => 3,
            MailPage::Contacts(_) => 4,
            MailPage::Folders(_) => 5,
            MailPage::Search(_) => 6,
            MailPage::Settings(_) => 7,
            MailPage::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &MailPage, ui: &mut Ui<'_, MailMsg>) {
        match page {
            MailPage::Inbox(page) => page.view(self, ui),
            MailPage::Message(page) => page.view(self, ui),
            MailPage::Attachments(page) => page.view(ui),
            MailPage::Compose(page) => page.view(self, ui),
            MailPage::Contacts(page) => page.view(ui),
            MailPage::Folders(page) => page.view(self, ui),
            MailPage::Search(page) => page.view(self, ui),
            MailPage::Settings(page) => page.view(self, ui),
            MailPage::More(page) => extra_screens::DEFINITION.view(&self.extra, page, ui),
        }
    }

    fn update(&mut self, page: &mut MailPage, msg: MailMsg, cx: &mut AppContext<'_, MailApp>) {
        match (page, msg) {
            (MailPage::Inbox(page), MailMsg::Inbox(msg)) => page.update(self, msg, cx),
            (MailPage::Message(page), MailMsg::Message(msg)) => page.update(self, msg, cx),
            (MailPage::Attachments(page), MailMsg::Attachments(msg)) => page.update(msg, cx),
            (MailPage::Compose(page), MailMsg::Compose(msg)) => page.update(self, msg, cx),
            (MailPage::Contacts(page), MailMsg::Contacts(msg)) => page.update(self, msg, cx),
            (MailPage::Folders(page), MailMsg::Folders(msg)) => page.update(self, msg, cx),
            (MailPage::Search(page), MailMsg::Search(msg)) => page.update(self, msg, cx),
            (MailPage::Settings(page), MailMsg::Settings(msg)) => page.update(self, msg, cx),
            (MailPage::More(page), MailMsg::More(msg)) => {
                extra_screens::DEFINITION.update(&mut self.extra, page, msg, cx);
            }
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut MailPage, cx: &mut AppContext<'_, MailApp>) {
        match page {
            MailPage::Inbox(page) => page.load(cx),
            MailPage::Message(page) => page.opened(self, cx),
            MailPage::More(page) => extra_screens::DEFINITION.opened(&mut self.extra, page, cx),
            _ => {}
        }
    }

    fn resumed(&mut self, page: &mut MailPage, cx: &mut AppContext<'_, MailApp>) {
        match page {
            MailPage::Inbox(page) => page.resumed(self, cx),
            MailPage::Compose(page) => page.resumed(self, cx),
            _ => {}
        }
    }

    fn system_event(
        &mut self,
        page: &mut MailPage,
        event: &SystemEvent,
        cx: &mut AppContext<'_, MailApp>,
    ) {
        if let MailPage::More(page) = page {
            extra_screens::DEFINITION.system_event(event, &mut self.extra, page, cx);
        }
    }

    fn recreated(&mut self, page: &mut MailPage, by: Recreation, cx: &mut AppContext<'_, MailApp>) {
        match page {
            MailPage::Inbox(page) => page.rotated(cx),
            MailPage::Compose(page) => page.rotated(),
            MailPage::More(page) => {
                extra_screens::DEFINITION.recreated(by, &mut self.extra, page, cx);
            }
            _ => {}
        }
    }

    fn back(&mut self, page: &mut MailPage, cx: &mut AppContext<'_, MailApp>) {
        match page {
            MailPage::Compose(page) => page.back(cx),
            _ => cx.finish(),
        }
    }

    fn leaked_message(&mut self, msg: MailMsg, cx: &mut AppContext<'_, MailApp>) {
        if let MailMsg::Compose(compose::ComposeMsg::Deliver(to)) = msg {
            compose::deliver(self, &to, cx);
        }
    }

    fn process_died(&mut self) {
        self.extra.process_died();
    }
}

fn manifest() -> AppManifest {
    let more = extra_screens::DEFINITION
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.mail/.{}", screen.class)));
    AppManifest {
        package: Text::new_static("com.example.mail"),
        label: Text::new_static("Mail"),
        version_code: 112,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * extra_screens::DEFINITION.decisions,
    }
}
