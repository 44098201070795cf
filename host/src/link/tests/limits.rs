//! The limits of `docs/reference/protocol.md` against a hostile agent and a hostile host, both with the right keys.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use retap_shared::connection::{Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{Capture, Request, RequestFailure, WatchApp};
use retap_shared::session::{
    HELLO_LIMIT, MAX_NOTIFICATIONS, MAX_OPEN_REQUESTS, NOTIFICATION_LIMIT, NumberedNotification,
    REPLY_LIMIT, REQUEST_LIMIT, RequestEnvelope, RequestResult, Welcome,
};
use retap_shared::verdict::Interruption;
use retap_transport::keys::SessionKeys;
use retap_transport::{receive, send, send_next};
use tokio::time::timeout;

use super::connect;
use super::hostile_agent::{self, HostileBehaviour};
use super::hostile_host::{HostileHost, hello};
use super::network::{MemoryNetwork, NetworkFaults};
use super::phone::CountingPhone;
use crate::link::Link;

fn watch() -> Request {
    WatchApp {
        package: "com.example".into(),
    }
    .into()
}

async fn linked_to(behaviour: HostileBehaviour) -> Link {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    hostile_agent::start(&network, &agent_keys, behaviour);
    connect(&network, &host_keys, "host").await.unwrap()
}

fn notification(number: u64) -> NumberedNotification {
    let kind = PhoneEventKind::Activity(format!("activity/{number}").into());
    NumberedNotification {
        number,
        event: PhoneEvent {
            at: Micros::ZERO,
            kind,
        },
    }
}

#[tokio::test(start_paused = true)]
async fn a_hostile_agents_reply_is_read_up_to_its_limit_and_never_again() {
    let link = linked_to(HostileBehaviour {
        answer: |_, mut send, _| {
            Box::pin(async move {
                let chunk = vec![0; 1 << 20];
                for _ in 0..=REPLY_LIMIT >> 20 {
                    if send.write_all(&chunk).await.is_err() {
                        return;
                    }
                }
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    let error = link.request(Capture { held_screen: None }.into()).await;
    assert!(
        matches!(
            error,
            Err(RequestError::Interrupted(Interruption::LinkLost { ref why })) if why.contains("wrongly 1 times")
        ),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_hostile_agents_notifications_are_bounded_and_the_newest_are_kept() {
    const SENT: u64 = MAX_NOTIFICATIONS as u64 + 5_000;
    let link = linked_to(HostileBehaviour {
        greet: |quic| {
            Box::pin(async move {
                let mut stream = quic.open_uni().await.unwrap();
                for number in 1..=SENT {
                    send_next(&mut stream, &notification(number)).await.unwrap();
                }
                quic.closed().await;
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    while link.shared.notifications_seen.load(Ordering::Relaxed) < SENT {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let first = link.next_notification().await.unwrap();
    assert_eq!(first, notification(5_001).event);
}

#[tokio::test(start_paused = true)]
async fn a_hostile_agents_notification_that_is_too_long_is_not_read() {
    let link = linked_to(HostileBehaviour {
        greet: |quic| {
            Box::pin(async move {
                let mut stream = quic.open_uni().await.unwrap();
                let length = NOTIFICATION_LIMIT as u32 + 1;
                stream.write_all(&length.to_le_bytes()).await.unwrap();
                // The host has stopped reading: nothing of this is kept anywhere.
                let _ = stream.write_all(&vec![0; NOTIFICATION_LIMIT + 1]).await;
                quic.closed().await;
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    let notification = timeout(Duration::from_secs(20), link.next_notification()).await;
    assert!(notification.is_err(), "{notification:?}");
    assert_eq!(link.shared.notifications_seen.load(Ordering::Relaxed), 0);
}

fn envelope(number: u64) -> RequestEnvelope {
    RequestEnvelope {
        number,
        oldest_open: 1,
        notifications_seen: 0,
        only_known: false,
        request: watch(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_hostile_hosts_hello_that_is_too_long_opens_no_session() {
    let hostile = HostileHost::new(Arc::new(CountingPhone::new(&[])));
    let quic = hostile.dial().await;
    let (mut out, mut back) = quic.open_bi().await.unwrap();
    let _ = send(&mut out, &hello("x".repeat(HELLO_LIMIT + 1))).await;
    let welcome = receive::<Welcome>(&mut back, HELLO_LIMIT).await;
    assert!(welcome.is_err(), "{welcome:?}");
    hostile.leave_to_an_honest_host(quic).await;
}

#[tokio::test(start_paused = true)]
async fn a_hostile_hosts_request_that_is_too_long_is_refused() {
    let hostile = HostileHost::new(Arc::new(CountingPhone::new(&[])));
    let quic = hostile.greeted().await;
    let (mut out, mut back) = quic.open_bi().await.unwrap();
    let written = out.write_all(&vec![0; REQUEST_LIMIT + 1]).await;
    let answered = receive::<RequestResult>(&mut back, REPLY_LIMIT).await;
    assert!(answered.is_err(), "{written:?} {answered:?}");
    hostile.leave_to_an_honest_host(quic).await;
}

#[tokio::test(start_paused = true)]
async fn a_hostile_host_has_no_more_streams_than_allowed() {
    let hostile = HostileHost::new(Arc::new(CountingPhone::new(&[])));
    let quic = hostile.greeted().await;
    let mut streams = Vec::new();
    let open = async {
        loop {
            let (mut out, back) = quic.open_bi().await.unwrap();
            out.write_all(&[0]).await.unwrap();
            streams.push((out, back));
        }
    };
    let opened: Result<(), _> = timeout(Duration::from_secs(5), open).await;
    assert!(opened.is_err());
    // The stream of the handshake counts until the host has learned that it is done.
    assert!((63..=64).contains(&streams.len()), "{}", streams.len());
    let mut one_way = Vec::new();
    let open = async {
        loop {
            one_way.push(quic.open_uni().await.unwrap());
        }
    };
    let opened: Result<(), _> = timeout(Duration::from_secs(5), open).await;
    assert!(opened.is_err());
    assert_eq!(one_way.len(), 4);
    hostile.leave_to_an_honest_host(quic).await;
}

#[tokio::test(start_paused = true)]
async fn a_hostile_host_that_acknowledges_nothing_is_refused_in_the_end() {
    let hostile = HostileHost::new(Arc::new(CountingPhone::new(&[])));
    let quic = hostile.greeted().await;
    let ask = async |number| {
        let (mut out, mut back) = quic.open_bi().await.unwrap();
        send(&mut out, &envelope(number)).await.unwrap();
        receive::<RequestResult>(&mut back, REPLY_LIMIT)
            .await
            .unwrap()
    };
    for number in 1..=MAX_OPEN_REQUESTS as u64 {
        let result = ask(number).await;
        assert!(matches!(result, RequestResult::Reply(_)), "{result:?}");
    }
    let result = ask(MAX_OPEN_REQUESTS as u64 + 1).await;
    assert!(
        matches!(result, RequestResult::Failed(RequestFailure::Impossible(_))),
        "{result:?}"
    );
    hostile.leave_to_an_honest_host(quic).await;
}
