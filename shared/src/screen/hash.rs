//! Screen hashes: equal for equal screens, on both ends of the link and on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Node, ScreenContent};
use crate::geometry::Rect;
use crate::hex;

/// The identity of a screen: 16 hexadecimal digits in text formats, a number on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScreenHash(#[serde(with = "hex")] pub u64);

/// The golden ratio's digits; odd, so that the multiplication is a bijection.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The text is not a screen hash.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a screen hash; a screen hash has 16 hexadecimal digits")]
pub struct ParseScreenHashError(pub String);

impl ScreenContent {
    pub(super) fn node_hashes(&self) -> Vec<u64> {
        // Neighbours often share a class, and its name is then often stored once: its hash is reused.
        let mut class: (&str, u64) = ("", 0);
        let mut hashes = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            if !std::ptr::eq(class.0, node.class.as_str()) {
                class = (&node.class, hash_of(&node.class));
            }
            hashes.push(node.hash_with(class.1));
        }
        hashes
    }

    pub(super) fn hash(&self, node_hashes: &[u64]) -> ScreenHash {
        let size = pair(self.size.width, self.size.height);
        let mut hash = block([
            size,
            self.rotation as u64,
            self.windows.len() as u64,
            hash_of(&self.activity),
        ]);
        for window in &self.windows {
            let kind = u64::from(window.flags.bits()) << 8 | window.kind as u64;
            let package = hash_of(&window.package);
            let title = hash_of(&window.title);
            let [from, to] = corners(&window.bounds);
            hash = combined(
                hash,
                block([kind, window.nodes.into(), package, title, from, to]),
            );
        }
        ScreenHash(
            node_hashes
                .iter()
                .fold(hash, |hash, node| combined(hash, *node)),
        )
    }
}

impl Node {
    pub(super) fn own_hash(&self) -> u64 {
        self.hash_with(hash_of(&self.class))
    }

    fn hash_with(&self, class: u64) -> u64 {
        let flags_and_depth = u64::from(self.flags.bits()) << 16 | u64::from(self.depth);
        let id = hash_of(&self.id);
        let text = hash_of(&self.text);
        let description = hash_of(&self.description);
        let [from, to] = corners(&self.bounds);
        block([flags_and_depth, class, id, text, description, from, to])
    }
}

/// Combines a hash with the next one. Cheap, because only this step is sequential: the processor computes the nodes'
/// hashes in parallel.
fn combined(hash: u64, next: u64) -> u64 {
    (hash ^ next).wrapping_mul(SPREAD).rotate_left(32)
}

/// Hashes whole words: reading words from bytes that were stored one by one would stall the processor.
fn block<const N: usize>(words: [u64; N]) -> u64 {
    xxh3_64(words.map(u64::to_le_bytes).as_flattened())
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn corners(rect: &Rect) -> [u64; 2] {
    [
        pair(rect.left.cast_unsigned(), rect.top.cast_unsigned()),
        pair(rect.right.cast_unsigned(), rect.bottom.cast_unsigned()),
    ]
}

fn hash_of(text: &str) -> u64 {
    if text.is_empty() {
        0
    } else {
        xxh3_64(text.as_bytes())
    }
}

impl fmt::Display for ScreenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for ScreenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScreenHash({self})")
    }
}

impl FromStr for ScreenHash {
    type Err = ParseScreenHashError;

    fn from_str(digits: &str) -> Result<Self, ParseScreenHashError> {
        hex::parse(digits)
            .map(ScreenHash)
            .ok_or_else(|| ParseScreenHashError(digits.to_owned()))
    }
}
