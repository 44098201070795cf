//! Finds the node of a widget, and the node under a finger. A node that another window covers cannot be touched.

use std::fmt::Write;

use smol_str::SmolStrBuilder;

use super::{Node, NodeFlags, Screen, Window, WindowKind};
use crate::Text;
use crate::geometry::Point;
use crate::widget::Widget;

/// Flags of a view that consumes a touch instead of letting it through to the view below.
const CONSUMES_TOUCH: NodeFlags = NodeFlags::CLICKABLE
    .union(NodeFlags::LONG_CLICKABLE)
    .union(NodeFlags::SCROLLABLE)
    .union(NodeFlags::CHECKABLE)
    .union(NodeFlags::EDITABLE);

impl Screen {
    /// The node as a step records it.
    ///
    /// # Panics
    /// Like all methods that take a node's number: if the screen has no such node.
    pub fn widget(&self, node: usize) -> Widget {
        let Node { id, class, .. } = &self.nodes()[node];
        let text = self.nodes()[node].label().clone();
        Widget {
            id: id.clone(),
            text,
            class: class.clone(),
            path: self.path(node),
        }
    }

    /// The most likely node of the widget, among those that can be touched: a node of the same class, id and text, as far
    /// as the widget has them; of several, the one at the same path, then the one nearest to `near`. If there is none, a
    /// node of the same class, id and path whose text has changed. A widget with nothing but a path is the node at that
    /// path.
    pub fn find(&self, widget: &Widget, near: Option<Point>) -> Option<usize> {
        let only_path = widget.class.is_empty() && widget.id.is_empty() && widget.text.is_empty();
        let alike = |&(number, node): &(usize, &Node)| {
            matches(&widget.class, &node.class)
                && matches(&widget.id, &node.id)
                && (!only_path || self.is_at_path(number, &widget.path))
        };
        let touchable = |(number, _): (usize, &Node)| self.can_be_touched(number).then_some(number);
        let nodes = || self.nodes().iter().enumerate().filter(alike);
        let exact = nodes()
            .filter(|(_, node)| matches(&widget.text, node.label()))
            .filter_map(touchable);
        exact
            .min_by_key(|&node| {
                (
                    !self.is_at_path(node, &widget.path),
                    self.distance(node, near),
                )
            })
            .or_else(|| {
                let mut at_path =
                    nodes().filter(|&(number, _)| self.is_at_path(number, &widget.path));
                if widget.id.is_empty() {
                    None
                } else {
                    at_path.find_map(touchable)
                }
            })
    }

    /// The node that a finger touches: the deepest visible node of the topmost window at the point. A node that consumes
    /// no touch is ignored if it lies over one that does.
    pub fn node_at(&self, point: Point) -> Option<usize> {
        let (first, nodes) = self.window_at(point)?;
        let under = |(number, node): (usize, &Node)| lies_under(node, point).then_some(number);
        let consumer = nodes
            .iter()
            .rposition(|node| lies_under(node, point) && node.flags.intersects(CONSUMES_TOUCH));
        let (start, end) = match consumer {
            Some(consumer) => (consumer, consumer + subtree_size(&nodes[consumer..])),
            None => (0, nodes.len()),
        };
        let deepest = nodes[start..end].iter().enumerate().rev().find_map(under)?;
        Some(first + start + deepest)
    }

    /// True if a person sees a widget that matches the pattern. Empty fields match anything.
    pub fn shows(&self, pattern: &Widget) -> bool {
        self.nodes().iter().enumerate().any(|(number, node)| {
            matches(&pattern.class, &node.class)
                && has_id(node, &pattern.id)
                && matches(&pattern.text, node.label())
                && (pattern.path.is_empty() || self.is_at_path(number, &pattern.path))
                && node.is(NodeFlags::VISIBLE)
                && !self.is_covered(number)
        })
    }

    /// True if no widget matches the pattern and no dialog, menu or keyboard is above the app's window, which could
    /// hide it.
    pub fn lacks(&self, pattern: &Widget) -> bool {
        let is_own =
            |window: &Window| matches!(window.kind, WindowKind::Application | WindowKind::System);
        !self.nodes().is_empty() && self.windows().iter().all(is_own) && !self.shows(pattern)
    }

    /// The child numbers from the window's root to the node: `0` is the root, `0.2` the root's third child.
    pub fn path(&self, node: usize) -> Text {
        let levels = usize::from(self.nodes()[node].depth) + 1;
        let mut few = [0; 32];
        let mut many = Vec::new();
        let numbers = match few.get_mut(..levels) {
            Some(few) => few,
            None => {
                many.resize(levels, 0);
                &mut many[..]
            }
        };
        for (place, number) in numbers.iter_mut().rev().zip(self.numbers_up(node)) {
            *place = number;
        }
        let mut path = SmolStrBuilder::new();
        for (level, number) in numbers.iter().enumerate() {
            let dot = if level == 0 { "" } else { "." };
            path.push_str(dot);
            // Writing into memory cannot fail.
            let _ = write!(path, "{number}");
        }
        path.finish()
    }

    /// The node's parent; none for a window's root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        let depth = self.nodes()[node].depth;
        if depth == 0 {
            return None;
        }
        self.nodes()[..node]
            .iter()
            .rposition(|before| before.depth < depth)
    }

    /// The node's children in order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let depth = self.nodes()[node].depth;
        let below = self.nodes()[node + 1..]
            .iter()
            .take_while(move |below| below.depth > depth);
        below
            .enumerate()
            .filter(move |(_, below)| below.depth - 1 == depth)
            .map(move |(place, _)| node + 1 + place)
    }
}

impl Screen {
    /// The child numbers of the node, of its parent, and so on up to the window's root.
    fn numbers_up(&self, node: usize) -> impl Iterator<Item = u32> {
        let (_, first) = self.window_of(node);
        let nodes = self.nodes();
        let mut next = Some(node);
        std::iter::from_fn(move || {
            let at = next.take()?;
            let mut number = 0;
            for before in (first..at).rev() {
                if nodes[before].depth < nodes[at].depth {
                    next = Some(before);
                    break;
                }
                number += u32::from(nodes[before].depth == nodes[at].depth);
            }
            Some(number)
        })
    }

    fn is_at_path(&self, node: usize, path: &str) -> bool {
        let numbers = path.rsplit('.').map(|number| number.parse::<u32>().ok());
        numbers.eq(self.numbers_up(node).map(Some))
    }

    /// The number of the node's window, and of that window's first node.
    fn window_of(&self, node: usize) -> (usize, usize) {
        let mut first = 0;
        for (number, window) in self.windows().iter().enumerate() {
            let end = first + window.nodes as usize;
            if node < end {
                return (number, first);
            }
            first = end;
        }
        (self.windows().len(), first)
    }

    /// The number of the first node, and the nodes, of the window that a touch at the point goes to.
    fn window_at(&self, point: Point) -> Option<(usize, &[Node])> {
        let mut end = self.nodes().len();
        let mut blocked = false;
        for window in self.windows().iter().rev() {
            let first = end - window.nodes as usize;
            let nodes = &self.nodes()[first..end];
            if !(blocked && can_be_blocked(window)) && covers(window, nodes, point) {
                return Some((first, nodes));
            }
            blocked |= window.kind == WindowKind::Dialog;
            end = first;
        }
        None
    }

    fn can_be_touched(&self, node: usize) -> bool {
        let Node { bounds, flags, .. } = &self.nodes()[node];
        flags.contains(NodeFlags::VISIBLE)
            && !bounds.is_empty()
            && !self.is_blocked(node)
            && !self.is_covered(node)
    }

    /// True if a dialog lies above the node's window. It lets no touch through, not even beside the dialog.
    fn is_blocked(&self, node: usize) -> bool {
        let (own, _) = self.window_of(node);
        let is_dialog = |window: &Window| window.kind == WindowKind::Dialog;
        can_be_blocked(&self.windows()[own]) && self.windows()[own + 1..].iter().any(is_dialog)
    }

    /// True if another window lies over the node's centre, where it would be touched.
    fn is_covered(&self, node: usize) -> bool {
        let center = self.nodes()[node].bounds.center();
        let (own, _) = self.window_of(node);
        self.windows_with_nodes()
            .skip(own + 1)
            .any(|(window, _, nodes)| covers(window, nodes, center))
    }

    /// The node's distance from the place: to its edge, then to its centre.
    fn distance(&self, node: usize, place: Option<Point>) -> (u64, u64) {
        let Some(place) = place else { return (0, 0) };
        let bounds = &self.nodes()[node].bounds;
        let outside = |at: i32, low: i32, high: i32| {
            let at = i64::from(at);
            let low = i64::from(low);
            let high = i64::from(high);
            (low - at).max(at - high).max(0) as u64
        };
        let edge = outside(place.x, bounds.left, bounds.right)
            + outside(place.y, bounds.top, bounds.bottom);
        let center = bounds.center();
        (
            edge,
            u64::from(center.x.abs_diff(place.x)) + u64::from(center.y.abs_diff(place.y)),
        )
    }
}

/// True if the window takes a touch at the point. Of a system window, which may span the display and show almost
/// nothing, only its visible nodes count.
fn covers(window: &Window, nodes: &[Node], point: Point) -> bool {
    let shows_node =
        || window.kind != WindowKind::System || nodes.iter().any(|node| lies_under(node, point));
    window.bounds.contains(point) && shows_node()
}

fn can_be_blocked(window: &Window) -> bool {
    matches!(
        window.kind,
        WindowKind::Application | WindowKind::Dialog | WindowKind::Popup
    )
}

fn lies_under(node: &Node, point: Point) -> bool {
    node.is(NodeFlags::VISIBLE) && node.bounds.contains(point)
}

/// Number of nodes of the first node's subtree, itself included.
fn subtree_size(nodes: &[Node]) -> usize {
    1 + nodes
        .iter()
        .skip(1)
        .take_while(|below| below.depth > nodes[0].depth)
        .count()
}

/// True if `id` is empty, the node's id, or the part of it after the slash.
fn has_id(node: &Node, id: &str) -> bool {
    id.is_empty()
        || node
            .id
            .strip_suffix(id)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn matches(pattern: &Text, text: &Text) -> bool {
    pattern.is_empty() || pattern == text
}
