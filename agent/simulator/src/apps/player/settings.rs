//! Settings of the player, most of no consequence, and an account whose sign-in expires.

use super::failures::{HEADSET_TWICE, SYNC_AFTER_EXPIRY};
use super::*;
use crate::kit::Elsewhere;
use crate::plan::{
    DialogKind, Hook, Is, Kind, Look, Screen, Then, Typed, Widget, button, field, go, radio, rule,
    screen, text, toggle,
};

const USER: Typed = Typed::Kept(1);

/// In the order of their numbers, from `SETTINGS` to `ABOUT`.
pub(super) fn screens() -> Vec<Screen> {
    vec![
        screen(
            "SettingsActivity",
            "Settings",
            vec![
                go("audio", "Audio", AUDIO),
                go("playback", "Playback", PLAYBACK),
                go("downloads", "Downloads", DOWNLOADS),
                go("account", "Account", ACCOUNT),
                go("headset", "Headset", HEADSET),
                go("about", "About", ABOUT),
                toggle("dark", "Dark"),
                toggle("large", "Large letters"),
            ],
        ),
        preferences("AudioActivity", "Audio", AUDIO_TOGGLES),
        preferences("PlaybackActivity", "Playback", PLAYBACK_TOGGLES),
        downloads(),
        account(),
        headset(),
        about(),
    ]
}

fn preferences(class: &str, title: &str, toggles: &[(&str, &str)]) -> Screen {
    screen(
        class,
        title,
        toggles
            .iter()
            .map(|(id, label)| toggle(id, label))
            .collect(),
    )
}

const AUDIO_TOGGLES: &[(&str, &str)] = &[
    ("mono", "Mono"),
    ("balance", "Keep the balance"),
    ("normalise", "Same loudness for all"),
    ("offload", "Let the chip decode"),
    ("float", "32-bit output"),
    ("skip_silence", "Skip silence"),
    ("duck", "Softer for messages"),
    ("crossfade", "Crossfade"),
    ("bluetooth_delay", "Bluetooth delay"),
    ("usb", "USB exclusively"),
    ("replay_gain", "Replay gain"),
    ("limiter", "Limiter"),
];

const PLAYBACK_TOGGLES: &[(&str, &str)] = &[
    ("resume", "Resume after calls"),
    ("remember", "Remember the place"),
    ("auto", "Play on when the list ends"),
    ("lock", "Controls on the lock screen"),
    ("cover", "Cover on the lock screen"),
    ("keep_awake", "Keep the screen on"),
    ("pause_noise", "Pause when unplugged"),
    ("start_boot", "Start with the phone"),
    ("shake", "Shake for the next song"),
    ("wave", "Wave for the next song"),
    ("double_tap", "Double tap to skip"),
    ("gestures", "Swipe to change the volume"),
    ("history", "Keep a history"),
    ("scrobble", "Tell a website what I hear"),
];

fn downloads() -> Screen {
    let quality = Var::Inert(201);
    let mut widgets: Vec<Widget> = ["Low", "Normal", "High", "Lossless"]
        .iter()
        .zip(0..)
        .map(|(label, value)| radio(&label.to_lowercase(), label, quality, value))
        .collect();
    let more = [
        ("wifi_only", "Only on Wi-Fi"),
        ("charging", "Only while charging"),
        ("sd", "On the SD card"),
        ("delete_heard", "Delete what was heard"),
        ("episodes", "New episodes"),
        ("favourites", "Favourites"),
    ];
    widgets.extend(more.iter().map(|(id, label)| toggle(id, label)));
    let clear = vec![
        rule(&[Is::Offline], &[Then::Ask(1)]),
        rule(&[], &[Then::Ask(0)]),
    ];
    widgets.push(button("clear", "Delete all", clear));
    screen("DownloadsActivity", "Downloads", widgets)
        .dialog(
            DialogKind::Plain,
            "Delete all?",
            "They can be loaded again.",
            vec![("No", vec![]), ("Yes", vec![])],
        )
        .dialog(
            DialogKind::Stubborn,
            "No connection",
            "They cannot be loaded again now.",
            vec![("Keep", vec![]), ("Delete", vec![])],
        )
}

/// The server forgets a sign-in after three requests; the app still believes in it and finds no token.
fn account() -> Screen {
    let missing = rule(&[Is::Text(USER, Kind::Empty)], &[Then::Ask(0)]);
    let sign_in = rule(&[Is::Text(USER, Kind::Address)], &[Then::Load(0, 1)]);
    let signed_in = &[Is::At(SIGNED_IN, 1)];
    let signed_out = &[Is::At(SIGNED_IN, 0)];
    let expired = rule(
        &[Is::At(REQUESTS, 3)],
        &[Then::Throw(
            &SYNC_AFTER_EXPIRY,
            "Attempt to read from field 'java.lang.String Token.value' on a null object reference",
        )],
    );
    let widgets = vec![
        field("user", "E-mail", USER).when(signed_out),
        button(
            "sign_in",
            "Sign in",
            vec![missing, sign_in, rule(&[], &[Then::Ask(0)])],
        )
        .when(signed_out),
        text("welcome", "You are signed in.").when(signed_in),
        button(
            "sync",
            "Sync",
            vec![expired, rule(&[], &[Then::Load(2, 1)])],
        )
        .when(signed_in),
        button(
            "sign_out",
            "Sign out",
            vec![rule(
                &[],
                &[Then::Set(SIGNED_IN, 0), Then::Set(REQUESTS, 0)],
            )],
        )
        .when(signed_in),
        toggle("sync_history", "Sync what I heard"),
        toggle("sync_lists", "Sync playlists"),
        toggle("family", "Family account"),
        button(
            "premium",
            "Premium",
            vec![rule(&[], &[Then::Leave(Elsewhere::Store)])],
        ),
    ];
    screen("AccountActivity", "Account", widgets)
        .later(vec![rule(
            &[],
            &[Then::Set(SIGNED_IN, 1), Then::Set(REQUESTS, 0)],
        )])
        .later(vec![rule(&[], &[Then::Ask(1)])])
        .later(vec![rule(&[], &[Then::Add(REQUESTS, 3)])])
        .dialog(
            DialogKind::Plain,
            "Who are you?",
            "An e-mail address is needed.",
            vec![("OK", vec![])],
        )
        .dialog(
            DialogKind::Plain,
            "No connection",
            "Try again later.",
            vec![("OK", vec![])],
        )
}

/// The receiver for the headset is registered anew with every configuration, and taken back once.
fn headset() -> Screen {
    let registered = Var::Memory(13);
    let twice = rule(
        &[Is::At(registered, 2)],
        &[Then::Throw(
            &HEADSET_TWICE,
            "Receiver not registered: HeadsetReceiver",
        )],
    );
    let again = || {
        vec![rule(
            &[Is::At(Var::Kept(23), 1)],
            &[Then::Add(registered, 2)],
        )]
    };
    let widgets = vec![
        Widget::of(
            "listen",
            "Listen to its buttons",
            Look::Switch(Var::Kept(23)),
        ),
        toggle("assistant", "Assistant by holding"),
        toggle("announce", "Announce songs"),
        toggle("battery", "Tell its battery"),
        button(
            "test",
            "Test",
            vec![twice, rule(&[], &[Then::Set(registered, 0)])],
        ),
    ];
    screen("HeadsetActivity", "Headset", widgets)
        .on(Hook::Rotate, again())
        .on(Hook::Locale, again())
}

fn about() -> Screen {
    let widgets = vec![
        text("version", "Player 3.0.1"),
        button(
            "licences",
            "Licences",
            vec![rule(&[], &[Then::Leave(Elsewhere::Browser)])],
        ),
        button(
            "rate",
            "Rate it",
            vec![rule(&[], &[Then::Leave(Elsewhere::Store)])],
        ),
        Widget::of("terms", "", Look::Web),
    ];
    screen("AboutActivity", "About", widgets)
}
