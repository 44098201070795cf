//! Properties that hold for any bytes. The fuzz targets check them with new bytes, `cargo test` with the corpora.

use std::fmt::Debug;

use retap_shared::codec;
use retap_shared::frame::{FrameReader, write_frame};
use retap_shared::screen::ScreenDiff;
use retap_shared::session::{Hello, NumberedNotification, RequestEnvelope, RequestResult, Welcome};
use retap_shared::trace::Trace;
use serde::Serialize;
use serde::de::DeserializeOwned;

const MAX_FRAME: usize = 4_096;

/// Any bytes as any message: they are refused, or the decoded message survives encoding and decoding.
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

/// Any bytes as a stream of frames: pieces of any size give the same frames as one piece.
pub fn frames(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first() else {
        return;
    };
    let frames = frames_of(&[bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(usize::from(*size).max(1)).collect();
    assert_eq!(frames, frames_of(&pieces));

    let mut again = Vec::new();
    for frame in &frames {
        write_frame(frame, &mut again).unwrap();
    }
    assert!(bytes.starts_with(&again));
}

/// The frames up to the first that is refused.
fn frames_of(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut reader = FrameReader::new(MAX_FRAME);
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

/// Any text as a trace file: it is refused with a message, or the trace survives writing and reading.
pub fn traces(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Trace::parse(text) {
        Ok(trace) => assert_eq!(Trace::parse(&trace.to_text()).unwrap(), trace),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
