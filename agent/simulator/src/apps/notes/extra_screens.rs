//! Further screens of the notes app: notebooks, reminders, a lock, help.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::extra_screens::{self, ExtraScreen};
use crate::declarative::{
    ActivityHook, AppDefinition, AppRule, DialogKind, RuleCondition, RuleEffect, ScreenDefinition,
    Variable, WidgetDefinition, button, row, rule,
};
use crate::framework::{Exception, ExternalScreen, FrameworkCaller};

pub(super) static DEFINITION: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
    let mut screens = extra_screens::hub_and_screens(EXTRA_SCREENS);
    extra_screens::extend_screen(&mut screens, 1, Vec::new(), notebooks);
    extra_screens::extend_screen(
        &mut screens,
        2,
        vec![button("remind", "Remind me", remind())],
        reminders,
    );
    extra_screens::extend_screen(
        &mut screens,
        5,
        vec![
            button("digit", "1", digit()),
            button("enter", "Enter", enter()),
        ],
        lock,
    );
    extra_screens::extend_screen(&mut screens, 9, Vec::new(), |screen| {
        screen.menu(vec![share()])
    });
    Arc::new(AppDefinition::new(
        "com.example.notes",
        Branch::COUNT / 2,
        screens,
    ))
});

const READ: Variable = Variable::Memory(0);
const REMINDED: Variable = Variable::Memory(1);
const DIGITS: Variable = Variable::Memory(2);
const LOCKED: Variable = Variable::Persistent(0);

/// The data is only in memory; a restored activity expects it there.
fn notebooks(screen: ScreenDefinition) -> ScreenDefinition {
    let gone = rule(
        &[RuleCondition::Equals(READ, 0)],
        &[RuleEffect::Throw(
            &NOTEBOOKS_GONE,
            "Notebooks have not been read",
        )],
    );
    screen
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(READ, 1)])],
        )
        .on(ActivityHook::Restore, vec![gone])
}

fn remind() -> Vec<AppRule> {
    vec![rule(&[], &[RuleEffect::Increment(REMINDED, 2)])]
}

/// The second reminder's text is missing in another language.
fn reminders(screen: ScreenDefinition) -> ScreenDefinition {
    let words = rule(
        &[
            RuleCondition::Equals(REMINDED, 2),
            RuleCondition::ForeignLanguage,
        ],
        &[RuleEffect::Throw(
            &PLURAL_MISSING,
            "Plural resource 2 quantity=2 item=two",
        )],
    );
    screen.on(ActivityHook::Locale, vec![words])
}

fn digit() -> Vec<AppRule> {
    vec![rule(&[], &[RuleEffect::Increment(DIGITS, 6)])]
}

/// A PIN has four digits; with six, a call dismisses a dialog that is not shown.
fn enter() -> Vec<AppRule> {
    let four = rule(
        &[RuleCondition::Equals(DIGITS, 4)],
        &[RuleEffect::Set(LOCKED, 1), RuleEffect::Set(DIGITS, 0)],
    );
    let six = rule(
        &[
            RuleCondition::Equals(DIGITS, 6),
            RuleCondition::Equals(LOCKED, 1),
        ],
        &[RuleEffect::ShowDialog(0)],
    );
    vec![four, six, rule(&[], &[RuleEffect::Set(DIGITS, 0)])]
}

fn lock(screen: ScreenDefinition) -> ScreenDefinition {
    let no_dialog = rule(
        &[
            RuleCondition::Equals(LOCKED, 1),
            RuleCondition::Equals(DIGITS, 6),
        ],
        &[RuleEffect::Throw(
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
        .on(ActivityHook::Call, vec![no_dialog])
}

fn share() -> WidgetDefinition {
    row(
        "tell",
        "Tell a friend",
        vec![rule(
            &[],
            &[RuleEffect::OpenExternal(ExternalScreen::Share)],
        )],
    )
}

const EXTRA_SCREENS: &[ExtraScreen] = &[
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
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static PLURAL_MISSING: Exception = Exception {
    class: "android.content.res.Resources$NotFoundException",
    frames: &[
        "android.content.res.ResourcesImpl.getQuantityText(ResourcesImpl.java:243)",
        "com.example.notes.more.RemindersActivity.onCreate(RemindersActivity.kt:44)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static LOCK_WITHOUT_DIALOG: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.view.WindowManagerGlobal.findViewLocked(WindowManagerGlobal.java:571)",
        "com.example.notes.more.LockActivity.onPause(LockActivity.kt:70)",
    ],
    called_by: FrameworkCaller::Handler,
    cause: None,
};
