//! Golden bytes of the handshake and the envelopes. `Hello` and `Welcome` must never change.

use std::fmt::Debug;

use retap_shared::codec::{decode, encode};
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{ControlAppReply, DescribePhone, RequestFailure};
use retap_shared::session::*;
use retap_shared::verdict::Interruption;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: &T, golden: &str) {
    let bytes = encode(message).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, golden.replace(' ', ""), "the bytes of {message:?}");
    assert_eq!(decode::<T>(&bytes).unwrap(), *message);
}

#[test]
fn hello_has_its_golden_bytes() {
    let hello = Hello {
        version: "0.1.0".into(),
        session: SessionId(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10),
        host: "desk".into(),
        open_requests: vec![1, 300],
        notifications_seen: 5,
    };
    check(
        &hello,
        "05302e312e30 fe100f0e0d0c0b0a090807060504030201 046465736b 02 01fb2c01 05",
    );
}

fn golden_welcome(welcome: &Welcome) -> &'static str {
    match welcome {
        Welcome::Accepted { .. } => "00 07",
        Welcome::Refused(HandshakeRefusal::Version { .. }) => "01 00 05302e312e31",
        Welcome::Refused(HandshakeRefusal::Held { .. }) => "01 01 046465736b 0c",
        Welcome::Refused(HandshakeRefusal::MalformedHello { .. }) => "01 02 0178",
    }
}

#[test]
fn welcomes_have_their_golden_bytes() {
    let welcomes = [
        Welcome::Accepted { incarnation: 7 },
        Welcome::Refused(HandshakeRefusal::Version {
            agent: "0.1.1".into(),
        }),
        Welcome::Refused(HandshakeRefusal::Held {
            by: "desk".into(),
            silent_seconds: 12,
        }),
        Welcome::Refused(HandshakeRefusal::MalformedHello { why: "x".into() }),
    ];
    for welcome in &welcomes {
        check(welcome, golden_welcome(welcome));
    }
}

fn golden_result(answer: &RequestResult) -> &'static str {
    match answer {
        RequestResult::Reply(_) => "00 05 00 00 0c",
        RequestResult::Failed(_) => "01 03",
        RequestResult::Interrupted(interruption) => match interruption {
            Interruption::PhoneLost { .. } => "02 00 0178",
            Interruption::LinkLost { .. } => "02 01 0178",
            Interruption::AgentDied { .. } => "02 02 0178",
            Interruption::Cancelled => "02 03",
            Interruption::PreconditionFailed { .. } => "02 04 0178",
        },
        RequestResult::Unknown => "03",
    }
}

#[test]
fn results_have_their_golden_bytes() {
    let why = || "x".to_owned();
    let answers = [
        RequestResult::Reply(
            ControlAppReply {
                in_front: None,
                events: Vec::new(),
                took: Micros(12),
            }
            .into(),
        ),
        RequestResult::Failed(RequestFailure::Cancelled),
        RequestResult::Interrupted(Interruption::PhoneLost { why: why() }),
        RequestResult::Interrupted(Interruption::LinkLost { why: why() }),
        RequestResult::Interrupted(Interruption::AgentDied { why: why() }),
        RequestResult::Interrupted(Interruption::Cancelled),
        RequestResult::Interrupted(Interruption::PreconditionFailed { why: why() }),
        RequestResult::Unknown,
    ];
    for answer in &answers {
        check(answer, golden_result(answer));
    }
}

#[test]
fn envelopes_and_notifications_have_their_golden_bytes() {
    let request = DescribePhone.into();
    check(
        &RequestEnvelope {
            number: 9,
            oldest_open: 8,
            notifications_seen: 7,
            only_known: true,
            request,
        },
        "09 08 07 01 00",
    );
    let event = PhoneEvent {
        at: Micros(3),
        kind: PhoneEventKind::Activity("A".into()),
    };
    check(
        &NumberedNotification { number: 251, event },
        "fbfb00 03 01 0141",
    );
}
