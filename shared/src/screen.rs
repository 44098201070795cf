//! The UI tree of one moment: windows, nodes, attributes; its identity.
//! What changed from one to the next is in `difference`, finding a widget again in `lookup`.

mod diff;
mod hash;
mod lookup;
mod packed;

use std::fmt;
use std::sync::Arc;

use bitflags::bitflags;
pub use diff::{ScreenDiff, ScreenDiffError};
pub use hash::{ParseScreenHashError, ScreenHash};
pub(crate) use packed::EXPANSION;
use serde::{Deserialize, Serialize};

use crate::Text;

/// A screen never changes once built, so its identity is computed once. It travels as `packed` lays it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    content: ScreenContent,
    /// Each node's own hash, in order.
    node_hashes: Vec<u64>,
    hash: ScreenHash,
}

/// What a screen is made of. `nodes` holds every window's nodes one window after the other, each in pre-order:
/// a node's children follow it with a depth one greater.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenContent {
    pub size: Size,
    pub rotation: Rotation,
    /// The activity in front as `package/class`; empty if the phone does not tell.
    pub activity: Text,
    pub windows: Vec<Window>,
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub kind: WindowKind,
    pub package: Text,
    pub title: Text,
    pub bounds: Rect,
    pub flags: WindowFlags,
    /// How many of the screen's nodes are its own.
    pub nodes: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    #[default]
    Application,
    Dialog,
    Popup,
    Keyboard,
    System,
}

bitflags! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct WindowFlags: u8 {
        const FOCUSED = 1;
        /// Its pixels may not be read (FLAG_SECURE).
        const SECURE = 1 << 1;
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct NodeFlags: u16 {
        const ENABLED = 1;
        const CLICKABLE = 1 << 1;
        const LONG_CLICKABLE = 1 << 2;
        const SCROLLABLE = 1 << 3;
        const CHECKABLE = 1 << 4;
        const CHECKED = 1 << 5;
        const EDITABLE = 1 << 6;
        const FOCUSED = 1 << 7;
        const SELECTED = 1 << 8;
        const PASSWORD = 1 << 9;
        const VISIBLE = 1 << 10;
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// 0 for a window's root.
    pub depth: u16,
    pub class: Text,
    pub id: Text,
    pub text: Text,
    pub description: Text,
    pub bounds: Rect,
    pub flags: NodeFlags,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rect {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

/// `Surface.ROTATION_*`: how far the display is turned from its natural orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    #[default]
    Natural,
    Left,
    UpsideDown,
    Right,
}

/// The parts do not make a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedScreen {
    #[error(
        "node {node} has depth {depth}, which no node before it in its window can be the parent of"
    )]
    Depth { node: usize, depth: u16 },
    #[error("the windows claim {claimed} nodes, the screen has {present}")]
    Count { claimed: u64, present: usize },
    #[error("a text is number {0} of a table that is shorter")]
    Text(u32),
    #[error("its texts come to more than {limit} bytes together")]
    TooMuchText { limit: u64 },
    #[error("its packed bytes end early, go on after the end, or hold a value that does not exist")]
    Packing,
}

impl Screen {
    /// Checks that the parts make a tree, and names the result.
    pub fn new(content: ScreenContent) -> Result<Screen, MalformedScreen> {
        content.check()?;
        let node_hashes = content.node_hashes();
        let hash = content.hash(&node_hashes);
        Ok(Screen {
            content,
            node_hashes,
            hash,
        })
    }

    /// The same screen with other flags on some nodes. Only these are looked at.
    pub fn with_flags(&self, changed: &[(usize, NodeFlags)]) -> Screen {
        let Screen {
            mut content,
            mut node_hashes,
            ..
        } = self.clone();
        for &(number, flags) in changed {
            if let (Some(node), Some(hash)) =
                (content.nodes.get_mut(number), node_hashes.get_mut(number))
            {
                node.flags = flags;
                *hash = node.own_hash();
            }
        }
        let hash = content.hash(&node_hashes);
        Screen {
            content,
            node_hashes,
            hash,
        }
    }

    pub fn hash(&self) -> ScreenHash {
        self.hash
    }

    pub fn content(&self) -> &ScreenContent {
        &self.content
    }

    pub fn into_content(self) -> ScreenContent {
        self.content
    }

    pub fn activity(&self) -> &Text {
        &self.content.activity
    }

    pub fn size(&self) -> Size {
        self.content.size
    }

    pub fn rotation(&self) -> Rotation {
        self.content.rotation
    }

    /// Bottom window first.
    pub fn windows(&self) -> &[Window] {
        &self.content.windows
    }

    pub fn nodes(&self) -> &[Node] {
        &self.content.nodes
    }

    /// Each window with the number of its first node and its nodes, bottom window first.
    pub fn windows_with_nodes(&self) -> impl Iterator<Item = (&Window, usize, &[Node])> {
        let mut first = 0;
        self.content.windows.iter().map(move |window| {
            let start = first;
            first += window.nodes as usize;
            (window, start, &self.content.nodes[start..first])
        })
    }
}

impl ScreenContent {
    fn check(&self) -> Result<(), MalformedScreen> {
        let claimed: u64 = self
            .windows
            .iter()
            .map(|window| u64::from(window.nodes))
            .sum();
        if claimed != self.nodes.len() as u64 {
            return Err(MalformedScreen::Count {
                claimed,
                present: self.nodes.len(),
            });
        }
        let mut first = 0;
        for window in &self.windows {
            let end = first + window.nodes as usize;
            let mut deepest_allowed = 0;
            for (node, depth) in (first..end).map(|node| (node, self.nodes[node].depth)) {
                if depth > deepest_allowed {
                    return Err(MalformedScreen::Depth { node, depth });
                }
                deepest_allowed = depth.saturating_add(1);
            }
            first = end;
        }
        Ok(())
    }
}

impl Node {
    pub fn is(&self, flag: NodeFlags) -> bool {
        self.flags.contains(flag)
    }

    /// What a person reads on it.
    pub fn label(&self) -> &Text {
        if self.text.is_empty() {
            &self.description
        } else {
            &self.text
        }
    }
}

impl Rect {
    pub fn center(&self) -> Point {
        Point {
            x: self.left.midpoint(self.right),
            y: self.top.midpoint(self.bottom),
        }
    }

    pub fn contains(&self, point: Point) -> bool {
        (self.left..self.right).contains(&point.x) && (self.top..self.bottom).contains(&point.y)
    }

    pub fn is_empty(&self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

    pub fn width(&self) -> i32 {
        self.right.saturating_sub(self.left)
    }

    pub fn height(&self) -> i32 {
        self.bottom.saturating_sub(self.top)
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{},{} to {},{}",
            self.left, self.top, self.right, self.bottom
        )
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rotation::Natural => "natural",
            Rotation::Left => "left",
            Rotation::UpsideDown => "upside down",
            Rotation::Right => "right",
        })
    }
}

/// Screens are shared between caches, replies and models; nobody copies one.
pub type SharedScreen = Arc<Screen>;
