//! Messages, folders and drafts.

use retap_shared::Text;

#[derive(Clone, Debug, Hash)]
pub(super) struct MailFolder {
    pub(super) name: Text,
    /// The server knows it.
    pub(super) synced: bool,
}

#[derive(Clone, Debug, Hash)]
pub(super) struct MailMessage {
    pub(super) from: Text,
    pub(super) subject: Text,
    /// Its folder's name.
    pub(super) folder: Text,
    pub(super) unread: bool,
    pub(super) starred: bool,
    pub(super) attached: &'static [AttachedFile],
}

#[derive(Clone, Debug, Default, Hash)]
pub(super) struct MailDraft {
    pub(super) to: Text,
    pub(super) subject: Text,
    pub(super) body: Text,
    pub(super) attached: Vec<AttachedFile>,
}

impl MailDraft {
    pub(super) fn reply_to(message: &MailMessage) -> MailDraft {
        MailDraft {
            to: message.from.clone(),
            subject: message.subject.clone(),
            ..MailDraft::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AttachedFile {
    pub(super) name: &'static str,
    pub(super) megabytes: u32,
}

/// Messages and folders stored on the phone.
pub(super) const FILES: [AttachedFile; 3] = [
    AttachedFile {
        name: "report.pdf",
        megabytes: 1,
    },
    AttachedFile {
        name: "photo.jpg",
        megabytes: 4,
    },
    AttachedFile {
        name: "video.mov",
        megabytes: 20,
    },
];

const TRIP: &[AttachedFile] = &[
    AttachedFile {
        name: "route.pdf",
        megabytes: 2,
    },
    AttachedFile {
        name: "photos.zip",
        megabytes: 14,
    },
];
const BILL: &[AttachedFile] = &[AttachedFile {
    name: "bill.pdf",
    megabytes: 1,
}];

pub(super) const INBOX: Text = Text::new_static("Inbox");
pub(super) const SENT: Text = Text::new_static("Sent");
pub(super) const TRASH: Text = Text::new_static("Trash");

pub(super) fn folders() -> Vec<MailFolder> {
    [INBOX, SENT, TRASH]
        .map(|name| MailFolder { name, synced: true })
        .to_vec()
}

pub(super) fn messages() -> Vec<MailMessage> {
    let message = |from, subject, folder, unread, attached| MailMessage {
        from: Text::new_static(from),
        subject: Text::new_static(subject),
        folder,
        unread,
        starred: false,
        attached,
    };
    vec![
        message("Anna", "Lunch on Friday?", INBOX, true, &[]),
        message("Ben", "Pictures of our trip", INBOX, true, TRIP),
        message("City library", "Two books are due", INBOX, false, &[]),
        message("Power and Light", "Your bill", INBOX, false, BILL),
        message("Clara", "Re: the garden", INBOX, true, &[]),
        message("Newsletter", "Ten things about rain", INBOX, false, &[]),
        message("Anna", "Re: Re: keys", INBOX, false, &[]),
        message("Ben", "Which bus was it?", INBOX, false, &[]),
        message("Choir", "Rehearsal moved to Monday", INBOX, false, &[]),
        message("Clara", "The garden", INBOX, false, &[]),
        message("City library", "Welcome", INBOX, false, &[]),
        message("Anna", "Keys", INBOX, false, &[]),
        message("Me", "Keys", SENT, false, &[]),
    ]
}
