//! Datagrams in a byte stream: each is its length as two bytes, little endian, then its payload.
//! An empty datagram does not exist: a length of zero says that the two ends are out of step.

/// What two bytes can say.
pub const MAX_PAYLOAD: usize = u16::MAX as usize;

const HEAD: usize = size_of::<u16>();

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {length} bytes is too long; at most {limit} are allowed")]
    TooLong { length: usize, limit: usize },
    #[error("a frame is empty; the stream is out of step and must be opened anew")]
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

/// Takes a stream apart again, however it was split on its way. It holds what was pushed and not taken yet: whoever
/// takes all frames before pushing more never has more than one unfinished frame and one push in memory.
#[derive(Debug)]
pub struct FrameReader {
    pending: Vec<u8>,
    taken: usize,
    limit: usize,
}

impl FrameReader {
    /// A frame longer than `limit` is refused as soon as its length is known.
    pub fn new(limit: usize) -> Self {
        FrameReader {
            pending: Vec::new(),
            taken: 0,
            limit,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.taken);
        self.taken = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame's payload, once all of it has arrived. An error stays: nothing after it can be trusted.
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
