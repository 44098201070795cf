//! A GUI tree: the widgets of the window that takes touches, with all their attributes, and what can be done to each.

use retap_shared::Text;
use retap_shared::screen::{Node, NodeFlags, Screen, Window};

use super::attribute_path::{AttributePathId, AttributePaths, WidgetAttributes};
use crate::actions::{ActionKind, CandidateAction, touchable_window};
use crate::mixed;

#[derive(Clone, Debug)]
pub struct GuiTree {
    pub activity: Text,
    /// Which kind of window it is.
    pub window: u64,
    pub widgets: Vec<GuiWidget>,
    /// What can be done to which widget; to none of them for what needs none.
    pub actions: Vec<(Option<u32>, ActionKind)>,
}

#[derive(Clone, Debug)]
pub struct GuiWidget {
    /// Comes before it.
    pub parent: Option<usize>,
    pub attributes: WidgetAttributes,
}

impl GuiTree {
    pub fn of(
        screen: &Screen,
        possible: &[CandidateAction],
        paths: &mut AttributePaths,
    ) -> GuiTree {
        let top = touchable_window(screen);
        let first = top.map_or(0, |(_, first, _)| first);
        let actions = possible
            .iter()
            .map(|possible| {
                let widget = possible
                    .node
                    .and_then(|node| u32::try_from(node.checked_sub(first)?).ok());
                (widget, possible.kind)
            })
            .collect();
        GuiTree {
            activity: screen.activity().clone(),
            window: top.map_or(0, |(window, ..)| kind(window)),
            widgets: top.map_or_else(Vec::new, |(_, _, nodes)| widgets(nodes, paths)),
            actions,
        }
    }
}

impl GuiTree {
    /// A state is a set: of names, and of what can be done to what has them.
    pub(super) fn key(
        &self,
        names: &[(AttributePathId, usize)],
        paths: &AttributePaths,
        interactive_only: bool,
    ) -> u64 {
        let mut masks = vec![0_u32; names.len()];
        for (widget, what) in &self.actions {
            if let Some(mask) = widget.and_then(|widget| masks.get_mut(widget as usize)) {
                *mask |= 1 << what.code();
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

fn kind(window: &Window) -> u64 {
    1 + window.kind as u64
}

fn widgets(nodes: &[Node], paths: &mut AttributePaths) -> Vec<GuiWidget> {
    // For every depth above the current node: its number, and how many children it has had.
    let mut above: Vec<(usize, u32)> = Vec::new();
    let mut widgets = Vec::with_capacity(nodes.len());
    for (number, node) in nodes.iter().enumerate() {
        above.truncate(usize::from(node.depth));
        let parent = above.last().map(|(parent, _)| *parent);
        let index = above.last_mut().map_or(0, |(_, children)| {
            *children += 1;
            *children - 1
        });
        above.push((number, 0));
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

/// What a person sees of it. What stands in a field was typed by the explorer itself and says nothing.
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
