//! Which screens count as the same state, chosen by the user: by activity, by what can be acted upon, by rules of one's own, or
//! by what APE has learned.
//! Explorers have their own idea of it; this one is for suites.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::ape::{AbstractionError, FrozenAbstraction, LearnedAbstraction};
use super::mixed;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abstraction {
    /// The activity in front, and nothing else.
    Activity,
    /// What the rules say of its widgets.
    Widgets(WidgetAbstraction),
    /// What APE's model has learned to tell apart.
    Ape(LearnedAbstraction),
}

/// An abstraction, ready to be asked by several phones.
#[derive(Debug)]
pub struct PreparedAbstraction(PreparedKind);

#[derive(Debug)]
enum PreparedKind {
    Activity,
    Widgets(WidgetAbstraction),
    Ape(Mutex<FrozenAbstraction>),
}

/// What of a screen's widgets makes its state. The default is DetReduce's: each widget that can be acted upon, with its
/// access path and the values that one sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WidgetAbstraction {
    pub widgets: CountedWidgets,
    pub path: WidgetPathKind,
    pub attributes: BTreeSet<StateAttribute>,
    /// Whether widgets that come out equal count one by one, so that a list of three rows is not one of four.
    pub count_equal: bool,
    /// Widgets that do not count at all.
    pub ignore: Vec<WidgetPattern>,
    /// Widgets whose text counts too.
    pub text: Vec<WidgetPattern>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountedWidgets {
    /// Those that can be clicked, pressed, scrolled, checked or written in.
    #[default]
    Actionable,
    All,
}

/// How a widget's way from the root is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WidgetPathKind {
    #[default]
    ClassAndId,
    Id,
    /// The number of each child among its siblings: every other place is another state.
    ChildNumber,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateAttribute {
    Checked,
    Enabled,
    Selected,
    Focused,
    Clickable,
    Scrollable,
    Editable,
}

/// Widgets with this id, class or text; what is empty matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WidgetPattern {
    pub id: String,
    pub class: String,
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
    pub fn by(abstraction: &Abstraction) -> Result<PreparedAbstraction, AbstractionError> {
        Ok(PreparedAbstraction(match abstraction {
            Abstraction::Activity => PreparedKind::Activity,
            Abstraction::Widgets(rules) => PreparedKind::Widgets(rules.clone()),
            Abstraction::Ape(learned) => {
                PreparedKind::Ape(Mutex::new(FrozenAbstraction::new(learned)?))
            }
        }))
    }

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
            // Which keys a keyboard happens to show is not the app's state; that there is one is.
            let inside = if window.kind == WindowKind::Keyboard {
                0
            } else {
                self.window(nodes)
            };
            state = mixed(state, mixed(owner, inside));
        }
        state
    }

    fn window(&self, nodes: &[Node]) -> u64 {
        let mut widgets = Vec::new();
        // The hashed way to the last node of each depth, and how many children it has had.
        let mut above: Vec<(u64, u64)> = vec![(0, 0)];
        for node in nodes {
            above.truncate(usize::from(node.depth) + 1);
            let Some(parent) = above.last_mut() else {
                continue;
            };
            let number = parent.1;
            parent.1 += 1;
            let way = mixed(parent.0, self.path_element(node, number));
            above.push((way, 0));
            if self.counts(node) {
                widgets.push(mixed(way, self.visible_values(node)));
            }
        }
        widgets.sort_unstable();
        if !self.count_equal {
            widgets.dedup();
        }
        widgets.into_iter().fold(0, mixed)
    }

    fn path_element(&self, node: &Node, number: u64) -> u64 {
        match self.path {
            WidgetPathKind::ClassAndId => {
                xxh3_64_with_seed(node.id.as_bytes(), xxh3_64(node.class.as_bytes()))
            }
            WidgetPathKind::Id => xxh3_64(node.id.as_bytes()),
            WidgetPathKind::ChildNumber => number,
        }
    }

    fn counts(&self, node: &Node) -> bool {
        let actionable = NodeFlags::CLICKABLE
            | NodeFlags::LONG_CLICKABLE
            | NodeFlags::SCROLLABLE
            | NodeFlags::CHECKABLE
            | NodeFlags::EDITABLE;
        (self.widgets == CountedWidgets::All || node.flags.intersects(actionable))
            && !self.ignore.iter().any(|like| like.is(node))
    }

    fn visible_values(&self, node: &Node) -> u64 {
        let flags = self
            .attributes
            .iter()
            .map(|attribute| attribute.flag())
            .collect::<NodeFlags>();
        let seen = u64::from((node.flags & flags).bits());
        let told = self.text.iter().any(|like| like.is(node));
        if told {
            xxh3_64_with_seed(node.label().as_bytes(), seen)
        } else {
            seen
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
    fn is(&self, node: &Node) -> bool {
        let fits = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
        let id = node.id.rsplit('/').next().unwrap_or_default();
        (fits(&self.id, &node.id) || self.id == id)
            && (fits(&self.class, &node.class)
                || node.class.rsplit('.').next() == Some(&self.class))
            && fits(&self.text, node.label())
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
    fn by_default_what_can_be_acted_upon_counts_with_what_one_sees_of_it_and_texts_do_not() {
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
    fn rules_of_ones_own_count_rows_read_texts_and_leave_widgets_out() {
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
        let reading = WidgetAbstraction {
            text: vec![row.clone()],
            ..WidgetAbstraction::default()
        };
        assert_ne!(
            state(&reading, &[("milk", OFF)]),
            state(&reading, &[("bread", OFF)])
        );
        let blind = WidgetAbstraction {
            ignore: vec![row],
            ..WidgetAbstraction::default()
        };
        assert_eq!(state(&blind, &[("milk", OFF)]), state(&blind, &[]));
        let other = WidgetAbstraction {
            ignore: vec![WidgetPattern {
                id: "other".into(),
                ..WidgetPattern::default()
            }],
            ..WidgetAbstraction::default()
        };
        assert_ne!(state(&other, &[("milk", OFF)]), state(&other, &[]));
        let placed = WidgetAbstraction {
            path: WidgetPathKind::ChildNumber,
            ..WidgetAbstraction::default()
        };
        assert_ne!(
            state(&placed, &[("", OFF)]),
            state(&placed, &[("", OFF), ("", OFF)])
        );
    }
}
