//! Abstractions that the user configures for suites: by activity, by widgets, or as APE has learned it.
//! Strategies bring their own abstractions.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::ape::{AbstractionError, FrozenAbstraction, LearnedAbstraction};
use crate::hash_mix::mixed;

/// Function from screens to states, as it is configured and stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abstraction {
    /// Only the activity in front counts.
    Activity,
    /// Widgets count as these rules say.
    Widgets(WidgetAbstraction),
    /// Widgets count as an APE model has learned it.
    Ape(LearnedAbstraction),
}

/// An abstraction in the form that computes states; shared by several phones.
#[derive(Debug)]
pub struct PreparedAbstraction(PreparedKind);

#[derive(Debug)]
enum PreparedKind {
    Activity,
    Widgets(WidgetAbstraction),
    Ape(Mutex<FrozenAbstraction>),
}

/// Rules by which the widgets of a screen make its state. The default is DetReduce's: each widget that can be acted upon, with
/// its access path and its visible values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WidgetAbstraction {
    /// Widgets that count.
    pub widgets: CountedWidgets,
    /// Form of a widget's access path.
    pub path: WidgetPathKind,
    /// Attributes that count.
    pub attributes: BTreeSet<StateAttribute>,
    /// Counts equal widgets one by one, so that lists of three and of four rows are two states.
    pub count_equal: bool,
    /// Widgets that do not count.
    pub ignore: Vec<WidgetPattern>,
    /// Widgets whose text counts.
    pub text: Vec<WidgetPattern>,
}

/// Widgets that count in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedWidgets {
    /// Widgets that can be clicked, pressed, scrolled, checked or edited.
    #[default]
    Actionable,
    /// All widgets.
    All,
}

/// Form of a widget's access path from the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WidgetPathKind {
    /// Class and id of each ancestor.
    #[default]
    ClassAndId,
    /// Id of each ancestor.
    Id,
    /// Number of each ancestor among its siblings: every change of position is another state.
    ChildNumber,
}

/// Attribute of a widget that can count in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are those of Android's attributes")]
pub enum StateAttribute {
    Checked,
    Enabled,
    Selected,
    Focused,
    Clickable,
    Scrollable,
    Editable,
}

/// Selects widgets by id, class and text. An empty field matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WidgetPattern {
    /// Full id, or its last part.
    pub id: String,
    /// Full class name, or its last part.
    pub class: String,
    /// Text or description.
    pub text: String,
}

impl Default for WidgetAbstraction {
    fn default() -> WidgetAbstraction {
        WidgetAbstraction {
            widgets: CountedWidgets::Actionable,
            path: WidgetPathKind::ClassAndId,
            attributes: [
                StateAttribute::Checked,
                StateAttribute::Enabled,
                StateAttribute::Selected,
            ]
            .into(),
            count_equal: false,
            ignore: Vec::new(),
            text: Vec::new(),
        }
    }
}

impl PreparedAbstraction {
    /// Prepares an abstraction. Fails if the rules that APE has learned cannot be read.
    pub fn by(abstraction: &Abstraction) -> Result<PreparedAbstraction, AbstractionError> {
        Ok(PreparedAbstraction(match abstraction {
            Abstraction::Activity => PreparedKind::Activity,
            Abstraction::Widgets(rules) => PreparedKind::Widgets(rules.clone()),
            Abstraction::Ape(learned) => {
                PreparedKind::Ape(Mutex::new(FrozenAbstraction::new(learned)?))
            }
        }))
    }

    /// State of a screen.
    pub fn of(&self, screen: &Screen) -> u64 {
        let activity = xxh3_64(screen.activity().as_bytes());
        match &self.0 {
            PreparedKind::Activity => activity,
            PreparedKind::Widgets(rules) => rules.state(screen, activity),
            PreparedKind::Ape(frozen) => frozen
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .state(screen),
        }
    }
}

impl WidgetAbstraction {
    fn state(&self, screen: &Screen, activity: u64) -> u64 {
        let mut state = activity;
        for (window, _, nodes) in screen.windows_with_nodes() {
            let owner = mixed(xxh3_64(window.package.as_bytes()), window.kind as u64);
            // A keyboard belongs to the state of the app; the keys that it shows do not.
            let content = if window.kind == WindowKind::Keyboard {
                0
            } else {
                self.hash_window(nodes)
            };
            state = mixed(state, mixed(owner, content));
        }
        state
    }

    fn hash_window(&self, nodes: &[Node]) -> u64 {
        let mut widgets = Vec::new();
        // Hashed path and number of children so far of every node from the root to the last one.
        let mut ancestors: Vec<(u64, u64)> = vec![(0, 0)];
        for node in nodes {
            ancestors.truncate(usize::from(node.depth) + 1);
            let Some((parent, children)) = ancestors.last_mut() else {
                continue;
            };
            let path = mixed(*parent, self.path_element(node, *children));
            *children += 1;
            ancestors.push((path, 0));
            if self.counts(node) {
                widgets.push(mixed(path, self.visible_values(node)));
            }
        }
        widgets.sort_unstable();
        if !self.count_equal {
            widgets.dedup();
        }
        widgets.into_iter().fold(0, mixed)
    }

    fn path_element(&self, node: &Node, child_number: u64) -> u64 {
        match self.path {
            WidgetPathKind::ClassAndId => {
                xxh3_64_with_seed(node.id.as_bytes(), xxh3_64(node.class.as_bytes()))
            }
            WidgetPathKind::Id => xxh3_64(node.id.as_bytes()),
            WidgetPathKind::ChildNumber => child_number,
        }
    }

    fn counts(&self, node: &Node) -> bool {
        let actionable = NodeFlags::CLICKABLE
            | NodeFlags::LONG_CLICKABLE
            | NodeFlags::SCROLLABLE
            | NodeFlags::CHECKABLE
            | NodeFlags::EDITABLE;
        (self.widgets == CountedWidgets::All || node.flags.intersects(actionable))
            && !self.ignore.iter().any(|pattern| pattern.matches(node))
    }

    fn visible_values(&self, node: &Node) -> u64 {
        let flags = self
            .attributes
            .iter()
            .map(|attribute| attribute.flag())
            .collect::<NodeFlags>();
        let attributes = u64::from((node.flags & flags).bits());
        if self.text.iter().any(|pattern| pattern.matches(node)) {
            xxh3_64_with_seed(node.label().as_bytes(), attributes)
        } else {
            attributes
        }
    }
}

impl StateAttribute {
    fn flag(self) -> NodeFlags {
        match self {
            StateAttribute::Checked => NodeFlags::CHECKED,
            StateAttribute::Enabled => NodeFlags::ENABLED,
            StateAttribute::Selected => NodeFlags::SELECTED,
            StateAttribute::Focused => NodeFlags::FOCUSED,
            StateAttribute::Clickable => NodeFlags::CLICKABLE,
            StateAttribute::Scrollable => NodeFlags::SCROLLABLE,
            StateAttribute::Editable => NodeFlags::EDITABLE,
        }
    }
}

impl WidgetPattern {
    fn matches(&self, node: &Node) -> bool {
        let matches = |wanted: &str, actual: &str| wanted.is_empty() || wanted == actual;
        let short_id = node.id.rsplit('/').next().unwrap_or_default();
        (matches(&self.id, &node.id) || self.id == short_id)
            && (matches(&self.class, &node.class)
                || node.class.rsplit('.').next() == Some(&self.class))
            && matches(&self.text, node.label())
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::screen::{ScreenContent, Window};

    use super::*;

    fn screen(rows: &[(&str, NodeFlags)]) -> Screen {
        let mut nodes = vec![Node {
            class: "android.widget.ListView".into(),
            ..Node::default()
        }];
        nodes.extend(rows.iter().map(|(text, flags)| Node {
            depth: 1,
            class: "android.widget.CheckBox".into(),
            id: "com.example:id/row".into(),
            text: (*text).into(),
            flags: *flags,
            ..Node::default()
        }));
        let windows = vec![Window {
            nodes: nodes.len() as u32,
            ..Window::default()
        }];
        Screen::new(ScreenContent {
            windows,
            nodes,
            activity: "a/B".into(),
            ..ScreenContent::default()
        })
        .unwrap()
    }

    fn state(rules: &WidgetAbstraction, rows: &[(&str, NodeFlags)]) -> u64 {
        PreparedAbstraction::by(&Abstraction::Widgets(rules.clone()))
            .unwrap()
            .of(&screen(rows))
    }

    const ON: NodeFlags = NodeFlags::CLICKABLE.union(NodeFlags::CHECKED);
    const OFF: NodeFlags = NodeFlags::CLICKABLE;

    #[test]
    fn by_default_actionable_widgets_count_with_their_attributes_and_without_their_texts() {
        let rules = WidgetAbstraction::default();
        assert_eq!(
            state(&rules, &[("milk", OFF)]),
            state(&rules, &[("bread", OFF), ("milk", OFF)])
        );
        assert_ne!(
            state(&rules, &[("milk", OFF)]),
            state(&rules, &[("milk", ON)])
        );
        assert_eq!(
            state(&rules, &[]),
            state(&rules, &[("milk", NodeFlags::ENABLED)])
        );
        let by_activity = PreparedAbstraction::by(&Abstraction::Activity).unwrap();
        assert_eq!(
            by_activity.of(&screen(&[])),
            by_activity.of(&screen(&[("milk", ON)]))
        );
    }

    #[test]
    fn configured_rules_count_rows_compare_texts_and_ignore_widgets() {
        let counting = WidgetAbstraction {
            count_equal: true,
            ..WidgetAbstraction::default()
        };
        assert_ne!(
            state(&counting, &[("", OFF)]),
            state(&counting, &[("", OFF), ("", OFF)])
        );
        let row = WidgetPattern {
            id: "row".into(),
            ..WidgetPattern::default()
        };
        let with_text = WidgetAbstraction {
            text: vec![row.clone()],
            ..WidgetAbstraction::default()
        };
        assert_ne!(
            state(&with_text, &[("milk", OFF)]),
            state(&with_text, &[("bread", OFF)])
        );
        let ignoring = WidgetAbstraction {
            ignore: vec![row],
            ..WidgetAbstraction::default()
        };
        assert_eq!(state(&ignoring, &[("milk", OFF)]), state(&ignoring, &[]));
        let other = WidgetAbstraction {
            ignore: vec![WidgetPattern {
                id: "other".into(),
                ..WidgetPattern::default()
            }],
            ..WidgetAbstraction::default()
        };
        assert_ne!(state(&other, &[("milk", OFF)]), state(&other, &[]));
        let by_position = WidgetAbstraction {
            path: WidgetPathKind::ChildNumber,
            ..WidgetAbstraction::default()
        };
        assert_ne!(
            state(&by_position, &[("", OFF)]),
            state(&by_position, &[("", OFF), ("", OFF)])
        );
    }
}
