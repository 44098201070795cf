//! Requests over a link that is down, slow or cut: each is done once, and a dropped one is cancelled.

use std::sync::Arc;
use std::time::Duration;

use retap_shared::connection::{Connection, RequestError};
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{PlayReply, WatchApp};
use retap_transport::keys::SessionKeys;
use tokio::time::timeout;

use super::faults::{NEEDED, play};
use super::network::{MemoryNetwork, NetworkFaults};
use super::phone::CountingPhone;
use super::{TestAgent, connect};

#[tokio::test(start_paused = true)]
async fn an_undisturbed_link_answers_and_does_everything_once() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let played: PlayReply = link
        .request(play(20).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(played.played, 20);
    assert_eq!(phone.plays.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_play_continues_while_the_link_is_down_and_its_result_arrives_once() {
    let second = Duration::from_secs(1);
    let cuts = vec![(second, second * 40)];
    let network = MemoryNetwork::new(
        1,
        NetworkFaults {
            cuts,
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let played: PlayReply = link
        .request(play(100).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(played.played, 100);
    assert_eq!(*phone.plays.lock().unwrap(), [((0..100).collect(), true)]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_request_ends_the_play_within_a_step() {
    let network = MemoryNetwork::new(
        1,
        NetworkFaults {
            delay: Duration::from_millis(5),
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    assert!(
        timeout(Duration::from_millis(1_100), link.request(play(100).into()))
            .await
            .is_err()
    );
    let steps = *phone.steps.lock().unwrap();
    // The phone is free for the next request at once, and no further step of the old one is played.
    let watch = WatchApp {
        package: "com.example".into(),
    };
    link.request(watch.into()).await.unwrap();
    let played: PlayReply = link
        .request(play(1).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(played.played, 1);
    assert!(
        *phone.steps.lock().unwrap() <= steps + 2,
        "one step under way and the step of the second play"
    );
    assert!(!phone.plays.lock().unwrap()[0].1);
}

#[tokio::test(start_paused = true)]
async fn a_long_request_that_a_cut_holds_up_is_done_when_the_rest_of_it_has_come() {
    let second = Duration::from_secs(1);
    // Too short to end the connection; only the first datagrams of the request get through before it.
    let cuts = vec![(
        second + Duration::from_millis(50),
        Duration::from_millis(5_400),
    )];
    let delay = Duration::from_millis(100);
    let network = MemoryNetwork::new(
        1,
        NetworkFaults {
            cuts,
            delay,
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let began = tokio::time::Instant::now();
    let link = connect(&network, &host_keys, "host").await.unwrap();
    tokio::time::sleep_until(began + second).await;
    let mut long = play(200);
    long.steps
        .iter_mut()
        .for_each(|step| step.activity = "x".repeat(200).into());
    let played: PlayReply = link.request(long.into()).await.unwrap().try_into().unwrap();
    assert_eq!(played.played, 200);
    assert_eq!(phone.plays.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_request_is_refused_with_an_explanation_and_not_repeated() {
    let network = MemoryNetwork::new(1, NetworkFaults::default());
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    // This many small steps take more memory than the agent allows for a message of this size.
    let error = link.request(play(100_000).into()).await.unwrap_err();
    assert!(
        matches!(&error, RequestError::Failed(fault) if fault.to_string().contains("`Play`")),
        "{error:?}"
    );
    assert_eq!(phone.plays.lock().unwrap().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_dropped_while_the_link_is_down_is_cancelled_when_it_is_back() {
    let second = Duration::from_secs(1);
    let network = MemoryNetwork::new(
        1,
        NetworkFaults {
            cuts: vec![(second, second * 20)],
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    assert!(
        timeout(second * 15, link.request(play(1_000).into()))
            .await
            .is_err()
    );
    let played: PlayReply = link
        .request(play(1).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(played.played, 1);
    assert!(
        !phone.plays.lock().unwrap()[0].1,
        "the first play was given up"
    );
}

#[tokio::test(start_paused = true)]
async fn notifications_arrive_once_each_and_in_order_across_breaks() {
    let second = Duration::from_secs(1);
    let cuts = vec![
        (second, second * 30),
        (second * 60, second * 2),
        (second * 80, second * 15),
    ];
    let network = MemoryNetwork::new(
        3,
        NetworkFaults {
            cuts,
            lost: 10,
            ..NetworkFaults::default()
        },
    );
    let (agent_keys, host_keys) = SessionKeys::generate().unwrap();
    let phone = Arc::new(CountingPhone::new(&NEEDED));
    let _agent = TestAgent::start(&network, &agent_keys, phone.clone(), None, 1);
    let link = connect(&network, &host_keys, "host").await.unwrap();
    let count = 60;
    for _ in 0..count {
        link.request(play(9).into()).await.unwrap();
    }
    for number in 1..=count {
        let PhoneEvent { kind, .. } = link.next_notification().await.unwrap();
        assert_eq!(
            kind,
            PhoneEventKind::Activity(format!("play/{number}").into())
        );
    }
}
