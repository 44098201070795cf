//! Writes packed bytes: the table of texts, then the body that refers to them.

use std::collections::HashMap;

use super::PackedWidth;
use crate::geometry::{Rect, Size};
use crate::screen::{Node, NodeFlags, Window};

/// Writes the body and collects its texts.
pub(in crate::screen) struct Packer<'a> {
    body: Vec<u8>,
    texts: Vec<&'a str>,
    numbers: HashMap<&'a str, u32>,
    width: PackedWidth,
    /// False once a value was too large for the width.
    fits: bool,
}

impl<'a> Packer<'a> {
    /// Packs with narrow values, and again with wide ones if a value does not fit.
    pub(in crate::screen) fn pack(write: impl Fn(&mut Packer<'a>)) -> Vec<u8> {
        let mut packer = Packer::new(PackedWidth::Narrow);
        write(&mut packer);
        if !packer.fits {
            packer = Packer::new(PackedWidth::Wide);
            write(&mut packer);
        }
        packer.finish()
    }

    fn new(width: PackedWidth) -> Self {
        Packer {
            body: Vec::new(),
            texts: Vec::new(),
            numbers: HashMap::new(),
            width,
            fits: true,
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let mut bytes = vec![self.width as u8];
        bytes.extend_from_slice(&(self.texts.len() as u32).to_le_bytes());
        for text in self.texts {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes.append(&mut self.body);
        bytes
    }

    pub(in crate::screen) fn byte(&mut self, byte: u8) {
        self.body.push(byte);
    }

    pub(in crate::screen) fn count(&mut self, count: usize) {
        self.body.extend_from_slice(&(count as u32).to_le_bytes());
    }

    pub(in crate::screen) fn size(&mut self, size: Size) {
        self.body.extend_from_slice(&size.width.to_le_bytes());
        self.body.extend_from_slice(&size.height.to_le_bytes());
    }

    /// Writes a text's number. The empty text has number 0 and is not in the table.
    pub(in crate::screen) fn text(&mut self, text: &'a str) {
        let number = if text.is_empty() {
            0
        } else {
            *self.numbers.entry(text).or_insert_with(|| {
                self.texts.push(text);
                self.texts.len() as u32
            })
        };
        match self.width {
            PackedWidth::Narrow => {
                self.fits &= number <= u32::from(u16::MAX);
                self.body.extend_from_slice(&(number as u16).to_le_bytes());
            }
            PackedWidth::Wide => self.body.extend_from_slice(&number.to_le_bytes()),
        }
    }

    pub(in crate::screen) fn rect(&mut self, rect: &Rect) {
        for side in [rect.left, rect.top, rect.right, rect.bottom] {
            match self.width {
                PackedWidth::Narrow => {
                    self.fits &= i16::try_from(side).is_ok();
                    self.body.extend_from_slice(&(side as i16).to_le_bytes());
                }
                PackedWidth::Wide => self.body.extend_from_slice(&side.to_le_bytes()),
            }
        }
    }

    pub(in crate::screen) fn depth(&mut self, depth: u16) {
        self.body.extend_from_slice(&depth.to_le_bytes());
    }

    pub(in crate::screen) fn flags(&mut self, flags: NodeFlags) {
        self.body.extend_from_slice(&flags.bits().to_le_bytes());
    }

    pub(in crate::screen) fn window(&mut self, window: &'a Window) {
        self.byte(window.kind as u8);
        self.byte(window.flags.bits());
        self.text(&window.package);
        self.text(&window.title);
        self.rect(&window.bounds);
        self.count(window.nodes as usize);
    }

    pub(in crate::screen) fn node(&mut self, node: &'a Node) {
        self.depth(node.depth);
        self.flags(node.flags);
        for text in [&node.class, &node.id, &node.text, &node.description] {
            self.text(text);
        }
        self.rect(&node.bounds);
    }
}
