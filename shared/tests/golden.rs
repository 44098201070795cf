//! Golden bytes of every message: host and agent are built separately and must agree on each byte.
//! A message that is added needs an entry, or this does not compile.

#[path = "golden/messages.rs"]
mod messages;

use std::error::Error;
use std::fmt::Debug;

use retap_shared::codec::{CodecError, decode, encode};
use retap_shared::finding::FindingKind;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::*;
use retap_shared::target::Target;
use retap_shared::verdict::Verdict;
use serde::Serialize;
use serde::de::DeserializeOwned;

use messages::{events, replies, requests, widget};

/// Panics with the actual bytes.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: &T, golden: &str) {
    let bytes = encode(message).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let golden: String = golden.split_whitespace().collect();
    assert_eq!(hex, golden, "the bytes of {message:?}");
    assert_eq!(decode::<T>(&bytes).unwrap(), *message);
}

/// The screen of these messages: its length, then the table of texts, then windows and nodes.
const SCREEN: &str = "
    81 02
    05000000 05000000 2e4d61696e 09000000 6f72672e6e6f746573 02000000 4f4b 06000000 427574746f6e 05000000 69642f6f6b
    38040000 60090000 01 0100
    01000000 01 01 0200 0300 0000 0000 3804 6009 02000000
    02000000 0000 0104 0400 0500 0000 0000 0000 ffff 3804 6009
             0100 0104 0400 0500 0300 0000 0000 ffff 3804 6009";
const EVENTS: &str = "02 03 00 00096f72672e6e6f746573 04626f6f6d 12617420782e592e7a28592e6a6176613a3129 fb2c01 01052e4d61696e";

fn golden_request(request: &Request) -> &'static str {
    match request {
        Request::DescribePhone(_) => "00",
        Request::Capture(_) => "01 0101",
        Request::Act(_) => {
            "02 00fb3804fb3f06 01 0569642f6f6b024f4b06427574746f6e03302e32 052e4d61696e 01fdefcdab8967452301 01fbdc05 fc400d0300fc404b4c00 00"
        }
        Request::Settle(_) => "03 fc400d0300 fc404b4c00",
        Request::Play(_) => {
            "04 096f72672e6e6f746573052e4d61696e07 01 14 00020400000000 01020400000000 0202040608 0500000000 0302040608 0500000000 040000000000 0405fb2c0100000000 05020402686900 000000 060300000000 0700000000 080600000000 090000000000 090100000000 090200000000 090300000000 090402617200000000 090500000000 0906054d4544494100000000 09070355544300000000 090800000000 090900000000 01 00fd1032547698badcfe 01 fc400d0300fc404b4c00 01 01"
        }
        Request::ControlApp(_) => "05 096f72672e6e6f746573052e4d61696e07 0402",
        Request::WatchApp(_) => "06 096f72672e6e6f746573",
        Request::ManageSnapshot(_) => "07 0109",
        Request::TakeScreenshot(_) => "08",
        Request::ReadLog(_) => "09 01 01 02",
    }
}

/// `SCREEN` and `EVENTS` stand for the constants above.
fn golden_reply(reply: &Reply) -> &'static str {
    match reply {
        Reply::DescribePhoneReply(_) => {
            "00 0973696d756c61746564 0373696d 22 00 fb3804fb6009 fba401 00 00 05656e2d4742 64 01 01000100fb1f02 01 096f72672e6e6f746573052e4d61696e07 054e6f746573 01052e4d61696e 0c"
        }
        Reply::CaptureReply(_) => "01 02 SCREEN 0c",
        Reply::ActReply(_) => {
            "02 01 01 096e6f2077696e646f77 01 fdcf22701f4aedd2f5 fdd1ddbb1ef5b406c3 23 02 01000000 02000000 4e6f 10 02000000 00000000 00000000 01000000 01000000 01 0100 EVENTS 04 01fafbfb00fc70110100 01 0c fb2c01"
        }
        Reply::SettleReply(_) => "03 00 00 0c",
        Reply::PlayReply(_) => {
            "04 03096f72672e6f74686572 03 03000102 01 02 096e6f2077696e646f77 EVENTS 01 05 01 SCREEN fdffffffffffffffff"
        }
        Reply::ControlAppReply(_) => "05 01 06 01 62 00 0c",
        Reply::WatchAppReply(_) => "06 EVENTS",
        Reply::ManageSnapshotReply(_) => "07 09 fc00000100 01",
        Reply::TakeScreenshotReply(_) => "08 03 0080ff",
        Reply::ReadLogReply(_) => "09 06 72656164790a 05 5049442031",
    }
}

fn golden_event(what: &PhoneEventKind) -> &'static str {
    match what {
        PhoneEventKind::Finding(_) => {
            "03 00 00 096f72672e6e6f746573 04626f6f6d 12617420782e592e7a28592e6a6176613a3129"
        }
        PhoneEventKind::Activity(_) => "fb2c01 01 052e4d61696e",
    }
}

fn golden_failure(failure: &RequestFailure) -> &'static str {
    match failure {
        RequestFailure::Unsupported(_) => "00 0472756e73",
        RequestFailure::Impossible(_) => "01 00",
        RequestFailure::Phone(_) => "02 0162",
        RequestFailure::Cancelled => "03",
        RequestFailure::Obstructed(_) => "04 02",
    }
}

#[test]
fn requests_have_their_golden_bytes() {
    let requests = requests();
    for request in &requests {
        check(request, golden_request(request));
    }
    assert_all_variants::<Request>(requests.iter().map(golden_request));
}

#[test]
fn replies_have_their_golden_bytes() {
    let replies = replies();
    for reply in &replies {
        check(
            reply,
            &golden_reply(reply)
                .replace("SCREEN", SCREEN)
                .replace("EVENTS", EVENTS),
        );
    }
    assert_all_variants::<Reply>(replies.iter().map(golden_reply));
}

#[test]
fn events_have_their_golden_bytes() {
    let phone_events = events();
    for event in &phone_events {
        check(event, golden_event(&event.kind));
    }
    check(&phone_events, EVENTS);
    assert!(
        decode::<PhoneEventKind>(&[phone_events.len() as u8])
            .is_err_and(|error| says_no_variant(&error))
    );
}

#[test]
fn failures_have_their_golden_bytes() {
    let faults = [
        RequestFailure::Unsupported("runs".into()),
        RequestFailure::Impossible(String::new()),
        RequestFailure::Phone("b".into()),
        RequestFailure::Cancelled,
        RequestFailure::Obstructed(Obstacle::Launcher),
    ];
    for failure in &faults {
        check(failure, golden_failure(failure));
    }
    assert_all_variants::<RequestFailure>(faults.iter().map(golden_failure));
}

#[test]
fn obstacles_have_their_golden_bytes() {
    let golden = |obstacle: &Obstacle| match obstacle {
        Obstacle::DisplayOff => "00",
        Obstacle::LockScreen => "01",
        Obstacle::Launcher => "02",
        Obstacle::FailureDialog => "03",
        Obstacle::PermissionDialog => "04",
        Obstacle::NoWindow => "05",
        Obstacle::OtherApp(_) => "06 0162",
    };
    let obstacles = [
        Obstacle::DisplayOff,
        Obstacle::LockScreen,
        Obstacle::Launcher,
        Obstacle::FailureDialog,
        Obstacle::PermissionDialog,
        Obstacle::NoWindow,
        Obstacle::OtherApp("b".into()),
    ];
    for obstacle in &obstacles {
        check(obstacle, golden(obstacle));
    }
    assert_all_variants::<Obstacle>(obstacles.iter().map(golden));
}

#[test]
fn parts_of_messages_have_their_golden_bytes() {
    check(&ScreenUpdate::Unchanged, "00");
    check(&Target::AnyProblem, "01");
    check(&Target::Activity("A".into()), "02 0141");
    check(&Target::Log("A".into()), "04 0141");
    let lacks = Target::Lacks {
        activity: "A".into(),
        widget: widget(),
    };
    check(&lacks, "05 0141 0569642f6f6b024f4b06427574746f6e03302e32");
    check(
        &Target::Screen(widget()),
        "03 0569642f6f6b024f4b06427574746f6e03302e32",
    );
    check(&Verdict::TargetReached, "00");
    check(&Verdict::TargetNotReached, "01");
    check(&Verdict::Stuck, "04");
    check(&Verdict::Unsupported { what: "x".into() }, "05 0178");
    check(
        &[
            AppCommand::Launch,
            AppCommand::Stop,
            AppCommand::ClearData,
            AppCommand::Grant,
        ],
        "00010203",
    );
    check(
        &[
            ManageSnapshot::Save,
            ManageSnapshot::Discard(SnapshotId(251)),
        ],
        "00 02fbfb00",
    );
    check(
        &[
            FindingKind::Crash,
            FindingKind::NativeCrash,
            FindingKind::Anr,
            FindingKind::Rule,
        ],
        "00010203",
    );
}

/// Checks that the variants are numbered from 0, and that there is none after the last.
fn assert_all_variants<T: DeserializeOwned + Debug>(golden: impl Iterator<Item = &'static str>) {
    let numbers: Vec<_> = golden
        .map(|golden| u8::from_str_radix(&golden[..2], 16).unwrap())
        .collect();
    assert_eq!(numbers, (0..numbers.len() as u8).collect::<Vec<_>>());
    let error = decode::<T>(&[numbers.len() as u8]).expect_err("a message without golden bytes");
    assert!(says_no_variant(&error), "{error:?}");
}

fn says_no_variant(error: &CodecError) -> bool {
    error
        .source()
        .is_some_and(|cause| cause.to_string().contains("variant index"))
}
