//! Screen diffs: edits on the flat list of nodes.
//! Nodes that both screens share at the start and at the end are kept and patched, the nodes between are replaced.

use std::convert::Infallible;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::packed::{Packer, Unpacker, checked_screen};
use super::{MalformedScreen, Node, Screen, ScreenContent, ScreenHash, Window};
use crate::bytes::BytesVisitor;

/// The change from one screen to another. It stays packed until it is applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreenDiff {
    /// The screen that the diff applies to.
    pub base: ScreenHash,
    /// The screen that the diff leads to.
    pub result: ScreenHash,
    #[serde(serialize_with = "write_edits", deserialize_with = "read_edits")]
    edits: Vec<u8>,
}

/// Why a diff cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScreenDiffError {
    /// The diff belongs to another screen.
    #[error("the diff applies to screen `{expected}`, not to `{found}`; request the full screen")]
    Base {
        /// The diff's base.
        expected: ScreenHash,
        /// The screen that it was applied to.
        found: ScreenHash,
    },
    /// The diff leads to another screen than it claims.
    #[error(
        "the diff should lead to screen `{expected}`, but leads to `{found}`; request the full screen"
    )]
    Result {
        /// The diff's result.
        expected: ScreenHash,
        /// The screen that it led to.
        found: ScreenHash,
    },
    /// The result is not a screen.
    #[error("the diff does not lead to a screen; request the full screen")]
    Malformed(#[from] MalformedScreen),
}

impl ScreenDiff {
    /// Computes the diff from `before` to `after`.
    pub fn between(before: &Screen, after: &Screen) -> ScreenDiff {
        let base = before.hash();
        let result = after.hash();
        ScreenDiff {
            base,
            result,
            edits: write(before.content(), after.content()),
        }
    }

    /// Applies the diff to its base.
    pub fn apply(&self, before: &Screen) -> Result<Screen, ScreenDiffError> {
        if before.hash() != self.base {
            return Err(ScreenDiffError::Base {
                expected: self.base,
                found: before.hash(),
            });
        }
        let after = checked_screen(read(before.content(), &self.edits)?)?;
        if after.hash() != self.result {
            return Err(ScreenDiffError::Result {
                expected: self.result,
                found: after.hash(),
            });
        }
        Ok(after)
    }
}

/// Bits of the parts that the edits change.
mod part {
    pub(super) const SIZE: u8 = 1;
    pub(super) const ROTATION: u8 = 1 << 1;
    pub(super) const ACTIVITY: u8 = 1 << 2;
    pub(super) const WINDOWS: u8 = 1 << 3;
    pub(super) const NODES: u8 = 1 << 4;
}

/// Bits of the attributes that a patch sets on a kept node.
mod attribute {
    pub(super) const TEXT: u8 = 1;
    pub(super) const DESCRIPTION: u8 = 1 << 1;
    pub(super) const BOUNDS: u8 = 1 << 2;
    pub(super) const FLAGS: u8 = 1 << 3;
}

fn write(before: &ScreenContent, after: &ScreenContent) -> Vec<u8> {
    let parts = [
        (part::SIZE, before.size != after.size),
        (part::ROTATION, before.rotation != after.rotation),
        (part::ACTIVITY, before.activity != after.activity),
        (part::WINDOWS, before.windows != after.windows),
        (part::NODES, before.nodes != after.nodes),
    ];
    let parts = bits(&parts);
    Packer::pack(|packer| {
        packer.byte(parts);
        if parts & part::SIZE != 0 {
            packer.size(after.size);
        }
        if parts & part::ROTATION != 0 {
            packer.byte(after.rotation as u8);
        }
        if parts & part::ACTIVITY != 0 {
            packer.text(&after.activity);
        }
        if parts & part::WINDOWS != 0 {
            write_windows(packer, &before.windows, &after.windows);
        }
        if parts & part::NODES != 0 {
            write_nodes(packer, &before.nodes, &after.nodes);
        }
    })
}

fn read(before: &ScreenContent, edits: &[u8]) -> Result<ScreenContent, MalformedScreen> {
    let mut unpacker = Unpacker::new(edits)?;
    let parts = unpacker.byte()?;
    let changed = |part: u8| parts & part != 0;
    let after = ScreenContent {
        size: if changed(part::SIZE) {
            unpacker.size()?
        } else {
            before.size
        },
        rotation: if changed(part::ROTATION) {
            unpacker.rotation()?
        } else {
            before.rotation
        },
        activity: if changed(part::ACTIVITY) {
            unpacker.text()?
        } else {
            before.activity.clone()
        },
        windows: if changed(part::WINDOWS) {
            read_windows(&mut unpacker, &before.windows)?
        } else {
            before.windows.clone()
        },
        nodes: if changed(part::NODES) {
            read_nodes(&mut unpacker, &before.nodes)?
        } else {
            before.nodes.clone()
        },
    };
    unpacker.end()?;
    Ok(after)
}

const KEPT: u8 = 0;
const NEW: u8 = 1;

/// Writes a window that differs in its number of nodes only, as most do, by that number.
fn write_windows<'a>(packer: &mut Packer<'a>, before: &[Window], after: &'a [Window]) {
    packer.count(after.len());
    for (number, window) in after.iter().enumerate() {
        let kept = before.get(number).is_some_and(|old| {
            Window {
                nodes: window.nodes,
                ..old.clone()
            } == *window
        });
        if kept {
            packer.byte(KEPT);
            packer.count(window.nodes as usize);
        } else {
            packer.byte(NEW);
            packer.window(window);
        }
    }
}

fn read_windows(
    unpacker: &mut Unpacker<'_>,
    before: &[Window],
) -> Result<Vec<Window>, MalformedScreen> {
    let count = unpacker.count_of(5)?;
    let mut windows = Vec::with_capacity(count);
    for number in 0..count {
        windows.push(match unpacker.byte()? {
            KEPT => {
                let old = before.get(number).ok_or(MalformedScreen::Packing)?;
                Window {
                    nodes: unpacker.count()? as u32,
                    ..old.clone()
                }
            }
            NEW => unpacker.window()?,
            _ => return Err(MalformedScreen::Packing),
        });
    }
    Ok(windows)
}

fn write_nodes<'a>(packer: &mut Packer<'a>, before: &[Node], after: &'a [Node]) {
    let head = before
        .iter()
        .zip(after)
        .take_while(|(old, new)| may_be_patched(old, new))
        .count();
    let tails = before[head..].iter().rev().zip(after[head..].iter().rev());
    let tail = tails
        .take_while(|(old, new)| may_be_patched(old, new))
        .count();
    packer.count(head);
    packer.count(tail);
    let middle = &after[head..after.len() - tail];
    packer.count(middle.len());
    middle.iter().for_each(|node| packer.node(node));

    let kept_head = before[..head].iter().zip(&after[..head]).zip(0..);
    let kept_tail = before[before.len() - tail..]
        .iter()
        .zip(&after[after.len() - tail..]);
    let kept = kept_head.chain(kept_tail.zip(after.len() - tail..));
    let patches: Vec<_> = kept.filter(|((old, new), _)| old != new).collect();
    packer.count(patches.len());
    for ((old, new), number) in patches {
        packer.count(number);
        write_patch(packer, old, new);
    }
}

/// True if the two may be the same node before and after a change: a patch cannot set these attributes.
fn may_be_patched(old: &Node, new: &Node) -> bool {
    old.depth == new.depth && old.class == new.class && old.id == new.id
}

fn read_nodes(unpacker: &mut Unpacker<'_>, before: &[Node]) -> Result<Vec<Node>, MalformedScreen> {
    let head = unpacker.count()?;
    let tail = unpacker.count()?;
    if head.saturating_add(tail) > before.len() {
        return Err(MalformedScreen::Packing);
    }
    let middle = unpacker.nodes()?;
    let mut nodes = Vec::with_capacity(head + middle.len() + tail);
    nodes.extend_from_slice(&before[..head]);
    nodes.extend(middle);
    nodes.extend_from_slice(&before[before.len() - tail..]);
    for _ in 0..unpacker.count()? {
        let number = unpacker.count()?;
        read_patch(
            unpacker,
            nodes.get_mut(number).ok_or(MalformedScreen::Packing)?,
        )?;
    }
    Ok(nodes)
}

fn write_patch<'a>(packer: &mut Packer<'a>, old: &Node, new: &'a Node) {
    let set = bits(&[
        (attribute::TEXT, old.text != new.text),
        (attribute::DESCRIPTION, old.description != new.description),
        (attribute::BOUNDS, old.bounds != new.bounds),
        (attribute::FLAGS, old.flags != new.flags),
    ]);
    packer.byte(set);
    if set & attribute::TEXT != 0 {
        packer.text(&new.text);
    }
    if set & attribute::DESCRIPTION != 0 {
        packer.text(&new.description);
    }
    if set & attribute::BOUNDS != 0 {
        packer.rect(&new.bounds);
    }
    if set & attribute::FLAGS != 0 {
        packer.flags(new.flags);
    }
}

fn read_patch(unpacker: &mut Unpacker<'_>, node: &mut Node) -> Result<(), MalformedScreen> {
    let set = unpacker.byte()?;
    if set & attribute::TEXT != 0 {
        node.text = unpacker.text()?;
    }
    if set & attribute::DESCRIPTION != 0 {
        node.description = unpacker.text()?;
    }
    if set & attribute::BOUNDS != 0 {
        node.bounds = unpacker.rect()?;
    }
    if set & attribute::FLAGS != 0 {
        node.flags = unpacker.flags()?;
    }
    Ok(())
}

fn bits(flags: &[(u8, bool)]) -> u8 {
    flags
        .iter()
        .filter(|(_, set)| *set)
        .fold(0, |bits, (bit, _)| bits | bit)
}

fn write_edits<S: Serializer>(edits: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(edits)
}

fn read_edits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_bytes(BytesVisitor(|bytes: &[u8]| {
        Ok::<_, Infallible>(bytes.to_vec())
    }))
}
