//! A phone in one process, its host in another, and the link between them, in real time.

use crate::link_phone::{Served, planted};
use crate::retap::{Desk, grown_to};

#[test]
fn a_trace_is_replayed_over_udp_and_over_a_byte_stream() {
    for way in ["udp", "tcp"] {
        let desk = Desk::new();
        let trace = planted(&desk, "notes");
        let served = Served::start(&desk, "sim:notes", way, "keys.pairing");
        assert!(
            served.address.starts_with(&format!("{way}:127.0.0.1:")),
            "{}",
            served.address
        );
        let ended = desk.run(&format!(
            "replay {trace} --times 1 --device {}",
            served.device()
        ));
        assert_eq!(ended.code, 0, "{way}: {}{}", ended.out, ended.err);
    }
}

#[test]
fn a_host_that_is_done_gives_the_phone_back_at_once() {
    for way in ["udp", "tcp"] {
        let desk = Desk::new();
        let trace = planted(&desk, "notes");
        let served = Served::start(&desk, "sim:notes", way, "keys.pairing");
        for _ in 0..2 {
            let ended = desk.run(&format!(
                "replay {trace} --times 1 --device {}",
                served.device()
            ));
            assert_eq!(ended.code, 0, "{way}: {}{}", ended.out, ended.err);
        }
        let log = served.log(&desk);
        assert!(!log.contains("refused a host"), "{way}: {log}");
        assert_eq!(log.matches("serving host=").count(), 2, "{way}: {log}");
    }
}

#[test]
fn a_pairing_file_of_another_phone_is_refused_in_words() {
    let desk = Desk::new();
    let trace = planted(&desk, "notes");
    let served = Served::start(&desk, "sim:notes", "udp", "its.pairing");
    let _other = Served::start(&desk, "sim:notes", "udp", "other.pairing");
    let device = format!("{}?pairing=other.pairing", served.address);
    let ended = desk.run(&format!("replay {trace} --device {device}"));
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(
        ended.err.contains("has other keys than the pairing file"),
        "{}",
        ended.err
    );
}

#[test]
fn a_pairing_file_that_is_none_and_an_address_that_is_none_are_named() {
    let desk = Desk::new();
    let trace = planted(&desk, "notes");
    desk.write("none.pairing", "{}");
    for (device, words) in [
        (
            "udp:127.0.0.1:9?pairing=missing.pairing",
            "could not read the pairing file `missing.pairing`",
        ),
        (
            "udp:127.0.0.1:9?pairing=none.pairing",
            "`none.pairing` is not a pairing file",
        ),
        ("udp:nowhere", "is no address of an agent"),
    ] {
        let ended = desk.run(&format!("replay {trace} --device {device}"));
        assert_eq!(ended.code, 2, "{device}: {}", ended.err);
        assert!(ended.err.contains(words), "{}", ended.err);
    }
}

#[cfg(unix)]
#[test]
fn a_pairing_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let desk = Desk::new();
    let _served = Served::start(&desk, "sim:notes", "udp", "keys.pairing");
    let mode = std::fs::metadata(desk.path("keys.pairing"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_second_host_is_told_that_the_phone_is_held() {
    let desk = Desk::new();
    let trace = planted(&desk, "notes");
    let served = Served::start(&desk, "sim:notes", "tcp", "keys.pairing");
    let device = served.device();
    let mut first = desk.start(&format!(
        "explore --device {device} --events 100000 --out first"
    ));
    assert!(
        grown_to(&desk.path("first/events.jsonl"), 500, &mut first),
        "the first host is at work"
    );
    let second = desk.run(&format!("replay {trace} --device {device}"));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 4, "{}", second.err);
    assert!(
        second.err.contains("the phone is held by"),
        "{}",
        second.err
    );
}
