//! The connection to a phone that takes its own time.

use crate::scripted::{ScriptedPhone, app};
use retap_agent::on_thread::OnThread;
use retap_shared::action::Action;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{Capture, Play, Played, Request, Settle};
use retap_shared::screen::Point;
use retap_shared::trace::{Start, Step};
use retap_shared::verdict::{Interruption, Verdict};

fn play(steps: usize) -> Play {
    Play {
        app: app(),
        start: Start::Clean,
        steps: vec![Step::new(Action::Tap(Point { x: 50, y: 250 })); steps],
        target: None,
        settle: Settle::default(),
        linger: Micros::from_millis(500),
        record: false,
    }
}

#[tokio::test]
async fn a_play_runs_on_the_phones_own_thread_to_its_end() {
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let (connection, thread) = OnThread::start(Box::new(phone)).unwrap();
    let played: Played = connection.request(play(3).into()).await.unwrap().try_into().unwrap();
    assert_eq!((played.verdict, played.played), (Verdict::TargetNotReached, 3));
    assert_eq!(calls.lock().unwrap().iter().filter(|call| call.starts_with("tap")).count(), 3);
    drop(connection);
    thread.join().unwrap();
}

#[tokio::test]
async fn plays_that_nobody_waits_for_do_not_run_to_their_end() {
    const PLAYS: usize = 100;
    const STEPS: usize = 1_000;
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let (connection, _thread) = OnThread::start(Box::new(phone)).unwrap();
    for _ in 0..PLAYS {
        drop(connection.request(play(STEPS).into()));
    }
    connection.request(Request::from(Capture { holds: None })).await.unwrap();
    let taps = calls.lock().unwrap().iter().filter(|call| call.starts_with("tap")).count();
    assert!(taps < PLAYS * STEPS, "every one of them went on");
}

#[tokio::test]
async fn a_phone_that_is_lost_is_no_answer() {
    let phone = ScriptedPhone { lost_at: Some(2), ..ScriptedPhone::default() };
    let (connection, _thread) = OnThread::start(Box::new(phone)).unwrap();
    let answer = connection.request(play(3).into()).await;
    assert!(matches!(answer, Err(RequestError::Interrupted(Interruption::PhoneLost { .. }))), "{answer:?}");
}
