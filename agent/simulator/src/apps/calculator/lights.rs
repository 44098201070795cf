//! A game: each level's lights go out one after the other in one order, and any other lights them all again.

use super::failures::{LEVELS_AT_END, LIGHTS_AFTER_WIN};
use super::*;
use crate::plan::{Hook, Is, Look, Rule, Screen, Then, Widget, button, rule, screen, toggle};

/// The order in which the nine lights of each level go out.
const ORDERS: [[u8; 4]; 5] = [
    [4, 0, 8, 2],
    [1, 3, 5, 7],
    [6, 2, 4, 0],
    [8, 7, 1, 4],
    [3, 5, 6, 2],
];

pub(super) fn lights() -> Screen {
    let light = |place: u8| button(&format!("light_{place}"), "●", touch(place)).columns(3);
    let mut widgets = vec![
        Widget::of("level", "Level ", Look::Value(LEVEL)),
        Widget::of("out", "Out: ", Look::Value(OUT)),
    ];
    widgets.extend((0..9).map(light));
    widgets.push(toggle("sound", "Sound"));
    widgets.push(toggle("hints", "Hints"));
    screen("LightsActivity", "Lights out", widgets)
        .on(Hook::Open, vec![rule(&[], &[Then::Set(OUT, 0)])])
}

fn touch(place: u8) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (level, order) in (0..).zip(ORDERS) {
        for (out, _) in (0..).zip(order).filter(|(_, next)| *next == place) {
            let here = [Is::At(LEVEL, level), Is::At(OUT, out)];
            rules.push(rule(&here, &after(level, out)));
        }
    }
    rules.push(rule(&[], &[Then::Set(OUT, 0)]));
    rules
}

fn after(level: u8, out: u8) -> Vec<Then> {
    match (level, out) {
        (4, 3) => vec![Then::Throw(&LEVELS_AT_END, "length=5; index=5")],
        (2, 3) => vec![Then::Add(LEVEL, 4), Then::Set(OUT, 0), Then::Open(WON)],
        (_, 3) => vec![Then::Add(LEVEL, 4), Then::Set(OUT, 0)],
        _ => vec![Then::Add(OUT, 3)],
    }
}

/// Shown after the third level. The fireworks go on after its end.
pub(super) fn won() -> Screen {
    let again: Vec<Rule> = vec![rule(&[], &[Then::Set(LEVEL, 0), Then::Close])];
    let widgets = vec![
        Widget::of("fireworks", "0 %", Look::Restless),
        button("on", "Go on", vec![rule(&[], &[Then::Close])]),
        button("again", "Begin anew", again),
    ];
    screen("WonActivity", "Three levels!", widgets).on(
        Hook::Offline,
        vec![rule(
            &[],
            &[Then::Throw(&LIGHTS_AFTER_WIN, "Score could not be sent")],
        )],
    )
}
