//! The screens as a tree: each links to the screens below it, and has its switches.

use super::HOME;
use super::screen_table::{SCREENS, SEARCH, SettingsScreen};
use crate::declarative::{
    RuleEffect, ScreenDefinition, Variable, WidgetDefinition, WidgetKind, inert_field,
    inert_switch, link_row, radio, row, rule, screen,
};

pub(super) fn screens() -> Vec<ScreenDefinition> {
    let widgets = |number: u8, branch: &SettingsScreen| -> Vec<WidgetDefinition> {
        let below = SCREENS
            .iter()
            .zip(0_u8..)
            .filter(|(other, place)| other.parent == number && *place != number);
        let links =
            below.map(|(other, place)| link_row(&id(other.title), other.title, place).columns(2));
        let switches = branch.switches.iter().map(|label| switch(number, label));
        links.chain(switches).collect()
    };
    let mut screens: Vec<ScreenDefinition> = SCREENS
        .iter()
        .zip(0_u8..)
        .map(|(branch, number)| screen(branch.class, branch.title, widgets(number, branch)))
        .collect();
    screens[usize::from(HOME)].menu = vec![
        row(
            "help",
            "Help",
            vec![rule(
                &[],
                &[RuleEffect::OpenExternal(
                    crate::framework::ExternalScreen::Browser,
                )],
            )],
        ),
        link_row("search", "Search settings", SEARCH),
    ];
    screens[usize::from(SEARCH)]
        .widgets
        .insert(0, inert_field("words", "What are you looking for?"));
    screens
}

/// `Only on Wi-Fi` becomes `only_on_wi_fi`.
fn id(label: &str) -> String {
    label.to_lowercase().replace([' ', '-'], "_")
}

/// A label with `|` in it is a choice, all others are switches.
fn switch(number: u8, label: &str) -> WidgetDefinition {
    match label.split_once('|') {
        Some((value, label)) => {
            let chosen = Variable::Inert(256 + u16::from(number));
            radio(&id(label), label, chosen, value.parse().unwrap_or_default())
        }
        None if label.starts_with('~') => {
            WidgetDefinition::of(&id(&label[1..]), &label[1..], WidgetKind::EndlessProgress)
        }
        None => inert_switch(&id(label), label),
    }
}
