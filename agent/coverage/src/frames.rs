//! What the library writes to its socket: frames of a length, a kind and a body, in little-endian numbers. The agent reads
//! them (agent/src/coverage/frames.rs).

use crate::classes::ClassItems;

/// Version of the format.
const FORMAT: u8 = 1;
const HELLO: u8 = 1;
const CLASS: u8 = 2;
const HITS: u8 = 3;
const TAKEN: u8 = 4;

/// Bytes that are to be written.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer(Vec<u8>);

impl FrameBuffer {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The process, and whether lines are noted.
    pub(crate) fn hello(&mut self, process: u32, lines: bool) {
        self.frame(HELLO, |body| {
            body.push(FORMAT);
            body.extend(process.to_le_bytes());
            body.push(u8::from(lines));
        });
    }

    /// A class and its items, which have no numbers but their order.
    pub(crate) fn class(&mut self, class: &ClassItems) {
        self.frame(CLASS, |body| {
            text(body, &class.class);
            text(body, &class.source_file);
            body.extend(length(class.items.len()).to_le_bytes());
            for item in &class.items {
                text(body, &item.method);
                text(body, &item.signature);
                body.extend(item.line.to_le_bytes());
                body.extend(item.first_line.to_le_bytes());
            }
        });
    }

    /// A word of a class's bit map, by the order of the classes: the bits that are new.
    pub(crate) fn hits(&mut self, class: usize, word: usize, bits: u64) {
        self.frame(HITS, |body| {
            body.extend(length(class).to_le_bytes());
            body.extend(length(word).to_le_bytes());
            body.extend(bits.to_le_bytes());
        });
    }

    /// The end of the answer to a reader that asked, with the counts of what is not covered.
    pub(crate) fn taken(&mut self, uncovered: [u32; 5]) {
        self.frame(TAKEN, |body| {
            for count in uncovered {
                body.extend(count.to_le_bytes());
            }
        });
    }

    fn frame(&mut self, kind: u8, write: impl FnOnce(&mut Vec<u8>)) {
        let mut body = vec![kind];
        write(&mut body);
        self.0.extend(length(body.len()).to_le_bytes());
        self.0.append(&mut body);
    }
}

fn text(body: &mut Vec<u8>, text: &str) {
    body.extend(length(text.len()).to_le_bytes());
    body.extend(text.as_bytes());
}

fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
