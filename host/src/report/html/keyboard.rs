//! Drawing of a keyboard: all keys as one shape and their letters as one text a row, because there are dozens of them.

use std::fmt::Write;

use maud::{Markup, html};
use retap_shared::screen::{Node, NodeFlags};

use super::canvas::{CanvasArea, DrawingCanvas};
use super::sanitise_html;

/// Minimum number of nodes of a keyboard that reports its keys.
const FEWEST: usize = 12;

const MOST: usize = 120;

pub(crate) fn keys(nodes: &[Node], whole: CanvasArea, canvas: &DrawingCanvas) -> Markup {
    let key = |node: &Node| {
        let area = canvas.area(node.bounds).filter(|area| *area != whole)?;
        node.is(NodeFlags::VISIBLE | NodeFlags::CLICKABLE)
            .then(|| (area.inset(2), letter(node)))
    };
    let keys: Vec<(CanvasArea, char)> = nodes.iter().filter_map(key).take(MOST).collect();
    if keys.len() < FEWEST {
        let CanvasArea {
            x,
            y,
            width,
            height,
        } = whole;
        return html! { use.keys href="#keys" x=(x) y=(y) width=(width) height=(height) {} };
    }
    let rows = keys.chunk_by(|one, next| one.0.y == next.0.y).map(row);
    html! { path.keys d=(shape(&keys)) {} @for row in rows { (row) } }
}

fn shape(keys: &[(CanvasArea, char)]) -> String {
    let mut path = String::with_capacity(keys.len() * 20);
    for (
        CanvasArea {
            x,
            y,
            width,
            height,
        },
        _,
    ) in keys
    {
        let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
    }
    path
}

/// One text with a coordinate for each letter.
fn row(keys: &[(CanvasArea, char)]) -> Markup {
    let places: Vec<String> = keys
        .iter()
        .map(|(area, _)| area.center().0.to_string())
        .collect();
    let letters: String = keys.iter().map(|(_, letter)| letter).collect();
    let y = keys.first().map_or(0, |(area, _)| area.center().1);
    html! { text.letters x=(places.join(" ")) y=(y) { (letters) } }
}

/// One character, or a symbol for a key with a name.
fn letter(node: &Node) -> char {
    let label = sanitise_html::sanitise_line(node.label(), 12);
    let mut characters = label.chars();
    match (
        characters.next(),
        characters.next(),
        label.to_lowercase().as_str(),
    ) {
        (Some(only), None, _) if only != ' ' => only,
        (.., "delete" | "backspace") => '⌫',
        (.., "enter" | "done" | "go" | "search" | "send" | "next") => '↵',
        (.., "shift") => '⇧',
        // A blank would be dropped, and each later letter would get the coordinate of its neighbour.
        _ => '\u{a0}',
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::geometry::{Rect, Size};

    use super::*;

    fn drawn(names: &[&str]) -> String {
        let size = Size {
            width: 1080,
            height: 1920,
        };
        let key = |(column, name): (i32, &&str)| Node {
            description: (*name).into(),
            bounds: Rect {
                left: column * 60,
                top: 1500,
                right: column * 60 + 60,
                bottom: 1600,
            },
            flags: NodeFlags::VISIBLE | NodeFlags::CLICKABLE,
            ..Node::default()
        };
        let nodes: Vec<Node> = (0..).zip(names).map(key).collect();
        let canvas = DrawingCanvas::of(size).unwrap();
        keys(&nodes, canvas.whole(), &canvas).into_string()
    }

    #[test]
    fn each_letter_stands_on_its_key() {
        let row = drawn(&[
            "q", "w", "e", "r", "t", "y", "u", "i", "o", "Space", "Delete", "Enter",
        ]);
        assert!(row.contains(">qwertyuio\u{a0}⌫↵<"), "{row}");
        assert!(
            row.contains(r#"x="10 30 50 70 90 110 130 150 170 190 210 230""#),
            "{row}"
        );
    }

    #[test]
    fn a_keyboard_that_does_not_tell_its_keys_gets_blank_ones() {
        assert!(drawn(&["q", "w"]).contains("#keys"));
    }
}
