//! What must hold for any bytes. The fuzz targets try it on new ones, `cargo test` on the corpora.

use std::fmt::Debug;

use retap_shared::codec;
use retap_shared::frame::{FrameReader, write_frame};
use retap_shared::screen::ScreenDiff;
use retap_shared::session::{Hello, NumberedNotification, RequestEnvelope, RequestResult, Welcome};
use retap_shared::trace::Trace;
use serde::Serialize;
use serde::de::DeserializeOwned;

const LONGEST_FRAME: usize = 4_096;

/// Any bytes as any message: decoded or refused, and what was decoded encodes to something that decodes to itself.
pub fn messages(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    match kind % 6 {
        0 => message::<RequestEnvelope>(bytes),
        1 => message::<RequestResult>(bytes),
        2 => message::<Hello>(bytes),
        3 => message::<Welcome>(bytes),
        4 => message::<NumberedNotification>(bytes),
        _ => message::<ScreenDiff>(bytes),
    }
}

fn message<T: DeserializeOwned + Serialize + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(message) = codec::decode::<T>(bytes) else {
        return;
    };
    let again = codec::decode::<T>(&codec::encode(&message).unwrap()).unwrap();
    assert_eq!(message, again);
}

/// Any bytes as a stream of frames, pushed in pieces of any size: the same frames come out as from one piece.
pub fn frames(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first() else {
        return;
    };
    let whole = frames_of(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(*size).max(1)).collect();
    assert_eq!(whole, frames_of(&pieces));

    let mut again = Vec::new();
    for frame in &whole {
        write_frame(frame, &mut again).unwrap();
    }
    assert!(bytes.starts_with(&again));
}

/// Up to the first that is refused.
fn frames_of(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(LONGEST_FRAME);
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

/// Any text as a trace file: read or refused with a place, and what was read is written so that it reads the same.
pub fn traces(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Trace::parse(text) {
        Ok(trace) => assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
