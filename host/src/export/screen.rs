//! Screens as data: the XML of `uiautomator dump`, which inspectors and XPath understand, and JSON.

use std::fmt::Write as _;

use retap_shared::geometry::Rect;
use retap_shared::screen::{Node, NodeFlags, Screen, Window, WindowFlags};
use serde_json::{Value, json};

use super::phone_command::quarter_turns;

/// Attributes of the XML that are flags, in the order of `uiautomator dump`.
const FLAGS: [(&str, NodeFlags); 9] = [
    ("checkable", NodeFlags::CHECKABLE),
    ("checked", NodeFlags::CHECKED),
    ("clickable", NodeFlags::CLICKABLE),
    ("enabled", NodeFlags::ENABLED),
    ("focused", NodeFlags::FOCUSED),
    ("scrollable", NodeFlags::SCROLLABLE),
    ("long-clickable", NodeFlags::LONG_CLICKABLE),
    ("password", NodeFlags::PASSWORD),
    ("selected", NodeFlags::SELECTED),
];

/// Writes the windows of a screen one after the other, bottom window first. Like `uiautomator dump` it leaves hidden
/// nodes out, with all below them.
pub fn to_xml(screen: &Screen) -> String {
    let rotation = quarter_turns(screen.rotation());
    let mut xml = format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<hierarchy rotation=\"{rotation}\">\n"
    );
    let mut roots = 0;
    for (window, _, nodes) in screen.windows_with_nodes() {
        write_window(window, nodes, &mut roots, &mut xml);
    }
    xml + "</hierarchy>"
}

fn write_window(window: &Window, nodes: &[Node], roots: &mut usize, xml: &mut String) {
    // The number of children so far of each open node; the roots come first.
    let mut children = vec![*roots];
    let mut hidden: Option<u16> = None;
    for node in nodes {
        if hidden.is_some_and(|depth| node.depth > depth) {
            continue;
        }
        hidden = (!node.is(NodeFlags::VISIBLE)).then_some(node.depth);
        if hidden.is_some() {
            continue;
        }
        let depth = usize::from(node.depth);
        close(&mut children, depth + 1, xml);
        let index = children[depth];
        children[depth] += 1;
        let _ = write!(
            xml,
            "{:indent$}<node index=\"{index}\"",
            "",
            indent = 2 * (depth + 1)
        );
        write_attributes(window, node, xml);
        xml.push_str(">\n");
        children.push(0);
    }
    close(&mut children, 1, xml);
    *roots = children[0];
}

/// Closes open nodes until `open` counts are left.
fn close(children: &mut Vec<usize>, open: usize, xml: &mut String) {
    while children.len() > open {
        children.pop();
        let _ = writeln!(xml, "{:indent$}</node>", "", indent = 2 * children.len());
    }
}

fn write_attributes(window: &Window, node: &Node, xml: &mut String) {
    let texts = [
        ("text", &node.text),
        ("resource-id", &node.id),
        ("class", &node.class),
        ("package", &window.package),
        ("content-desc", &node.description),
    ];
    for (name, value) in texts {
        let _ = write!(xml, " {name}=\"{}\"", escaped(value));
    }
    for (name, flag) in FLAGS {
        let _ = write!(xml, " {name}=\"{}\"", node.is(flag));
    }
    let Rect {
        left,
        top,
        right,
        bottom,
    } = node.bounds;
    let _ = write!(xml, " bounds=\"[{left},{top}][{right},{bottom}]\"");
}

/// A text as the value of an attribute. Characters that XML 1.0 cannot have become `.`, as `uiautomator dump` does it.
fn escaped(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '&' => value.push_str("&amp;"),
            '<' => value.push_str("&lt;"),
            '>' => value.push_str("&gt;"),
            '"' => value.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(value, "&#{};", one as u32);
            }
            one if one.is_control() || matches!(one, '\u{fffe}' | '\u{ffff}') => value.push('.'),
            // A terminal would obey these; a reference means the same.
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {
                let _ = write!(value, "&#{};", one as u32);
            }
            one => value.push(one),
        }
    }
    value
}

/// A screen with its windows and nodes. Nodes are in pre-order, each with its depth.
pub fn to_json(screen: &Screen) -> Value {
    let windows: Vec<Value> = screen
        .windows_with_nodes()
        .map(|(window, first, nodes)| {
            let nodes = nodes.iter().enumerate();
            let nodes: Vec<Value> = nodes
                .map(|(place, node)| node_json(node, &screen.path(first + place)))
                .collect();
            json!({
                "kind": format!("{:?}", window.kind).to_lowercase(),
                "package": window.package,
                "title": window.title,
                "bounds": bounds(window.bounds),
                "focused": window.flags.contains(WindowFlags::FOCUSED),
                "secure": window.flags.contains(WindowFlags::SECURE),
                "nodes": nodes,
            })
        })
        .collect();
    json!({
        "screen": screen.hash(),
        "activity": screen.activity(),
        "rotation": screen.rotation(),
        "width": screen.size().width,
        "height": screen.size().height,
        "windows": windows,
    })
}

fn node_json(node: &Node, path: &str) -> Value {
    let flags = node.flags.iter_names().map(|(name, _)| name.to_lowercase());
    json!({
        "path": path,
        "depth": node.depth,
        "class": node.class,
        "id": node.id,
        "text": node.text,
        "description": node.description,
        "bounds": bounds(node.bounds),
        "flags": flags.collect::<Vec<String>>(),
    })
}

fn bounds(rect: Rect) -> [i32; 4] {
    [rect.left, rect.top, rect.right, rect.bottom]
}
