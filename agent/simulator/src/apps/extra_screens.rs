//! The declarative part of the first apps: a hub, and from it screens with switches, most of them inert.

use crate::declarative::{ScreenDefinition, WidgetDefinition, inert_switch, link_row, screen};

/// One of these screens: its class, its title, and its switches.
pub(super) type ExtraScreen = (&'static str, &'static str, &'static [&'static str]);

/// The hub has number 0, the others follow in their order.
pub(super) fn hub_and_screens(parts: &[ExtraScreen]) -> Vec<ScreenDefinition> {
    let id = |title: &str| title.to_lowercase().replace([' ', '-', '’', ','], "_");
    let ways = parts
        .iter()
        .zip(1..)
        .map(|((_, title, _), number)| link_row(&id(title), title, number).columns(2));
    let mut screens = vec![screen("MoreActivity", "More", ways.collect())];
    screens.extend(parts.iter().map(|(class, title, switches)| {
        screen(
            class,
            title,
            switches
                .iter()
                .map(|label| inert_switch(&id(label), label))
                .collect(),
        )
    }));
    screens
}

/// Puts widgets before all others of a screen, and lets `with` change the rest of it.
pub(super) fn extend_screen(
    screens: &mut [ScreenDefinition],
    number: usize,
    widgets: Vec<WidgetDefinition>,
    with: impl FnOnce(ScreenDefinition) -> ScreenDefinition,
) {
    let mut changed = std::mem::take(&mut screens[number]);
    changed.widgets.splice(0..0, widgets);
    screens[number] = with(changed);
}
