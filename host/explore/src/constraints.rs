//! Constraints: forbidden widgets, texts to type, setup steps, and rules that must hold. The worker enforces them, so that
//! no strategy can forget them.

mod rules;
#[cfg(test)]
mod tests;
mod touch;

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::finding::Finding;
use retap_shared::screen::{Node, NodeFlags, Screen, SharedScreen};
use retap_shared::target::{Target, is_activity};
use retap_shared::trace::Step;

use self::rules::{is_broken_in_log, is_broken_on_screen, rule_finding};
use self::touch::{PRESSABLE, is_within_forbidden, touched_nodes, touches_system_window};
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
        touched_nodes(step, screen).any(|node| is_within_forbidden(node, &forbidden, screen))
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

    /// True if a rule is about what the app logs.
    pub(super) fn has_log_rules(&self) -> bool {
        self.rules().any(|rule| matches!(rule, Target::Log(_)))
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

impl WidgetSelector {
    fn matches(&self, node: &Node) -> bool {
        (self.id.is_empty() || ends_with(&node.id, &self.id, &['/']))
            && (self.text.is_empty() || node.label() == &self.text)
            && (self.class.is_empty() || ends_with(&node.class, &self.class, &['.']))
    }
}

fn ends_with(whole: &str, end: &str, after: &[char]) -> bool {
    whole
        .strip_suffix(end)
        .is_some_and(|before| before.is_empty() || before.ends_with(after))
}

fn contains(whole: &str, part: &str) -> bool {
    !part.is_empty() && whole.to_lowercase().contains(&part.to_lowercase())
}
