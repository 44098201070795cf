//! Datagrams framed in a byte stream: the length as two bytes, little endian, then the payload.
//! No datagram is empty: a length of zero means that the reader has lost the frame boundaries.

/// The largest length that two bytes can hold.
pub const MAX_PAYLOAD: usize = u16::MAX as usize;

const HEAD: usize = size_of::<u16>();

/// Why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The frame is longer than allowed.
    #[error("a frame of {length} bytes is too long; at most {limit} are allowed")]
    TooLong {
        /// The frame's length.
        length: usize,
        /// Maximum length.
        limit: usize,
    },
    /// The frame has no payload.
    #[error("a frame is empty; the frame boundaries are lost, and the stream must be opened again")]
    Empty,
}

/// Appends `payload` to `stream` as one frame.
pub fn write_frame(payload: &[u8], stream: &mut Vec<u8>) -> Result<(), FrameError> {
    let length = check(payload.len(), MAX_PAYLOAD)? as u16;
    stream.reserve(HEAD + payload.len());
    stream.extend_from_slice(&length.to_le_bytes());
    stream.extend_from_slice(payload);
    Ok(())
}

/// Splits a stream into frames, whatever pieces it arrives in. A caller that takes all frames before it pushes more
/// bytes keeps at most one unfinished frame and one push in memory.
#[derive(Debug)]
pub struct FrameReader {
    pending: Vec<u8>,
    taken: usize,
    limit: usize,
}

impl FrameReader {
    /// Creates a reader that refuses a frame longer than `limit` as soon as its length is known.
    pub fn new(limit: usize) -> Self {
        FrameReader {
            pending: Vec::new(),
            taken: 0,
            limit,
        }
    }

    /// Adds bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.taken);
        self.taken = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame's payload, once all of it has arrived. After an error the stream cannot be read any more.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let Some((head, rest)) = self.pending[self.taken..].split_first_chunk() else {
            return Ok(None);
        };
        let length = check(u16::from_le_bytes(*head).into(), self.limit)?;
        let payload = rest.get(..length);
        if payload.is_some() {
            self.taken += HEAD + length;
        }
        Ok(payload)
    }
}

fn check(length: usize, limit: usize) -> Result<usize, FrameError> {
    match length {
        0 => Err(FrameError::Empty),
        length if length > limit => Err(FrameError::TooLong { length, limit }),
        length => Ok(length),
    }
}
