//! What belongs to notes beside them: notebooks, reminders, a lock, help.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::more::{self, Part};
use crate::kit::{Beneath, Elsewhere, Exception};
use crate::plan::{DialogKind, Hook, Is, Plan, Rule, Screen, Then, Var, Widget, button, row, rule};

pub(super) static PLAN: LazyLock<Arc<Plan>> = LazyLock::new(|| {
    let mut screens = more::screens(PARTS);
    more::change(&mut screens, 1, Vec::new(), notebooks);
    more::change(
        &mut screens,
        2,
        vec![button("remind", "Remind me", remind())],
        reminders,
    );
    more::change(
        &mut screens,
        5,
        vec![
            button("digit", "1", digit()),
            button("enter", "Enter", enter()),
        ],
        lock,
    );
    more::change(&mut screens, 9, Vec::new(), |screen| {
        screen.menu(vec![share()])
    });
    Arc::new(Plan::new("com.example.notes", Branch::COUNT / 2, screens))
});

const READ: Var = Var::Memory(0);
const REMINDED: Var = Var::Memory(1);
const DIGITS: Var = Var::Memory(2);
const LOCKED: Var = Var::Kept(0);

/// What was read is only in memory; a restored state expects it there.
fn notebooks(screen: Screen) -> Screen {
    let gone = rule(
        &[Is::At(READ, 0)],
        &[Then::Throw(&NOTEBOOKS_GONE, "Notebooks have not been read")],
    );
    screen
        .on(Hook::Open, vec![rule(&[], &[Then::Set(READ, 1)])])
        .on(Hook::Restore, vec![gone])
}

fn remind() -> Vec<Rule> {
    vec![rule(&[], &[Then::Add(REMINDED, 2)])]
}

/// The second reminder is told in words that another language does not have.
fn reminders(screen: Screen) -> Screen {
    let words = rule(
        &[Is::At(REMINDED, 2), Is::Foreign],
        &[Then::Throw(
            &PLURAL_MISSING,
            "Plural resource 2 quantity=2 item=two",
        )],
    );
    screen.on(Hook::Locale, vec![words])
}

fn digit() -> Vec<Rule> {
    vec![rule(&[], &[Then::Add(DIGITS, 6)])]
}

/// A PIN has four digits; with six a call comes upon a dialog that is not there.
fn enter() -> Vec<Rule> {
    let four = rule(
        &[Is::At(DIGITS, 4)],
        &[Then::Set(LOCKED, 1), Then::Set(DIGITS, 0)],
    );
    let six = rule(&[Is::At(DIGITS, 6), Is::At(LOCKED, 1)], &[Then::Ask(0)]);
    vec![four, six, rule(&[], &[Then::Set(DIGITS, 0)])]
}

fn lock(screen: Screen) -> Screen {
    let no_dialog = rule(
        &[Is::At(LOCKED, 1), Is::At(DIGITS, 6)],
        &[Then::Throw(
            &LOCK_WITHOUT_DIALOG,
            "View=DecorView@LockDialog not attached to window manager",
        )],
    );
    screen
        .dialog(
            DialogKind::Plain,
            "Too long",
            "A PIN has four digits.",
            vec![("OK", vec![])],
        )
        .on(Hook::Call, vec![no_dialog])
}

fn share() -> Widget {
    row(
        "tell",
        "Tell a friend",
        vec![rule(&[], &[Then::Leave(Elsewhere::Share)])],
    )
}

const PARTS: &[Part] = &[
    (
        "NotebooksActivity",
        "Notebooks",
        &[
            "Show counts",
            "Nest them",
            "Sort by hand",
            "Colours",
            "Covers",
            "Archive old ones",
            "Share names",
            "Pin the first",
            "Hide empty",
            "Confirm moves",
            "Undo by shaking",
        ],
    ),
    (
        "RemindersActivity",
        "Reminders",
        &[
            "Sound",
            "Vibrate",
            "Repeat",
            "Snooze",
            "Weekends too",
            "On the lock screen",
            "At places",
            "By mail",
            "Late ones first",
            "Badges",
            "Quiet at night",
        ],
    ),
    (
        "TemplatesActivity",
        "Templates",
        &[
            "Meetings",
            "Lists",
            "Diary",
            "Recipes",
            "Travel",
            "Books",
            "Projects",
            "Letters",
            "Fill in the date",
            "Ask for a title",
            "Start with a heading",
        ],
    ),
    (
        "ImportActivity",
        "Import",
        &[
            "From files",
            "From mail",
            "From the clipboard",
            "Keep dates",
            "Keep tags",
            "Skip doubles",
            "Pictures too",
            "Plain text",
            "Merge",
            "Report errors",
            "In the background",
        ],
    ),
    (
        "LockActivity",
        "Lock",
        &[
            "At once",
            "After a minute",
            "Fingerprint",
            "Hide in the list",
            "Blur previews",
            "Lock notebooks",
            "Wipe after ten",
            "Ask on start",
            "Ask on export",
            "Hint",
            "Camera on errors",
        ],
    ),
    (
        "CloudActivity",
        "Cloud",
        &[
            "By itself",
            "Only on Wi-Fi",
            "Pictures",
            "While charging",
            "Keep versions",
            "Conflicts to a copy",
            "Compress",
            "Trash too",
            "Tell me",
            "On start",
            "Old phones too",
        ],
    ),
    (
        "TogetherActivity",
        "Together",
        &[
            "See who reads",
            "Show cursors",
            "Comments",
            "Mentions",
            "By link",
            "Expire links",
            "Read only",
            "Export for others",
            "History for all",
            "Ask before joining",
            "Names in colour",
        ],
    ),
    (
        "WidgetsActivity",
        "Widgets",
        &[
            "On the home screen",
            "Rounded",
            "See-through",
            "Large",
            "Show dates",
            "Show tags",
            "Add button",
            "Search button",
            "Dark",
            "Scrollable",
            "Follow colours",
        ],
    ),
    (
        "HelpActivity",
        "Help",
        &[
            "Tips",
            "News",
            "Early versions",
            "Usage data",
            "Crash reports",
            "Tour again",
            "Short cuts",
            "Beginner’s mode",
            "Ask the community",
            "Video",
            "Remember answers",
        ],
    ),
];

pub(super) static NOTEBOOKS_GONE: Exception = Exception {
    class: "java.lang.IllegalStateException",
    frames: &[
        "com.example.notes.more.Notebooks.all(Notebooks.kt:26)",
        "com.example.notes.more.NotebooksActivity.onCreate(NotebooksActivity.kt:31)",
    ],
    beneath: Beneath::Create,
    cause: None,
};

pub(super) static PLURAL_MISSING: Exception = Exception {
    class: "android.content.res.Resources$NotFoundException",
    frames: &[
        "android.content.res.ResourcesImpl.getQuantityText(ResourcesImpl.java:243)",
        "com.example.notes.more.RemindersActivity.onCreate(RemindersActivity.kt:44)",
    ],
    beneath: Beneath::Create,
    cause: None,
};

pub(super) static LOCK_WITHOUT_DIALOG: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.view.WindowManagerGlobal.findViewLocked(WindowManagerGlobal.java:571)",
        "com.example.notes.more.LockActivity.onPause(LockActivity.kt:70)",
    ],
    beneath: Beneath::Handler,
    cause: None,
};
