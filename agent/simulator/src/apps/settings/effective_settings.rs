//! The few settings that have consequences, put among the many that have none.

use super::failures::{
    AIRPLANE_WITH_HOTSPOT, BUILD_TAPPED_ON, CACHE_GONE, CLOCK_OF_ANOTHER_LANGUAGE, DEMO_LEAK,
    LAYERS_DEEP, PAIRING_INTERRUPTED, PIN_WITHOUT_LOCK, QUOTED_ACCOUNT, RESET_BLOCKS,
    SAVER_TOLD_TWICE, TRACE_OVERRUN, VPN_OFFLINE,
};
use super::screen_table::*;
use super::*;
use crate::declarative::{
    ActivityHook, DialogKind, FieldText, RuleCondition, RuleEffect, ScreenDefinition, TextKind,
    WidgetDefinition, WidgetKind, button, check, field, rule, text,
};

const NAME: FieldText = FieldText::Persistent(0);

pub(super) fn add_effective_settings(mut screens: Vec<ScreenDefinition>) -> Vec<ScreenDefinition> {
    let mut change = |number: u8, with: fn(ScreenDefinition) -> ScreenDefinition| {
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

fn first(mut screen: ScreenDefinition, widget: WidgetDefinition) -> ScreenDefinition {
    screen.widgets.insert(0, widget);
    screen
}

fn switch(id: &str, label: &str, var: Variable) -> WidgetDefinition {
    WidgetDefinition::of(id, label, WidgetKind::Switch(var))
}

fn network(screen: ScreenDefinition) -> ScreenDefinition {
    let both = rule(
        &[
            RuleCondition::Equals(AIRPLANE, 1),
            RuleCondition::Equals(HOTSPOT, 1),
        ],
        &[RuleEffect::Throw(
            &AIRPLANE_WITH_HOTSPOT,
            "tethering was stopped twice",
        )],
    );
    first(
        screen,
        switch("airplane", "Airplane mode", AIRPLANE).then(vec![both]),
    )
}

fn hotspot(screen: ScreenDefinition) -> ScreenDefinition {
    let widget = switch("hotspot", "Use hotspot", HOTSPOT);
    first(
        screen,
        widget.then(vec![rule(
            &[RuleCondition::Offline],
            &[RuleEffect::Set(HOTSPOT, 0)],
        )]),
    )
}

fn vpn(screen: ScreenDefinition) -> ScreenDefinition {
    let allow = vec![rule(&[], &[RuleEffect::Set(VPN, 1)])];
    let connect = button(
        "connect",
        "Connect",
        vec![
            rule(&[RuleCondition::Equals(VPN, 1)], &[RuleEffect::Set(VPN, 0)]),
            rule(&[], &[RuleEffect::ShowDialog(0)]),
        ],
    );
    first(screen, connect)
        .dialog(
            DialogKind::SystemConsent,
            "Connection request",
            "Settings wants to watch the traffic of all apps.",
            vec![("Cancel", vec![]), ("OK", allow)],
        )
        .on(
            ActivityHook::Offline,
            vec![rule(
                &[RuleCondition::Equals(VPN, 1)],
                &[RuleEffect::Signal(&VPN_OFFLINE)],
            )],
        )
}

fn bluetooth(screen: ScreenDefinition) -> ScreenDefinition {
    let pair = button(
        "pair",
        "Pair",
        vec![rule(&[], &[RuleEffect::Set(PAIRING, 1)])],
    );
    let interrupted = rule(
        &[RuleCondition::Equals(PAIRING, 0)],
        &[RuleEffect::Throw(
            &PAIRING_INTERRUPTED,
            "Attempt to invoke interface method 'void Pairing$Listener.resume()' on a null object reference",
        )],
    );
    first(screen, pair)
        .on(
            ActivityHook::Open,
            vec![rule(&[], &[RuleEffect::Set(PAIRING, 1)])],
        )
        .on(ActivityHook::Restore, vec![interrupted])
}

fn battery(screen: ScreenDefinition) -> ScreenDefinition {
    let twice = rule(
        &[
            RuleCondition::Equals(SAVER, 1),
            RuleCondition::Equals(Variable::Memory(5), 1),
        ],
        &[RuleEffect::Throw(&SAVER_TOLD_TWICE, "")],
    );
    let once = rule(
        &[RuleCondition::Equals(SAVER, 1)],
        &[RuleEffect::Set(Variable::Memory(5), 1)],
    );
    first(screen, switch("saver", "Battery saver", SAVER))
        .on(ActivityHook::LowMemory, vec![twice, once])
}

/// Clearing the cache drops the data of the list of files; a rotation reads it.
fn storage(screen: ScreenDefinition) -> ScreenDefinition {
    let gone = rule(
        &[RuleCondition::Equals(CACHE, 1), RuleCondition::Landscape],
        &[RuleEffect::Throw(&CACHE_GONE, "No value for files")],
    );
    first(
        screen,
        button(
            "clear_cache",
            "Clear cache",
            vec![rule(&[], &[RuleEffect::ShowDialog(0)])],
        ),
    )
    .dialog(
        DialogKind::Plain,
        "Clear cache?",
        "Apps will make it again.",
        vec![
            ("Cancel", vec![]),
            ("Clear", vec![rule(&[], &[RuleEffect::Set(CACHE, 1)])]),
        ],
    )
    .on(ActivityHook::Rotate, vec![gone])
}

/// Each layer is drawn above the last one: the ninth overflows the stack of the drawing thread.
fn layers(screen: ScreenDefinition) -> ScreenDefinition {
    let deep = rule(
        &[RuleCondition::Equals(LAYERS, 8)],
        &[RuleEffect::Signal(&LAYERS_DEEP)],
    );
    let add = button(
        "add_layer",
        "Add a layer",
        vec![deep, rule(&[], &[RuleEffect::Increment(LAYERS, 8)])],
    );
    let count = WidgetDefinition::of("layers", "Layers: ", WidgetKind::Value(LAYERS));
    first(first(screen, count), add)
}

fn security(screen: ScreenDefinition) -> ScreenDefinition {
    first(screen, check("screen_lock", "Screen lock", SCREEN_LOCK))
}

fn pinning(screen: ScreenDefinition) -> ScreenDefinition {
    let without = rule(
        &[
            RuleCondition::Equals(SCREEN_LOCK, 0),
            RuleCondition::Equals(PINNED, 1),
        ],
        &[RuleEffect::Throw(
            &PIN_WITHOUT_LOCK,
            "Lock pattern is not set",
        )],
    );
    let pin = button(
        "pin",
        "Pin this app",
        vec![
            without,
            rule(
                &[RuleCondition::Equals(SCREEN_LOCK, 1)],
                &[RuleEffect::Set(PINNED, 1)],
            ),
        ],
    );
    first(screen, pin)
}

fn accounts(screen: ScreenDefinition) -> ScreenDefinition {
    let quoted = rule(
        &[
            RuleCondition::Text(NAME, TextKind::Quote),
            RuleCondition::Equals(ACCOUNTS, 2),
        ],
        &[RuleEffect::Throw(
            &QUOTED_ACCOUNT,
            "unrecognized token: \"'Neil\" (code 1 SQLITE_ERROR)",
        )],
    );
    let empty = rule(&[RuleCondition::Text(NAME, TextKind::Empty)], &[]);
    let add = button(
        "add",
        "Add account",
        vec![
            quoted,
            empty,
            rule(&[], &[RuleEffect::Increment(ACCOUNTS, 2)]),
        ],
    );
    first(first(screen, add), field("name", "Name", NAME))
}

/// Words for the hours are looked up by the language that the phone had when the clock was chosen.
fn date(screen: ScreenDefinition) -> ScreenDefinition {
    let another = rule(
        &[
            RuleCondition::Equals(HOURS, 1),
            RuleCondition::ForeignLanguage,
        ],
        &[RuleEffect::Throw(
            &CLOCK_OF_ANOTHER_LANGUAGE,
            "Unknown pattern character 'b'",
        )],
    );
    first(screen, switch("hours", "24-hour clock", HOURS)).on(ActivityHook::Locale, vec![another])
}

fn resets(screen: ScreenDefinition) -> ScreenDefinition {
    let ask = |number| vec![rule(&[], &[RuleEffect::ShowDialog(number)])];
    let sure = |number| vec![("Cancel", vec![]), ("Reset", ask(number))];
    let blocks = vec![rule(
        &[],
        &[RuleEffect::BlockMainThread(12_000, &RESET_BLOCKS)],
    )];
    let first_time = rule(
        &[RuleCondition::Equals(RESET, 0)],
        &[RuleEffect::Set(RESET, 1), RuleEffect::ShowDialog(0)],
    );
    first(
        screen,
        button(
            "reset_all",
            "Reset all settings",
            vec![first_time, rule(&[], &[RuleEffect::ShowDialog(1)])],
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
        DialogKind::NotCancellable,
        "Really?",
        "This takes a while.",
        vec![("Cancel", vec![]), ("Yes", blocks)],
    )
}

/// The build number, tapped seven times, makes a developer; an eighth is one too many.
fn about(screen: ScreenDefinition) -> ScreenDefinition {
    let on = rule(
        &[RuleCondition::Equals(DEVELOPER, 1)],
        &[RuleEffect::Throw(&BUILD_TAPPED_ON, "Toast already queued")],
    );
    let seventh = rule(
        &[RuleCondition::Equals(TAPS, 6)],
        &[RuleEffect::Set(DEVELOPER, 1), RuleEffect::Set(TAPS, 0)],
    );
    let build = button(
        "build",
        "Build number",
        vec![on, seventh, rule(&[], &[RuleEffect::Increment(TAPS, 6)])],
    );
    first(first(screen, text("model", "Simulated phone")), build)
}

/// Only developers get in.
fn developers(screen: ScreenDefinition) -> ScreenDefinition {
    let closed = rule(&[RuleCondition::Equals(DEVELOPER, 0)], &[RuleEffect::Close]);
    let demo = Variable::Memory(6);
    let leak = rule(
        &[RuleCondition::Equals(demo, 1)],
        &[RuleEffect::Throw(
            &DEMO_LEAK,
            "Activity has leaked window DemoOverlay",
        )],
    );
    first(screen, switch("demo", "Demo mode", demo))
        .on(ActivityHook::Open, vec![closed])
        .on(ActivityHook::Call, vec![leak])
}

/// Recording, stopping and sharing in turn, three times over, with memory running short in the last of them.
fn tracing(screen: ScreenDefinition) -> ScreenDefinition {
    let recording = Variable::Memory(7);
    let done = Variable::Memory(8);
    let record = button(
        "record",
        "Record",
        vec![rule(
            &[RuleCondition::Equals(recording, 0)],
            &[RuleEffect::Set(recording, 1)],
        )],
    );
    let stop = button(
        "stop",
        "Stop",
        vec![
            rule(
                &[RuleCondition::Equals(recording, 1)],
                &[
                    RuleEffect::Set(recording, 0),
                    RuleEffect::Increment(done, 2),
                ],
            ),
            rule(&[], &[RuleEffect::Set(done, 0)]),
        ],
    );
    let overrun = rule(
        &[
            RuleCondition::Equals(recording, 1),
            RuleCondition::Equals(done, 2),
        ],
        &[RuleEffect::Throw(&TRACE_OVERRUN, "buffer is full")],
    );
    first(first(screen, stop), record).on(
        ActivityHook::LowMemory,
        vec![
            overrun,
            rule(
                &[],
                &[RuleEffect::Set(done, 0), RuleEffect::Set(recording, 0)],
            ),
        ],
    )
}
