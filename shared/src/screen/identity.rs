//! A screen's identity: a hash of all that it holds, equal on both ends of the link and on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Rect, ScreenContent};
use crate::hex;

/// Written as 16 hexadecimal digits where people read it, as a number on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScreenHash(#[serde(with = "hex")] pub u64);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a screen's hash; that has 16 hexadecimal digits")]
pub struct NotAScreenHash(pub String);

impl ScreenContent {
    /// Chains one hash per window and node. Nothing is collected first: simulators build screens all the time,
    /// and a received screen may repeat a long text in many nodes.
    pub(super) fn hash(&self) -> ScreenHash {
        let mut head = Words::<32>::default();
        head.put(&self.size.width.to_le_bytes());
        head.put(&self.size.height.to_le_bytes());
        head.put(&[self.rotation as u8]);
        head.put(&(self.windows.len() as u64).to_le_bytes());
        head.text(&self.activity);
        let mut hash = head.after(0);
        for window in &self.windows {
            let mut words = Words::<40>::default();
            words.put(&[window.kind as u8, window.flags.bits()]);
            words.text(&window.package);
            words.text(&window.title);
            words.rect(&window.bounds);
            words.put(&window.nodes.to_le_bytes());
            hash = words.after(hash);
        }
        // Neighbours are often of one class, and its name is then often the very same bytes.
        let mut class: (&str, u64) = ("", 0);
        for node in &self.nodes {
            let mut words = Words::<56>::default();
            words.put(&node.depth.to_le_bytes());
            words.put(&node.flags.bits().to_le_bytes());
            if !std::ptr::eq(class.0, node.class.as_str()) {
                class = (&node.class, hash_of(&node.class));
            }
            words.put(&class.1.to_le_bytes());
            words.text(&node.id);
            words.text(&node.text);
            words.text(&node.description);
            words.rect(&node.bounds);
            hash = words.after(hash);
        }
        ScreenHash(hash)
    }
}

/// The fixed-size part of a window or node, each text in it as its own hash.
struct Words<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Words { bytes: [0; N], used: 0 }
    }
}

impl<const N: usize> Words<N> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.used..][..bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }

    fn text(&mut self, text: &str) {
        self.put(&hash_of(text).to_le_bytes());
    }

    fn rect(&mut self, rect: &Rect) {
        for side in [rect.left, rect.top, rect.right, rect.bottom] {
            self.put(&side.to_le_bytes());
        }
    }

    fn after(&self, hash: u64) -> u64 {
        xxh3_64_with_seed(&self.bytes, hash)
    }
}

fn hash_of(text: &str) -> u64 {
    if text.is_empty() { 0 } else { xxh3_64(text.as_bytes()) }
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
    type Err = NotAScreenHash;

    fn from_str(digits: &str) -> Result<Self, NotAScreenHash> {
        hex::parse(digits).map(ScreenHash).ok_or_else(|| NotAScreenHash(digits.to_owned()))
    }
}
