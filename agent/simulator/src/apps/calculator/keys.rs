//! The keys. Exact sequences of digits, each ended by `=`, unlock one hidden program after the other.

use super::failures::{
    CALL_IN_PROGRAM, DIVIDED_BY_ZERO, HELD_CLEAR, HEX_POINT, MATRIX_SIDEWAYS, OVERFLOW_TRIMMED,
    SCIENTIFIC_SIDEWAYS,
};
use super::*;
use crate::declarative::{
    ActivityHook, AppRule, RuleCondition, RuleEffect, ScreenDefinition, WidgetDefinition,
    WidgetKind, button, link_row, rule, screen,
};

/// The first digits of π, e, the golden ratio, and a marathon's length in metres.
pub(super) const CODES: [[u8; 5]; 4] = [
    [3, 1, 4, 1, 5],
    [2, 7, 1, 8, 2],
    [1, 6, 1, 8, 0],
    [4, 2, 1, 9, 5],
];

pub(super) fn screen_of_keys() -> ScreenDefinition {
    let call = rule(
        &[RuleCondition::Equals(STAGE, 2)],
        &[RuleEffect::Throw(&CALL_IN_PROGRAM, "program is not paused")],
    );
    let low_memory = rule(
        &[RuleCondition::Equals(STAGE, 3)],
        &[RuleEffect::Signal(&OVERFLOW_TRIMMED)],
    );
    screen("CalculatorActivity", "Calculator", display_and_keys())
        .menu(vec![
            link_row("history", "History", HISTORY),
            link_row("programs", "Programs", PROGRAMS),
            link_row("graph", "Graph", GRAPH),
            link_row("converter", "Converter", CONVERTER),
            link_row("finance", "Finance", FINANCE),
            link_row("dates", "Dates", DATES),
            link_row("lights", "Lights out", LIGHTS),
            link_row("settings", "Settings", SETTINGS),
            link_row("help", "Help", HELP),
        ])
        .on(ActivityHook::Rotate, sideways())
        .on(ActivityHook::Call, vec![call])
        .on(ActivityHook::LowMemory, vec![low_memory])
}

fn display_and_keys() -> Vec<WidgetDefinition> {
    let key = |label: &str, rules| button(&format!("key_{label}"), label, rules).columns(4);
    let operator = |label: &str| {
        key(
            label,
            vec![rule(
                &[],
                &[RuleEffect::Set(STEP, 0), RuleEffect::Set(DIVIDES, 0)],
            )],
        )
    };
    let mut widgets = vec![WidgetDefinition::of(
        "display",
        "= ",
        WidgetKind::Value(SHOWN),
    )];
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
    let clear = operator("C").on_long_press(vec![rule(&[], &[RuleEffect::Throw(&HELD_CLEAR, "")])]);
    widgets.extend([
        key("0", digit(0)),
        key(".", point()),
        key("=", equals()),
        operator("+"),
        clear,
    ]);
    widgets
}

fn divide() -> AppRule {
    rule(
        &[],
        &[RuleEffect::Set(STEP, 0), RuleEffect::Set(DIVIDES, 1)],
    )
}

/// Advances in the next code by one digit. A wrong digit resets it.
fn digit(number: u8) -> Vec<AppRule> {
    let shown = RuleEffect::Increment(SHOWN, 250);
    let mut rules = Vec::new();
    if number == 0 {
        rules.push(rule(
            &[RuleCondition::Equals(DIVIDES, 1)],
            &[shown, RuleEffect::Set(STEP, 0), RuleEffect::Set(DIVIDES, 2)],
        ));
    }
    for (stage, code) in (0..).zip(CODES) {
        for (step, _) in (0..).zip(code).filter(|(_, wanted)| *wanted == number) {
            let further = [
                shown,
                RuleEffect::Set(STEP, step + 1),
                RuleEffect::Set(DIVIDES, 0),
            ];
            rules.push(rule(
                &[
                    RuleCondition::Equals(STAGE, stage),
                    RuleCondition::Equals(STEP, step),
                ],
                &further,
            ));
        }
        if code[0] == number {
            rules.push(rule(
                &[RuleCondition::Equals(STAGE, stage)],
                &[shown, RuleEffect::Set(STEP, 1), RuleEffect::Set(DIVIDES, 0)],
            ));
        }
    }
    rules.push(rule(
        &[],
        &[shown, RuleEffect::Set(STEP, 0), RuleEffect::Set(DIVIDES, 0)],
    ));
    rules
}

fn equals() -> Vec<AppRule> {
    let by_zero = rule(
        &[RuleCondition::Equals(DIVIDES, 2)],
        &[RuleEffect::Throw(
            &DIVIDED_BY_ZERO,
            "BigInteger divide by zero",
        )],
    );
    let unlocked = rule(
        &[RuleCondition::Equals(STEP, 5)],
        &[
            RuleEffect::Increment(STAGE, 4),
            RuleEffect::Set(STEP, 0),
            RuleEffect::Set(SHOWN, 0),
        ],
    );
    vec![
        by_zero,
        unlocked,
        rule(
            &[],
            &[
                RuleEffect::Set(STEP, 0),
                RuleEffect::Set(DIVIDES, 0),
                RuleEffect::Set(SHOWN, 0),
            ],
        ),
    ]
}

/// A point in a number to the base of sixteen.
fn point() -> Vec<AppRule> {
    let hex = &[
        RuleCondition::Equals(STAGE, 1),
        RuleCondition::Equals(HEX, 1),
    ];
    vec![
        rule(
            hex,
            &[RuleEffect::Throw(&HEX_POINT, "For input string: \"0x1.\"")],
        ),
        rule(
            &[],
            &[RuleEffect::Set(STEP, 0), RuleEffect::Set(DIVIDES, 0)],
        ),
    ]
}

/// There is another layout for the phone on its side, and not all programs have theirs.
fn sideways() -> Vec<AppRule> {
    vec![
        rule(
            &[RuleCondition::Equals(STAGE, 4), RuleCondition::Landscape],
            &[RuleEffect::Signal(&MATRIX_SIDEWAYS)],
        ),
        rule(
            &[
                RuleCondition::Equals(STAGE, 1),
                RuleCondition::Equals(STEP, 3),
                RuleCondition::Landscape,
            ],
            &[RuleEffect::Throw(
                &SCIENTIFIC_SIDEWAYS,
                "Binary XML file line #48: Error inflating class Scientific",
            )],
        ),
    ]
}
