//! What is around the keys: converters, a graph, history, settings.

use super::failures::{
    GRAPH_BLOCKS, HISTORY_NOT_READ, INTEREST_TOO_LONG, RATES_OFFLINE, UNITS_OF_ANOTHER_LANGUAGE,
};
use super::*;
use crate::kit::Elsewhere;
use crate::plan::{
    DialogKind, Hook, Is, Kind, Look, Screen, Then, Typed, Widget, button, field, go, note, radio,
    rows, rule, screen, text, toggle,
};

const RATE: Typed = Typed::Kept(0);

/// In the order of their numbers, from `HISTORY` on.
pub(super) fn screens() -> Vec<Screen> {
    let mut all = vec![
        history(),
        programs(),
        graph(),
        converter(),
        currency(),
        finance(),
        dates(),
        constants(),
        settings(),
        help(),
    ];
    all.extend(
        UNITS
            .iter()
            .zip(LENGTH..)
            .map(|((class, title, units), number)| unit(class, title, units, number)),
    );
    all
}

fn history() -> Screen {
    let not_read = rule(
        &[Is::At(HISTORY_READ, 0)],
        &[Then::Throw(&HISTORY_NOT_READ, "Cursor is closed")],
    );
    let clear = vec![
        rule(&[Is::At(HISTORY_READ, 2)], &[]),
        rule(&[], &[Then::Set(HISTORY_READ, 2)]),
    ];
    screen(
        "HistoryActivity",
        "History",
        vec![
            button("clear", "Clear", clear),
            toggle("keep", "Keep it"),
            rows("line", "Result ", 60, vec![rule(&[], &[Then::Close])]),
        ],
    )
    .on(Hook::Open, vec![rule(&[], &[Then::Set(HISTORY_READ, 1)])])
    .on(Hook::Restore, vec![not_read])
}

/// What has been unlocked. The second is slow, and works on the main thread.
fn programs() -> Screen {
    let slow = rule(&[Is::At(STAGE, 2)], &[Then::Block(8_000, &GRAPH_BLOCKS)]);
    let run = button(
        "run",
        "Run",
        vec![
            slow,
            rule(&[Is::Over(STAGE, 0)], &[Then::Ask(0)]),
            rule(&[], &[Then::Ask(1)]),
        ],
    );
    let widgets = vec![
        Widget::of("unlocked", "Unlocked: ", Look::Value(STAGE)),
        run,
        Widget::of("hex", "Base of sixteen", Look::Switch(HEX)),
        toggle("signed", "Signed"),
        toggle("wide", "64 bits"),
        toggle("grouped", "Groups of four"),
    ];
    screen("ProgramsActivity", "Programs", widgets)
        .dialog(
            DialogKind::Plain,
            "Done",
            "The program has run.",
            vec![("OK", vec![])],
        )
        .dialog(
            DialogKind::Plain,
            "Nothing to run",
            "No program is unlocked.",
            vec![("OK", vec![])],
        )
}

fn graph() -> Screen {
    let widgets = vec![
        Widget::of("curve", "0 %", Look::Restless),
        Widget::of("plot", "Curve", Look::Picture),
        toggle("grid", "Grid"),
        toggle("axes", "Axes"),
        toggle("polar", "Polar"),
        note("formula", "Formula"),
        button(
            "share",
            "Share",
            vec![rule(&[], &[Then::Leave(Elsewhere::Share)])],
        ),
    ];
    screen("GraphActivity", "Graph", widgets)
}

fn converter() -> Screen {
    let ways = UNITS
        .iter()
        .zip(LENGTH..)
        .map(|((_, title, _), number)| go(&title.to_lowercase(), title, number).columns(2));
    let money = go("currency", "Currency", CURRENCY).columns(2);
    screen(
        "ConverterActivity",
        "Converter",
        ways.chain([money]).collect(),
    )
}

/// Rates from the network. The table of those that were never fetched is not there.
fn currency() -> Screen {
    let never = rule(
        &[Is::Offline, Is::At(RATES, 0)],
        &[Then::Throw(
            &RATES_OFFLINE,
            "Attempt to get length of null array",
        )],
    );
    let widgets = vec![
        button(
            "fetch",
            "Fetch rates",
            vec![never, rule(&[], &[Then::Load(0, 1)])],
        ),
        Widget::of("fetched", "Fetched: ", Look::Value(RATES)),
        note("amount", "Amount"),
        toggle("favourites", "Favourites first"),
        rows("rate", "Currency ", 35, vec![]),
    ];
    screen("CurrencyActivity", "Currency", widgets)
        .later(vec![rule(&[], &[Then::Set(RATES, 1)])])
        .later(vec![rule(&[], &[Then::Ask(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "These rates are old.",
            vec![("OK", vec![])],
        )
}

fn finance() -> Screen {
    let long = rule(
        &[Is::Text(RATE, Kind::Long)],
        &[Then::Throw(
            &INTEREST_TOO_LONG,
            "For input string: \"a text that is much…\"",
        )],
    );
    let empty = rule(&[Is::Text(RATE, Kind::Empty)], &[Then::Ask(0)]);
    let number = rule(&[Is::Text(RATE, Kind::Number)], &[]);
    let widgets = vec![
        field("rate", "Interest rate", RATE),
        note("sum", "Sum"),
        note("years", "Years"),
        toggle("monthly", "Monthly"),
        toggle("advance", "In advance"),
        button(
            "compute",
            "Compute",
            vec![long, empty, number, rule(&[], &[Then::Ask(0)])],
        ),
    ];
    screen("FinanceActivity", "Finance", widgets).dialog(
        DialogKind::Plain,
        "No number",
        "Give a number.",
        vec![("OK", vec![])],
    )
}

fn dates() -> Screen {
    let widgets = vec![
        note("from", "From"),
        note("to", "To"),
        toggle("workdays", "Workdays only"),
        toggle("inclusive", "Both days count"),
        toggle("weeks", "In weeks"),
        go("constants", "Constants", CONSTANTS),
    ];
    screen("DatesActivity", "Dates", widgets)
}

fn constants() -> Screen {
    let stars = ["c", "G", "h", "k", "e", "N", "R", "F", "g", "a"];
    screen(
        "ConstantsActivity",
        "Constants",
        stars
            .iter()
            .map(|name| toggle(&format!("star_{name}"), name))
            .collect(),
    )
}

fn settings() -> Screen {
    let angle = Var::Inert(301);
    let angles = ["Degrees", "Radians", "Gradians"];
    let mut widgets: Vec<Widget> = angles
        .iter()
        .zip(0..)
        .map(|(label, value)| radio(&label.to_lowercase(), label, angle, value))
        .collect();
    let more = [
        "Vibrate",
        "Dark",
        "Digits in groups",
        "Keep awake",
        "Large keys",
        "Comma",
        "Scientific",
        "Copy results",
    ];
    widgets.extend(
        more.iter()
            .map(|label| toggle(&label.to_lowercase().replace(' ', "_"), label)),
    );
    screen("SettingsActivity", "Settings", widgets)
}

fn help() -> Screen {
    let page =
        Widget::of("page", "", Look::Web).then(vec![rule(&[], &[Then::Leave(Elsewhere::Browser)])]);
    screen(
        "HelpActivity",
        "Help",
        vec![
            text("version", "Calculator 1.2"),
            toggle("tips", "Show tips"),
            page,
        ],
    )
}

/// Names of lengths are sorted by the rules of the language, and two of them are the same in another one.
fn unit(class: &str, title: &str, units: &[&str], number: u8) -> Screen {
    let (from, to) = (
        Var::Inert(310 + u16::from(number)),
        Var::Inert(340 + u16::from(number)),
    );
    let mut widgets = vec![note("value", "Value")];
    for (unit, value) in units.iter().zip(0..) {
        let id = unit.to_lowercase().replace(' ', "_");
        widgets.push(radio(&format!("from_{id}"), unit, from, value).columns(2));
        widgets.push(radio(&format!("to_{id}"), unit, to, value).columns(2));
    }
    let screen = screen(class, title, widgets);
    if number != LENGTH {
        return screen;
    }
    let same = rule(
        &[Is::Foreign],
        &[Then::Throw(
            &UNITS_OF_ANOTHER_LANGUAGE,
            "Comparison method violates its general contract!",
        )],
    );
    screen.on(Hook::Locale, vec![same])
}

const UNITS: &[(&str, &str, &[&str])] = &[
    (
        "LengthActivity",
        "Length",
        &[
            "Metre",
            "Foot",
            "Inch",
            "Yard",
            "Mile",
            "Sea mile",
            "Light year",
        ],
    ),
    (
        "MassActivity",
        "Mass",
        &["Gram", "Ounce", "Pound", "Stone", "Tonne", "Carat"],
    ),
    (
        "AreaActivity",
        "Area",
        &["Square metre", "Acre", "Hectare", "Square mile", "Are"],
    ),
    (
        "VolumeActivity",
        "Volume",
        &["Litre", "Pint", "Gallon", "Cup", "Spoon", "Barrel"],
    ),
    (
        "TimeActivity",
        "Time",
        &["Second", "Minute", "Hour", "Day", "Week", "Year"],
    ),
    (
        "SpeedActivity",
        "Speed",
        &["Knot", "Kilometres an hour", "Miles an hour", "Mach"],
    ),
    (
        "HeatActivity",
        "Temperature",
        &["Celsius", "Fahrenheit", "Kelvin"],
    ),
    (
        "PressureActivity",
        "Pressure",
        &["Bar", "Pascal", "Torr", "Atmosphere"],
    ),
    (
        "DataActivity",
        "Data",
        &["Bit", "Byte", "Kilobyte", "Megabyte", "Gigabyte"],
    ),
];
