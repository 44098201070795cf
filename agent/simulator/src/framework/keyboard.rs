//! The keyboard: a window of another package whose keys are nodes.

use std::sync::OnceLock;

use retap_shared::Text;
use retap_shared::geometry::{Point, Rect, Rotation};
use retap_shared::screen::{Node, NodeFlags, Window, WindowFlags, WindowKind};

use super::ui::{display_size, is_landscape};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPress {
    Type(char),
    Delete,
    Enter,
}

pub(super) fn height(rotation: Rotation) -> i32 {
    if is_landscape(rotation) { 480 } else { 720 }
}

pub(super) fn window(rotation: Rotation) -> Window {
    Window {
        kind: WindowKind::Keyboard,
        package: Text::new_static("com.android.inputmethod.latin"),
        title: Text::new_static("InputMethod"),
        bounds: bounds(rotation),
        flags: WindowFlags::empty(),
        nodes: nodes(rotation).len() as u32,
    }
}

/// Nodes of the keys, made once for each rotation, because they never change.
pub(super) fn nodes(rotation: Rotation) -> &'static [Node] {
    static UPRIGHT: OnceLock<Vec<Node>> = OnceLock::new();
    static LANDSCAPE: OnceLock<Vec<Node>> = OnceLock::new();
    let kept = if is_landscape(rotation) {
        &LANDSCAPE
    } else {
        &UPRIGHT
    };
    kept.get_or_init(|| draw(rotation))
}

/// The key at a place.
pub(super) fn key_at(rotation: Rotation, at: Point) -> Option<KeyPress> {
    let hit = nodes(rotation)
        .iter()
        .skip(1)
        .position(|node| node.bounds.contains(at))?;
    keys().nth(hit).map(|(_, press, _)| press)
}

const ROWS: [&str; 4] = ["qwertyuiop", "asdfghjkl", "zxcvbnm⌫", ",␣.⏎"];

/// Row, effect and description of each key.
fn keys() -> impl Iterator<Item = (usize, KeyPress, Text)> {
    ROWS.iter().enumerate().flat_map(|(row, keys)| {
        keys.chars().map(move |key| match key {
            '⌫' => (row, KeyPress::Delete, Text::new_static("Delete")),
            '⏎' => (row, KeyPress::Enter, Text::new_static("Enter")),
            '␣' => (row, KeyPress::Type(' '), Text::new_static("Space")),
            letter => (row, KeyPress::Type(letter), Text::from_iter([letter])),
        })
    })
}

fn bounds(rotation: Rotation) -> Rect {
    let size = display_size(rotation);
    let bottom = size.height as i32;
    Rect {
        left: 0,
        top: bottom - height(rotation),
        right: size.width as i32,
        bottom,
    }
}

fn draw(rotation: Rotation) -> Vec<Node> {
    let all = bounds(rotation);
    let row_height = all.height() / ROWS.len() as i32;
    let node = |depth, class, description, bounds, flags| Node {
        depth,
        class: Text::new_static(class),
        description,
        bounds,
        flags: flags | NodeFlags::ENABLED | NodeFlags::VISIBLE,
        ..Node::default()
    };
    let frame = node(
        0,
        "android.widget.FrameLayout",
        Text::default(),
        all,
        NodeFlags::empty(),
    );
    let mut nodes = vec![frame];
    let mut columns = [0; ROWS.len()];
    for (row, _, name) in keys() {
        let width = all.width() / ROWS[row].chars().count() as i32;
        let left = columns[row] * width;
        let top = all.top + row as i32 * row_height;
        let bounds = Rect {
            left,
            top,
            right: left + width,
            bottom: top + row_height,
        };
        columns[row] += 1;
        nodes.push(node(
            1,
            "android.inputmethodservice.Keyboard$Key",
            name,
            bounds,
            NodeFlags::CLICKABLE,
        ));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_at_its_place_in_both_orientations() {
        for rotation in [Rotation::Natural, Rotation::Left] {
            for (node, (_, press, _)) in nodes(rotation).iter().skip(1).zip(keys()) {
                assert_eq!(key_at(rotation, node.bounds.center()), Some(press));
            }
        }
        assert_eq!(key_at(Rotation::Natural, Point { x: 10, y: 10 }), None);
    }
}
