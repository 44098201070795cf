//! Any bytes as a stream of frames, pushed in pieces of any size: the same frames come out as from one piece.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retap_shared::frame::{FrameReader, write_frame};

const LIMIT: usize = 4_096;

fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let whole = frames(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(*size).max(1)).collect();
    assert_eq!(whole, frames(&pieces));

    let mut again = Vec::new();
    for frame in &whole {
        write_frame(frame, &mut again).unwrap();
    }
    assert!(bytes.starts_with(&again));
});

/// Up to the first that is refused.
fn frames(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(LIMIT);
    let mut frames = Vec::new();
    for piece in pieces {
        reader.push(piece);
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(_) => return frames,
            }
        }
    }
    frames
}
