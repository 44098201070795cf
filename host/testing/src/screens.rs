//! Screens for tests, built from a few words.

use retap_shared::geometry::{Rect, Size};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, Window, WindowKind};

pub const TAPPABLE: NodeFlags = NodeFlags::VISIBLE
    .union(NodeFlags::ENABLED)
    .union(NodeFlags::CLICKABLE);

pub fn node(depth: u16, class: &str, id: &str, flags: NodeFlags, bounds: [i32; 4]) -> Node {
    let [left, top, right, bottom] = bounds;
    let bounds = Rect {
        left,
        top,
        right,
        bottom,
    };
    Node {
        depth,
        class: class.into(),
        id: id.into(),
        flags,
        bounds,
        ..Node::default()
    }
}

pub fn root() -> Node {
    node(
        0,
        "android.widget.FrameLayout",
        "",
        NodeFlags::VISIBLE | NodeFlags::ENABLED,
        [0, 0, 400, 800],
    )
}

pub fn texted(node: Node, text: &str) -> Node {
    Node {
        text: text.into(),
        ..node
    }
}

/// Bottom window first; the first one is the app's.
pub fn screen(windows: Vec<(WindowKind, Vec<Node>)>) -> Screen {
    let mut content = ScreenContent {
        size: Size {
            width: 400,
            height: 800,
        },
        activity: "app/Main".into(),
        ..ScreenContent::default()
    };
    for (kind, nodes) in windows {
        let bounds = nodes.first().map_or_else(Rect::default, |root| root.bounds);
        let count = nodes.len() as u32;
        content.windows.push(Window {
            kind,
            package: "app".into(),
            bounds,
            nodes: count,
            ..Window::default()
        });
        content.nodes.extend(nodes);
    }
    Screen::new(content).unwrap()
}

pub fn app(nodes: Vec<Node>) -> Screen {
    screen(vec![(WindowKind::Application, nodes)])
}
