//! Nodes that a step touches: under its fingers, by its widget, or by a key that presses the focused one.

use retap_shared::action::{Action, Key, key_code};
use retap_shared::geometry::Point;
use retap_shared::screen::{NodeFlags, Screen, WindowKind};
use retap_shared::trace::Step;

/// Flags of widgets that take a press on something inside them.
pub(super) const PRESSABLE: NodeFlags = NodeFlags::CLICKABLE
    .union(NodeFlags::LONG_CLICKABLE)
    .union(NodeFlags::CHECKABLE);

/// Nodes that a step would touch: its widget, what lies under its fingers, and what its key presses.
pub(super) fn touched_nodes(step: &Step, screen: &Screen) -> impl Iterator<Item = usize> {
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
    named.into_iter().chain(under).chain(pressed)
}

/// True if a finger would press something of a system window over the app, such as a switch of the notification shade.
pub(super) fn touches_system_window(step: &Step, screen: &Screen, package: &str) -> bool {
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

/// Whether a node is forbidden, or a part of a button that is.
pub(super) fn is_within_forbidden(node: usize, forbidden: &[bool], screen: &Screen) -> bool {
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
