//! The oracle over a pool of phones: a lost phone is never an observation.

use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use proptest::prelude::*;
use retap_device::run_event::{RunEvent, null_sink};
use retap_device::{DevicePool, PoolError};
use retap_reduce::oracle::{
    Observation, Oracle, OracleError, OracleQuery, PooledOracle, ReplayConditions,
};
use retap_shared::connection::RequestError;
use retap_shared::protocol::{Request, RequestFailure};
use retap_shared::target::Target;
use retap_shared::trace::StartMode;
use retap_shared::verdict::Interruption;
use retap_testing::fakes::{
    device, in_virtual_time, listening, lost, playing, pool_with_a_broken_one, trace,
};

fn query(steps: impl IntoIterator<Item = u32>) -> OracleQuery {
    OracleQuery {
        candidate: trace(steps).steps.into(),
        attempt: 0,
        from_start: true,
        fresh_phone: false,
    }
}

/// Twelve attempts at the same time, half of them with the needed step.
async fn observations(pool: &DevicePool) -> Vec<Observation> {
    let oracle = PooledOracle::new(pool, ReplayConditions::of(&trace([])), &null_sink());
    let attempts = (0..12).map(|number| oracle.ask(query(number..number + 6)));
    join_all(attempts)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

fn needs_six(steps: &[u32]) -> bool {
    steps.contains(&6)
}

proptest! {
    #[test]
    fn observations_are_the_same_whenever_a_phone_is_lost(phones in 2usize..5, at in 0usize..14) {
        in_virtual_time(async {
            let undisturbed = observations(&pool_with_a_broken_one(phones, phones, 0, needs_six).await).await;
            let pool = pool_with_a_broken_one(phones, 0, at, needs_six).await;
            let disturbed = observations(&pool).await;
            let without_phone = |observations: &[Observation]| {
                let observation = |one: &Observation| Observation { phone: String::new(), ..one.clone() };
                observations.iter().map(observation).collect::<Vec<_>>()
            };
            prop_assert!(disturbed.iter().all(|observation| observation.phone.starts_with("phone-")));
            prop_assert_eq!(without_phone(&disturbed), without_phone(&undisturbed));
            prop_assert_eq!(disturbed.iter().filter(|observation| observation.reached).count(), 6);
            Ok(())
        })?;
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_phone_is_reported_and_not_leased_again() {
    let pool = pool_with_a_broken_one(2, 0, 0, needs_six).await;
    let (events, received) = listening();
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &events);
    assert!(oracle.ask(query([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 1);
    let why = "the phone was lost: the cable was pulled".to_owned();
    assert_eq!(
        *received.lock().unwrap(),
        [RunEvent::DeviceLost {
            device: "phone-0".to_owned(),
            why
        }]
    );
}

fn agent_died() -> RequestError {
    Interruption::AgentDied {
        why: "it was started anew".to_owned(),
    }
    .into()
}

#[tokio::test(start_paused = true)]
async fn a_phone_whose_agent_was_restarted_repeats_the_attempt() {
    let answer = playing(needs_six);
    let phone = move |before, request| {
        if before < 3 {
            Err(agent_died())
        } else {
            answer(before, request)
        }
    };
    let pool = DevicePool::new(vec![device("a", phone).await]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(oracle.ask(query([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_whose_agent_dies_repeatedly_is_quarantined() {
    let pool = DevicePool::new(vec![device("a", |_, _| Err(agent_died())).await]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(matches!(
        oracle.ask(query([6])).await,
        Err(OracleError::Pool(_))
    ));
}

#[tokio::test(start_paused = true)]
async fn when_all_phones_are_lost_the_oracle_fails() {
    let pool = DevicePool::new(vec![
        device("a", |_, _| Err(lost())).await,
        device("b", |_, _| Err(lost())).await,
    ]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    let error = oracle.ask(query([6])).await.unwrap_err();
    assert!(
        matches!(error, OracleError::Pool(PoolError::Empty { ref lost }) if lost.len() == 2),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_rejected_trace_is_an_error_and_the_phone_stays() {
    let rejects = |_, _| Err(RequestFailure::Impossible("there is no app `x`".to_owned()).into());
    let pool = DevicePool::new(vec![device("a", rejects).await]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(matches!(
        oracle.ask(query([6])).await,
        Err(OracleError::Refused { .. })
    ));
    assert_eq!(pool.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_phone_is_not_a_failure_of_the_app() {
    let fails = |_, _| Err(RequestFailure::Phone("the input service is gone".to_owned()).into());
    let pool = DevicePool::new(vec![
        device("a", fails).await,
        device("b", playing(needs_six)).await,
    ]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(oracle.ask(query([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 2, "one failure is no reason to give a phone up");
    for attempt in 0..5 {
        assert!(oracle.ask(query([6])).await.unwrap().reached, "{attempt}");
    }
    assert_eq!(pool.len(), 1, "it failed five times in a row");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_played_under_the_conditions_of_its_trace() {
    let played = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&played);
    let answer = playing(needs_six);
    let phone = device("a", move |before, request: Request| {
        if let Request::Play(play) = &request {
            recorder.lock().unwrap().push(play.clone());
        }
        answer(before, request)
    });
    let mut original = trace([1, 6]);
    original.header.start = StartMode::Restart;
    original.header.target = Some(Target::Activity("Settings".into()));
    let oracle = PooledOracle::new(
        &DevicePool::new(vec![phone.await]),
        ReplayConditions::of(&original),
        &null_sink(),
    );
    oracle
        .ask(OracleQuery {
            candidate: original.steps.clone().into(),
            attempt: 3,
            from_start: true,
            fresh_phone: false,
        })
        .await
        .unwrap();
    let plays = played.lock().unwrap();
    assert_eq!(
        (plays[0].start, &plays[0].target, &plays[0].steps),
        (StartMode::Restart, &original.header.target, &original.steps)
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_frees_its_phone() {
    let pool = pool_with_a_broken_one(1, 1, 0, needs_six).await;
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    let mut dropped = oracle.ask(query([6]));
    assert!(futures_util::poll!(&mut dropped).is_pending());
    drop(dropped);
    assert!(!oracle.ask(query([1])).await.unwrap().reached);
}
