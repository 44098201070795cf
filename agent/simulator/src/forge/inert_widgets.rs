//! Inert widgets, most of a generated app: switches, choices, fields, lists, feeds and web pages without consequences.

use super::{AppForge, BRANCHES, MAX_WIDGETS};
use crate::declarative::{
    DialogKind, RuleCondition, RuleEffect, Variable, WidgetDefinition, WidgetKind, button,
    inert_field, inert_switch, radio, row, rule, text,
};
use crate::framework::ExternalScreen;

pub(super) const TITLES: [&str; 24] = [
    "Account",
    "Album",
    "Archive",
    "Calendar",
    "Cart",
    "Chat",
    "Contacts",
    "Detail",
    "Editor",
    "Events",
    "Feed",
    "Filter",
    "Gallery",
    "Help",
    "History",
    "List",
    "Map",
    "Order",
    "Player",
    "Profile",
    "Report",
    "Search",
    "Settings",
    "Statistics",
];
pub(super) const WORDS: [&str; 16] = [
    "Sounds",
    "Vibration",
    "Large letters",
    "Only on Wi-Fi",
    "Keep awake",
    "Show pictures",
    "Night mode",
    "Remember me",
    "Notify me",
    "Newest first",
    "Small rows",
    "Sync",
    "Backup",
    "Share usage",
    "Tips",
    "Autoplay",
];
pub(super) const VERBS: [&str; 10] = [
    "Save", "Add", "Open", "Refresh", "Apply", "Play", "Upload", "Export", "Next", "Check",
];

impl AppForge {
    /// Gives every screen the widgets for its share of branches, and some screens a list or a page.
    pub(super) fn add_inert_widgets(&mut self, wanted: Option<u16>) {
        let first = self.next_inert();
        for place in 0..self.screens.len() {
            let share = self.draw(&BRANCHES) / 2;
            match wanted {
                Some(count) => self.add_cells(place, count),
                None => self.add_widgets(place, share, first + 4 * place as u16),
            }
        }
    }

    /// Variables of no consequence that a choice or a list needs; switches get theirs by themselves.
    fn next_inert(&self) -> u16 {
        let switches: usize = self.screens.len() * MAX_WIDGETS as usize;
        switches as u16 + 16
    }

    fn add_widgets(&mut self, place: usize, share: u64, inert: u16) {
        let turn = Variable::Inert(inert + 1);
        let big = match self.pick(100) {
            0..=19 => Some(list(None, turn)),
            20..=26 => Some(list(Some(Variable::Inert(inert + 2)), turn)),
            27..=31 => Some(WidgetDefinition::of("page", "", WidgetKind::Web)),
            32..=35 => Some(WidgetDefinition::of(
                "busy",
                "0 %",
                WidgetKind::EndlessProgress,
            )),
            _ => None,
        };
        // Beside a list there is room for little.
        let count = share.min(if big.is_some() { 4 } else { MAX_WIDGETS });
        for number in 0..count {
            let widget = self.widget(number, Variable::Inert(inert), place);
            self.screens[place].widgets.push(widget);
        }
        // Further branches are in the code of one button, which decides by earlier choices.
        for number in count..share {
            let id = format!("more_{}", number / 8);
            let decides = rule(
                &[RuleCondition::GreaterThan(
                    Variable::Inert(inert),
                    (number % 12) as u8,
                )],
                &[],
            );
            let widgets = &mut self.screens[place].widgets;
            let known = widgets.iter().position(|widget| widget.id == id.as_str());
            match known {
                Some(known) => widgets[known].on_tap.0.push(decides),
                None => widgets.push(button(&id, "More", vec![decides])),
            }
        }
        self.screens[place].widgets.extend(big);
    }

    fn widget(&mut self, number: u64, choice: Variable, place: usize) -> WidgetDefinition {
        let word = WORDS[self.pick(WORDS.len())];
        let verb = VERBS[self.pick(VERBS.len())];
        let id = format!("w_{number}");
        match self.pick(100) {
            0..=49 => inert_switch(&id, word),
            50..=64 => radio(&id, word, choice, number as u8),
            65..=74 => inert_field(&id, word),
            75..=81 => text(&id, word),
            82..=86 => row(
                &id,
                verb,
                vec![rule(
                    &[],
                    &[RuleEffect::OpenExternal(ExternalScreen::Share)],
                )],
            ),
            87..=92 => self.question(&id, verb, place),
            93..=95 => button(
                &id,
                verb,
                vec![rule(
                    &[],
                    &[RuleEffect::OpenExternal(ExternalScreen::Browser)],
                )],
            ),
            _ => button(
                &id,
                verb,
                vec![rule(
                    &[RuleCondition::GreaterThan(choice, 3)],
                    &[RuleEffect::Set(choice, 0)],
                )],
            ),
        }
    }

    /// A button with a dialog, sometimes one of the system.
    fn question(&mut self, id: &str, verb: &str, place: usize) -> WidgetDefinition {
        let dialog = self.screens[place].dialogs.len() as u8;
        let kind = [
            DialogKind::Plain,
            DialogKind::Plain,
            DialogKind::NotCancellable,
            DialogKind::SystemConsent,
        ][self.pick(4)];
        let screen = std::mem::take(&mut self.screens[place]);
        let answers = vec![("No", vec![]), ("Yes", vec![])];
        self.screens[place] = screen.dialog(kind, verb, "Are you sure?", answers);
        button(id, verb, vec![rule(&[], &[RuleEffect::ShowDialog(dialog)])])
    }

    /// Small cells beside each other. Every third one is a switch: a tap on it changes the screen.
    fn add_cells(&mut self, place: usize, count: u16) {
        const LINES: u16 = 9;
        let columns = count.div_ceil(LINES).clamp(1, 200) as u8;
        let cell = |number: u16| {
            let id = short_id(number);
            let label = (number % 100).to_string();
            let cell = if number.is_multiple_of(3) {
                inert_switch(&id, &label)
            } else {
                text(&id, &label)
            };
            cell.columns(columns)
        };
        self.screens[place].widgets.extend((0..count).map(cell));
    }
}

/// A name of two characters where that is enough: short names are drawn faster.
fn short_id(number: u16) -> String {
    let sign = |value: u16| char::from_digit(u32::from(value % 36), 36).unwrap_or('_');
    let high = number / 1_296;
    let tail = [sign(number / 36), sign(number)].into_iter();
    (high > 0)
        .then(|| sign(high))
        .into_iter()
        .chain(tail)
        .collect()
}

fn list(more: Option<Variable>, turn: Variable) -> WidgetDefinition {
    let look = WidgetKind::Rows {
        count: 15,
        more,
        chosen: None,
        content_version: Some(turn),
    };
    WidgetDefinition::of("entry", "Entry ", look)
        .then(vec![rule(&[], &[RuleEffect::Increment(turn, 200)])])
}
