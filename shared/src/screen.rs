//! Screens: the UI tree of one moment, with windows, nodes and their attributes, and its hash.
//! `diff` describes changes between screens, `lookup` finds widgets, `packed` is the form on the wire.

mod diff;
mod hash;
mod lookup;
mod packed;

use std::sync::Arc;

use bitflags::bitflags;
pub use diff::{ScreenDiff, ScreenDiffError};
pub use hash::{ParseScreenHashError, ScreenHash};
pub(crate) use packed::EXPANSION;
use serde::{Deserialize, Serialize};

use crate::Text;
use crate::geometry::{Rect, Rotation, Size};

/// The UI tree of one moment. It never changes, so its hash is computed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    content: ScreenContent,
    /// The hash of each node, in order.
    node_hashes: Vec<u64>,
    hash: ScreenHash,
}

/// The parts of a screen. `nodes` holds the nodes of one window after the other, each in pre-order: a node's children
/// follow it with a depth one greater.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenContent {
    /// Size of the display in its current rotation.
    pub size: Size,
    /// Rotation of the display.
    pub rotation: Rotation,
    /// The activity in front as `package/class`; empty if the phone does not report it.
    pub activity: Text,
    /// The windows, bottom window first.
    pub windows: Vec<Window>,
    /// The nodes of all windows.
    pub nodes: Vec<Node>,
}

/// One window of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The role of the window.
    pub kind: WindowKind,
    /// The package that owns the window.
    pub package: Text,
    /// The title that the app gave the window.
    pub title: Text,
    /// The area that the window covers.
    pub bounds: Rect,
    /// Focus and security.
    pub flags: WindowFlags,
    /// Number of the window's nodes.
    pub nodes: u32,
}

/// The role of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    /// An activity's window.
    #[default]
    Application,
    /// A window that lets no touch through to the app's windows below.
    Dialog,
    /// A menu or tooltip above an app's window.
    Popup,
    /// The on-screen keyboard.
    Keyboard,
    /// A window of the system, such as the status bar.
    System,
}

bitflags! {
    /// Flags of a window.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct WindowFlags: u8 {
        /// Receives keys.
        const FOCUSED = 1;
        /// Its pixels may not be read (FLAG_SECURE).
        const SECURE = 1 << 1;
    }

    /// Flags of a node, as `AccessibilityNodeInfo` has them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(transparent)]
    pub struct NodeFlags: u16 {
        /// Reacts to input.
        const ENABLED = 1;
        /// Reacts to a tap.
        const CLICKABLE = 1 << 1;
        /// Reacts to a long press.
        const LONG_CLICKABLE = 1 << 2;
        /// Can be scrolled.
        const SCROLLABLE = 1 << 3;
        /// Can be checked.
        const CHECKABLE = 1 << 4;
        /// Is checked.
        const CHECKED = 1 << 5;
        /// Its text can be edited.
        const EDITABLE = 1 << 6;
        /// Has the input focus.
        const FOCUSED = 1 << 7;
        /// Is selected.
        const SELECTED = 1 << 8;
        /// Its text is hidden.
        const PASSWORD = 1 << 9;
        /// Is visible to the user.
        const VISIBLE = 1 << 10;
    }
}

/// One element of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Number of ancestors; 0 for a window's root.
    pub depth: u16,
    /// Java class such as `android.widget.Button`.
    pub class: Text,
    /// Resource id such as `com.example:id/save`; empty if it has none.
    pub id: Text,
    /// The text that the node shows.
    pub text: Text,
    /// The content description.
    pub description: Text,
    /// The area that the node covers.
    pub bounds: Rect,
    /// State and abilities.
    pub flags: NodeFlags,
}

/// Why parts do not make a screen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedScreen {
    /// A node has no parent.
    #[error("node {node} has depth {depth}, but no node before it in its window can be its parent")]
    Depth {
        /// The node's number.
        node: usize,
        /// The node's depth.
        depth: u16,
    },
    /// The windows' numbers of nodes do not add up.
    #[error("the windows claim {claimed} nodes, the screen has {present}")]
    Count {
        /// Sum over the windows.
        claimed: u64,
        /// Number of nodes.
        present: usize,
    },
    /// A text is missing in the table of texts.
    #[error("text number {0} is not in the table of texts")]
    Text(u32),
    /// The texts are too long together.
    #[error("the texts are longer than {limit} bytes together")]
    TooMuchText {
        /// Maximum number of bytes.
        limit: u64,
    },
    /// The packed bytes cannot be read.
    #[error("the packed bytes end too early, have an excess, or hold an unknown value")]
    Packing,
}

impl Screen {
    /// Checks that the parts make a tree, and computes the hash.
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

    /// The same screen with other flags on some nodes, given by number. Only the hashes of these nodes are computed again.
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

    /// The identity of the screen.
    pub fn hash(&self) -> ScreenHash {
        self.hash
    }

    /// The parts of the screen.
    pub fn content(&self) -> &ScreenContent {
        &self.content
    }

    /// The parts of the screen, without a copy.
    pub fn into_content(self) -> ScreenContent {
        self.content
    }

    /// The activity in front as `package/class`; empty if unknown.
    pub fn activity(&self) -> &Text {
        &self.content.activity
    }

    /// Size of the display in its current rotation.
    pub fn size(&self) -> Size {
        self.content.size
    }

    /// Rotation of the display.
    pub fn rotation(&self) -> Rotation {
        self.content.rotation
    }

    /// The windows, bottom window first.
    pub fn windows(&self) -> &[Window] {
        &self.content.windows
    }

    /// The nodes of all windows, in pre-order.
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
    /// True if the node has all these flags.
    pub fn is(&self, flag: NodeFlags) -> bool {
        self.flags.contains(flag)
    }

    /// The text that a person reads on the node: its text, or its description if it has no text.
    pub fn label(&self) -> &Text {
        if self.text.is_empty() {
            &self.description
        } else {
            &self.text
        }
    }
}

/// A screen that caches, replies and models share instead of copying it.
pub type SharedScreen = Arc<Screen>;
