//! Refused hosts, and the errors on both sides.

use std::sync::Arc;
use std::time::Duration;

use retap_shared::connection::Connection;
use retap_shared::protocol::{PlayReply, WatchApp};
use retap_shared::session::HandshakeRefusal;
use retap_transport::keys::SessionKeys;

use super::network::{MemoryNetwork, NetworkFaults};
use super::phone::CountingPhone;
use super::{AGENT, LinkError, TestAgent, connect};
use crate::link::dialer::DialError;

fn watch() -> retap_shared::protocol::Request {
    WatchApp {
        package: "com.example".into(),
    }
    .into()
}

#[tokio::test(start_paused = true)]
async fn a_host_with_other_keys_is_refused() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, _) = SessionKeys::generate().unwrap();
    let (_, strangers_keys) = SessionKeys::generate().unwrap();
    let _agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    let error = connect(&network, &strangers_keys, "stranger")
        .await
        .unwrap_err();
    assert!(
        matches!(error, LinkError::Dial(DialError::Keys { .. })),
        "{error:?}"
    );
    assert!(
        error
            .to_string()
            .contains("has other keys than the pairing file"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_knows_the_agents_certificate_but_not_its_own_key_is_refused() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, _) = SessionKeys::generate().unwrap();
    let (_, stranger) = SessionKeys::generate().unwrap();
    let impostor = stranger.expecting_peer_of(&agent_keys);
    let _agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    let error = connect(&network, &impostor, "impostor").await.unwrap_err();
    assert!(
        !matches!(error, LinkError::Refused(_)),
        "it must be refused before Retap's handshake: {error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn another_version_is_refused_with_both_versions_named() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&[]));
    let _agent = TestAgent::start_version(&network, &agent_keys, phone, None, 1, "9.9.9");
    let error = connect(&network, &host_keys, "host").await.unwrap_err();
    assert!(
        matches!(&error, LinkError::Refused(HandshakeRefusal::Version { agent }) if agent == "9.9.9"),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_host_learns_who_holds_the_phone_and_the_first_is_not_disturbed() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let _agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    let first = connect(&network, &host_keys, "laptop of A").await.unwrap();
    let error = connect(&network, &host_keys, "laptop of B")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, LinkError::Refused(HandshakeRefusal::Held { by, .. }) if by == "laptop of A"),
        "{error:?}"
    );
    first.request(watch()).await.unwrap();
    drop(first);
    connect(&network, &host_keys, "laptop of B").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_host_that_died_loses_the_phone_after_the_idle_timeout() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let _agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    let first = connect(&network, &host_keys, "first").await.unwrap();
    network.silence_all_but(AGENT);
    std::mem::forget(first);
    let second = connect(&network, &host_keys, "second").await.unwrap();
    second.request(watch()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_recorded_handshake_played_again_opens_nothing() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&[]));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let _: PlayReply = link
        .request(super::faults::play(3).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    drop(link);
    tokio::time::sleep(Duration::from_secs(60)).await;

    let recorded: Vec<_> = network
        .heard
        .lock()
        .unwrap()
        .iter()
        .filter(|(to, _)| *to == AGENT)
        .cloned()
        .collect();
    let replayer = network.fresh_address();
    let _socket = network.socket(replayer);
    for (to, datagram) in &recorded {
        network.inject(replayer, *to, datagram);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(
        phone.plays.lock().unwrap().len(),
        1,
        "the recorded request was not done again"
    );
    connect(&network, &host_keys, "host")
        .await
        .expect("the phone is not held by a ghost");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_strangers_does_not_disturb_the_session() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let (_, strangers_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&[]));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let flood = async {
        let strangers = (0..200).map(|_| connect(&network, &strangers_keys, "stranger"));
        futures_util::future::join_all(strangers).await
    };
    let work = async {
        for _ in 0..50 {
            link.request(super::faults::play(3).into()).await.unwrap();
        }
    };
    let (strangers, ()) = tokio::join!(flood, work);
    assert!(strangers.iter().all(Result::is_err));
    assert_eq!(phone.plays.lock().unwrap().len(), 50);
}

#[tokio::test(start_paused = true)]
async fn garbage_on_the_port_changes_nothing() {
    let network = MemoryNetwork::new(5, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&[]));
    let _agent = TestAgent::start(&network, &agent_keys, phone, None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let from = network.fresh_address();
    for length in 0..1_000 {
        let garbage: Vec<u8> = (0..length).map(|_| network.draw(256) as u8).collect();
        network.inject(from, AGENT, &garbage);
    }
    link.request(watch()).await.unwrap();
}
