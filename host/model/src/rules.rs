//! Which screens count as the same state, chosen by the user: by activity, by what can be acted upon, by rules of one's own, or
//! by what APE has learned.
//! Explorers have their own idea of it; this one is for suites.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::ape::{AbstractionError, Frozen, Learned};
use super::mixed;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abstraction {
    /// The activity in front, and nothing else.
    Activity,
    /// What the rules say of its widgets.
    Widgets(WidgetRules),
    /// What APE's model has learned to tell apart.
    Ape(Learned),
}

/// An abstraction, ready to be asked by several phones.
#[derive(Debug)]
pub struct States(Eyes);

#[derive(Debug)]
enum Eyes {
    Activity,
    Widgets(WidgetRules),
    Ape(Mutex<Frozen>),
}

/// What of a screen's widgets makes its state. The default is DetReduce's: each widget that can be acted upon, with its
/// access path and the values that one sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WidgetRules {
    pub widgets: Which,
    pub path: PathBy,
    pub attributes: BTreeSet<Attribute>,
    /// Whether widgets that come out equal count one by one, so that a list of three rows is not one of four.
    pub count_equal: bool,
    /// Widgets that do not count at all.
    pub ignore: Vec<Like>,
    /// Widgets whose text counts too.
    pub text: Vec<Like>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Those that can be clicked, pressed, scrolled, checked or written in.
    #[default]
    Actionable,
    All,
}

/// How a widget's way from the root is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathBy {
    #[default]
    ClassAndId,
    Id,
    /// The number of each child among its siblings: every other place is another state.
    ChildNumber,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribute {
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
pub struct Like {
    pub id: String,
    pub class: String,
    pub text: String,
}

impl Default for WidgetRules {
    fn default() -> WidgetRules {
        WidgetRules {
            widgets: Which::Actionable,
            path: PathBy::ClassAndId,
            attributes: [Attribute::Checked, Attribute::Enabled, Attribute::Selected].into(),
            count_equal: false,
            ignore: Vec::new(),
            text: Vec::new(),
        }
    }
}

impl States {
    pub fn by(abstraction: &Abstraction) -> Result<States, AbstractionError> {
        Ok(States(match abstraction {
            Abstraction::Activity => Eyes::Activity,
            Abstraction::Widgets(rules) => Eyes::Widgets(rules.clone()),
            Abstraction::Ape(learned) => Eyes::Ape(Mutex::new(Frozen::new(learned)?)),
        }))
    }

    pub fn of(&self, screen: &Screen) -> u64 {
        let activity = xxh3_64(screen.activity().as_bytes());
        match &self.0 {
            Eyes::Activity => activity,
            Eyes::Widgets(rules) => rules.state(screen, activity),
            Eyes::Ape(frozen) => frozen
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .state(screen),
        }
    }
}

impl WidgetRules {
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
            let way = mixed(parent.0, self.named(node, number));
            above.push((way, 0));
            if self.counts(node) {
                widgets.push(mixed(way, self.seen_of(node)));
            }
        }
        widgets.sort_unstable();
        if !self.count_equal {
            widgets.dedup();
        }
        widgets.into_iter().fold(0, mixed)
    }

    fn named(&self, node: &Node, number: u64) -> u64 {
        match self.path {
            PathBy::ClassAndId => {
                xxh3_64_with_seed(node.id.as_bytes(), xxh3_64(node.class.as_bytes()))
            }
            PathBy::Id => xxh3_64(node.id.as_bytes()),
            PathBy::ChildNumber => number,
        }
    }

    fn counts(&self, node: &Node) -> bool {
        let actionable = NodeFlags::CLICKABLE
            | NodeFlags::LONG_CLICKABLE
            | NodeFlags::SCROLLABLE
            | NodeFlags::CHECKABLE
            | NodeFlags::EDITABLE;
        (self.widgets == Which::All || node.flags.intersects(actionable))
            && !self.ignore.iter().any(|like| like.is(node))
    }

    fn seen_of(&self, node: &Node) -> u64 {
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

impl Attribute {
    fn flag(self) -> NodeFlags {
        match self {
            Attribute::Checked => NodeFlags::CHECKED,
            Attribute::Enabled => NodeFlags::ENABLED,
            Attribute::Selected => NodeFlags::SELECTED,
            Attribute::Focused => NodeFlags::FOCUSED,
            Attribute::Clickable => NodeFlags::CLICKABLE,
            Attribute::Scrollable => NodeFlags::SCROLLABLE,
            Attribute::Editable => NodeFlags::EDITABLE,
        }
    }
}

impl Like {
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

    fn state(rules: &WidgetRules, rows: &[(&str, NodeFlags)]) -> u64 {
        States::by(&Abstraction::Widgets(rules.clone()))
            .unwrap()
            .of(&screen(rows))
    }

    const ON: NodeFlags = NodeFlags::CLICKABLE.union(NodeFlags::CHECKED);
    const OFF: NodeFlags = NodeFlags::CLICKABLE;

    #[test]
    fn by_default_what_can_be_acted_upon_counts_with_what_one_sees_of_it_and_texts_do_not() {
        let rules = WidgetRules::default();
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
        let by_activity = States::by(&Abstraction::Activity).unwrap();
        assert_eq!(
            by_activity.of(&screen(&[])),
            by_activity.of(&screen(&[("milk", ON)]))
        );
    }

    #[test]
    fn rules_of_ones_own_count_rows_read_texts_and_leave_widgets_out() {
        let counting = WidgetRules {
            count_equal: true,
            ..WidgetRules::default()
        };
        assert_ne!(
            state(&counting, &[("", OFF)]),
            state(&counting, &[("", OFF), ("", OFF)])
        );
        let row = Like {
            id: "row".into(),
            ..Like::default()
        };
        let reading = WidgetRules {
            text: vec![row.clone()],
            ..WidgetRules::default()
        };
        assert_ne!(
            state(&reading, &[("milk", OFF)]),
            state(&reading, &[("bread", OFF)])
        );
        let blind = WidgetRules {
            ignore: vec![row],
            ..WidgetRules::default()
        };
        assert_eq!(state(&blind, &[("milk", OFF)]), state(&blind, &[]));
        let other = WidgetRules {
            ignore: vec![Like {
                id: "other".into(),
                ..Like::default()
            }],
            ..WidgetRules::default()
        };
        assert_ne!(state(&other, &[("milk", OFF)]), state(&other, &[]));
        let placed = WidgetRules {
            path: PathBy::ChildNumber,
            ..WidgetRules::default()
        };
        assert_ne!(
            state(&placed, &[("", OFF)]),
            state(&placed, &[("", OFF), ("", OFF)])
        );
    }
}
