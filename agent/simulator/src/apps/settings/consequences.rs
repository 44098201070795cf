//! The few settings that have consequences, put among the many that have none.

use super::failures::{
    AIRPLANE_WITH_HOTSPOT, BUILD_TAPPED_ON, CACHE_GONE, CLOCK_OF_ANOTHER_LANGUAGE, DEMO_LEAK,
    LAYERS_DEEP, PAIRING_INTERRUPTED, PIN_WITHOUT_LOCK, QUOTED_ACCOUNT, RESET_BLOCKS,
    SAVER_TOLD_TWICE, TRACE_OVERRUN, VPN_OFFLINE,
};
use super::tree::*;
use super::*;
use crate::plan::{
    DialogKind, Hook, Is, Kind, Look, Screen, Then, Typed, Widget, button, check, field, rule, text,
};

const NAME: Typed = Typed::Kept(0);

pub(super) fn with(mut screens: Vec<Screen>) -> Vec<Screen> {
    let mut change = |number: u8, with: fn(Screen) -> Screen| {
        let place = &mut screens[usize::from(number)];
        *place = with(std::mem::take(place));
    };
    change(NETWORK, network);
    change(HOTSPOTS, hotspot);
    change(VPNS, vpn);
    change(BLUETOOTH, bluetooth);
    change(BATTERY, battery);
    change(STORAGE, storage);
    change(LAYERED, layers);
    change(SECURITY, security);
    change(PINNING, pinning);
    change(ACCOUNT_LIST, accounts);
    change(DATE, date);
    change(RESETS, resets);
    change(ABOUT, about);
    change(DEVELOPERS, developers);
    change(TRACING, tracing);
    screens
}

fn first(mut screen: Screen, widget: Widget) -> Screen {
    screen.widgets.insert(0, widget);
    screen
}

fn switch(id: &str, label: &str, var: Var) -> Widget {
    Widget::of(id, label, Look::Switch(var))
}

fn network(screen: Screen) -> Screen {
    let both = rule(
        &[Is::At(AIRPLANE, 1), Is::At(HOTSPOT, 1)],
        &[Then::Throw(
            &AIRPLANE_WITH_HOTSPOT,
            "tethering was stopped twice",
        )],
    );
    first(
        screen,
        switch("airplane", "Airplane mode", AIRPLANE).then(vec![both]),
    )
}

fn hotspot(screen: Screen) -> Screen {
    let widget = switch("hotspot", "Use hotspot", HOTSPOT);
    first(
        screen,
        widget.then(vec![rule(&[Is::Offline], &[Then::Set(HOTSPOT, 0)])]),
    )
}

fn vpn(screen: Screen) -> Screen {
    let allow = vec![rule(&[], &[Then::Set(VPN, 1)])];
    let connect = button(
        "connect",
        "Connect",
        vec![
            rule(&[Is::At(VPN, 1)], &[Then::Set(VPN, 0)]),
            rule(&[], &[Then::Ask(0)]),
        ],
    );
    first(screen, connect)
        .dialog(
            DialogKind::Consent,
            "Connection request",
            "Settings wants to watch the traffic of all apps.",
            vec![("Cancel", vec![]), ("OK", allow)],
        )
        .on(
            Hook::Offline,
            vec![rule(&[Is::At(VPN, 1)], &[Then::Signal(&VPN_OFFLINE)])],
        )
}

fn bluetooth(screen: Screen) -> Screen {
    let pair = button("pair", "Pair", vec![rule(&[], &[Then::Set(PAIRING, 1)])]);
    let interrupted = rule(
        &[Is::At(PAIRING, 0)],
        &[Then::Throw(
            &PAIRING_INTERRUPTED,
            "Attempt to invoke interface method 'void Pairing$Listener.resume()' on a null object reference",
        )],
    );
    first(screen, pair)
        .on(Hook::Open, vec![rule(&[], &[Then::Set(PAIRING, 1)])])
        .on(Hook::Restore, vec![interrupted])
}

fn battery(screen: Screen) -> Screen {
    let twice = rule(
        &[Is::At(SAVER, 1), Is::At(Var::Memory(5), 1)],
        &[Then::Throw(&SAVER_TOLD_TWICE, "")],
    );
    let once = rule(&[Is::At(SAVER, 1)], &[Then::Set(Var::Memory(5), 1)]);
    first(screen, switch("saver", "Battery saver", SAVER)).on(Hook::LowMemory, vec![twice, once])
}

/// Clearing the cache forgets what the list of files is made of; turning the phone looks for it.
fn storage(screen: Screen) -> Screen {
    let gone = rule(
        &[Is::At(CACHE, 1), Is::Landscape],
        &[Then::Throw(&CACHE_GONE, "No value for files")],
    );
    first(
        screen,
        button(
            "clear_cache",
            "Clear cache",
            vec![rule(&[], &[Then::Ask(0)])],
        ),
    )
    .dialog(
        DialogKind::Plain,
        "Clear cache?",
        "Apps will make it again.",
        vec![
            ("Cancel", vec![]),
            ("Clear", vec![rule(&[], &[Then::Set(CACHE, 1)])]),
        ],
    )
    .on(Hook::Rotate, vec![gone])
}

/// Each layer lies above the last: at the ninth the stack of the drawing thread is at its end.
fn layers(screen: Screen) -> Screen {
    let deep = rule(&[Is::At(LAYERS, 8)], &[Then::Signal(&LAYERS_DEEP)]);
    let add = button(
        "add_layer",
        "Add a layer",
        vec![deep, rule(&[], &[Then::Add(LAYERS, 8)])],
    );
    let count = Widget::of("layers", "Layers: ", Look::Value(LAYERS));
    first(first(screen, count), add)
}

fn security(screen: Screen) -> Screen {
    first(screen, check("screen_lock", "Screen lock", SCREEN_LOCK))
}

fn pinning(screen: Screen) -> Screen {
    let without = rule(
        &[Is::At(SCREEN_LOCK, 0), Is::At(PINNED, 1)],
        &[Then::Throw(&PIN_WITHOUT_LOCK, "Lock pattern is not set")],
    );
    let pin = button(
        "pin",
        "Pin this app",
        vec![
            without,
            rule(&[Is::At(SCREEN_LOCK, 1)], &[Then::Set(PINNED, 1)]),
        ],
    );
    first(screen, pin)
}

fn accounts(screen: Screen) -> Screen {
    let quoted = rule(
        &[Is::Text(NAME, Kind::Quote), Is::At(ACCOUNTS, 2)],
        &[Then::Throw(
            &QUOTED_ACCOUNT,
            "unrecognized token: \"'Neil\" (code 1 SQLITE_ERROR)",
        )],
    );
    let empty = rule(&[Is::Text(NAME, Kind::Empty)], &[]);
    let add = button(
        "add",
        "Add account",
        vec![quoted, empty, rule(&[], &[Then::Add(ACCOUNTS, 2)])],
    );
    first(first(screen, add), field("name", "Name", NAME))
}

/// Words for the hours are looked up by the language that the phone had when the clock was chosen.
fn date(screen: Screen) -> Screen {
    let another = rule(
        &[Is::At(HOURS, 1), Is::Foreign],
        &[Then::Throw(
            &CLOCK_OF_ANOTHER_LANGUAGE,
            "Unknown pattern character 'b'",
        )],
    );
    first(screen, switch("hours", "24-hour clock", HOURS)).on(Hook::Locale, vec![another])
}

fn resets(screen: Screen) -> Screen {
    let ask = |number| vec![rule(&[], &[Then::Ask(number)])];
    let sure = |number| vec![("Cancel", vec![]), ("Reset", ask(number))];
    let blocks = vec![rule(&[], &[Then::Block(12_000, &RESET_BLOCKS)])];
    let first_time = rule(&[Is::At(RESET, 0)], &[Then::Set(RESET, 1), Then::Ask(0)]);
    first(
        screen,
        button(
            "reset_all",
            "Reset all settings",
            vec![first_time, rule(&[], &[Then::Ask(1)])],
        ),
    )
    .dialog(
        DialogKind::Plain,
        "Reset?",
        "All settings will be as they were.",
        sure(2),
    )
    .dialog(
        DialogKind::Plain,
        "Reset again?",
        "They were reset a moment ago.",
        sure(3),
    )
    .dialog(
        DialogKind::Plain,
        "Done",
        "All settings are as they were.",
        vec![("OK", vec![])],
    )
    .dialog(
        DialogKind::Stubborn,
        "Really?",
        "This takes a while.",
        vec![("Cancel", vec![]), ("Yes", blocks)],
    )
}

/// The build number, tapped seven times, makes a developer; an eighth is one too many.
fn about(screen: Screen) -> Screen {
    let on = rule(
        &[Is::At(DEVELOPER, 1)],
        &[Then::Throw(&BUILD_TAPPED_ON, "Toast already queued")],
    );
    let seventh = rule(
        &[Is::At(TAPS, 6)],
        &[Then::Set(DEVELOPER, 1), Then::Set(TAPS, 0)],
    );
    let build = button(
        "build",
        "Build number",
        vec![on, seventh, rule(&[], &[Then::Add(TAPS, 6)])],
    );
    first(first(screen, text("model", "Simulated phone")), build)
}

/// Only developers get in.
fn developers(screen: Screen) -> Screen {
    let closed = rule(&[Is::At(DEVELOPER, 0)], &[Then::Close]);
    let demo = Var::Memory(6);
    let leak = rule(
        &[Is::At(demo, 1)],
        &[Then::Throw(
            &DEMO_LEAK,
            "Activity has leaked window DemoOverlay",
        )],
    );
    first(screen, switch("demo", "Demo mode", demo))
        .on(Hook::Open, vec![closed])
        .on(Hook::Call, vec![leak])
}

/// Recording, stopping and sharing in turn, three times over, with memory running short in the last of them.
fn tracing(screen: Screen) -> Screen {
    let recording = Var::Memory(7);
    let done = Var::Memory(8);
    let record = button(
        "record",
        "Record",
        vec![rule(&[Is::At(recording, 0)], &[Then::Set(recording, 1)])],
    );
    let stop = button(
        "stop",
        "Stop",
        vec![
            rule(
                &[Is::At(recording, 1)],
                &[Then::Set(recording, 0), Then::Add(done, 2)],
            ),
            rule(&[], &[Then::Set(done, 0)]),
        ],
    );
    let overrun = rule(
        &[Is::At(recording, 1), Is::At(done, 2)],
        &[Then::Throw(&TRACE_OVERRUN, "buffer is full")],
    );
    first(first(screen, stop), record).on(
        Hook::LowMemory,
        vec![
            overrun,
            rule(&[], &[Then::Set(done, 0), Then::Set(recording, 0)]),
        ],
    )
}
