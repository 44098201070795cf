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
mod failures;
mod folders;
mod inbox;
mod loading;
mod message;
mod more;
mod post;
mod search;
mod settings;

use std::sync::Arc;

use post::{Draft, Folder, Message};
use retap_shared::Text;
use retap_shared::action::System;

use super::Entry;
use crate::kit::{App, Cx, Manifest, Process, Recreation, Rows, Running, Ui, branches};
use crate::plan;

pub(super) const ENTRY: Entry = Entry {
    name: "mail",
    about: "mail with loading that may fail, dialogs that come late, folders, writing and attachments",
    install: || -> Box<dyn Process> { Box::new(Running::install(manifest(), Mail::new())) },
    planted: failures::PLANTED,
    plan: Some(|| Arc::clone(&more::PLAN)),
};

#[derive(Clone, Debug, Hash)]
struct Mail {
    folders: Vec<Folder>,
    messages: Rows<Message>,
    draft: Option<Draft>,
    settings: settings::Stored,
    /// How many messages came after the app was installed.
    arrived: u32,
    /// How many were read; notifications are offered after the second.
    read: u32,
    offered: bool,
    more: plan::State,
}

#[derive(Clone, Debug, Hash)]
enum Page {
    Inbox(inbox::Inbox),
    Message(message::Reading),
    Attachments(attachments::Attachments),
    Compose(compose::Compose),
    Contacts(contacts::Contacts),
    Folders(folders::Folders),
    Search(search::Search),
    Settings(settings::Settings),
    More(plan::Page),
}

#[derive(Clone, Debug, Hash)]
enum Msg {
    Inbox(inbox::Msg),
    Message(message::Msg),
    Attachments(attachments::Msg),
    Compose(compose::Msg),
    Contacts(contacts::Msg),
    Folders(folders::Msg),
    Search(search::Msg),
    Settings(settings::Msg),
    More(plan::Msg),
}

impl From<plan::Page> for Page {
    fn from(page: plan::Page) -> Page {
        Page::More(page)
    }
}

impl From<plan::Msg> for Msg {
    fn from(msg: plan::Msg) -> Msg {
        Msg::More(msg)
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

impl Mail {
    fn new() -> Mail {
        Mail {
            folders: post::folders(),
            messages: post::messages().into_iter().collect(),
            draft: None,
            settings: settings::Stored::default(),
            arrived: 0,
            read: 0,
            offered: false,
            more: plan::State::default(),
        }
    }
}

impl App for Mail {
    type Page = Page;
    type Msg = Msg;

    fn first_page(&self) -> Page {
        Page::Inbox(inbox::Inbox::default())
    }

    fn activity(&self, page: &Page) -> usize {
        match page {
            Page::Inbox(_) => 0,
            Page::Message(_) => 1,
            Page::Attachments(_) => 2,
            Page::Compose(_) => 3,
            Page::Contacts(_) => 4,
            Page::Folders(_) => 5,
            Page::Search(_) => 6,
            Page::Settings(_) => 7,
            Page::More(page) => ACTIVITIES.len() + usize::from(page.screen),
        }
    }

    fn view(&self, page: &Page, ui: &mut Ui<'_, Msg>) {
        match page {
            Page::Inbox(page) => page.view(self, ui),
            Page::Message(page) => page.view(self, ui),
            Page::Attachments(page) => page.view(ui),
            Page::Compose(page) => page.view(self, ui),
            Page::Contacts(page) => page.view(ui),
            Page::Folders(page) => page.view(self, ui),
            Page::Search(page) => page.view(self, ui),
            Page::Settings(page) => page.view(self, ui),
            Page::More(page) => more::PLAN.view(&self.more, page, ui),
        }
    }

    fn update(&mut self, page: &mut Page, msg: Msg, cx: &mut Cx<'_, Mail>) {
        match (page, msg) {
            (Page::Inbox(page), Msg::Inbox(msg)) => page.update(self, msg, cx),
            (Page::Message(page), Msg::Message(msg)) => page.update(self, msg, cx),
            (Page::Attachments(page), Msg::Attachments(msg)) => page.update(msg, cx),
            (Page::Compose(page), Msg::Compose(msg)) => page.update(self, msg, cx),
            (Page::Contacts(page), Msg::Contacts(msg)) => page.update(self, msg, cx),
            (Page::Folders(page), Msg::Folders(msg)) => page.update(self, msg, cx),
            (Page::Search(page), Msg::Search(msg)) => page.update(self, msg, cx),
            (Page::Settings(page), Msg::Settings(msg)) => page.update(self, msg, cx),
            (Page::More(page), Msg::More(msg)) => more::PLAN.update(&mut self.more, page, msg, cx),
            _ => {}
        }
    }

    fn opened(&mut self, page: &mut Page, cx: &mut Cx<'_, Mail>) {
        match page {
            Page::Inbox(page) => page.load(cx),
            Page::Message(page) => page.opened(self, cx),
            Page::More(page) => more::PLAN.opened(&mut self.more, page, cx),
            _ => {}
        }
    }

    fn resumed(&mut self, page: &mut Page, cx: &mut Cx<'_, Mail>) {
        match page {
            Page::Inbox(page) => page.resumed(self, cx),
            Page::Compose(page) => page.resumed(self, cx),
            _ => {}
        }
    }

    fn told(&mut self, page: &mut Page, event: &System, cx: &mut Cx<'_, Mail>) {
        if let Page::More(page) = page {
            more::PLAN.told(event, &mut self.more, page, cx);
        }
    }

    fn recreated(&mut self, page: &mut Page, by: Recreation, cx: &mut Cx<'_, Mail>) {
        match page {
            Page::Inbox(page) => page.rotated(cx),
            Page::Compose(page) => page.rotated(),
            Page::More(page) => more::PLAN.recreated(by, &mut self.more, page, cx),
            _ => {}
        }
    }

    fn back(&mut self, page: &mut Page, cx: &mut Cx<'_, Mail>) {
        match page {
            Page::Compose(page) => page.back(cx),
            _ => cx.finish(),
        }
    }

    fn orphaned(&mut self, msg: Msg, cx: &mut Cx<'_, Mail>) {
        if let Msg::Compose(compose::Msg::Deliver(to)) = msg {
            compose::deliver(self, &to, cx);
        }
    }

    fn died(&mut self) {
        self.more.died();
    }
}

fn manifest() -> Manifest {
    let more = more::PLAN
        .screens
        .iter()
        .map(|screen| Text::new(format!("com.example.mail/.{}", screen.class)));
    Manifest {
        package: Text::new_static("com.example.mail"),
        label: Text::new_static("Mail"),
        version_code: 112,
        activities: ACTIVITIES
            .map(Text::new_static)
            .into_iter()
            .chain(more)
            .collect(),
        branches: Branch::COUNT + 2 * more::PLAN.decisions,
    }
}
