//! Decoding keeps its limit: at most 1 MiB + 8 × the input in memory, whatever the input is.

mod arbitrary;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use proptest::prelude::*;
use retap_shared::action::Action;
use retap_shared::codec::{decode, encode};
use retap_shared::geometry::{Point, Rect};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Play, PlayReply, Reply, Request, RequestFailure, Settle};
use retap_shared::screen::{Node, Screen, ScreenContent, Window};
use retap_shared::session::{Hello, RequestEnvelope, RequestResult, Welcome};
use retap_shared::trace::{App, ReplayPace, StartMode, Step};
use retap_shared::verdict::Verdict;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Counts the memory that this thread holds. A growing block counts twice while it is copied.
struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn take(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add(bytes));
    // Memory that another thread has allocated and this one frees makes the count negative.
    if LIVE.get() < usize::MAX / 2 {
        PEAK.set(PEAK.get().max(LIVE.get()));
    }
}

fn give_back(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub(bytes));
}

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give_back(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The peak of memory during decoding, its result included.
fn peak_of<T: DeserializeOwned>(bytes: &[u8]) -> usize {
    LIVE.set(0);
    PEAK.set(0);
    let result = decode::<T>(bytes);
    let peak = PEAK.get();
    drop(result);
    peak
}

/// Decodes the bytes as each message of the other end.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let bound = (1 << 20) + 8 * bytes.len();
    let peaks = [
        ("request", peak_of::<Request>(bytes)),
        ("reply", peak_of::<Reply>(bytes)),
        ("event", peak_of::<PhoneEvent>(bytes)),
        ("fault", peak_of::<RequestFailure>(bytes)),
        ("greeting", peak_of::<Hello>(bytes)),
        ("welcome", peak_of::<Welcome>(bytes)),
        ("request envelope", peak_of::<RequestEnvelope>(bytes)),
        ("answer", peak_of::<RequestResult>(bytes)),
    ];
    for (what, peak) in peaks {
        prop_assert!(
            peak <= bound,
            "{} bytes as a {what} took {peak}, more than {bound}",
            bytes.len()
        );
    }
    Ok(())
}

/// The encoded message with damages: a byte is replaced, removed or added, or an excessive length is inserted.
fn damaged(message: impl Serialize, damage: &[(prop::sample::Index, Damage)]) -> Vec<u8> {
    let mut bytes = encode(&message).expect("any message can be encoded");
    for (place, damage) in damage {
        let place = place.index(bytes.len().max(1));
        match damage {
            Damage::Replace(byte) if !bytes.is_empty() => bytes[place] = *byte,
            Damage::Remove if !bytes.is_empty() => drop(bytes.remove(place)),
            Damage::Insert(byte) => bytes.insert(place, *byte),
            Damage::Claim(length) => drop(bytes.splice(place..place, claim(*length))),
            Damage::CutOff => bytes.truncate(place),
            _ => {}
        }
    }
    bytes
}

#[derive(Clone, Debug)]
enum Damage {
    Replace(u8),
    Remove,
    Insert(u8),
    Claim(u64),
    CutOff,
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, Damage)>> {
    let kind = prop_oneof![
        4 => any::<u8>().prop_map(Damage::Replace),
        1 => Just(Damage::Remove),
        1 => any::<u8>().prop_map(Damage::Insert),
        2 => any::<u64>().prop_map(Damage::Claim),
        1 => Just(Damage::CutOff),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), kind), 1..4)
}

/// An encoded length: in one byte if it is small, else in 2, 4 or 8 bytes after a mark.
fn claim(length: u64) -> Vec<u8> {
    match length {
        0..=250 => vec![length as u8],
        251..=0xffff => [&[251], &(length as u16).to_le_bytes()[..]].concat(),
        0x1_0000..=0xffff_ffff => [&[252], &(length as u32).to_le_bytes()[..]].concat(),
        _ => [&[253], &length.to_le_bytes()[..]].concat(),
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_keep_the_limit(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        check(&bytes)?;
    }

    #[test]
    fn arbitrary_bytes_after_a_valid_start_keep_the_limit(
        variant in 0..9_u8,
        bytes in prop::collection::vec(prop_oneof![0..8_u8, 248..=255_u8, any::<u8>()], 0..500),
    ) {
        check(&[&[variant], &bytes[..]].concat())?;
    }

    #[test]
    fn damaged_requests_keep_the_limit(message in arbitrary::request(), damage in damage()) {
        check(&damaged(message, &damage))?;
    }

    #[test]
    fn damaged_replies_keep_the_limit(message in arbitrary::reply(), damage in damage()) {
        check(&damaged(message, &damage))?;
    }

    #[test]
    fn damaged_events_and_failures_keep_the_limit(
        event in arbitrary::event(),
        failure in arbitrary::failure(),
        damage in damage(),
    ) {
        check(&damaged(event, &damage))?;
        check(&damaged(failure, &damage))?;
    }
}

/// The numbers of the variants, as the golden bytes show them.
const DESCRIBED: u8 = 0;
const PLAY: u8 = 4;
const PLAYED: u8 = 4;
const WATCHED: u8 = 6;

#[test]
fn claimed_lengths_without_bytes_need_no_memory() {
    let lengths = [
        1,
        250,
        251,
        65_535,
        65_536,
        1 << 20,
        1 << 32,
        u64::MAX / 2,
        u64::MAX,
    ];
    for length in lengths {
        for variant in 0..8 {
            for zeros in 0..12 {
                let bytes = [&[variant], &vec![0; zeros][..], &claim(length)].concat();
                check(&bytes).unwrap();
            }
        }
    }
}

#[test]
fn reserves_of_nested_lists_do_not_add_up() {
    // An empty phone without capabilities, and apps that each claim a million activities.
    let mut bytes = vec![DESCRIBED];
    bytes.extend([0; 12 + 3]);
    bytes.extend(claim(60_000));
    for _ in 0..200 {
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(claim(60_000));
    }
    bytes.resize(70_000, 0);
    check(&bytes).unwrap();
}

#[test]
fn a_list_of_the_smallest_elements_is_refused() {
    // Steps of four bytes need 44 times that in memory.
    for count in [1_000, 5_000, 6_000, 50_000, 1_000_000] {
        let mut play = vec![PLAY, 0, 0, 0, 0];
        play.extend(claim(count));
        let launch = [7, 0, 0, 0];
        play.extend(launch.repeat(count as usize));
        play.extend([0; 5]);
        check(&play).unwrap();

        let mut watched = vec![WATCHED];
        watched.extend(claim(count));
        watched.extend([0, 1, 0].repeat(count as usize));
        check(&watched).unwrap();
        assert_eq!(
            decode::<Reply>(&watched).is_ok(),
            count <= 6_000,
            "{count} events"
        );
    }
}

#[test]
fn many_small_screens_and_one_large_text_used_often_keep_the_limit() {
    let empty = [&[24, 2][..], &[0; 23]].concat();
    let mut bytes = vec![PLAYED, 0, 0, 0, 0, 0];
    bytes.extend(claim(20_000));
    bytes.extend(empty.repeat(20_000));
    bytes.push(0);
    check(&bytes).unwrap();

    let nodes = 2_000_u32;
    let text = "x".repeat(100_000);
    let mut screen = vec![2, 1, 0, 0, 0];
    screen.extend(100_000_u32.to_le_bytes());
    screen.extend(text.as_bytes());
    screen.extend([0; 8 + 1 + 2]);
    screen.extend(1_u32.to_le_bytes());
    screen.extend([0; 14]);
    screen.extend(nodes.to_le_bytes());
    screen.extend(nodes.to_le_bytes());
    screen.extend(
        [0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0].repeat(nodes as usize),
    );
    let mut bytes = vec![PLAYED, 0, 0, 0, 0, 0, 1];
    bytes.extend(claim(screen.len() as u64));
    bytes.extend(screen);
    bytes.push(0);
    check(&bytes).unwrap();
    assert!(
        decode::<Reply>(&bytes).is_err(),
        "800 MB of text are not a screen"
    );
}

#[test]
fn a_trace_of_five_thousand_bare_taps_can_be_sent() {
    let step = |number: i32| {
        Step::new(Action::Tap(Point {
            x: 300 + number % 700,
            y: 1_000,
        }))
    };
    let play = Request::Play(Play {
        app: App::default(),
        start: StartMode::Clean,
        steps: (0..5_000).map(step).collect(),
        target: None,
        pace: ReplayPace::Quiet,
        settle: Settle::default(),
        final_wait: Micros::ZERO,
        record: true,
    });
    let bytes = encode(&play).unwrap();
    check(&bytes).unwrap();
    assert_eq!(decode::<Request>(&bytes).unwrap(), play);
}

#[test]
fn a_recording_of_a_thousand_screens_can_be_sent() {
    let screen = |number: i32| {
        let node = |row: i32| Node {
            depth: u16::from(row > 0),
            class: "android.widget.TextView".into(),
            text: format!("row {row} of screen {number}").into(),
            bounds: Rect {
                left: 0,
                top: row * 50,
                right: 1_080,
                bottom: row * 50 + 50,
            },
            ..Node::default()
        };
        let nodes: Vec<_> = (0..100).map(node).collect();
        let windows = vec![Window {
            nodes: nodes.len() as u32,
            ..Window::default()
        }];
        Arc::new(
            Screen::new(ScreenContent {
                windows,
                nodes,
                ..ScreenContent::default()
            })
            .unwrap(),
        )
    };
    let played = Reply::PlayReply(PlayReply {
        verdict: Verdict::TargetReached,
        played: 999,
        located_by: vec![LocatedBy::Widget; 999],
        refusals: Vec::new(),
        events: Vec::new(),
        branches: (0..10_000).collect(),
        screens: (0..1_000).map(screen).collect(),
        took: Micros::ZERO,
    });
    let bytes = encode(&played).unwrap();
    check(&bytes).unwrap();
    assert_eq!(decode::<Reply>(&bytes).unwrap(), played);
}
