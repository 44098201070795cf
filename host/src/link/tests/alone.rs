//! An agent without a host: it waits for one for a limited time.

use std::sync::Arc;
use std::time::Duration;

use retap_transport::keys::SessionKeys;
use tokio::time::{Instant, sleep};

use super::network::{MemoryNetwork, NetworkFaults};
use super::phone::CountingPhone;
use super::{TestAgent, connect};

const LIMIT: Duration = Duration::from_secs(600);
/// Longer than the idle timeout of a host that disappeared.
const NOTICED: Duration = Duration::from_secs(15);

fn start() -> (Arc<MemoryNetwork>, SessionKeys, TestAgent) {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    (network, host_keys, agent)
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_a_host_ends_after_its_timeout() {
    let (_network, _keys, agent) = start();
    let began = Instant::now();
    agent.server.wait_until_idle(LIMIT).await;
    assert_eq!(began.elapsed(), LIMIT);
}

#[tokio::test(start_paused = true)]
async fn a_connected_host_keeps_the_agent_even_without_requests() {
    let (network, keys, agent) = start();
    let began = Instant::now();
    let stay = Duration::from_secs(3600);
    let host = async {
        let link = connect(&network, &keys, "host").await.unwrap();
        sleep(stay).await;
        drop(link);
    };
    tokio::join!(host, agent.server.wait_until_idle(LIMIT));
    let lasted = began.elapsed();
    assert!(
        lasted >= stay + LIMIT && lasted < stay + LIMIT + NOTICED,
        "{lasted:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_connects_in_time_restarts_the_timeout() {
    let (network, keys, agent) = start();
    let began = Instant::now();
    let late = LIMIT - Duration::from_secs(60);
    let host = async {
        sleep(late).await;
        drop(connect(&network, &keys, "host").await.unwrap());
    };
    tokio::join!(host, agent.server.wait_until_idle(LIMIT));
    let lasted = began.elapsed();
    assert!(
        lasted >= late + LIMIT && lasted < late + LIMIT + NOTICED,
        "{lasted:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_ends_when_its_host_is_done_but_not_when_the_link_breaks() {
    let broken = (Duration::from_secs(20), Duration::from_secs(60));
    let network = MemoryNetwork::new(
        1,
        NetworkFaults {
            cuts: vec![broken],
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let agent = TestAgent::start(
        &network,
        &agent_keys,
        Arc::new(CountingPhone::new(&[])),
        None,
        1,
    );
    let mut connected = agent.server.connected();
    let host = async {
        let link = connect(&network, &host_keys, "host").await.unwrap();
        assert_eq!(
            connected
                .wait_for(Option::is_some)
                .await
                .unwrap()
                .as_deref(),
            Some("host")
        );
        let _ = connected.wait_for(Option::is_none).await.unwrap();
        let _ = connected.wait_for(Option::is_some).await.unwrap();
        drop(link);
        Instant::now()
    };
    let (left, ()) = tokio::join!(host, agent.server.wait_until_done());
    assert!(left.elapsed() < NOTICED);
}
