//! The shop's service: profile, cards, returns, chat, points.

use std::sync::{Arc, LazyLock};

use super::Branch;
use crate::apps::more::{self, Part};
use crate::kit::{Beneath, Exception, Tombstone};
use crate::plan::{Hook, Is, Look, Plan, Rule, Screen, Then, Var, Widget, button, rule};

pub(super) static PLAN: LazyLock<Arc<Plan>> = LazyLock::new(|| {
    let mut screens = more::screens(PARTS);
    more::change(
        &mut screens,
        4,
        vec![button("label", "Print a label", label())],
        returns,
    );
    more::change(
        &mut screens,
        5,
        vec![button("write", "Write to us", write())],
        chat,
    );
    more::change(
        &mut screens,
        6,
        vec![button("redeem", "Redeem", redeem())],
        |screen| screen,
    );
    more::change(&mut screens, 9, Vec::new(), ideas);
    Arc::new(Plan::new("com.example.shop", Branch::COUNT / 2, screens))
});

const LABELS: Var = Var::Memory(0);
const WRITING: Var = Var::Memory(1);
const POINTS: Var = Var::Kept(0);
const IDEAS: Var = Var::Memory(2);
const TURN: Var = Var::Inert(200);

fn label() -> Vec<Rule> {
    vec![rule(&[], &[Then::Set(LABELS, 1)])]
}

/// The label is drawn anew when the process comes back, and what it says was in memory.
fn returns(screen: Screen) -> Screen {
    let empty = rule(
        &[Is::At(LABELS, 0)],
        &[Then::Throw(&LABEL_EMPTY, "width and height must be > 0")],
    );
    screen
        .on(Hook::Open, vec![rule(&[], &[Then::Set(LABELS, 1)])])
        .on(Hook::Restore, vec![empty])
}

fn write() -> Vec<Rule> {
    vec![
        rule(&[Is::Offline], &[]),
        rule(&[], &[Then::Set(WRITING, 1)]),
    ]
}

fn chat(screen: Screen) -> Screen {
    let lost = rule(&[Is::At(WRITING, 1)], &[Then::Signal(&SOCKET_LOST)]);
    screen
        .on(Hook::Offline, vec![lost])
        .on(Hook::Open, vec![rule(&[], &[Then::Set(WRITING, 0)])])
}

/// The tenth point is one more than the level has.
fn redeem() -> Vec<Rule> {
    vec![
        rule(
            &[Is::At(POINTS, 9)],
            &[Then::Throw(&LEVEL_OVERRUN, "length=9; index=9")],
        ),
        rule(&[], &[Then::Add(POINTS, 9)]),
    ]
}

/// An endless feed, and what it shows changes whenever one is opened.
fn ideas(screen: Screen) -> Screen {
    let look = Look::Rows {
        count: 12,
        more: Some(IDEAS),
        chosen: None,
        turn: Some(TURN),
    };
    let mut screen = screen;
    screen
        .widgets
        .push(Widget::of("idea", "Idea ", look).then(vec![rule(&[], &[Then::Add(TURN, 200)])]));
    screen
}

const PARTS: &[Part] = &[
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
    beneath: Beneath::Create,
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
    beneath: Beneath::Click,
    cause: None,
};
