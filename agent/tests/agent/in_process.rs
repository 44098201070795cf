//! Plays, cancellation and phone time of a connection without a link.

use std::time::Duration;

use retap_agent::in_process::InProcessConnection;
use retap_shared::action::Action;
use retap_shared::connection::{Connection, RequestError};
use retap_shared::geometry::{Point, Rotation};
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{
    Act, Capture, CaptureReply, Play, PlayReply, Request, RequestFailure, ScreenUpdate, Settle,
    WatchApp, WatchAppReply,
};
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode, Step};
use retap_shared::verdict::{Interruption, Verdict};
use retap_shared::widget::Widget;
use tokio::time::Instant;

use crate::scripted::{Calls, PACKAGE, ScriptedPhone, app, crash, screen};

fn millis(millis: u64) -> Micros {
    Micros::from_millis(millis)
}

fn taps(count: usize) -> Vec<Step> {
    vec![
        Step {
            widget: Some(screen(0).widget(2)),
            ..Step::new(Action::Tap(Point { x: 50, y: 250 }))
        };
        count
    ]
}

fn play(steps: Vec<Step>, target: Option<Target>) -> Play {
    Play {
        app: app(),
        start: StartMode::Clean,
        steps,
        target,
        pace: ReplayPace::Quiet,
        settle: Settle::default(),
        final_wait: millis(1_000),
        record: false,
    }
}

#[tokio::test(start_paused = true)]
async fn a_play_on_a_dark_display_has_no_verdict() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone {
        sleeps_at: Some(1),
        ..ScriptedPhone::default()
    }));
    let dark = connection.request(play(taps(3), None).into()).await;
    let expected = RequestFailure::Obstructed(Obstacle::DisplayOff);
    assert_eq!(dark, Err(RequestError::Failed(expected)));
    assert_eq!(played(&connection, play(taps(3), None)).await.played, 3);
}

fn crashing_at(counter: u32, after: Micros, line: u32) -> (InProcessConnection, Calls) {
    let event = (after, PhoneEventKind::Finding(crash(line)));
    let phone = ScriptedPhone {
        at_counter: [(counter, event)].into(),
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    (InProcessConnection::new(Box::new(phone)), calls)
}

async fn played(connection: &InProcessConnection, play: Play) -> PlayReply {
    connection
        .request(play.into())
        .await
        .unwrap()
        .try_into()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_play_ends_at_its_target() {
    let (connection, calls) = crashing_at(3, millis(50), 7);
    let played = played(
        &connection,
        play(taps(9), Some(Target::Problem(crash(7).fingerprint()))),
    )
    .await;
    assert_eq!((played.verdict, played.played), (Verdict::TargetReached, 3));
    assert_eq!(played.located_by, [LocatedBy::Widget; 3]);
    assert_eq!(
        calls
            .lock()
            .unwrap()
            .iter()
            .filter(|call| call.starts_with("tap"))
            .count(),
        3
    );
}

#[tokio::test(start_paused = true)]
async fn a_play_ends_with_another_crash_than_its_target() {
    let (connection, _) = crashing_at(3, millis(50), 99);
    let played = played(
        &connection,
        play(taps(9), Some(Target::Problem(crash(7).fingerprint()))),
    )
    .await;
    assert_eq!(
        (played.verdict, played.played),
        (Verdict::Problem(crash(99)), 3)
    );
}

#[tokio::test(start_paused = true)]
async fn a_crash_during_the_final_wait_counts() {
    let target = Some(Target::AnyProblem);
    let (connection, _) = crashing_at(2, millis(1_100), 7);
    assert_eq!(
        played(&connection, play(taps(2), target.clone()))
            .await
            .verdict,
        Verdict::TargetReached
    );
    let (connection, _) = crashing_at(2, millis(1_500), 7);
    assert_eq!(
        played(&connection, play(taps(2), target)).await.verdict,
        Verdict::TargetNotReached
    );
}

#[tokio::test(start_paused = true)]
async fn activities_and_widgets_are_targets_too() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    for name in [
        "Main",
        "com.example.counter.Main",
        "com.example.counter/com.example.counter.Main",
    ] {
        let played = played(
            &connection,
            play(taps(2), Some(Target::Activity(name.into()))),
        )
        .await;
        assert_eq!(
            (played.verdict, played.played),
            (Verdict::TargetReached, 0),
            "{name}"
        );
    }
    let part_of_name = play(taps(2), Some(Target::Activity("ain".into())));
    assert_eq!(
        played(&connection, part_of_name).await.verdict,
        Verdict::TargetNotReached
    );
    let shown = Target::Screen(Widget {
        text: "2 taps".into(),
        ..Widget::default()
    });
    let played = played(&connection, play(taps(5), Some(shown))).await;
    assert_eq!((played.verdict, played.played), (Verdict::TargetReached, 2));
}

#[tokio::test(start_paused = true)]
async fn a_line_of_the_log_is_a_target_too() {
    let log = |pattern: &str| play(taps(9), Some(Target::Log(pattern.into())));
    let (connection, _) = crashing_at(3, millis(50), 7);
    let ended = played(&connection, log("^E/AndroidRuntime: FATAL")).await;
    assert_eq!((ended.verdict, ended.played), (Verdict::TargetReached, 3));
    let (connection, _) = crashing_at(3, millis(50), 7);
    assert_eq!(
        played(&connection, log("no such line")).await.verdict,
        Verdict::Problem(crash(7))
    );
    let refused = connection.request(log("(").into()).await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`(` is not a regular expression"),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_recorded_play_returns_the_screen_before_each_step_and_the_last_one() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let played = played(
        &connection,
        Play {
            record: true,
            ..play(taps(3), None)
        },
    )
    .await;
    let shown: Vec<_> = played
        .screens
        .iter()
        .map(|screen| screen.as_ref().clone())
        .collect();
    assert_eq!(shown, [0, 1, 2, 3].map(screen));
}

#[tokio::test(start_paused = true)]
async fn at_recorded_pace_each_step_comes_as_long_after_the_one_before_as_it_did() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let times = [700, 700, 760, 3_000];
    let steps = times.iter().zip(taps(4)).map(|(&at_millis, step)| Step {
        at_millis: Some(at_millis),
        ..step
    });
    let at_pace = |pace| Play {
        pace,
        final_wait: Micros::ZERO,
        ..play(steps.clone().collect(), None)
    };
    let recorded = played(&connection, at_pace(ReplayPace::Recorded)).await;
    assert_eq!(recorded.played, 4);
    let end = millis(3_000) + Settle::default().quiet;
    assert!(recorded.took >= end && recorded.took < end + millis(100));
    let quiet = played(&connection, at_pace(ReplayPace::Quiet)).await;
    assert!(quiet.took < millis(1_500), "{}", quiet.took);
}

#[tokio::test(start_paused = true)]
async fn steps_without_times_are_refused_at_recorded_pace() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let play = Play {
        pace: ReplayPace::Recorded,
        ..play(taps(2), None)
    };
    let refused = connection.request(play.into()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "steps without times cannot be played at recorded pace"
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_trace_is_played_too() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let played = played(
        &connection,
        Play {
            record: true,
            ..play(vec![], None)
        },
    )
    .await;
    assert_eq!(
        (played.verdict, played.played),
        (Verdict::TargetNotReached, 0)
    );
    assert_eq!(played.screens.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_the_phone_does_not_support_has_its_own_verdict() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let steps = vec![taps(1).remove(0), Step::new(Action::Rotate(Rotation::Left))];
    let played = played(&connection, play(steps, None)).await;
    assert_eq!(
        (played.verdict, played.played),
        (
            Verdict::Unsupported {
                what: "rotate".into()
            },
            1
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_lost_phone_is_an_interruption_and_not_a_verdict() {
    let phone = ScriptedPhone {
        lost_at: Some(2),
        ..ScriptedPhone::default()
    };
    let connection = InProcessConnection::new(Box::new(phone));
    let error = connection
        .request(play(taps(3), None).into())
        .await
        .unwrap_err();
    let lost = Interruption::PhoneLost {
        why: "the cable was pulled".into(),
    };
    assert_eq!(error, RequestError::Interrupted(lost));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_play_ends_before_its_next_step_and_its_events_become_notifications() {
    let activity = PhoneEventKind::Activity("com.example.counter/.Other".into());
    let phone = ScriptedPhone {
        at_counter: [(1, (millis(1), activity.clone()))].into(),
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let connection = InProcessConnection::new(Box::new(phone));
    let limit = Duration::from_millis(200 + 206 * 3 + 100);
    let cancelled =
        tokio::time::timeout(limit, connection.request(play(taps(50), None).into())).await;
    assert!(cancelled.is_err(), "the play would have taken longer");
    assert_eq!(
        calls
            .lock()
            .unwrap()
            .iter()
            .filter(|call| call.starts_with("tap"))
            .count(),
        4
    );
    assert_eq!(connection.next_notification().await.unwrap().kind, activity);
    let watched: WatchAppReply = connection
        .request(
            WatchApp {
                package: PACKAGE.into(),
            }
            .into(),
        )
        .await
        .unwrap()
        .try_into()
        .unwrap();
    assert!(watched.events.is_empty(), "each event is returned once");
}

#[tokio::test(start_paused = true)]
async fn phone_time_passes_on_the_hosts_clock() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let start = Instant::now();
    let act = Act {
        step: taps(1).remove(0),
        settle: Settle::default(),
        held_screen: None,
    };
    for _ in 0..100 {
        connection.request(act.clone().into()).await.unwrap();
    }
    let expected = Duration::from_micros(100 * 205_600);
    let off = start.elapsed().abs_diff(expected);
    assert!(
        off <= Duration::from_millis(1),
        "the remainders of milliseconds are lost: off by {off:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn requests_are_handled_one_after_the_other() {
    let connection = InProcessConnection::new(Box::new(ScriptedPhone::default()));
    let playing = connection.request(play(taps(5), None).into());
    let capturing = connection.request(Request::Capture(Capture {
        held_screen: Some(screen(0).hash()),
    }));
    let (played, captured) = tokio::join!(playing, capturing);
    played.unwrap();
    let captured = CaptureReply::try_from(captured.unwrap()).unwrap();
    assert_eq!(
        captured.screen,
        ScreenUpdate::Full(screen(5).into()),
        "the play was not disturbed"
    );
}
