//! GUI trees: the widgets of the touchable window with all their attributes, and the actions on each.

use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags, Screen, Window};

use super::attribute_path::{AttributePathId, AttributePaths, WidgetAttributes};
use crate::actions::{ActionKind, CandidateAction, touchable_window};
use crate::hash_mix::mixed;

/// A screen as the decision trees see it.
#[derive(Clone, Debug)]
pub struct GuiTree {
    /// Activity in front.
    pub activity: Text,
    /// Code of the window's kind; 0 without a window.
    pub window: u64,
    /// Widgets in the order of the tree.
    pub widgets: Vec<GuiWidget>,
    /// Widget and kind of each candidate action; no widget for actions that need none.
    pub actions: Vec<(Option<u32>, ActionKind)>,
}

/// A widget of a GUI tree.
#[derive(Clone, Debug)]
pub struct GuiWidget {
    /// Index of its parent, which comes before it.
    pub parent: Option<usize>,
    /// All its attributes.
    pub attributes: WidgetAttributes,
}

impl GuiTree {
    /// GUI tree of a screen and its candidate actions.
    pub fn of(
        screen: &Screen,
        candidates: &[CandidateAction],
        paths: &mut AttributePaths,
    ) -> GuiTree {
        let top = touchable_window(screen);
        let first = top.map_or(0, |(_, first, _)| first);
        let widget = |node: usize| u32::try_from(node.checked_sub(first)?).ok();
        let actions = candidates
            .iter()
            .map(|candidate| (candidate.node.and_then(widget), candidate.kind))
            .collect();
        GuiTree {
            activity: screen.activity().clone(),
            window: top.map_or(0, |(window, ..)| window_code(window)),
            widgets: top.map_or_else(Vec::new, |(_, _, nodes)| widgets(nodes, paths)),
            actions,
        }
    }
}

impl GuiTree {
    /// Key of the state: a hash of the set of widget names, each with the kinds of its actions.
    pub(super) fn key(
        &self,
        names: &[(AttributePathId, usize)],
        paths: &AttributePaths,
        interactive_only: bool,
    ) -> u64 {
        let mut masks = vec![0_u32; names.len()];
        for (widget, kind) in &self.actions {
            if let Some(mask) = widget.and_then(|widget| masks.get_mut(widget as usize)) {
                *mask |= 1 << kind.code();
            }
        }
        let mut set: Vec<(u64, u32)> = names
            .iter()
            .zip(&masks)
            .filter(|(_, mask)| !interactive_only || **mask != 0)
            .map(|((path, _), mask)| (paths.hash(*path), *mask))
            .collect();
        set.sort_unstable();
        set.dedup();
        let start = mixed(
            xxhash_rust::xxh3::xxh3_64(self.activity.as_bytes()),
            self.window,
        );
        set.into_iter().fold(start, |key, (path, mask)| {
            mixed(key, mixed(path, u64::from(mask)))
        })
    }
}

fn window_code(window: &Window) -> u64 {
    1 + window.kind as u64
}

fn widgets(nodes: &[Node], paths: &mut AttributePaths) -> Vec<GuiWidget> {
    // Index and number of children so far of every node from the root to the last one.
    let mut ancestors: Vec<(usize, u32)> = Vec::new();
    let mut widgets = Vec::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate() {
        ancestors.truncate(usize::from(node.depth));
        let parent = ancestors.last().map(|(parent, _)| *parent);
        let index = ancestors.last_mut().map_or(0, |(_, children)| {
            *children += 1;
            *children - 1
        });
        ancestors.push((number, 0));
        let attributes = WidgetAttributes {
            class: Some(paths.intern_text(&node.class)),
            id: Some(paths.intern_text(&node.id)),
            text: Some(paths.intern_text(&appearance(node))),
            index: Some(index),
        };
        widgets.push(GuiWidget { parent, attributes });
    }
    widgets
}

/// Visible text of a widget with its checked, selected and disabled marks. The text of a field does not count: the explorer typed it.
fn appearance(node: &Node) -> Text {
    let label = if node.is(NodeFlags::EDITABLE) {
        ""
    } else {
        node.label().as_str()
    };
    let mark = |flag, mark: &'static str| if node.is(flag) { mark } else { "" };
    let checked = mark(NodeFlags::CHECKED, " (checked)");
    let selected = mark(NodeFlags::SELECTED, " (selected)");
    let disabled = if node.is(NodeFlags::ENABLED) {
        ""
    } else {
        " (disabled)"
    };
    if checked.is_empty() && selected.is_empty() && disabled.is_empty() {
        return if label.is_empty() {
            Text::default()
        } else {
            node.label().clone()
        };
    }
    Text::from(format!("{label}{checked}{selected}{disabled}"))
}
