//! Agents that hold their connection and answer wrongly or not at all: the host counts that, waits between attempts, and
//! gives the phone up with the reason.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use retap_shared::connection::{Connection, RequestError};
use retap_shared::protocol::{Capture, Request};
use retap_shared::verdict::Interruption;
use retap_transport::keys::SessionKeys;

use super::connect;
use super::hostile_agent::{self, HostCounts, HostileBehaviour};
use super::network::{MemoryNetwork, NetworkFaults};

/// Sends one request to such an agent, and returns its error and what the host did meanwhile.
async fn asked(behaviour: HostileBehaviour) -> (RequestError, Arc<HostCounts>) {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let counts = hostile_agent::start(&network, &agent_keys, behaviour);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let request: Request = Capture { held_screen: None }.into();
    (link.request(request).await.unwrap_err(), counts)
}

fn reason(error: &RequestError) -> &str {
    match error {
        RequestError::Interrupted(
            Interruption::LinkLost { why } | Interruption::PhoneLost { why },
        ) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_never_answers_is_given_up_after_the_limit_of_the_request() {
    let began = tokio::time::Instant::now();
    let (error, counts) = asked(HostileBehaviour::default()).await;
    assert_eq!(
        reason(&error),
        "it has not answered `Capture` for 60 s, although the link holds"
    );
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(counts.requests.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_reset_again_and_again_is_sent_a_few_times_only() {
    let (error, counts) = asked(HostileBehaviour {
        answer: |_, mut send, _| {
            Box::pin(async move {
                let _ = send.reset(9_u32.into());
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    assert!(
        reason(&error).starts_with("`Capture` was answered wrongly 5 times"),
        "{error:?}"
    );
    assert_eq!(counts.requests.load(Ordering::Relaxed), 5);
    assert_eq!(counts.connections.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ends_every_connection_is_given_up_after_a_few() {
    let (error, counts) = asked(HostileBehaviour {
        answer: |quic, send, receive| {
            Box::pin(async move {
                quic.close(7_u32.into(), b"go away");
                drop((send, receive));
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    assert!(
        reason(&error).starts_with("it ended 10 connections in a row without a reply"),
        "{error:?}"
    );
    assert_eq!(counts.connections.load(Ordering::Relaxed), 10);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_decoded_ends_the_work_on_the_phone_at_once() {
    let (error, counts) = asked(HostileBehaviour {
        answer: |_, mut send, _| {
            Box::pin(async move {
                let _ = send.write_all(&[0xff; 100]).await;
                let _ = send.finish();
            })
        },
        ..HostileBehaviour::default()
    })
    .await;
    assert!(reason(&error).contains("could not be decoded"), "{error:?}");
    assert_eq!(counts.requests.load(Ordering::Relaxed), 1);
}
