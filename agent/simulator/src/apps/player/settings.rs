//! Settings of the player, most of no consequence, and an account whose sign-in expires.

use super::failures::{HEADSET_TWICE, SYNC_AFTER_EXPIRY};
use super::*;
use crate::declarative::{
    ActivityHook, AppRule, DialogKind, FieldText, RuleCondition, RuleEffect, ScreenDefinition,
    TextKind, WidgetDefinition, WidgetKind, button, field, inert_switch, link_row, radio, rule,
    screen, text,
};
use crate::framework::ExternalScreen;

const USER: FieldText = FieldText::Persistent(1);

/// In the order of their numbers, from `SETTINGS` to `ABOUT`.
pub(super) fn screens() -> Vec<ScreenDefinition> {
    vec![
        screen(
            "SettingsActivity",
            "Settings",
            vec![
                link_row("audio", "Audio", AUDIO),
                link_row("playback", "Playback", PLAYBACK),
                link_row("downloads", "Downloads", DOWNLOADS),
                link_row("account", "Account", ACCOUNT),
                link_row("headset", "Headset", HEADSET),
                link_row("about", "About", ABOUT),
                inert_switch("dark", "Dark"),
                inert_switch("large", "Large letters"),
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

fn preferences(class: &str, title: &str, toggles: &[(&str, &str)]) -> ScreenDefinition {
    screen(
        class,
        title,
        toggles
            .iter()
            .map(|(id, label)| inert_switch(id, label))
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

fn downloads() -> ScreenDefinition {
    let quality = Variable::Inert(201);
    let mut widgets: Vec<WidgetDefinition> = ["Low", "Normal", "High", "Lossless"]
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
    widgets.extend(more.iter().map(|(id, label)| inert_switch(id, label)));
    let clear = vec![
        rule(&[RuleCondition::Offline], &[RuleEffect::ShowDialog(1)]),
        rule(&[], &[RuleEffect::ShowDialog(0)]),
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
            DialogKind::NotCancellable,
            "No connection",
            "They cannot be loaded again now.",
            vec![("Keep", vec![]), ("Delete", vec![])],
        )
}

/// The server forgets a sign-in after three requests; the app still believes in it and finds no token.
fn account() -> ScreenDefinition {
    screen("AccountActivity", "Account", account_widgets())
        .delayed(vec![rule(
            &[],
            &[RuleEffect::Set(SIGNED_IN, 1), RuleEffect::Set(REQUESTS, 0)],
        )])
        .delayed(vec![rule(&[], &[RuleEffect::ShowDialog(1)])])
        .delayed(vec![rule(&[], &[RuleEffect::Increment(REQUESTS, 3)])])
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

fn account_widgets() -> Vec<WidgetDefinition> {
    let signed_in = &[RuleCondition::Equals(SIGNED_IN, 1)];
    let signed_out = &[RuleCondition::Equals(SIGNED_IN, 0)];
    let sign_out = rule(
        &[],
        &[RuleEffect::Set(SIGNED_IN, 0), RuleEffect::Set(REQUESTS, 0)],
    );
    let premium = rule(&[], &[RuleEffect::OpenExternal(ExternalScreen::Store)]);
    vec![
        field("user", "E-mail", USER).visible_when(signed_out),
        button("sign_in", "Sign in", sign_in()).visible_when(signed_out),
        text("welcome", "You are signed in.").visible_when(signed_in),
        button("sync", "Sync", sync()).visible_when(signed_in),
        button("sign_out", "Sign out", vec![sign_out]).visible_when(signed_in),
        inert_switch("sync_history", "Sync what I heard"),
        inert_switch("sync_lists", "Sync playlists"),
        inert_switch("family", "Family account"),
        button("premium", "Premium", vec![premium]),
    ]
}

fn sign_in() -> Vec<AppRule> {
    let missing = rule(
        &[RuleCondition::Text(USER, TextKind::Empty)],
        &[RuleEffect::ShowDialog(0)],
    );
    let valid = rule(
        &[RuleCondition::Text(USER, TextKind::EmailAddress)],
        &[RuleEffect::Load(0, 1)],
    );
    vec![missing, valid, rule(&[], &[RuleEffect::ShowDialog(0)])]
}

fn sync() -> Vec<AppRule> {
    let expired = rule(
        &[RuleCondition::Equals(REQUESTS, 3)],
        &[RuleEffect::Throw(
            &SYNC_AFTER_EXPIRY,
            "Attempt to read from field 'java.lang.String Token.value' on a null object reference",
        )],
    );
    vec![expired, rule(&[], &[RuleEffect::Load(2, 1)])]
}

/// The headset's receiver is registered with every configuration and unregistered once.
fn headset() -> ScreenDefinition {
    let registered = Variable::Memory(13);
    let twice = rule(
        &[RuleCondition::Equals(registered, 2)],
        &[RuleEffect::Throw(
            &HEADSET_TWICE,
            "Receiver not registered: HeadsetReceiver",
        )],
    );
    let again = || {
        vec![rule(
            &[RuleCondition::Equals(Variable::Persistent(23), 1)],
            &[RuleEffect::Increment(registered, 2)],
        )]
    };
    let widgets = vec![
        WidgetDefinition::of(
            "listen",
            "Listen to its buttons",
            WidgetKind::Switch(Variable::Persistent(23)),
        ),
        inert_switch("assistant", "Assistant by holding"),
        inert_switch("announce", "Announce songs"),
        inert_switch("battery", "Tell its battery"),
        button(
            "test",
            "Test",
            vec![twice, rule(&[], &[RuleEffect::Set(registered, 0)])],
        ),
    ];
    screen("HeadsetActivity", "Headset", widgets)
        .on(ActivityHook::Rotate, again())
        .on(ActivityHook::Locale, again())
}

fn about() -> ScreenDefinition {
    let widgets = vec![
        text("version", "Player 3.0.1"),
        button(
            "licences",
            "Licences",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
            )],
        ),
        button(
            "rate",
            "Rate it",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Store)],
            )],
        ),
        WidgetDefinition::of("terms", "", WidgetKind::Web),
    ];
    screen("AboutActivity", "About", widgets)
}
