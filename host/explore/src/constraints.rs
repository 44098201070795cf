//! Constraints: what an exploration must not touch, what it types, what comes first, and what must never appear. The worker
//! enforces them, so that no strategy can forget them.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::{Action, Key, key_code};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::geometry::Point;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::screen::{Node, NodeFlags, Screen, SharedScreen, WindowKind};
use retap_shared::target::{Target, TargetMatcher, is_activity};
use retap_shared::trace::Step;

use crate::journal::{RecordedStep, StepOrigin};

/// Constraints of an exploration. Empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// Widgets that are not touched.
    pub forbidden_widgets: Vec<WidgetSelector>,
    /// Activities that are left at once, by name or by its end after a dot.
    pub forbidden_activities: Vec<Text>,
    /// Texts, in any case, of widgets that are not touched. A widget that contains such a widget counts too.
    pub forbidden_texts: Vec<Text>,
    /// Texts to type: a part of a field's id, description or text, and what is typed into that field.
    pub field_texts: Vec<(Text, Text)>,
    /// Steps after every clean start, such as signing in.
    pub setup_steps: Vec<Step>,
    /// Targets that must never be reached.
    pub never_rules: Vec<Target>,
    /// Widgets that must be there, each as the target of a screen that lacks it (`Target::Lacks`).
    pub always_rules: Vec<Target>,
}

/// Selects widgets by their attributes. An empty field matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WidgetSelector {
    /// Resource id, or its part after the slash.
    pub id: Text,
    /// Label.
    pub text: Text,
    /// Class, or its end after a dot.
    pub class: Text,
}

/// Flags of widgets that accept an action.
const INTERACTIVE: NodeFlags = NodeFlags::CLICKABLE
    .union(NodeFlags::LONG_CLICKABLE)
    .union(NodeFlags::SCROLLABLE)
    .union(NodeFlags::CHECKABLE)
    .union(NodeFlags::EDITABLE);
/// Flags of widgets that take a press on something inside them.
const PRESSABLE: NodeFlags = NodeFlags::CLICKABLE
    .union(NodeFlags::LONG_CLICKABLE)
    .union(NodeFlags::CHECKABLE);

impl Constraints {
    /// True if nothing is constrained.
    pub fn is_empty(&self) -> bool {
        *self == Constraints::default()
    }

    /// The step as it may be done, with the text that belongs into its field; `None` if it must not be done. `screen` is the
    /// phone's own: on a masked one, fingers would reach what lies below a forbidden widget.
    pub(super) fn allowed_step(
        &self,
        step: Step,
        origin: StepOrigin,
        field: Option<&Node>,
        screen: &Screen,
        package: &str,
    ) -> Option<Step> {
        let touches_system =
            origin != StepOrigin::ReturnToApp && touches_system_window(&step, screen, package);
        let is_forbidden = touches_system || self.forbids(&step, screen);
        (!is_forbidden).then(|| self.with_field_text(step, field))
    }

    /// The screen as strategies see it: forbidden widgets are not interactive.
    pub(super) fn mask(&self, screen: SharedScreen) -> SharedScreen {
        let forbidden = self.forbidden_nodes(&screen);
        if !forbidden.contains(&true) {
            return screen;
        }
        let mut content = screen.content().clone();
        for (node, _) in content
            .nodes
            .iter_mut()
            .zip(&forbidden)
            .filter(|(_, forbidden)| **forbidden)
        {
            node.flags.remove(INTERACTIVE);
        }
        Screen::new(content).map_or(screen, Arc::new)
    }

    /// True if a step would touch a forbidden widget: by its widget, by a finger, or by a key that presses the focused one.
    fn forbids(&self, step: &Step, screen: &Screen) -> bool {
        if self.forbidden_widgets.is_empty() && self.forbidden_texts.is_empty() {
            return false;
        }
        let forbidden = self.forbidden_nodes(screen);
        let named = step
            .widget
            .as_ref()
            .and_then(|widget| screen.find(widget, step.action.place()));
        let under = touch_points(&step.action)
            .into_iter()
            .filter_map(|place| screen.node_at(place));
        let pressed = match &step.action {
            Action::Key(key @ (Key::Enter | Key::Code(_))) if is_press_key(key.code()) => {
                focused_nodes(screen)
            }
            _ => Vec::new(),
        };
        named
            .into_iter()
            .chain(under)
            .chain(pressed)
            .any(|node| is_within_forbidden(node, &forbidden, screen))
    }

    /// Flag per node: forbidden by itself, by a node around it, or by the label of the button that it is.
    fn forbidden_nodes(&self, screen: &Screen) -> Vec<bool> {
        let nodes = screen.nodes();
        let mut forbidden = vec![false; nodes.len()];
        if self.forbidden_widgets.is_empty() && self.forbidden_texts.is_empty() {
            return forbidden;
        }
        for (number, node) in nodes.iter().enumerate() {
            let is_meant = self
                .forbidden_widgets
                .iter()
                .any(|widget| widget.matches(node))
                || self
                    .forbidden_texts
                    .iter()
                    .any(|text| contains(node.label(), text));
            if !is_meant {
                continue;
            }
            let below = nodes[number + 1..]
                .iter()
                .take_while(|below| below.depth > node.depth)
                .count();
            forbidden[number..=number + below].fill(true);
            // A label is touched by touching the button that it is on.
            let mut depth = node.depth;
            for (above, at) in nodes[..number].iter().enumerate().rev() {
                if at.depth < depth {
                    depth = at.depth;
                    if at.flags.intersects(PRESSABLE) {
                        forbidden[above] = true;
                        break;
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
        forbidden
    }

    /// True if an activity is forbidden.
    pub(super) fn forbids_activity(&self, activity: &str) -> bool {
        self.forbidden_activities
            .iter()
            .any(|name| is_activity(activity, name))
    }

    /// The step with the text that belongs into its field.
    fn with_field_text(&self, mut step: Step, node: Option<&Node>) -> Step {
        if let (Action::Text { text, .. }, Some(node)) = (&mut step.action, node) {
            let is_it = |field: &str| {
                [&node.id, &node.description, &node.text]
                    .iter()
                    .any(|name| contains(name, field))
            };
            if let Some((_, wanted)) = self.field_texts.iter().find(|(field, _)| is_it(field)) {
                *text = wanted.clone();
            }
        }
        step
    }

    /// Findings for the rules that a step broke, in the log or on the screen that it led to. `screen` is the phone's own, `quiet`
    /// is false while it is still changing: what is missing then may still appear.
    pub(super) fn broken_rules(
        &self,
        record: &RecordedStep,
        screen: &Screen,
        quiet: bool,
        package: &Text,
    ) -> Vec<Finding> {
        let in_log = self.rules().filter(|rule| is_broken_in_log(rule, record));
        let on_screen = self
            .rules()
            .filter(|rule| is_broken_on_screen(rule, screen, quiet, package));
        in_log
            .chain(on_screen)
            .map(|rule| rule_finding(rule, package))
            .collect()
    }

    fn rules(&self) -> impl Iterator<Item = &Target> {
        self.never_rules.iter().chain(&self.always_rules)
    }

    /// The rule that a finding broke: the target of its trace.
    pub(super) fn target_of(&self, finding: &Finding) -> Option<&Target> {
        self.rules()
            .find(|rule| finding.summary == rule.rule_summary())
    }
}

fn is_broken_in_log(rule: &Target, record: &RecordedStep) -> bool {
    if !matches!(rule, Target::Log(_)) {
        return false;
    }
    let activities = record.activities.iter().cloned();
    let findings = record.findings.iter().cloned();
    let mut reported = activities
        .map(PhoneEventKind::Activity)
        .chain(findings.map(PhoneEventKind::Finding))
        .peekable();
    reported.peek().is_some()
        && TargetMatcher::new(rule.clone())
            .is_ok_and(|matcher| reported.any(|event| matcher.is_reached_by(&event)))
}

fn is_broken_on_screen(rule: &Target, screen: &Screen, quiet: bool, package: &Text) -> bool {
    let is_final = quiet || !matches!(rule, Target::Lacks { .. });
    is_final && rule.is_reached_on(screen, package)
}

/// True if a finger would press something of a system window over the app, such as a switch of the notification shade.
fn touches_system_window(step: &Step, screen: &Screen, package: &str) -> bool {
    let is_system = |node: usize| {
        let mut windows = screen.windows_with_nodes();
        let own = windows.find(|(_, first, nodes)| (*first..first + nodes.len()).contains(&node));
        own.is_some_and(|(window, ..)| {
            window.kind == WindowKind::System && window.package != package
        })
    };
    let takes = |node: usize| screen.nodes()[node].flags.intersects(PRESSABLE);
    let up = |node: usize| std::iter::successors(Some(node), |node| screen.parent(*node));
    let under = touch_points(&step.action)
        .into_iter()
        .filter_map(|place| screen.node_at(place));
    under
        .into_iter()
        .any(|node| is_system(node) && up(node).any(takes))
}

/// Points where fingers touch the screen.
fn touch_points(action: &Action) -> Vec<Point> {
    match action {
        Action::Pinch { center, from, .. } => {
            let side = |x: i32| Point {
                x: center.x.saturating_add(x),
                y: center.y,
            };
            vec![side(-from / 2), side(from / 2)]
        }
        other => other.place().into_iter().collect(),
    }
}

/// Whether a node is forbidden, or a part of a button that is.
fn is_within_forbidden(node: usize, forbidden: &[bool], screen: &Screen) -> bool {
    let mut at = Some(node);
    while let Some(node) = at {
        if forbidden[node] {
            return true;
        }
        let takes_it = screen.nodes()[node].flags.intersects(PRESSABLE);
        at = if takes_it { None } else { screen.parent(node) };
    }
    false
}

impl WidgetSelector {
    fn matches(&self, node: &Node) -> bool {
        (self.id.is_empty() || ends_with(&node.id, &self.id, &['/']))
            && (self.text.is_empty() || node.label() == &self.text)
            && (self.class.is_empty() || ends_with(&node.class, &self.class, &['.']))
    }
}

fn rule_finding(target: &Target, package: &Text) -> Finding {
    Finding {
        kind: FindingKind::Rule,
        process: package.clone(),
        summary: target.rule_summary(),
        stack: String::new(),
    }
}

/// True for keys that press the focused widget: those of keyboards, and those of game pads, which Android falls back to.
fn is_press_key(code: u16) -> bool {
    matches!(
        code,
        key_code::DPAD_CENTER
            | key_code::SPACE
            | key_code::ENTER
            | key_code::BUTTON_A
            | key_code::BUTTON_C
            | key_code::BUTTON_X
            | key_code::BUTTON_Z
            | key_code::BUTTON_THUMBL..=key_code::BUTTON_START
            | key_code::NUMPAD_5
            | key_code::NUMPAD_ENTER
            | key_code::BUTTON_1..=key_code::BUTTON_16
    )
}

/// The focused node and, in a focused list, the selected row.
fn focused_nodes(screen: &Screen) -> Vec<usize> {
    let nodes = screen.nodes();
    let Some(focused) = nodes.iter().position(|node| node.is(NodeFlags::FOCUSED)) else {
        return Vec::new();
    };
    let within = nodes[focused + 1..]
        .iter()
        .take_while(|below| below.depth > nodes[focused].depth)
        .count();
    let chosen =
        (focused + 1..=focused + within).filter(|below| nodes[*below].is(NodeFlags::SELECTED));
    std::iter::once(focused).chain(chosen).collect()
}

fn ends_with(whole: &str, end: &str, after: &[char]) -> bool {
    whole
        .strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with(after))
}

fn contains(whole: &str, part: &str) -> bool {
    !part.is_empty() && whole.to_lowercase().contains(&part.to_lowercase())
}

#[cfg(test)]
mod tests {
    use retap_shared::geometry::{Rect, Size};
    use retap_shared::screen::{ScreenContent, Window};

    use super::*;

    fn node(depth: u16, text: &str, bounds: [i32; 4], flags: NodeFlags) -> Node {
        let [left, top, right, bottom] = bounds;
        let flags = flags | NodeFlags::VISIBLE | NodeFlags::ENABLED;
        let bounds = Rect {
            left,
            top,
            right,
            bottom,
        };
        Node {
            depth,
            class: "View".into(),
            text: text.into(),
            bounds,
            flags,
            ..Node::default()
        }
    }

    /// A row with two labels, and a button that lies over its end.
    fn screen() -> SharedScreen {
        let nodes = vec![
            node(0, "", [0, 0, 1000, 1000], NodeFlags::default()),
            node(1, "", [0, 0, 1000, 200], NodeFlags::CLICKABLE),
            node(2, "Subscription", [0, 0, 400, 200], NodeFlags::default()),
            node(2, "9.99 €", [400, 0, 1000, 200], NodeFlags::default()),
            node(1, "Buy", [800, 100, 1000, 300], NodeFlags::CLICKABLE),
        ];
        let bounds = nodes[0].bounds;
        let windows = vec![Window {
            nodes: 5,
            bounds,
            ..Window::default()
        }];
        let size = Size {
            width: 1000,
            height: 1000,
        };
        Arc::new(
            Screen::new(ScreenContent {
                size,
                windows,
                nodes,
                ..ScreenContent::default()
            })
            .unwrap(),
        )
    }

    fn forbids(text: &str, action: Action) -> bool {
        let constraints = Constraints {
            forbidden_texts: vec![text.into()],
            ..Constraints::default()
        };
        constraints.forbids(&Step::new(action), &screen())
    }

    fn at(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    #[test]
    fn a_finger_beside_the_label_of_a_forbidden_button_is_on_the_button() {
        assert!(forbids("subscription", Action::Tap(at(100, 100))));
        assert!(forbids("subscription", Action::Tap(at(600, 50))));
        assert!(!forbids("subscription", Action::Tap(at(900, 250))));
    }

    #[test]
    fn a_forbidden_button_above_something_else_lets_no_finger_through() {
        assert!(forbids("buy", Action::LongPress(at(900, 150))));
        assert!(!forbids("buy", Action::LongPress(at(600, 150))));
        let constraints = Constraints {
            forbidden_texts: vec!["buy".into()],
            ..Constraints::default()
        };
        assert!(!constraints.mask(screen()).nodes()[4].is(NodeFlags::CLICKABLE));
    }

    #[test]
    fn switches_of_a_notification_shade_are_not_pressed_and_the_app_beside_it_is() {
        let mut content = screen().content().clone();
        let tile = node(0, "Airplane mode", [0, 0, 300, 100], NodeFlags::CLICKABLE);
        let kind = WindowKind::System;
        let package = "com.android.systemui".into();
        content.windows.push(Window {
            nodes: 1,
            bounds: tile.bounds,
            kind,
            package,
            ..Window::default()
        });
        content.nodes.push(tile);
        let screen = Screen::new(content).unwrap();
        let presses =
            |x, y| touches_system_window(&Step::new(Action::Tap(at(x, y))), &screen, "com.example");
        assert!(presses(100, 50));
        assert!(!presses(900, 150));
    }

    #[test]
    fn both_fingers_of_a_pinch_count() {
        let pinch = |from| Action::Pinch {
            center: at(600, 250),
            from,
            to: 10,
            millis: 10,
        };
        assert!(forbids("buy", pinch(600)));
        assert!(!forbids("buy", pinch(200)));
    }

    #[test]
    fn keys_do_not_press_what_is_forbidden_in_a_list_that_has_the_focus() {
        let rows = [("Buy", NodeFlags::SELECTED), ("Look", NodeFlags::empty())];
        let mut nodes = vec![Node {
            flags: NodeFlags::FOCUSED,
            ..Node::default()
        }];
        nodes.extend(rows.map(|(text, flags)| Node {
            depth: 1,
            text: text.into(),
            flags,
            ..Node::default()
        }));
        let windows = vec![Window {
            nodes: nodes.len() as u32,
            ..Window::default()
        }];
        let screen = Screen::new(ScreenContent {
            windows,
            nodes,
            ..ScreenContent::default()
        })
        .unwrap();
        let forbids = |text: &str, code| {
            let constraints = Constraints {
                forbidden_texts: vec![text.into()],
                ..Constraints::default()
            };
            constraints.forbids(&Step::new(Action::Key(Key::Code(code))), &screen)
        };
        for pressing in [
            key_code::DPAD_CENTER,
            key_code::BUTTON_A,
            key_code::NUMPAD_5,
        ] {
            assert!(
                forbids("buy", pressing) && !forbids("look", pressing),
                "{pressing}"
            );
        }
        assert!(!forbids("buy", key_code::DPAD_DOWN));
    }
}
