//! Screens on the wire: a table of texts, then windows and nodes of fixed width that refer to texts by number.
//!
//! Every part has at least a sixth of the bytes that it needs in memory, so unpacking never needs more than six times
//! the packed length; `codec` relies on that.

mod packer;
mod unpacker;

pub(super) use packer::Packer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub(super) use unpacker::Unpacker;

use super::{MalformedScreen, Node, Screen, ScreenContent, Window};
use crate::Text;
use crate::bytes::BytesVisitor;

/// Maximum number of bytes of all texts of a received screen, each counted as often as it is used.
const MAX_TEXT: u64 = 16 << 20;

/// Maximum number of bytes in memory per packed byte.
pub(crate) const EXPANSION: usize = 6;
const _: () = assert!(size_of::<Text>() <= EXPANSION * 4);
const _: () = assert!(size_of::<Window>() <= EXPANSION * 18);
const _: () = assert!(size_of::<Node>() <= EXPANSION * 20);

/// Number of bytes of a coordinate or a text's number. Wide is for displays and trees larger than any that exist.
#[derive(Clone, Copy, PartialEq)]
enum PackedWidth {
    Narrow = 2,
    Wide = 4,
}

impl Serialize for Screen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&pack(&self.content))
    }
}

impl<'de> Deserialize<'de> for Screen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor(|bytes: &[u8]| unpack(bytes)))
    }
}

fn pack(content: &ScreenContent) -> Vec<u8> {
    Packer::pack(|packer| {
        packer.size(content.size);
        packer.byte(content.rotation as u8);
        packer.text(&content.activity);
        packer.count(content.windows.len());
        content
            .windows
            .iter()
            .for_each(|window| packer.window(window));
        packer.count(content.nodes.len());
        content.nodes.iter().for_each(|node| packer.node(node));
    })
}

fn unpack(bytes: &[u8]) -> Result<Screen, MalformedScreen> {
    let mut unpacker = Unpacker::new(bytes)?;
    let size = unpacker.size()?;
    let rotation = unpacker.rotation()?;
    let activity = unpacker.text()?;
    let windows = unpacker.windows()?;
    let nodes = unpacker.nodes()?;
    unpacker.end()?;
    checked_screen(ScreenContent {
        size,
        rotation,
        activity,
        windows,
        nodes,
    })
}

/// A screen from received parts. Its texts are limited, because a few bytes can use one long text many times, and each
/// use is hashed.
pub(super) fn checked_screen(content: ScreenContent) -> Result<Screen, MalformedScreen> {
    let of_windows = content
        .windows
        .iter()
        .flat_map(|window| [&window.package, &window.title]);
    let of_nodes = content
        .nodes
        .iter()
        .flat_map(|node| [&node.class, &node.id, &node.text, &node.description]);
    if of_windows
        .chain(of_nodes)
        .map(|text| text.len() as u64)
        .sum::<u64>()
        > MAX_TEXT
    {
        return Err(MalformedScreen::TooMuchText { limit: MAX_TEXT });
    }
    Screen::new(content)
}
