//! The player itself. What its buttons do depends on a mode that nothing shows.

use super::failures::{
    CALL_TAKES_FOCUS, CAR_VIDEO_SIDEWAYS, CAST_TO_NOWHERE, EQUALIZER_OF_DEVELOPERS,
    GAPLESS_OVERRUN, QUEUE_NOT_READ, SLEEP_OUTLIVES, STREAM_LOST,
};
use super::*;
use crate::kit::Elsewhere;
use crate::plan::{
    Hook, Is, Look, Rule, Screen, Then, Widget, button, check, go, radio, row, rows, rule, screen,
    text, toggle,
};

/// In the order of their numbers, from `NOW_PLAYING` to `CASTING`.
pub(super) fn screens() -> Vec<Screen> {
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

fn now_playing() -> Screen {
    let widgets = vec![
        Widget::of("cover", "Cover", Look::Picture).then(vec![rule(&[], &[Then::Open(LYRICS)])]),
        text("title", "Song of the day"),
        button("previous", "⏮", previous())
            .long(mode_to(2, 3))
            .columns(4),
        button("play", "⏯", vec![rule(&[], &[Then::Flip(PLAYING)])])
            .long(mode_to(0, 1))
            .columns(4),
        button("next", "⏭", next()).long(mode_to(1, 2)).columns(4),
        button("speed", "1×", vec![rule(&[], &[Then::Flip(FAST)])])
            .long(vec![rule(&[], &[Then::Flip(GAPLESS)])])
            .columns(4),
        toggle("shuffle", "Shuffle").columns(3),
        toggle("repeat", "Repeat").columns(3),
        toggle("heart", "Heart").columns(3),
        go("queue", "Queue", QUEUE).columns(3),
        go("equalizer", "Equalizer", EQUALIZER).columns(3),
        go("sleep", "Sleep", SLEEP).columns(3),
        go("video", "Video", VIDEO),
    ];
    let focus = rule(
        &[Is::At(PLAYING, 1)],
        &[Then::Throw(&CALL_TAKES_FOCUS, "focus stack is empty")],
    );
    screen("NowPlayingActivity", "Now playing", widgets)
        .menu(vec![
            go("lyrics", "Lyrics", LYRICS),
            go("cast", "Play on…", CASTING),
            row(
                "share",
                "Share",
                vec![rule(&[], &[Then::Leave(Elsewhere::Share)])],
            ),
        ])
        .on(Hook::Call, vec![focus, rule(&[], &[Then::Set(PLAYING, 0)])])
}

/// Holding a button goes from one hidden mode to the next, if the one before it is on; any other is left.
fn mode_to(from: u8, to: u8) -> Vec<Rule> {
    vec![
        rule(&[Is::At(MODE, from)], &[Then::Set(MODE, to)]),
        rule(&[], &[Then::Set(MODE, 0)]),
    ]
}

fn previous() -> Vec<Rule> {
    vec![
        rule(&[Is::At(MODE, 1)], &[Then::Set(TRACK, 0)]),
        rule(&[Is::At(MODE, 3)], &[Then::Set(MODE, 0)]),
        rule(&[], &[Then::Set(TRACK, 0)]),
    ]
}

/// For developers, gapless and twice as fast, the sixth track runs over the end of a buffer: one after the other,
/// without a pause, with the phone on its side.
fn next() -> Vec<Rule> {
    let overrun = &[
        Is::At(MODE, 3),
        Is::At(GAPLESS, 1),
        Is::At(FAST, 1),
        Is::At(TRACK, 5),
        Is::Landscape,
    ];
    vec![
        rule(overrun, &[Then::Signal(&GAPLESS_OVERRUN)]),
        rule(&[Is::At(PLAYING, 0)], &[Then::Set(TRACK, 0)]),
        rule(&[Is::At(MODE, 1)], &[Then::Set(TRACK, 0)]),
        rule(&[Is::At(MODE, 2)], &[Then::Set(TRACK, 3)]),
        rule(&[Is::At(TRACK, 5)], &[Then::Set(TRACK, 0)]),
        rule(&[], &[Then::Add(TRACK, 5)]),
    ]
}

/// What was read of the queue is only in memory; who comes back with a saved state expects it there.
fn queue() -> Screen {
    let widgets = vec![
        toggle("keep", "Keep after the end"),
        button(
            "clear",
            "Clear",
            vec![
                rule(&[Is::At(QUEUE_READ, 2)], &[]),
                rule(&[], &[Then::Set(QUEUE_READ, 2)]),
            ],
        ),
        rows("track", "Track ", 30, vec![rule(&[], &[Then::Close])]),
    ];
    let not_read = rule(
        &[Is::At(QUEUE_READ, 0)],
        &[Then::Throw(
            &QUEUE_NOT_READ,
            "lateinit property queue has not been initialized",
        )],
    );
    screen("QueueActivity", "Queue", widgets)
        .on(Hook::Open, vec![rule(&[], &[Then::Set(QUEUE_READ, 1)])])
        .on(Hook::Restore, vec![not_read])
}

fn equalizer() -> Screen {
    let bands = [
        ("bass", "Bass"),
        ("low", "Low"),
        ("middle", "Middle"),
        ("high", "High"),
        ("air", "Air"),
    ];
    let mut widgets: Vec<Widget> = bands.iter().map(|(id, label)| toggle(id, label)).collect();
    let presets = ["Flat", "Rock", "Jazz", "Speech"];
    let preset = |(label, value): (&&str, u8)| {
        radio(&label.to_lowercase(), label, Var::Inert(200), value).columns(2)
    };
    widgets.extend(presets.iter().zip(0..).map(preset));
    let developers = rule(
        &[Is::At(MODE, 3)],
        &[Then::Throw(
            &EQUALIZER_OF_DEVELOPERS,
            "Equalizer: bad parameter value -3",
        )],
    );
    widgets.push(button(
        "reset",
        "Reset",
        vec![developers, rule(&[Is::At(MODE, 2)], &[Then::Set(MODE, 0)])],
    ));
    screen("EqualizerActivity", "Equalizer", widgets)
}

fn lyrics() -> Screen {
    let page =
        Widget::of("page", "", Look::Web).then(vec![rule(&[], &[Then::Leave(Elsewhere::Browser)])]);
    screen(
        "LyricsActivity",
        "Lyrics",
        vec![toggle("follow", "Follow along"), page],
    )
}

/// In the car the surface is kept for the navigation.
fn video() -> Screen {
    let widgets = vec![
        Widget::of("surface", "Video", Look::Picture),
        Widget::of("position", "0 %", Look::Restless),
        toggle("subtitles", "Subtitles"),
        toggle("fill", "Fill the screen"),
    ];
    let sideways = rule(
        &[Is::At(MODE, 1), Is::Landscape],
        &[Then::Signal(&CAR_VIDEO_SIDEWAYS)],
    );
    screen("VideoActivity", "Video", widgets).on(Hook::Rotate, vec![sideways])
}

fn radio_screen() -> Screen {
    let widgets = vec![
        Widget::of("level", "0 %", Look::Restless).when(&[Is::At(STREAMING, 1)]),
        button(
            "listen",
            "Listen",
            vec![
                rule(&[Is::Offline], &[]),
                rule(&[], &[Then::Set(STREAMING, 1)]),
            ],
        ),
        button("stop", "Stop", vec![rule(&[], &[Then::Set(STREAMING, 0)])]),
        toggle("high_quality", "Best quality"),
        toggle("record", "Record"),
        rows(
            "station",
            "Station ",
            25,
            vec![rule(&[], &[Then::Set(STREAMING, 0)])],
        ),
    ];
    let lost = rule(&[Is::At(STREAMING, 1)], &[Then::Signal(&STREAM_LOST)]);
    screen("RadioActivity", "Radio", widgets)
        .on(Hook::Offline, vec![lost])
        .on(Hook::Open, vec![rule(&[], &[Then::Set(STREAMING, 0)])])
}

/// The timer is not taken back when its screen is closed, and then ends a player that it does not find.
fn sleep() -> Screen {
    let start = button(
        "start",
        "Start",
        vec![rule(
            &[],
            &[Then::Set(Var::Memory(10), 1), Then::Haunt(1_400, 0)],
        )],
    );
    let stop = button(
        "stop",
        "Stop",
        vec![rule(&[], &[Then::Set(Var::Memory(10), 0), Then::Unpost])],
    );
    let closed = Var::Memory(11);
    let widgets = vec![
        Widget::of("minutes", "Minutes: ", Look::Value(Var::Memory(10))),
        start,
        stop,
        toggle("fade", "Fade out"),
        toggle("finish", "Finish the song"),
    ];
    let outlives = rule(
        &[Is::At(closed, 1)],
        &[Then::Throw(
            &SLEEP_OUTLIVES,
            "Can not perform this action after onSaveInstanceState",
        )],
    );
    screen("SleepActivity", "Sleep timer", widgets)
        .later(vec![outlives, rule(&[], &[Then::Set(Var::Memory(10), 0)])])
        .on(Hook::Open, vec![rule(&[], &[Then::Set(closed, 0)])])
        .on(
            Hook::Back,
            vec![rule(&[], &[Then::Set(closed, 1), Then::Close])],
        )
}

/// What is played elsewhere is lost when the network changes twice.
fn casting() -> Screen {
    let connect = |id: &str, label: &str, value| {
        radio(id, label, CAST_TO, value).then(vec![
            rule(&[Is::Offline], &[]),
            rule(&[], &[Then::Load(0, 1)]),
        ])
    };
    let widgets = vec![
        connect("kitchen", "Kitchen", 1),
        connect("office", "Office", 2),
        connect("cellar", "Cellar", 3),
        toggle("group", "All together"),
        check("local", "Also on this phone", Var::Kept(22)),
        Widget::of("connected", "Connected: ", Look::Value(CAST)),
    ];
    let nowhere = rule(
        &[
            Is::At(CAST, 2),
            Is::At(CAST_TO, 3),
            Is::At(Var::Kept(22), 1),
        ],
        &[Then::Throw(&CAST_TO_NOWHERE, "No route to host")],
    );
    screen("CastingActivity", "Play on…", widgets)
        .later(vec![rule(&[], &[Then::Set(CAST, 1)])])
        .later(vec![rule(&[], &[Then::Set(CAST, 0)])])
        .on(
            Hook::Offline,
            vec![rule(&[Is::At(CAST, 1)], &[Then::Set(CAST, 2)])],
        )
        .on(
            Hook::Online,
            vec![nowhere, rule(&[], &[Then::Set(CAST, 0)])],
        )
}
