//! The oracle over the pool: a lost phone is never an answer.

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

fn question(steps: impl IntoIterator<Item = u32>) -> OracleQuery {
    OracleQuery {
        candidate: trace(steps).steps.into(),
        attempt: 0,
        from_start: true,
    }
}

/// Twelve questions at once, half of them with the step that does it.
async fn answers(pool: &DevicePool) -> Vec<Observation> {
    let oracle = PooledOracle::new(pool, ReplayConditions::of(&trace([])), &null_sink());
    let asked =
        (0..12).map(|question_number| oracle.ask(question(question_number..question_number + 6)));
    join_all(asked)
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
    fn answers_are_the_same_whenever_a_phone_is_lost(phones in 2usize..5, at in 0usize..14) {
        in_virtual_time(async {
            let undisturbed = answers(&pool_with_a_broken_one(phones, phones, 0, needs_six).await).await;
            let pool = pool_with_a_broken_one(phones, 0, at, needs_six).await;
            let disturbed = answers(&pool).await;
            prop_assert_eq!(&disturbed, &undisturbed);
            prop_assert_eq!(disturbed.iter().filter(|seen| seen.reached).count(), 6);
            Ok(())
        })?;
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_phone_is_told_and_gets_no_more_work() {
    let pool = pool_with_a_broken_one(2, 0, 0, needs_six).await;
    let (sink, heard) = listening();
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &sink);
    assert!(oracle.ask(question([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 1);
    let why = "the phone was lost: the cable was pulled".to_owned();
    assert_eq!(
        *heard.lock().unwrap(),
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
async fn a_phone_whose_agent_was_started_anew_plays_the_run_again() {
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
    assert!(oracle.ask(question([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_whose_agent_dies_again_and_again_is_given_up() {
    let pool = DevicePool::new(vec![device("a", |_, _| Err(agent_died())).await]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(matches!(
        oracle.ask(question([6])).await,
        Err(OracleError::Pool(_))
    ));
}

#[tokio::test(start_paused = true)]
async fn when_all_phones_are_lost_there_is_no_answer_but_an_error() {
    let pool = DevicePool::new(vec![
        device("a", |_, _| Err(lost())).await,
        device("b", |_, _| Err(lost())).await,
    ]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    let error = oracle.ask(question([6])).await.unwrap_err();
    assert!(
        matches!(error, OracleError::Pool(PoolError::Empty { ref lost }) if lost.len() == 2),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_phone_will_not_play_is_an_error_and_the_phone_stays() {
    let refuses = |_, _| Err(RequestFailure::Impossible("there is no app `x`".to_owned()).into());
    let pool = DevicePool::new(vec![device("a", refuses).await]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(matches!(
        oracle.ask(question([6])).await,
        Err(OracleError::Refused { .. })
    ));
    assert_eq!(pool.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_fails_is_not_blamed_on_the_app() {
    let fails = |_, _| Err(RequestFailure::Phone("the input service is gone".to_owned()).into());
    let pool = DevicePool::new(vec![
        device("a", fails).await,
        device("b", playing(needs_six)).await,
    ]);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    assert!(oracle.ask(question([6])).await.unwrap().reached);
    assert_eq!(pool.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_played_as_its_trace_says() {
    let played = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&played);
    let answer = playing(needs_six);
    let phone = device("a", move |before, request: Request| {
        if let Request::Play(play) = &request {
            keep.lock().unwrap().push(play.clone());
        }
        answer(before, request)
    });
    let mut origin = trace([1, 6]);
    origin.header.start = StartMode::Restart;
    origin.header.target = Some(Target::Activity("Settings".into()));
    let oracle = PooledOracle::new(
        &DevicePool::new(vec![phone.await]),
        ReplayConditions::of(&origin),
        &null_sink(),
    );
    oracle
        .ask(OracleQuery {
            candidate: origin.steps.clone().into(),
            attempt: 3,
            from_start: true,
        })
        .await
        .unwrap();
    let plays = played.lock().unwrap();
    assert_eq!(
        (plays[0].start, &plays[0].target, &plays[0].steps),
        (StartMode::Restart, &origin.header.target, &origin.steps)
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_question_frees_its_phone() {
    let pool = pool_with_a_broken_one(1, 1, 0, needs_six).await;
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&trace([])), &null_sink());
    let mut dropped = oracle.ask(question([6]));
    assert!(futures_util::poll!(&mut dropped).is_pending());
    drop(dropped);
    assert!(!oracle.ask(question([1])).await.unwrap().reached);
}
