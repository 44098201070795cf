//! Tools beside the keys: converters, a graph, history, settings.

use super::failures::{
    GRAPH_BLOCKS, HISTORY_NOT_READ, INTEREST_TOO_LONG, RATES_OFFLINE, UNITS_OF_ANOTHER_LANGUAGE,
};
use super::*;
use crate::declarative::{
    ActivityHook, DialogKind, FieldText, RuleCondition, RuleEffect, ScreenDefinition, TextKind,
    WidgetDefinition, WidgetKind, button, field, inert_field, inert_switch, link_row, radio, rows,
    rule, screen, text,
};
use crate::framework::ExternalScreen;

const RATE: FieldText = FieldText::Persistent(0);

/// In the order of their numbers, from `HISTORY` on.
pub(super) fn screens() -> Vec<ScreenDefinition> {
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

fn history() -> ScreenDefinition {
    let not_read = rule(
        &[RuleCondition::Equals(HISTORY_READ, 0)],
        &[RuleEffect::Throw(&HISTORY_NOT_READ, "Cursor is closed")],
    );
    let clear = vec![
        rule(&[RuleCondition::Equals(HISTORY_READ, 2)], &[]),
        rule(&[], &[RuleEffect::Set(HISTORY_READ, 2)]),
    ];
    screen(
        "HistoryActivity",
        "History",
        vec![
            button("clear", "Clear", clear),
            inert_switch("keep", "Keep it"),
            rows("line", "Result ", 60, vec![rule(&[], &[RuleEffect::Close])]),
        ],
    )
    .on(
        ActivityHook::Open,
        vec![rule(&[], &[RuleEffect::Set(HISTORY_READ, 1)])],
    )
    .on(ActivityHook::Restore, vec![not_read])
}

/// Unlocked programs. The second is slow and works on the main thread.
fn programs() -> ScreenDefinition {
    let slow = rule(
        &[RuleCondition::Equals(STAGE, 2)],
        &[RuleEffect::BlockMainThread(8_000, &GRAPH_BLOCKS)],
    );
    let run = button(
        "run",
        "Run",
        vec![
            slow,
            rule(
                &[RuleCondition::GreaterThan(STAGE, 0)],
                &[RuleEffect::ShowDialog(0)],
            ),
            rule(&[], &[RuleEffect::ShowDialog(1)]),
        ],
    );
    let widgets = vec![
        WidgetDefinition::of("unlocked", "Unlocked: ", WidgetKind::Value(STAGE)),
        run,
        WidgetDefinition::of("hex", "Base of sixteen", WidgetKind::Switch(HEX)),
        inert_switch("signed", "Signed"),
        inert_switch("wide", "64 bits"),
        inert_switch("grouped", "Groups of four"),
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

fn graph() -> ScreenDefinition {
    let widgets = vec![
        WidgetDefinition::of("curve", "0 %", WidgetKind::EndlessProgress),
        WidgetDefinition::of("plot", "Curve", WidgetKind::Picture),
        inert_switch("grid", "Grid"),
        inert_switch("axes", "Axes"),
        inert_switch("polar", "Polar"),
        inert_field("formula", "Formula"),
        button(
            "share",
            "Share",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(ExternalScreen::Share)],
            )],
        ),
    ];
    screen("GraphActivity", "Graph", widgets)
}

fn converter() -> ScreenDefinition {
    let ways = UNITS
        .iter()
        .zip(LENGTH..)
        .map(|((_, title, _), number)| link_row(&title.to_lowercase(), title, number).columns(2));
    let money = link_row("currency", "Currency", CURRENCY).columns(2);
    screen(
        "ConverterActivity",
        "Converter",
        ways.chain([money]).collect(),
    )
}

/// Rates from the network. Before the first fetch their table is null.
fn currency() -> ScreenDefinition {
    let never = rule(
        &[RuleCondition::Offline, RuleCondition::Equals(RATES, 0)],
        &[RuleEffect::Throw(
            &RATES_OFFLINE,
            "Attempt to get length of null array",
        )],
    );
    let widgets = vec![
        button(
            "fetch",
            "Fetch rates",
            vec![never, rule(&[], &[RuleEffect::Load(0, 1)])],
        ),
        WidgetDefinition::of("fetched", "Fetched: ", WidgetKind::Value(RATES)),
        inert_field("amount", "Amount"),
        inert_switch("favourites", "Favourites first"),
        rows("rate", "Currency ", 35, vec![]),
    ];
    screen("CurrencyActivity", "Currency", widgets)
        .delayed(vec![rule(&[], &[RuleEffect::Set(RATES, 1)])])
        .delayed(vec![rule(&[], &[RuleEffect::ShowDialog(0)])])
        .dialog(
            DialogKind::Plain,
            "No connection",
            "These rates are old.",
            vec![("OK", vec![])],
        )
}

fn finance() -> ScreenDefinition {
    let long = rule(
        &[RuleCondition::Text(RATE, TextKind::Long)],
        &[RuleEffect::Throw(
            &INTEREST_TOO_LONG,
            "For input string: \"a text that is much…\"",
        )],
    );
    let empty = rule(
        &[RuleCondition::Text(RATE, TextKind::Empty)],
        &[RuleEffect::ShowDialog(0)],
    );
    let number = rule(&[RuleCondition::Text(RATE, TextKind::Number)], &[]);
    let widgets = vec![
        field("rate", "Interest rate", RATE),
        inert_field("sum", "Sum"),
        inert_field("years", "Years"),
        inert_switch("monthly", "Monthly"),
        inert_switch("advance", "In advance"),
        button(
            "compute",
            "Compute",
            vec![long, empty, number, rule(&[], &[RuleEffect::ShowDialog(0)])],
        ),
    ];
    screen("FinanceActivity", "Finance", widgets).dialog(
        DialogKind::Plain,
        "No number",
        "Give a number.",
        vec![("OK", vec![])],
    )
}

fn dates() -> ScreenDefinition {
    let widgets = vec![
        inert_field("from", "From"),
        inert_field("to", "To"),
        inert_switch("workdays", "Workdays only"),
        inert_switch("inclusive", "Both days count"),
        inert_switch("weeks", "In weeks"),
        link_row("constants", "Constants", CONSTANTS),
    ];
    screen("DatesActivity", "Dates", widgets)
}

fn constants() -> ScreenDefinition {
    let stars = ["c", "G", "h", "k", "e", "N", "R", "F", "g", "a"];
    screen(
        "ConstantsActivity",
        "Constants",
        stars
            .iter()
            .map(|name| inert_switch(&format!("star_{name}"), name))
            .collect(),
    )
}

fn settings() -> ScreenDefinition {
    let angle = Variable::Inert(301);
    let angles = ["Degrees", "Radians", "Gradians"];
    let mut widgets: Vec<WidgetDefinition> = angles
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
            .map(|label| inert_switch(&label.to_lowercase().replace(' ', "_"), label)),
    );
    screen("SettingsActivity", "Settings", widgets)
}

fn help() -> ScreenDefinition {
    let page = WidgetDefinition::of("page", "", WidgetKind::Web).then(vec![rule(
        &[],
        &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
    )]);
    screen(
        "HelpActivity",
        "Help",
        vec![
            text("version", "Calculator 1.2"),
            inert_switch("tips", "Show tips"),
            page,
        ],
    )
}

/// Names of lengths are sorted by the rules of the language, and two of them are the same in another one.
fn unit(class: &str, title: &str, units: &[&str], number: u8) -> ScreenDefinition {
    let (from, to) = (
        Variable::Inert(310 + u16::from(number)),
        Variable::Inert(340 + u16::from(number)),
    );
    let mut widgets = vec![inert_field("value", "Value")];
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
        &[RuleCondition::ForeignLanguage],
        &[RuleEffect::Throw(
            &UNITS_OF_ANOTHER_LANGUAGE,
            "Comparison method violates its general contract!",
        )],
    );
    screen.on(ActivityHook::Locale, vec![same])
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
