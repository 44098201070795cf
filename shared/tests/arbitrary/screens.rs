//! Strategies for screens: any tree, and pairs of screens that share much or nothing.

use proptest::prelude::*;
use retap_shared::geometry::Rect;
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, Window, WindowFlags, WindowKind,
};

use super::{rotation, size, text};

pub(crate) fn screen() -> impl Strategy<Value = Screen> {
    content().prop_map(build).boxed()
}

/// A screen and its successor: a different one, or the same with a few edits.
pub(crate) fn screen_pair() -> impl Strategy<Value = (Screen, Screen)> {
    prop_oneof![
        1 => (screen(), screen()),
        4 => (content(), prop::collection::vec(edit(), 0..4)).prop_map(|(before, edits)| {
            let after = edits.into_iter().fold(before.clone(), |content, edit| edit.apply(content));
            (build(before), build(after))
        }),
    ]
}

fn build(content: ScreenContent) -> Screen {
    Screen::new(content).expect("the strategy makes trees")
}

fn content() -> impl Strategy<Value = ScreenContent> {
    let window = (window(), prop::collection::vec(node(), 0..12));
    (
        size(),
        rotation(),
        text(),
        prop::collection::vec(window, 0..4),
    )
        .prop_map(|(size, rotation, activity, windows)| {
            let mut content = ScreenContent {
                size,
                rotation,
                activity,
                ..ScreenContent::default()
            };
            for (mut window, nodes) in windows {
                window.nodes = nodes.len() as u32;
                content.windows.push(window);
                content.nodes.extend(nodes);
            }
            with_depths(content)
        })
        .boxed()
}

/// Limits every depth to what its predecessor allows.
fn with_depths(mut content: ScreenContent) -> ScreenContent {
    let mut nodes = content.nodes.iter_mut();
    for window in &content.windows {
        let mut allowed = 0;
        for node in nodes.by_ref().take(window.nodes as usize) {
            node.depth = node.depth.min(allowed);
            allowed = node.depth.saturating_add(1);
        }
    }
    content
}

fn window() -> impl Strategy<Value = Window> {
    let kinds = vec![
        WindowKind::Application,
        WindowKind::Dialog,
        WindowKind::Popup,
        WindowKind::Keyboard,
        WindowKind::System,
    ];
    (
        prop::sample::select(kinds),
        text(),
        text(),
        rect(),
        any::<u8>(),
    )
        .prop_map(|(kind, package, title, bounds, flags)| Window {
            kind,
            package,
            title,
            bounds,
            flags: WindowFlags::from_bits_retain(flags),
            nodes: 0,
        })
}

fn node() -> impl Strategy<Value = Node> {
    (
        0..6_u16,
        text(),
        text(),
        text(),
        text(),
        rect(),
        any::<u16>(),
    )
        .prop_map(
            |(depth, class, id, text, description, bounds, flags)| Node {
                depth,
                class,
                id,
                text,
                description,
                bounds,
                flags: NodeFlags::from_bits_retain(flags),
            },
        )
}

/// Mostly within a display, sometimes beyond.
fn rect() -> impl Strategy<Value = Rect> {
    let side = prop_oneof![8 => 0..3_000, 1 => any::<i32>()];
    [side.clone(), side.clone(), side.clone(), side].prop_map(|[left, top, right, bottom]| Rect {
        left,
        top,
        right,
        bottom,
    })
}

/// A change of a screen. Numbers are shares of the list of nodes.
#[derive(Clone, Debug)]
enum Edit {
    Replace(prop::sample::Index, Node),
    Remove(prop::sample::Index),
    Insert(prop::sample::Index, Node),
    Add(Window, Vec<Node>),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (any::<prop::sample::Index>(), node()).prop_map(|(at, node)| Edit::Replace(at, node)),
        1 => any::<prop::sample::Index>().prop_map(Edit::Remove),
        1 => (any::<prop::sample::Index>(), node()).prop_map(|(at, node)| Edit::Insert(at, node)),
        1 => (window(), prop::collection::vec(node(), 0..4)).prop_map(|(window, nodes)| Edit::Add(window, nodes)),
    ]
}

impl Edit {
    fn apply(self, mut content: ScreenContent) -> ScreenContent {
        let place =
            |at: prop::sample::Index, content: &ScreenContent| at.index(content.nodes.len().max(1));
        match self {
            Edit::Replace(at, node) if !content.nodes.is_empty() => {
                let at = place(at, &content);
                let old = content.nodes[at].clone();
                content.nodes[at] = Node {
                    depth: old.depth,
                    class: old.class,
                    id: old.id,
                    ..node
                };
            }
            Edit::Remove(at) if !content.nodes.is_empty() => {
                let at = place(at, &content);
                content.nodes.remove(at);
                window_of(&mut content, at).nodes -= 1;
            }
            Edit::Insert(at, node) if !content.nodes.is_empty() => {
                let at = place(at, &content);
                window_of(&mut content, at).nodes += 1;
                content.nodes.insert(at, node);
            }
            Edit::Add(window, nodes) => {
                content.windows.push(Window {
                    nodes: nodes.len() as u32,
                    ..window
                });
                content.nodes.extend(nodes);
            }
            _ => {}
        }
        with_depths(content)
    }
}

fn window_of(content: &mut ScreenContent, node: usize) -> &mut Window {
    let mut end = 0;
    let holds = |window: &&mut Window| {
        end += window.nodes as usize;
        node < end
    };
    content
        .windows
        .iter_mut()
        .find(holds)
        .expect("every node has a window")
}
