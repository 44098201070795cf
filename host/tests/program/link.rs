//! A phone in one process, its host in another, and the link between them, in real time.

use crate::environment::{TestEnvironment, grown_to};
use crate::link_phone::{ServedPhone, planted};

#[test]
fn a_trace_is_replayed_over_udp_and_over_a_byte_stream() {
    for transport in ["udp", "tcp"] {
        let environment = TestEnvironment::new();
        let trace = planted(&environment, "notes");
        let served = ServedPhone::start(&environment, "sim:notes", transport, "keys.pairing");
        assert!(
            served
                .address
                .starts_with(&format!("{transport}:127.0.0.1:")),
            "{}",
            served.address
        );
        let ended = environment.run(&format!(
            "replay {trace} --times 1 --device {}",
            served.device()
        ));
        assert_eq!(ended.code, 0, "{transport}: {}{}", ended.out, ended.err);
    }
}

#[test]
fn a_host_that_has_finished_releases_the_phone_at_once() {
    for transport in ["udp", "tcp"] {
        let environment = TestEnvironment::new();
        let trace = planted(&environment, "notes");
        let served = ServedPhone::start(&environment, "sim:notes", transport, "keys.pairing");
        for _ in 0..2 {
            let ended = environment.run(&format!(
                "replay {trace} --times 1 --device {}",
                served.device()
            ));
            assert_eq!(ended.code, 0, "{transport}: {}{}", ended.out, ended.err);
        }
        let log = served.log(&environment);
        assert!(!log.contains("refused a host"), "{transport}: {log}");
        assert_eq!(
            log.matches("serving host=").count(),
            2,
            "{transport}: {log}"
        );
    }
}

#[test]
fn a_pairing_file_of_another_phone_is_refused_with_an_explanation() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let served = ServedPhone::start(&environment, "sim:notes", "udp", "its.pairing");
    let _other = ServedPhone::start(&environment, "sim:notes", "udp", "other.pairing");
    let device = format!("{}?pairing=other.pairing", served.address);
    let ended = environment.run(&format!("replay {trace} --device {device}"));
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(
        ended.err.contains("has other keys than the pairing file"),
        "{}",
        ended.err
    );
}

#[test]
fn a_broken_pairing_file_and_a_broken_address_are_named() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    environment.write("none.pairing", "{}");
    for (device, words) in [
        (
            "udp:127.0.0.1:9?pairing=missing.pairing",
            "could not read the pairing file `missing.pairing`",
        ),
        (
            "udp:127.0.0.1:9?pairing=none.pairing",
            "`none.pairing` is not a pairing file",
        ),
        ("udp:nowhere", "is not an address of an agent"),
    ] {
        let ended = environment.run(&format!("replay {trace} --device {device}"));
        assert_eq!(ended.code, 2, "{device}: {}", ended.err);
        assert!(ended.err.contains(words), "{}", ended.err);
    }
}

#[cfg(unix)]
#[test]
fn a_pairing_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let environment = TestEnvironment::new();
    let _served = ServedPhone::start(&environment, "sim:notes", "udp", "keys.pairing");
    let mode = std::fs::metadata(environment.path("keys.pairing"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_second_host_learns_that_the_phone_is_in_use() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let device = served.device();
    let mut first = environment.start(&format!(
        "explore --device {device} --events 100000 --out first"
    ));
    assert!(
        grown_to(&environment.path("first/events.jsonl"), 500, &mut first),
        "the first host is at work"
    );
    let second = environment.run(&format!("replay {trace} --device {device}"));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 4, "{}", second.err);
    assert!(
        second.err.contains("the phone is held by"),
        "{}",
        second.err
    );
}
