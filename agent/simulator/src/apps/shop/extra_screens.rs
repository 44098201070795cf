//! The shop's service: profile, cards, returns, chat, points.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::extra_screens::{self, ExtraScreen};
use crate::declarative::{
    ActivityHook, AppDefinition, AppRule, RuleCondition, RuleEffect, ScreenDefinition, Variable,
    WidgetDefinition, WidgetKind, button, rule,
};
use crate::framework::{Exception, FrameworkCaller, Tombstone};

pub(super) static DEFINITION: LazyLock<Arc<AppDefinition>> = LazyLock::new(|| {
    let mut screens = extra_screens::hub_and_screens(EXTRA_SCREENS);
    extra_screens::extend_screen(
        &mut screens,
        4,
        vec![button("label", "Print a label", label())],
        returns,
    );
    extra_screens::extend_screen(
        &mut screens,
        5,
        vec![button("write", "Write to us", write())],
        chat,
    );
    extra_screens::extend_screen(
        &mut screens,
        6,
        vec![button("redeem", "Redeem", redeem())],
        |screen| screen,
    );
    extra_screens::extend_screen(&mut screens, 9, Vec::new(), ideas);
    Arc::new(AppDefinition::new(
        "com.example.shop",
        Branch::COUNT / 2,
        screens,
    ))
});

const LABELS: Variable = Variable::Memory(0);
const WRITING: Variable = Variable::Memory(1);
const POINTS: Variable = Variable::Persistent(0);
const IDEAS: Variable = Variable::Memory(2);
const TURN: Variable = Variable::Inert(200);

fn label() -> Vec<AppRule> {
    vec![rule(&[], &[RuleEffect::Set(LABELS, 1)])]
}

/// The label is drawn again when the process is restored, but its text was only in memory.
fn returns(screen: ScreenDefinition) -> ScreenDefinition {
    let empty = rule(
        &[RuleCondition::Equals(LABELS, 0)],
        &[RuleEffect::Throw(
            &LABEL_EMPTY,
            "width and height must be > 0",
        )],
    );
    screen
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(LABELS, 1)])],
        )
        .on(ActivityHook::Restore, vec![empty])
}

fn write() -> Vec<AppRule> {
    vec![
        rule(&[RuleCondition::Offline], &[]),
        rule(&[], &[RuleEffect::Set(WRITING, 1)]),
    ]
}

fn chat(screen: ScreenDefinition) -> ScreenDefinition {
    let lost = rule(
        &[RuleCondition::Equals(WRITING, 1)],
        &[RuleEffect::Signal(&SOCKET_LOST)],
    );
    screen.on(ActivityHook::Offline, vec![lost]).on(
        ActivityHook::Open,
        vec![rule(&[], &[RuleEffect::Set(WRITING, 0)])],
    )
}

/// The tenth point is one more than the level has.
fn redeem() -> Vec<AppRule> {
    vec![
        rule(
            &[RuleCondition::Equals(POINTS, 9)],
            &[RuleEffect::Throw(&LEVEL_OVERRUN, "length=9; index=9")],
        ),
        rule(&[], &[RuleEffect::Increment(POINTS, 9)]),
    ]
}

/// An endless feed whose content changes whenever an entry is opened.
fn ideas(screen: ScreenDefinition) -> ScreenDefinition {
    let look = WidgetKind::Rows {
        count: 12,
        more: Some(IDEAS),
        chosen: None,
        content_version: Some(TURN),
    };
    let mut screen = screen;
    screen.widgets.push(
        WidgetDefinition::of("idea", "Idea ", look)
            .then(vec![rule(&[], &[RuleEffect::Increment(TURN, 200)])]),
    );
    screen
}

const EXTRA_SCREENS: &[ExtraScreen] = &[
    (
        "ProfileActivity",
        "Profile",
        &[
            "Newsletter",
            "Birthday offers",
            "By post",
            "By phone",
            "Personal offers",
            "Show my size",
            "Fashion",
            "Sports",
            "Home",
            "Garden",
            "Toys",
        ],
    ),
    (
        "AddressesActivity",
        "Addresses",
        &[
            "Default",
            "For invoices",
            "Leave with neighbours",
            "Ring twice",
            "In the garage",
            "Lift",
            "Only mornings",
            "Only evenings",
            "Safe place",
            "Call before",
            "Signature",
        ],
    ),
    (
        "CardsActivity",
        "Cards",
        &[
            "Keep the card",
            "Ask for the code",
            "Pay in parts",
            "Bonus points",
            "Gift cards",
            "Round up",
            "Split",
            "Monthly",
            "Fast checkout",
            "Fingerprint",
            "Limit",
        ],
    ),
    (
        "ReturnsActivity",
        "Returns",
        &[
            "Free label",
            "Pick up",
            "At a shop",
            "Exchange",
            "Voucher",
            "Keep the box",
            "Damaged",
            "Too small",
            "Too large",
            "Other colour",
            "Changed my mind",
        ],
    ),
    (
        "ChatActivity",
        "Chat",
        &[
            "Sounds",
            "Typing",
            "Attach pictures",
            "Call me back",
            "Keep a copy",
            "Robot first",
            "Rate the answer",
            "Remember me",
            "Night hours",
            "Translate",
            "Large letters",
        ],
    ),
    (
        "LoyaltyActivity",
        "Loyalty",
        &[
            "Collect",
            "Double points",
            "Donate",
            "Share with family",
            "Show the level",
            "Remind me",
            "Use at checkout",
            "Partner shops",
            "Paper card",
            "Levels",
            "Birthday gift",
        ],
    ),
    (
        "NoticesActivity",
        "Notices",
        &[
            "Orders",
            "Deliveries",
            "Prices",
            "Back in stock",
            "Reviews",
            "Questions",
            "Sales",
            "Late at night",
            "Vibrate",
            "Badges",
            "On the watch",
        ],
    ),
    (
        "RegionActivity",
        "Region",
        &[
            "Metric",
            "Taxes shown",
            "Local shops",
            "Cross border",
            "Duties",
            "Original names",
            "Two prices",
            "Rounding",
            "Week starts Monday",
            "Long dates",
            "Local holidays",
        ],
    ),
    ("FeedActivity", "Ideas", &["Follow", "Hide seen"]),
];

pub(super) static LABEL_EMPTY: Exception = Exception {
    class: "java.lang.IllegalArgumentException",
    frames: &[
        "android.graphics.Bitmap.createBitmap(Bitmap.java:1102)",
        "com.example.shop.service.Label.draw(Label.java:48)",
        "com.example.shop.service.ReturnsActivity.onCreate(ReturnsActivity.java:39)",
    ],
    called_by: FrameworkCaller::Create,
    cause: None,
};

pub(super) static SOCKET_LOST: Tombstone = Tombstone {
    signal: "signal 6 (SIGABRT), code -1 (SI_QUEUE)",
    library: "libchat.so",
    frames: &[("fdsan_error(char const*)", 12), ("Socket::close()", 84)],
    called_from: "com.example.shop.service.Socket.close",
};

pub(super) static LEVEL_OVERRUN: Exception = Exception {
    class: "java.lang.ArrayIndexOutOfBoundsException",
    frames: &[
        "com.example.shop.service.Levels.at(Levels.java:22)",
        "com.example.shop.service.LoyaltyActivity.onRedeem(LoyaltyActivity.java:57)",
    ],
    called_by: FrameworkCaller::Click,
    cause: None,
};
