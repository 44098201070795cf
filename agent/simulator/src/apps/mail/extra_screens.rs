//! Further screens of the mail app: accounts, a calendar, spam, keys.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::extra_screens::{self, ExtraScreen};
use crate::declarative::{
    ActivityHook, AppDefinition, AppRule, DialogKind, RuleCondition, RuleEffect, ScreenDefinition,
    Variable, button, rule,
};
use crate::framework::{Exception, FrameworkCaller, Tombstone};

pub(super) static DEFINITION: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
    let mut screens = extra_screens::hub_and_screens(EXTRA_SCREENS);
    extra_screens::extend_screen(
        &mut screens,
        1,
        vec![button("check", "Check", check())],
        accounts,
    );
    extra_screens::extend_screen(
        &mut screens,
        4,
        vec![button("plan", "Plan a meeting", meeting())],
        calendar,
    );
    extra_screens::extend_screen(
        &mut screens,
        6,
        vec![button("learn", "Learn from all", learn())],
        |screen| screen,
    );
    extra_screens::extend_screen(
        &mut screens,
        7,
        vec![button("unlock", "Unlock", unlock())],
        keys,
    );
    Arc::new(AppDefinition::new(
        "com.example.mail",
        Branch::COUNT / 2,
        screens,
    ))
});

const CHECKED: Variable = Variable::Memory(0);
const REQUESTS: Variable = Variable::Persistent(0);
const MEETING: Variable = Variable::Memory(1);
const LEARNT: Variable = Variable::Memory(2);
const UNLOCKED: Variable = Variable::Memory(3);

/// The server forgets a sign-in after four requests, and its answer has no account in it.
fn check() -> Vec<AppRule> {
    let expired = rule(
        &[RuleCondition::Equals(REQUESTS, 4)],
        &[RuleEffect::Throw(
            &SIGN_IN_EXPIRED,
            "JSON object has no value for 'account'",
        )],
    );
    vec![expired, rule(&[], &[RuleEffect::Load(0, 1)])]
}

fn accounts(screen: ScreenDefinition) -> ScreenDefinition {
    screen
        .delayed(vec![rule(
            &[],
            &[
                RuleEffect::Increment(REQUESTS, 4),
                RuleEffect::Set(CHECKED, 1),
            ],
        )])
        .delayed(vec![rule(&[], &[RuleEffect::ShowDialog(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "Try again later.",
            vec![("OK", vec![])],
        )
}

fn meeting() -> Vec<AppRule> {
    vec![rule(&[], &[RuleEffect::Set(MEETING, 1)])]
}

fn calendar(screen: ScreenDefinition) -> ScreenDefinition {
    let called = rule(
        &[RuleCondition::Equals(MEETING, 1)],
        &[RuleEffect::Throw(&MEETING_CALLED, "Meeting has no end")],
    );
    screen.on(ActivityHook::Call, vec![called]).on(
        ActivityHook::Open,
        vec![rule(&[], &[RuleEffect::Set(MEETING, 0)])],
    )
}

/// The third time, the words do not fit into their table.
fn learn() -> Vec<AppRule> {
    vec![
        rule(
            &[RuleCondition::Equals(LEARNT, 2)],
            &[RuleEffect::Signal(&WORDS_OVERRUN)],
        ),
        rule(&[], &[RuleEffect::Increment(LEARNT, 2)]),
    ]
}

fn unlock() -> Vec<AppRule> {
    vec![rule(&[], &[RuleEffect::Set(UNLOCKED, 1)])]
}

/// The phrase is forgotten when memory runs short, and with the process; the screen believes it is there.
fn keys(screen: ScreenDefinition) -> ScreenDefinition {
    let forgotten = rule(
        &[RuleCondition::Equals(UNLOCKED, 0)],
        &[RuleEffect::Throw(
            &PHRASE_FORGOTTEN,
            "Attempt to get length of null array",
        )],
    );
    screen
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(UNLOCKED, 1)])],
        )
        .on(ActivityHook::Restore, vec![forgotten])
}

const EXTRA_SCREENS: &[ExtraScreen] = &[
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
    called_by: FrameworkCaller::Click,
    cause: None,
};

pub(super) static MEETING_CALLED: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.mail.more.Meeting.end(Meeting.java:18)",
        "com.example.mail.more.CalendarActivity.onPause(CalendarActivity.java:66)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};

pub(super) static PHRASE_FORGOTTEN: Exception = Exception {
    class: "java.lang.NullPointerException",
    frames: &[
        "com.example.mail.more.Phrase.bytes(Phrase.java:30)",
        "com.example.mail.more.KeysActivity.onCreate(KeysActivity.java:41)",
    ],
    called_by: FrameworkCaller::Create,
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
