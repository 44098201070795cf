//! Frames that the library writes (agent/coverage/src/frames.rs), read with all lengths checked: the app under test may
//! write what it likes.

use std::io::{self, Read};

use retap_shared::Text;
use xxhash_rust::xxh3::xxh3_64;

const FORMAT: u8 = 1;
const HELLO: u8 = 1;
const CLASS: u8 = 2;
const HITS: u8 = 3;
const TAKEN: u8 = 4;
/// Longest frame: the items of a class with as many methods and lines as the class file format allows fit in.
const LONGEST_FRAME: u32 = 64 << 20;

/// A method of the app, or a line of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodOrLine {
    /// Name of the class, as `com/example/App`.
    pub class: Text,
    /// Name of the method.
    pub method: Text,
    /// Signature of the method, as `(I)V`.
    pub signature: Text,
    /// Line of the source; 0 for the method as a whole.
    pub line: i32,
    /// First line of the method; 0 if the class does not say.
    pub first_line: i32,
    /// The file that the class was compiled from; empty if the class does not say.
    pub source_file: Text,
}

/// Counts of what is not covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UncoveredCode {
    /// Classes that the VM makes, for lambdas and proxies.
    pub hidden_classes: u32,
    /// Methods in C or C++.
    pub native_methods: u32,
    /// Methods without code.
    pub abstract_methods: u32,
    /// Methods without a line table, where lines are noted.
    pub without_lines: u32,
    /// Methods at which the VM sets no breakpoint.
    pub refused: u32,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Hello { process: u32, lines: bool },
    Class(Vec<MethodOrLine>),
    Hits { class: u32, word: u32, bits: u64 },
    Taken(UncoveredCode),
}

impl MethodOrLine {
    /// Number of the item: made from its names, so that it is the same in every process, on every phone and in every run.
    /// Of 10,000 items, two have the same number in one app of a hundred; they count as one then.
    pub fn number(&self) -> u32 {
        let MethodOrLine {
            class,
            method,
            signature,
            line,
            ..
        } = self;
        let name = format!("{class}\0{method}\0{signature}\0{line}");
        (xxh3_64(name.as_bytes()) >> 32) as u32
    }
}

impl Frame {
    pub(super) fn read(from: &mut impl Read) -> io::Result<Frame> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST_FRAME {
            return Err(wrong("is too long"));
        }
        let mut bytes = Vec::new();
        from.take(u64::from(length)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != u64::from(length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut body = Body(&bytes);
        let frame = body.frame()?;
        match body.0 {
            [] => Ok(frame),
            _ => Err(wrong("is longer than its content")),
        }
    }
}

/// The rest of a frame.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn frame(&mut self) -> io::Result<Frame> {
        match self.byte()? {
            HELLO => {
                if self.byte()? != FORMAT {
                    return Err(wrong("is of another version"));
                }
                Ok(Frame::Hello {
                    process: self.number()?,
                    lines: self.byte()? != 0,
                })
            }
            CLASS => self.class(),
            HITS => Ok(Frame::Hits {
                class: self.number()?,
                word: self.number()?,
                bits: u64::from_le_bytes(self.array()?),
            }),
            TAKEN => Ok(Frame::Taken(UncoveredCode {
                hidden_classes: self.number()?,
                native_methods: self.number()?,
                abstract_methods: self.number()?,
                without_lines: self.number()?,
                refused: self.number()?,
            })),
            _ => Err(wrong("is of an unknown kind")),
        }
    }

    fn class(&mut self) -> io::Result<Frame> {
        let class = self.text()?;
        let source_file = self.text()?;
        let count = self.number()?;
        // No memory for more than was sent.
        let items = (0..count).map(|_| {
            Ok(MethodOrLine {
                class: class.clone(),
                method: self.text()?,
                signature: self.text()?,
                line: self.number()?.cast_signed(),
                first_line: self.number()?.cast_signed(),
                source_file: source_file.clone(),
            })
        });
        Ok(Frame::Class(items.collect::<io::Result<_>>()?))
    }

    fn text(&mut self) -> io::Result<Text> {
        let length = self.number()? as usize;
        let (text, rest) = self
            .0
            .split_at_checked(length)
            .ok_or_else(|| wrong("ends early"))?;
        self.0 = rest;
        let text = std::str::from_utf8(text).map_err(|_| wrong("is not text"))?;
        Ok(text.into())
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (array, rest) = self
            .0
            .split_first_chunk()
            .ok_or_else(|| wrong("ends early"))?;
        self.0 = rest;
        Ok(*array)
    }
}

fn wrong(how: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("a message of the coverage library {how}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_an_app_writes_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0..6_u8) {
            let mut framed = u32::try_from(bytes.len() + 1).unwrap().to_le_bytes().to_vec();
            framed.push(kind);
            framed.extend(&bytes);
            let _ = Frame::read(&mut framed.as_slice());
            let _ = Frame::read(&mut bytes.as_slice());
        }
    }

    #[test]
    fn the_number_of_a_method_depends_on_its_names_alone() {
        let item = |signature: &str, first_line| MethodOrLine {
            class: "a/B".into(),
            method: "run".into(),
            signature: signature.into(),
            line: 0,
            first_line,
            source_file: "B.java".into(),
        };
        assert_eq!(item("()V", 7).number(), item("()V", 9).number());
        assert_ne!(item("()V", 7).number(), item("(I)V", 7).number());
    }
}
