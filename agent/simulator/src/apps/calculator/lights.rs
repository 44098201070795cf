//! A game: the lights of each level go out in one order, and a wrong tap lights them all again.

use super::failures::{LEVELS_AT_END, LIGHTS_AFTER_WIN};
use super::*;
use crate::declarative::{
    ActivityHook, AppRule, RuleCondition, RuleEffect, ScreenDefinition, WidgetDefinition,
    WidgetKind, button, inert_switch, rule, screen,
};

/// The order in which the nine lights of each level go out.
const ORDERS: [[u8; 4]; 5] = [
    [4, 0, 8, 2],
    [1, 3, 5, 7],
    [6, 2, 4, 0],
    [8, 7, 1, 4],
    [3, 5, 6, 2],
];

pub(super) fn lights() -> ScreenDefinition {
    let light = |place: u8| button(&format!("light_{place}"), "●", touch(place)).columns(3);
    let mut widgets = vec![
        WidgetDefinition::of("level", "Level ", WidgetKind::Value(LEVEL)),
        WidgetDefinition::of("out", "Out: ", WidgetKind::Value(OUT)),
    ];
    widgets.extend((0..9).map(light));
    widgets.push(inert_switch("sound", "Sound"));
    widgets.push(inert_switch("hints", "Hints"));
    screen("LightsActivity", "Lights out", widgets).on(
        ActivityHook::Open,
        vec![rule(&[], &[RuleEffect::Set(OUT, 0)])],
    )
}

fn touch(place: u8) -> Vec<AppRule> {
    let mut rules = Vec::new();
    for (level, order) in (0..).zip(ORDERS) {
        for (out, _) in (0..).zip(order).filter(|(_, next)| *next == place) {
            let here = [
                RuleCondition::Equals(LEVEL, level),
                RuleCondition::Equals(OUT, out),
            ];
            rules.push(rule(&here, &after(level, out)));
        }
    }
    rules.push(rule(&[], &[RuleEffect::Set(OUT, 0)]));
    rules
}

fn after(level: u8, out: u8) -> Vec<RuleEffect> {
    match (level, out) {
        (4, 3) => vec![RuleEffect::Throw(&LEVELS_AT_END, "length=5; index=5")],
        (2, 3) => vec![
            RuleEffect::Increment(LEVEL, 4),
            RuleEffect::Set(OUT, 0),
            RuleEffect::Open(WON),
        ],
        (_, 3) => vec![RuleEffect::Increment(LEVEL, 4), RuleEffect::Set(OUT, 0)],
        _ => vec![RuleEffect::Increment(OUT, 3)],
    }
}

/// Shown after the third level. Its fireworks are not stopped when it is closed.
pub(super) fn won() -> ScreenDefinition {
    let again: Vec<AppRule> = vec![rule(&[], &[RuleEffect::Set(LEVEL, 0), RuleEffect::Close])];
    let widgets = vec![
        WidgetDefinition::of("fireworks", "0 %", WidgetKind::EndlessProgress),
        button("on", "Go on", vec![rule(&[], &[RuleEffect::Close])]),
        button("again", "Begin anew", again),
    ];
    screen("WonActivity", "Three levels!", widgets).on(
        ActivityHook::Offline,
        vec![rule(
            &[],
            &[RuleEffect::Throw(
                &LIGHTS_AFTER_WIN,
                "Score could not be sent",
            )],
        )],
    )
}
