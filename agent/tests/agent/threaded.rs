//! The connection to a phone on a thread of its own.

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
use retap_shared::trace::{ReplayPace, StartMode, Step};
use retap_shared::verdict::{Interruption, Verdict};

use crate::scripted::{ScriptedPhone, app};

fn play(steps: usize) -> Play {
    Play {
        app: app(),
        start: StartMode::Clean,
        steps: vec![tap().step; steps],
        target: None,
        pace: ReplayPace::Quiet,
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
async fn cancelled_plays_do_not_run_to_their_end() {
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
    assert!(taps < PLAYS * STEPS, "no play was cancelled");
}

#[tokio::test]
async fn a_lost_phone_is_an_interruption() {
    let phone = ScriptedPhone {
        lost_at: Some(2),
        ..ScriptedPhone::default()
    };
    let (connection, _thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    let result = connection.request(play(3).into()).await;
    assert!(
        matches!(
            result,
            Err(RequestError::Interrupted(Interruption::PhoneLost { .. }))
        ),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_tap_is_handled_while_a_screenshot_is_taken() {
    let (start_sender, started) = channel();
    let (permit, permission) = channel();
    let phone = ScriptedPhone {
        screenshot: Some((start_sender, permission)),
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let (connection, _thread) = ThreadedConnection::start(Box::new(phone)).unwrap();
    let mut screenshot = connection.request(TakeScreenshot.into());
    started.recv().unwrap();
    // The screenshot continues only after the tap: on the phone's thread it would block the tap for ever.
    let tapped =
        tokio::time::timeout(Duration::from_secs(60), connection.request(tap().into())).await;
    let _: ActReply = tapped
        .expect("the tap waits for the screenshot")
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
        tokio::time::timeout(Duration::ZERO, &mut screenshot)
            .await
            .is_err(),
        "the screenshot was not permitted yet"
    );
    permit.send(()).unwrap();
    let reply: TakeScreenshotReply = screenshot.await.unwrap().try_into().unwrap();
    assert_eq!(reply.picture.0, [1, 2, 3]);
}

#[tokio::test]
async fn a_phone_without_screenshots_refuses_them() {
    let (connection, _thread) =
        ThreadedConnection::start(Box::new(ScriptedPhone::default())).unwrap();
    let result = connection.request(TakeScreenshot.into()).await;
    assert!(
        matches!(
            result,
            Err(RequestError::Failed(RequestFailure::Unsupported(_)))
        ),
        "{result:?}"
    );
}
