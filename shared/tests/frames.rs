//! Frames are the same whatever pieces their stream arrives in.

use proptest::prelude::*;
use retap_shared::frame::{FrameError, FrameReader, MAX_PAYLOAD, write_frame};

fn stream(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut stream = Vec::new();
    for payload in payloads {
        write_frame(payload, &mut stream).unwrap();
    }
    stream
}

fn take_all(reader: &mut FrameReader) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        frames.push(frame.to_vec());
    }
    frames
}

proptest! {
    #[test]
    fn any_split_of_the_stream_gives_the_same_frames(
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..20),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let stream = stream(&payloads);
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let mut reader = FrameReader::new(MAX_PAYLOAD);
        let mut frames = Vec::new();
        for pair in cuts.windows(2) {
            reader.push(&stream[pair[0]..pair[1]]);
            frames.extend(take_all(&mut reader));
        }
        prop_assert_eq!(frames, payloads);
    }

    #[test]
    fn arbitrary_streams_give_frames_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..3_000),
        limit in 0..2_000_usize,
    ) {
        let mut reader = FrameReader::new(limit);
        reader.push(&bytes);
        let mut taken = 0;
        while let Ok(Some(frame)) = reader.next_frame() {
            prop_assert!((1..=limit).contains(&frame.len()));
            taken += 2 + frame.len();
        }
        prop_assert!(taken <= bytes.len());
    }
}

#[test]
fn a_frame_is_its_length_low_byte_first_and_its_payload() {
    assert_eq!(stream(&[vec![7; 258]])[..4], [2, 1, 7, 7]);
}

#[test]
fn the_longest_payload_fits_and_a_longer_one_is_refused() {
    let longest = vec![1; MAX_PAYLOAD];
    let mut reader = FrameReader::new(MAX_PAYLOAD);
    reader.push(&stream(std::slice::from_ref(&longest)));
    assert_eq!(take_all(&mut reader), [longest]);

    let mut stream = vec![9];
    let length = MAX_PAYLOAD + 1;
    let refused = write_frame(&vec![1; length], &mut stream);
    assert_eq!(
        refused,
        Err(FrameError::TooLong {
            length,
            limit: MAX_PAYLOAD
        })
    );
    assert_eq!(stream, [9], "nothing of it was written");
}

#[test]
fn a_length_above_the_readers_limit_is_refused_before_the_payload_arrives() {
    let mut reader = FrameReader::new(100);
    reader.push(&[101, 0]);
    assert_eq!(
        reader.next_frame(),
        Err(FrameError::TooLong {
            length: 101,
            limit: 100
        })
    );
    reader.push(&[1; 200]);
    assert_eq!(
        reader.next_frame(),
        Err(FrameError::TooLong {
            length: 101,
            limit: 100
        }),
        "an error stays"
    );
}

#[test]
fn an_empty_frame_is_neither_written_nor_read() {
    assert_eq!(write_frame(&[], &mut Vec::new()), Err(FrameError::Empty));
    let mut reader = FrameReader::new(MAX_PAYLOAD);
    reader.push(&[1, 0, 5, 0, 0]);
    assert_eq!(reader.next_frame(), Ok(Some(&[5][..])));
    assert_eq!(reader.next_frame(), Err(FrameError::Empty));
}
