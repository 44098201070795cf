//! The keys. Exact sequences of digits, each ended by `=`, unlock one hidden program after the other.

use super::failures::{
    CALL_IN_PROGRAM, DIVIDED_BY_ZERO, HELD_CLEAR, HEX_POINT, MATRIX_SIDEWAYS, OVERFLOW_TRIMMED,
    SCIENTIFIC_SIDEWAYS,
};
use super::*;
use crate::plan::{Hook, Is, Look, Rule, Screen, Then, Widget, button, go, rule, screen};

/// The first digits of π, e, the golden ratio, and a marathon's length in metres.
pub(super) const CODES: [[u8; 5]; 4] = [
    [3, 1, 4, 1, 5],
    [2, 7, 1, 8, 2],
    [1, 6, 1, 8, 0],
    [4, 2, 1, 9, 5],
];

pub(super) fn screen_of_keys() -> Screen {
    let key = |label: &str, rules| button(&format!("key_{label}"), label, rules).columns(4);
    let operator = |label: &str| {
        key(
            label,
            vec![rule(&[], &[Then::Set(STEP, 0), Then::Set(DIVIDES, 0)])],
        )
    };
    let mut widgets = vec![Widget::of("display", "= ", Look::Value(SHOWN))];
    for (row, last) in [[7, 8, 9], [4, 5, 6], [1, 2, 3]]
        .into_iter()
        .zip(["÷", "×", "−"])
    {
        widgets.extend(row.map(|number| key(&number.to_string(), digit(number))));
        widgets.push(if last == "÷" {
            key(last, vec![divide()])
        } else {
            operator(last)
        });
    }
    let clear = operator("C").long(vec![rule(&[], &[Then::Throw(&HELD_CLEAR, "")])]);
    widgets.extend([
        key("0", digit(0)),
        key(".", point()),
        key("=", equals()),
        operator("+"),
        clear,
    ]);
    screen("CalculatorActivity", "Calculator", widgets)
        .menu(vec![
            go("history", "History", HISTORY),
            go("programs", "Programs", PROGRAMS),
            go("graph", "Graph", GRAPH),
            go("converter", "Converter", CONVERTER),
            go("finance", "Finance", FINANCE),
            go("dates", "Dates", DATES),
            go("lights", "Lights out", LIGHTS),
            go("settings", "Settings", SETTINGS),
            go("help", "Help", HELP),
        ])
        .on(Hook::Rotate, sideways())
        .on(
            Hook::Call,
            vec![rule(
                &[Is::At(STAGE, 2)],
                &[Then::Throw(&CALL_IN_PROGRAM, "program is not paused")],
            )],
        )
        .on(
            Hook::LowMemory,
            vec![rule(
                &[Is::At(STAGE, 3)],
                &[Then::Signal(&OVERFLOW_TRIMMED)],
            )],
        )
}

fn divide() -> Rule {
    rule(&[], &[Then::Set(STEP, 0), Then::Set(DIVIDES, 1)])
}

/// One digit further into the code that is next; any other begins anew.
fn digit(number: u8) -> Vec<Rule> {
    let shown = Then::Add(SHOWN, 250);
    let mut rules = Vec::new();
    if number == 0 {
        rules.push(rule(
            &[Is::At(DIVIDES, 1)],
            &[shown, Then::Set(STEP, 0), Then::Set(DIVIDES, 2)],
        ));
    }
    for (stage, code) in (0..).zip(CODES) {
        for (step, _) in (0..).zip(code).filter(|(_, wanted)| *wanted == number) {
            let further = [shown, Then::Set(STEP, step + 1), Then::Set(DIVIDES, 0)];
            rules.push(rule(&[Is::At(STAGE, stage), Is::At(STEP, step)], &further));
        }
        if code[0] == number {
            rules.push(rule(
                &[Is::At(STAGE, stage)],
                &[shown, Then::Set(STEP, 1), Then::Set(DIVIDES, 0)],
            ));
        }
    }
    rules.push(rule(
        &[],
        &[shown, Then::Set(STEP, 0), Then::Set(DIVIDES, 0)],
    ));
    rules
}

fn equals() -> Vec<Rule> {
    let by_zero = rule(
        &[Is::At(DIVIDES, 2)],
        &[Then::Throw(&DIVIDED_BY_ZERO, "BigInteger divide by zero")],
    );
    let unlocked = rule(
        &[Is::At(STEP, 5)],
        &[Then::Add(STAGE, 4), Then::Set(STEP, 0), Then::Set(SHOWN, 0)],
    );
    vec![
        by_zero,
        unlocked,
        rule(
            &[],
            &[
                Then::Set(STEP, 0),
                Then::Set(DIVIDES, 0),
                Then::Set(SHOWN, 0),
            ],
        ),
    ]
}

/// A point in a number to the base of sixteen.
fn point() -> Vec<Rule> {
    let hex = &[Is::At(STAGE, 1), Is::At(HEX, 1)];
    vec![
        rule(
            hex,
            &[Then::Throw(&HEX_POINT, "For input string: \"0x1.\"")],
        ),
        rule(&[], &[Then::Set(STEP, 0), Then::Set(DIVIDES, 0)]),
    ]
}

/// There is another layout for the phone on its side, and not all programs have theirs.
fn sideways() -> Vec<Rule> {
    vec![
        rule(
            &[Is::At(STAGE, 4), Is::Landscape],
            &[Then::Signal(&MATRIX_SIDEWAYS)],
        ),
        rule(
            &[Is::At(STAGE, 1), Is::At(STEP, 3), Is::Landscape],
            &[Then::Throw(
                &SCIENTIFIC_SIDEWAYS,
                "Binary XML file line #48: Error inflating class Scientific",
            )],
        ),
    ]
}
