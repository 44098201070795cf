//! What belongs to mail beside messages: accounts, a calendar, spam, keys.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::more::{self, Part};
use crate::kit::{Beneath, Exception, Tombstone};
use crate::plan::{DialogKind, Hook, Is, Plan, Rule, Screen, Then, Var, button, rule};

pub(super) static PLAN: LazyLock<Arc<Plan>> = LazyLock::new(|| {
    let mut screens = more::screens(PARTS);
    more::change(
        &mut screens,
        1,
        vec![button("check", "Check", check())],
        accounts,
    );
    more::change(
        &mut screens,
        4,
        vec![button("plan", "Plan a meeting", meeting())],
        calendar,
    );
    more::change(
        &mut screens,
        6,
        vec![button("learn", "Learn from all", learn())],
        |screen| screen,
    );
    more::change(
        &mut screens,
        7,
        vec![button("unlock", "Unlock", unlock())],
        keys,
    );
    Arc::new(Plan::new("com.example.mail", Branch::COUNT / 2, screens))
});

const CHECKED: Var = Var::Memory(0);
const REQUESTS: Var = Var::Kept(0);
const MEETING: Var = Var::Memory(1);
const LEARNT: Var = Var::Memory(2);
const UNLOCKED: Var = Var::Memory(3);

/// The server forgets a sign-in after four requests, and its answer has no account in it.
fn check() -> Vec<Rule> {
    let expired = rule(
        &[Is::At(REQUESTS, 4)],
        &[Then::Throw(
            &SIGN_IN_EXPIRED,
            "JSON object has no value for 'account'",
        )],
    );
    vec![expired, rule(&[], &[Then::Load(0, 1)])]
}

fn accounts(screen: Screen) -> Screen {
    screen
        .later(vec![rule(
            &[],
            &[Then::Add(REQUESTS, 4), Then::Set(CHECKED, 1)],
        )])
        .later(vec![rule(&[], &[Then::Ask(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "Try again later.",
            vec![("OK", vec![])],
        )
}

fn meeting() -> Vec<Rule> {
    vec![rule(&[], &[Then::Set(MEETING, 1)])]
}

fn calendar(screen: Screen) -> Screen {
    let called = rule(
        &[Is::At(MEETING, 1)],
        &[Then::Throw(&MEETING_CALLED, "Meeting has no end")],
    );
    screen
        .on(Hook::Call, vec![called])
        .on(Hook::Open, vec![rule(&[], &[Then::Set(MEETING, 0)])])
}

/// The third time the words do not fit any more.
fn learn() -> Vec<Rule> {
    vec![
        rule(&[Is::At(LEARNT, 2)], &[Then::Signal(&WORDS_OVERRUN)]),
        rule(&[], &[Then::Add(LEARNT, 2)]),
    ]
}

fn unlock() -> Vec<Rule> {
    vec![rule(&[], &[Then::Set(UNLOCKED, 1)])]
}

/// The phrase is forgotten when memory runs short, and with the process; the screen believes it is there.
fn keys(screen: Screen) -> Screen {
    let forgotten = rule(
        &[Is::At(UNLOCKED, 0)],
        &[Then::Throw(
            &PHRASE_FORGOTTEN,
            "Attempt to get length of null array",
        )],
    );
    screen
        .on(Hook::Open, vec![rule(&[], &[Then::Set(UNLOCKED, 1)])])
        .on(Hook::Restore, vec![forgotten])
}

const PARTS: &[Part] = &[
    (
        "AccountsActivity",
        "Accounts",
        &[
            "Work",
            "Private",
            "Default",
            "Own signature",
            "Own sound",
            "Sync contacts",
            "Sync calendar",
            "Push",
            "Poll",
            "Leave on the server",
            "Secure only",
        ],
    ),
    (
        "FiltersActivity",
        "Filters",
        &[
            "Newsletters",
            "Bills",
            "Travel",
            "Family",
            "Mute threads",
            "Mark as read",
            "Star",
            "Forward",
            "Delete old",
            "Run now",
            "Stop after one",
        ],
    ),
    (
        "VacationActivity",
        "Vacation",
        &[
            "Only contacts",
            "Only once",
            "First day",
            "Last day",
            "Another text for work",
            "Tell the calendar",
            "Weekends",
            "Hide from lists",
            "Block meetings",
            "Polite",
            "Remind me",
        ],
    ),
    (
        "CalendarActivity",
        "Calendar",
        &[
            "Week numbers",
            "Weekends",
            "Birthdays",
            "Holidays",
            "Declined ones",
            "Tasks",
            "Working hours",
            "Second zone",
            "Snap",
            "Colours",
            "Busy times",
        ],
    ),
    (
        "TasksActivity",
        "Tasks",
        &[
            "Done ones",
            "Due dates",
            "Sub-tasks",
            "From mail",
            "To calendar",
            "Badges",
            "Sort by hand",
            "Repeat",
            "Priorities",
            "Notes",
            "Share",
        ],
    ),
    (
        "SpamActivity",
        "Spam",
        &[
            "By itself",
            "Learn",
            "Ask",
            "Pictures",
            "Links",
            "Unknown senders",
            "Foreign letters",
            "Attachments",
            "Report",
            "Empty weekly",
            "Count them",
        ],
    ),
    (
        "KeysActivity",
        "Keys",
        &[
            "Sign",
            "Encrypt",
            "Attach key",
            "Trust on first use",
            "Warn",
            "Ask for the phrase",
            "Keep the phrase",
            "Check revoked",
            "Show headers",
            "Old keys",
            "Backup",
        ],
    ),
    (
        "LayoutActivity",
        "Layout",
        &[
            "Preview",
            "Pictures of senders",
            "Threads",
            "Newest below",
            "Compact",
            "Two columns",
            "Swipe left",
            "Swipe right",
            "Full dates",
            "Size",
            "Large letters",
        ],
    ),
    (
        "SupportActivity",
        "Support",
        &[
            "Tips",
            "News",
            "Usage data",
            "Crash reports",
            "Early versions",
            "Tour",
            "Remote help",
            "Logs",
            "Screenshots",
            "Answers by mail",
            "Survey",
        ],
    ),
];

pub(super) static SIGN_IN_EXPIRED: Exception = Exception {
    class: "org.json.JSONException",
    frames: &[
        "org.json.JSONObject.getJSONObject(JSONObject.java:612)",
        "com.example.mail.more.Accounts.read(Accounts.java:74)",
        "com.example.mail.more.AccountsActivity.onCheck(AccountsActivity.java:49)",
    ],
    beneath: Beneath::Click,
    cause: None,
};

pub(super) static MEETING_CALLED: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.mail.more.Meeting.end(Meeting.java:18)",
        "com.example.mail.more.CalendarActivity.onPause(CalendarActivity.java:66)",
    ],
    beneath: Beneath::Handler,
    cause: None,
};

pub(super) static PHRASE_FORGOTTEN: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.mail.more.Phrase.bytes(Phrase.java:30)",
        "com.example.mail.more.KeysActivity.onCreate(KeysActivity.java:41)",
    ],
    beneath: Beneath::Create,
    cause: None,
};

pub(super) static WORDS_OVERRUN: Tombstone = Tombstone {
    signal: "signal 11 (SIGSEGV), code 2 (SEGV_ACCERR)",
    library: "libspam.so",
    frames: &[
        ("Words::grow(unsigned long)", 40),
        ("Words::learn(char const*)", 132),
    ],
    called_from: "com.example.mail.more.Words.learn",
};
