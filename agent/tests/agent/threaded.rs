//! The connection to a phone that takes its own time.

use std::sync::mpsc::channel;
use std::time::Duration;

use retap_agent::threaded::ThreadedConnection;
use retap_shared::action::Action;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    Act, ActReply, Capture, Play, PlayReply, Request, RequestFailure, Settle, TakeScreenshot,
    TakeScreenshotReply,
};
use retap_shared::trace::{StartMode, Step};
use retap_shared::verdict::{Interruption, Verdict};

use crate::scripted::{ScriptedPhone, app};

fn play(steps: usize) -> Play {
    Play {
        app: app(),
        start: StartMode::Clean,
        steps: vec![tap().step; steps],
        target: None,
        settle: Settle::default(),
        final_wait: Micros::from_millis(500),
        record: false,
    }
}

fn tap() -> Act {
    let step = Step::new(Action::Tap(Point { x: 50, y: 250 }));
    Act {
        step,
        settle: Settle::default(),
        held_screen: None,
    }
}

#[tokio::test]
async fn a_play_runs_on_the_phones_own_thread_to_its_end() {
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let (connection, thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    let played: PlayReply = connection
        .request(play(3).into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert_eq!(
        (played.verdict, played.played),
        (Verdict::TargetNotReached, 3)
    );
    assert_eq!(
        calls
            .lock()
            .unwrap()
            .iter()
            .filter(|call| call.starts_with("tap"))
            .count(),
        3
    );
    drop(connection);
    thread.join().unwrap();
}

#[tokio::test]
async fn plays_that_nobody_waits_for_do_not_run_to_their_end() {
    const PLAYS: usize = 100;
    const STEPS: usize = 1_000;
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let (connection, _thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    for _ in 0..PLAYS {
        drop(connection.request(play(STEPS).into()));
    }
    connection
        .request(Request::from(Capture { held_screen: None }))
        .await
        .unwrap();
    let taps = calls
        .lock()
        .unwrap()
        .iter()
        .filter(|call| call.starts_with("tap"))
        .count();
    assert!(taps < PLAYS * STEPS, "every one of them went on");
}

#[tokio::test]
async fn a_phone_that_is_lost_is_no_answer() {
    let phone = ScriptedPhone {
        lost_at: Some(2),
        ..ScriptedPhone::default()
    };
    let (connection, _thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    let answer = connection.request(play(3).into()).await;
    assert!(
        matches!(
            answer,
            Err(RequestError::Interrupted(Interruption::PhoneLost { .. }))
        ),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_tap_is_answered_while_a_picture_is_under_way() {
    let (begun, has_begun) = channel();
    let (let_go, go_on) = channel();
    let phone = ScriptedPhone {
        picture: Some((begun, go_on)),
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let (connection, _thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    let mut picture = connection.request(TakeScreenshot.into());
    has_begun.recv().unwrap();
    // A phone that takes pictures on its own thread would never answer: the picture goes on only after the tap.
    let tapped =
        tokio::time::timeout(Duration::from_secs(60), connection.request(tap().into())).await;
    let _: ActReply = tapped
        .expect("the tap waits for the picture")
        .unwrap()
        .try_into()
        .unwrap();
    assert!(
        calls
            .lock()
            .unwrap()
            .iter()
            .any(|call| call.starts_with("tap"))
    );
    assert!(
        tokio::time::timeout(Duration::ZERO, &mut picture)
            .await
            .is_err(),
        "nobody let it go on"
    );
    let_go.send(()).unwrap();
    let shot: TakeScreenshotReply = picture.await.unwrap().try_into().unwrap();
    assert_eq!(shot.picture.0, [1, 2, 3]);
}

#[tokio::test]
async fn a_phone_without_screenshots_says_so() {
    let (connection, _thread) =
        ThreadedConnection::start(Box::new(ScriptedPhone::default())).unwrap();
    let answer = connection.request(TakeScreenshot.into()).await;
    assert!(
        matches!(
            answer,
            Err(RequestError::Failed(RequestFailure::Unsupported(_)))
        ),
        "{answer:?}"
    );
}
