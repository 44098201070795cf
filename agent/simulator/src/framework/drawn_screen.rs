//! A drawn screen together with the handlers of its nodes, and the search for the node that a finger touches.

use std::sync::Arc;

use retap_shared::Text;
use retap_shared::geometry::Point;
use retap_shared::screen::{Node, NodeFlags, SharedScreen, WindowKind};

use super::ExternalScreen;
use super::keyboard::{self, KeyPress};

#[derive(Clone)]
pub(super) struct DrawnScreen<M> {
    pub(super) screen: SharedScreen,
    pub(super) behavior: Arc<ScreenBehavior<M>>,
}

/// Layout behind a screen: shared by screens that differ only in checked states.
pub(super) struct ScreenBehavior<M> {
    /// Node numbers with their handlers; a node may have several.
    pub(super) handlers: Vec<(u32, NodeHandler<M>)>,
    /// One for each window.
    pub(super) cancels: Vec<WindowCancel<M>>,
    /// The text field that the keyboard types into.
    pub(super) focused: Option<u32>,
    pub(super) keyboard: bool,
    pub(super) has_menu: bool,
    /// A node whose text changes all the time.
    pub(super) animated_node: Option<u32>,
    /// Node numbers, each with the app's number of its checked state.
    pub(super) checkable_nodes: Vec<(u32, u16)>,
}

pub(super) enum NodeHandler<M> {
    Tap(M),
    LongPress(M),
    Edit {
        edit: EditHandler<M>,
        value: Text,
    },
    Submit(M),
    Scroll {
        id: Text,
        offset: i32,
        max: i32,
    },
    /// The list was scrolled to its end.
    End(M),
    Pager {
        previous: Option<M>,
        next: Option<M>,
    },
    Up,
    Menu,
    /// Closes the late dialog, and may leave the app.
    DismissLateDialog(Option<ExternalScreen>),
    /// A web page: the messages of its ninths, counted from the top left.
    Web(Vec<(u8, M)>),
}

/// Makes a message of a field's new content.
#[derive(Clone, Copy)]
pub(super) enum EditHandler<M> {
    Single(fn(Text) -> M),
    /// One of several fields that share a message.
    Numbered(u8, fn(u8, Text) -> M),
}

impl<M> EditHandler<M> {
    pub(super) fn message(&self, text: Text) -> M {
        match self {
            EditHandler::Single(make) => make(text),
            EditHandler::Numbered(number, make) => make(*number, text),
        }
    }
}

/// Effects on a window of Back and of a touch beside it.
#[derive(Clone)]
pub(super) enum WindowCancel<M> {
    Never,
    Msg(M),
    Menu,
    LateDialog,
}

/// The element under a finger.
pub(super) enum TouchTarget {
    Key(KeyPress),
    Node(usize),
    /// Beside the topmost window, which takes the touch all the same.
    Outside(usize),
    Nothing,
}

impl<M: Clone> DrawnScreen<M> {
    /// Message of the web page at that place.
    pub(super) fn web_at(&self, node: usize, at: Point) -> Option<M> {
        self.handlers(node).find_map(|does| {
            let NodeHandler::Web(ninths) = does else {
                return None;
            };
            let bounds = self.node(node).bounds;
            let third = |from: i32, length: i32| ((3 * from / length.max(1)).clamp(0, 2)) as u8;
            let ninth = third(at.x - bounds.left, bounds.width())
                + 3 * third(at.y - bounds.top, bounds.height());
            ninths
                .iter()
                .find(|(place, _)| *place == ninth)
                .map(|(_, msg)| msg.clone())
        })
    }
}

impl<M> DrawnScreen<M> {
    /// Updates the checked states, and draws nothing else again.
    pub(super) fn update_checked(&mut self, is_ticked: impl Fn(u16) -> bool) {
        let ticks = self
            .behavior
            .checkable_nodes
            .iter()
            .map(|&(node, tick)| (node as usize, is_ticked(tick)));
        let changed = ticks.filter(|(node, on)| self.node(*node).is(NodeFlags::CHECKED) != *on);
        let changed: Vec<_> = changed
            .map(|(node, _)| (node, self.node(node).flags ^ NodeFlags::CHECKED))
            .collect();
        if !changed.is_empty() {
            self.screen = Arc::new(self.screen.with_flags(&changed));
        }
    }

    /// The topmost window at the place gets the touch; dialogs and menus get those beside them too.
    pub(super) fn touch_target(&self, at: Point) -> TouchTarget {
        let nodes = self.screen.nodes();
        let mut end = nodes.len();
        for (number, window) in self.screen.windows().iter().enumerate().rev() {
            let start = end - window.nodes as usize;
            if window.bounds.contains(at) {
                if window.kind == WindowKind::Keyboard {
                    return keyboard::key_at(self.screen.rotation(), at)
                        .map_or(TouchTarget::Nothing, TouchTarget::Key);
                }
                let hit = nodes[start..end]
                    .iter()
                    .rposition(|node| node.bounds.contains(at));
                return hit.map_or(TouchTarget::Nothing, |hit| TouchTarget::Node(start + hit));
            }
            if matches!(window.kind, WindowKind::Dialog | WindowKind::Popup) {
                return TouchTarget::Outside(number);
            }
            end = start;
        }
        TouchTarget::Nothing
    }

    /// The node and the nodes around it, innermost first.
    pub(super) fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        let nodes = self.screen.nodes();
        let mut depth = nodes[node].depth + 1;
        (0..=node).rev().filter(move |candidate| {
            let outer = nodes[*candidate].depth < depth;
            if outer {
                depth = nodes[*candidate].depth;
            }
            outer
        })
    }

    /// The innermost node that takes touches; a greyed one takes them and does nothing.
    pub(super) fn touch_receiver(&self, node: usize) -> Option<usize> {
        let takes = NodeFlags::CLICKABLE | NodeFlags::LONG_CLICKABLE;
        let found = self
            .ancestors(node)
            .find(|node| self.node(*node).flags.intersects(takes))?;
        self.node(found).is(NodeFlags::ENABLED).then_some(found)
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        &self.screen.nodes()[node]
    }

    pub(super) fn handlers(&self, node: usize) -> impl Iterator<Item = &NodeHandler<M>> {
        self.behavior
            .handlers
            .iter()
            .filter(move |(number, _)| *number as usize == node)
            .map(|(_, does)| does)
    }

    /// The frontmost window that is not the keyboard.
    pub(super) fn front_window(&self) -> usize {
        self.behavior.cancels.len() - 1 - usize::from(self.behavior.keyboard)
    }
}
