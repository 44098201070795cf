//! The player itself. The effect of its buttons depends on a hidden mode.

use super::failures::{
    CALL_TAKES_FOCUS, CAR_VIDEO_SIDEWAYS, CAST_TO_NOWHERE, EQUALIZER_OF_DEVELOPERS,
    GAPLESS_OVERRUN, QUEUE_NOT_READ, SLEEP_OUTLIVES, STREAM_LOST,
};
use super::*;
use crate::declarative::{
    ActivityHook, AppRule, RuleCondition, RuleEffect, ScreenDefinition, WidgetDefinition,
    WidgetKind, button, check, inert_switch, link_row, radio, row, rows, rule, screen, text,
};
use crate::framework::ExternalScreen;

/// In the order of their numbers, from `NOW_PLAYING` to `CASTING`.
pub(super) fn screens() -> Vec<ScreenDefinition> {
    vec![
        now_playing(),
        queue(),
        equalizer(),
        lyrics(),
        video(),
        radio_screen(),
        sleep(),
        casting(),
    ]
}

fn now_playing() -> ScreenDefinition {
    let widgets = vec![
        WidgetDefinition::of("cover", "Cover", WidgetKind::Picture)
            .then(vec![rule(&[], &[RuleEffect::Open(LYRICS)])]),
        text("title", "Song of the day"),
        button("previous", "⏮", previous())
            .on_long_press(mode_to(2, 3))
            .columns(4),
        button("play", "⏯", vec![rule(&[], &[RuleEffect::Toggle(PLAYING)])])
            .on_long_press(mode_to(0, 1))
            .columns(4),
        button("next", "⏭", next())
            .on_long_press(mode_to(1, 2))
            .columns(4),
        button("speed", "1×", vec![rule(&[], &[RuleEffect::Toggle(FAST)])])
            .on_long_press(vec![rule(&[], &[RuleEffect::Toggle(GAPLESS)])])
            .columns(4),
        inert_switch("shuffle", "Shuffle").columns(3),
        inert_switch("repeat", "Repeat").columns(3),
        inert_switch("heart", "Heart").columns(3),
        link_row("queue", "Queue", QUEUE).columns(3),
        link_row("equalizer", "Equalizer", EQUALIZER).columns(3),
        link_row("sleep", "Sleep", SLEEP).columns(3),
        link_row("video", "Video", VIDEO),
    ];
    let focus = rule(
        &[RuleCondition::Equals(PLAYING, 1)],
        &[RuleEffect::Throw(&CALL_TAKES_FOCUS, "focus stack is empty")],
    );
    screen("NowPlayingActivity", "Now playing", widgets)
        .menu(vec![
            link_row("lyrics", "Lyrics", LYRICS),
            link_row("cast", "Play on…", CASTING),
            row(
                "share",
                "Share",
                vec![rule(
                    &[],
                    &[RuleEffect::OpenExternal(ExternalScreen::Share)],
                )],
            ),
        ])
        .on(
            ActivityHook::Call,
            vec![focus, rule(&[], &[RuleEffect::Set(PLAYING, 0)])],
        )
}

/// A long press switches from one hidden mode to the next. In any other mode it resets the mode.
fn mode_to(from: u8, to: u8) -> Vec<AppRule> {
    vec![
        rule(
            &[RuleCondition::Equals(MODE, from)],
            &[RuleEffect::Set(MODE, to)],
        ),
        rule(&[], &[RuleEffect::Set(MODE, 0)]),
    ]
}

fn previous() -> Vec<AppRule> {
    vec![
        rule(
            &[RuleCondition::Equals(MODE, 1)],
            &[RuleEffect::Set(TRACK, 0)],
        ),
        rule(
            &[RuleCondition::Equals(MODE, 3)],
            &[RuleEffect::Set(MODE, 0)],
        ),
        rule(&[], &[RuleEffect::Set(TRACK, 0)]),
    ]
}

/// For developers, gapless and twice as fast, the sixth track runs over the end of a buffer: one after the other,
/// without a pause, with the phone on its side.
fn next() -> Vec<AppRule> {
    let overrun = &[
        RuleCondition::Equals(MODE, 3),
        RuleCondition::Equals(GAPLESS, 1),
        RuleCondition::Equals(FAST, 1),
        RuleCondition::Equals(TRACK, 5),
        RuleCondition::Landscape,
    ];
    vec![
        rule(overrun, &[RuleEffect::Signal(&GAPLESS_OVERRUN)]),
        rule(
            &[RuleCondition::Equals(PLAYING, 0)],
            &[RuleEffect::Set(TRACK, 0)],
        ),
        rule(
            &[RuleCondition::Equals(MODE, 1)],
            &[RuleEffect::Set(TRACK, 0)],
        ),
        rule(
            &[RuleCondition::Equals(MODE, 2)],
            &[RuleEffect::Set(TRACK, 3)],
        ),
        rule(
            &[RuleCondition::Equals(TRACK, 5)],
            &[RuleEffect::Set(TRACK, 0)],
        ),
        rule(&[], &[RuleEffect::Increment(TRACK, 5)]),
    ]
}

/// The queue is only in memory; an activity restored from saved state expects it there.
fn queue() -> ScreenDefinition {
    let widgets = vec![
        inert_switch("keep", "Keep after the end"),
        button(
            "clear",
            "Clear",
            vec![
                rule(&[RuleCondition::Equals(QUEUE_READ, 2)], &[]),
                rule(&[], &[RuleEffect::Set(QUEUE_READ, 2)]),
            ],
        ),
        rows("track", "Track ", 30, vec![rule(&[], &[RuleEffect::Close])]),
    ];
    let not_read = rule(
        &[RuleCondition::Equals(QUEUE_READ, 0)],
        &[RuleEffect::Throw(
            &QUEUE_NOT_READ,
            "lateinit property queue has not been initialized",
        )],
    );
    screen("QueueActivity", "Queue", widgets)
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(QUEUE_READ, 1)])],
        )
        .on(ActivityHook::Restore, vec![not_read])
}

fn equalizer() -> ScreenDefinition {
    let bands = [
        ("bass", "Bass"),
        ("low", "Low"),
        ("middle", "Middle"),
        ("high", "High"),
        ("air", "Air"),
    ];
    let mut widgets: Vec<WidgetDefinition> = bands
        .iter()
        .map(|(id, label)| inert_switch(id, label))
        .collect();
    let presets = ["Flat", "Rock", "Jazz", "Speech"];
    let preset = |(label, value): (&&str, u8)| {
        radio(&label.to_lowercase(), label, Variable::Inert(200), value).columns(2)
    };
    widgets.extend(presets.iter().zip(0..).map(preset));
    let developers = rule(
        &[RuleCondition::Equals(MODE, 3)],
        &[RuleEffect::Throw(
            &EQUALIZER_OF_DEVELOPERS,
            "Equalizer: bad parameter value -3",
        )],
    );
    widgets.push(button(
        "reset",
        "Reset",
        vec![
            developers,
            rule(
                &[RuleCondition::Equals(MODE, 2)],
                &[RuleEffect::Set(MODE, 0)],
            ),
        ],
    ));
    screen("EqualizerActivity", "Equalizer", widgets)
}

fn lyrics() -> ScreenDefinition {
    let page = WidgetDefinition::of("page", "", WidgetKind::Web).then(vec![rule(
        &[],
        &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
    )]);
    screen(
        "LyricsActivity",
        "Lyrics",
        vec![inert_switch("follow", "Follow along"), page],
    )
}

/// In the car the surface is kept for the navigation.
fn video() -> ScreenDefinition {
    let widgets = vec![
        WidgetDefinition::of("surface", "Video", WidgetKind::Picture),
        WidgetDefinition::of("position", "0 %", WidgetKind::EndlessProgress),
        inert_switch("subtitles", "Subtitles"),
        inert_switch("fill", "Fill the screen"),
    ];
    let sideways = rule(
        &[RuleCondition::Equals(MODE, 1), RuleCondition::Landscape],
        &[RuleEffect::Signal(&CAR_VIDEO_SIDEWAYS)],
    );
    screen("VideoActivity", "Video", widgets).on(ActivityHook::Rotate, vec![sideways])
}

fn radio_screen() -> ScreenDefinition {
    let widgets = vec![
        WidgetDefinition::of("level", "0 %", WidgetKind::EndlessProgress)
            .visible_when(&[RuleCondition::Equals(STREAMING, 1)]),
        button(
            "listen",
            "Listen",
            vec![
                rule(&[RuleCondition::Offline], &[]),
                rule(&[], &[RuleEffect::Set(STREAMING, 1)]),
            ],
        ),
        button(
            "stop",
            "Stop",
            vec![rule(&[], &[RuleEffect::Set(STREAMING, 0)])],
        ),
        inert_switch("high_quality", "Best quality"),
        inert_switch("record", "Record"),
        rows(
            "station",
            "Station ",
            25,
            vec![rule(&[], &[RuleEffect::Set(STREAMING, 0)])],
        ),
    ];
    let lost = rule(
        &[RuleCondition::Equals(STREAMING, 1)],
        &[RuleEffect::Signal(&STREAM_LOST)],
    );
    screen("RadioActivity", "Radio", widgets)
        .on(ActivityHook::Offline, vec![lost])
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(STREAMING, 0)])],
        )
}

/// The timer is not cancelled when its screen is closed, and then stops a player that is gone.
fn sleep() -> ScreenDefinition {
    let minutes = Variable::Memory(10);
    let closed = Variable::Memory(11);
    let start = rule(
        &[],
        &[
            RuleEffect::Set(minutes, 1),
            RuleEffect::PostLeaked(1_400, 0),
        ],
    );
    let stop = rule(
        &[],
        &[RuleEffect::Set(minutes, 0), RuleEffect::CancelPosted],
    );
    let widgets = vec![
        WidgetDefinition::of("minutes", "Minutes: ", WidgetKind::Value(minutes)),
        button("start", "Start", vec![start]),
        button("stop", "Stop", vec![stop]),
        inert_switch("fade", "Fade out"),
        inert_switch("finish", "Finish the song"),
    ];
    let outlives = rule(
        &[RuleCondition::Equals(closed, 1)],
        &[RuleEffect::Throw(
            &SLEEP_OUTLIVES,
            "Can not perform this action after onSaveInstanceState",
        )],
    );
    screen("SleepActivity", "Sleep timer", widgets)
        .delayed(vec![outlives, rule(&[], &[RuleEffect::Set(minutes, 0)])])
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(closed, 0)])],
        )
        .on(
            ActivityHook::Back,
            vec![rule(&[], &[RuleEffect::Set(closed, 1), RuleEffect::Close])],
        )
}

/// Remote playback is lost when the network changes twice.
fn casting() -> ScreenDefinition {
    let connect = |id: &str, label: &str, value| {
        radio(id, label, CAST_TO, value).then(vec![
            rule(&[RuleCondition::Offline], &[]),
            rule(&[], &[RuleEffect::Load(0, 1)]),
        ])
    };
    let widgets = vec![
        connect("kitchen", "Kitchen", 1),
        connect("office", "Office", 2),
        connect("cellar", "Cellar", 3),
        inert_switch("group", "All together"),
        check("local", "Also on this phone", Variable::Persistent(22)),
        WidgetDefinition::of("connected", "Connected: ", WidgetKind::Value(CAST)),
    ];
    let nowhere = rule(
        &[
            RuleCondition::Equals(CAST, 2),
            RuleCondition::Equals(CAST_TO, 3),
            RuleCondition::Equals(Variable::Persistent(22), 1),
        ],
        &[RuleEffect::Throw(&CAST_TO_NOWHERE, "No route to host")],
    );
    screen("CastingActivity", "Play on…", widgets)
        .delayed(vec![rule(&[], &[RuleEffect::Set(CAST, 1)])])
        .delayed(vec![rule(&[], &[RuleEffect::Set(CAST, 0)])])
        .on(
            ActivityHook::Offline,
            vec![rule(
                &[RuleCondition::Equals(CAST, 1)],
                &[RuleEffect::Set(CAST, 2)],
            )],
        )
        .on(
            ActivityHook::Online,
            vec![nowhere, rule(&[], &[RuleEffect::Set(CAST, 0)])],
        )
}
