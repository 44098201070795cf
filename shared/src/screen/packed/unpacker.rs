//! Reads packed bytes and refuses those that no packer wrote. Counts are compared with the remaining bytes before memory
//! is allocated for them.

use super::PackedWidth;
use crate::Text;
use crate::geometry::{Rect, Rotation, Size};
use crate::screen::{MalformedScreen, Node, NodeFlags, Window, WindowFlags, WindowKind};

pub(in crate::screen) struct Unpacker<'a> {
    rest: &'a [u8],
    texts: Vec<Text>,
    width: PackedWidth,
}

type UnpackResult<T> = Result<T, MalformedScreen>;

impl<'a> Unpacker<'a> {
    pub(in crate::screen) fn new(bytes: &'a [u8]) -> UnpackResult<Self> {
        let mut unpacker = Unpacker {
            rest: bytes,
            texts: Vec::new(),
            width: PackedWidth::Narrow,
        };
        unpacker.width = match unpacker.byte()? {
            2 => PackedWidth::Narrow,
            4 => PackedWidth::Wide,
            _ => return Err(MalformedScreen::Packing),
        };
        let count = unpacker.count_of(4)?;
        unpacker.texts.reserve_exact(count);
        for _ in 0..count {
            let length = unpacker.count()?;
            let text =
                str::from_utf8(unpacker.take(length)?).map_err(|_| MalformedScreen::Packing)?;
            unpacker.texts.push(text.into());
        }
        Ok(unpacker)
    }

    pub(in crate::screen) fn end(&self) -> UnpackResult<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(MalformedScreen::Packing)
        }
    }

    fn take(&mut self, length: usize) -> UnpackResult<&'a [u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(MalformedScreen::Packing)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> UnpackResult<[u8; N]> {
        let (taken, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(MalformedScreen::Packing)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(in crate::screen) fn byte(&mut self) -> UnpackResult<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub(in crate::screen) fn count(&mut self) -> UnpackResult<usize> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    /// The number of elements of at least `width` bytes that follow; refused if the remaining bytes are too few.
    pub(in crate::screen) fn count_of(&mut self, width: usize) -> UnpackResult<usize> {
        let count = self.count()?;
        if count > self.rest.len() / width {
            Err(MalformedScreen::Packing)
        } else {
            Ok(count)
        }
    }

    pub(in crate::screen) fn size(&mut self) -> UnpackResult<Size> {
        let width = u32::from_le_bytes(self.array()?);
        let height = u32::from_le_bytes(self.array()?);
        Ok(Size { width, height })
    }

    pub(in crate::screen) fn rotation(&mut self) -> UnpackResult<Rotation> {
        match self.byte()? {
            0 => Ok(Rotation::Natural),
            1 => Ok(Rotation::Left),
            2 => Ok(Rotation::UpsideDown),
            3 => Ok(Rotation::Right),
            _ => Err(MalformedScreen::Packing),
        }
    }

    pub(in crate::screen) fn text(&mut self) -> UnpackResult<Text> {
        let number = match self.width {
            PackedWidth::Narrow => u32::from(u16::from_le_bytes(self.array()?)),
            PackedWidth::Wide => u32::from_le_bytes(self.array()?),
        };
        match number.checked_sub(1) {
            None => Ok(Text::default()),
            Some(index) => self
                .texts
                .get(index as usize)
                .cloned()
                .ok_or(MalformedScreen::Text(number)),
        }
    }

    pub(in crate::screen) fn rect(&mut self) -> UnpackResult<Rect> {
        let [left, top, right, bottom] = [self.side()?, self.side()?, self.side()?, self.side()?];
        Ok(Rect {
            left,
            top,
            right,
            bottom,
        })
    }

    fn side(&mut self) -> UnpackResult<i32> {
        Ok(match self.width {
            PackedWidth::Narrow => i32::from(i16::from_le_bytes(self.array()?)),
            PackedWidth::Wide => i32::from_le_bytes(self.array()?),
        })
    }

    pub(in crate::screen) fn depth(&mut self) -> UnpackResult<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(in crate::screen) fn flags(&mut self) -> UnpackResult<NodeFlags> {
        Ok(NodeFlags::from_bits_retain(u16::from_le_bytes(
            self.array()?,
        )))
    }

    pub(super) fn windows(&mut self) -> UnpackResult<Vec<Window>> {
        let count = self.count_of(6 + 6 * self.width as usize)?;
        let mut windows = Vec::with_capacity(count);
        for _ in 0..count {
            windows.push(self.window()?);
        }
        Ok(windows)
    }

    pub(in crate::screen) fn window(&mut self) -> UnpackResult<Window> {
        let kind = match self.byte()? {
            0 => WindowKind::Application,
            1 => WindowKind::Dialog,
            2 => WindowKind::Popup,
            3 => WindowKind::Keyboard,
            4 => WindowKind::System,
            _ => return Err(MalformedScreen::Packing),
        };
        Ok(Window {
            kind,
            flags: WindowFlags::from_bits_retain(self.byte()?),
            package: self.text()?,
            title: self.text()?,
            bounds: self.rect()?,
            nodes: self.count()? as u32,
        })
    }

    pub(in crate::screen) fn nodes(&mut self) -> UnpackResult<Vec<Node>> {
        let count = self.count_of(4 + 8 * self.width as usize)?;
        let mut nodes = Vec::with_capacity(count);
        for _ in 0..count {
            nodes.push(self.node()?);
        }
        Ok(nodes)
    }

    fn node(&mut self) -> UnpackResult<Node> {
        Ok(Node {
            depth: self.depth()?,
            flags: self.flags()?,
            class: self.text()?,
            id: self.text()?,
            text: self.text()?,
            description: self.text()?,
            bounds: self.rect()?,
        })
    }
}
