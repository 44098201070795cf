//! The pace of a replay, through the agent's own handlers: a crash that needs fast taps.

use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::Phone;
use retap_shared::action::Action;
use retap_shared::connection::Connection;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Act, ActReply, AppCommand, ControlApp, Play, PlayReply, Settle};
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode, Step};
use retap_shared::verdict::Verdict;
use retap_simulator::open;

use crate::drive;

/// Taps on the shutter at these times.
fn shutter_at(times: &[u32]) -> Vec<Step> {
    let mut phone = drive::started("sim:camera");
    let place = drive::place(&mut phone, "shutter");
    let screen = phone.capture().unwrap();
    let node = drive::find(&screen, "shutter").unwrap();
    let step = |&at_millis: &u32| Step {
        widget: Some(screen.widget(node)),
        at_millis: Some(at_millis),
        ..Step::new(Action::Tap(place))
    };
    times.iter().map(step).collect()
}

async fn play(times: &[u32], pace: ReplayPace) -> PlayReply {
    let mut phone = open("sim:camera").unwrap();
    let play = Play {
        app: drive::app(&mut phone),
        start: StartMode::Clean,
        steps: shutter_at(times),
        target: Some(Target::AnyProblem),
        pace,
        settle: Settle::default(),
        final_wait: Micros::from_millis(1_000),
        record: true,
    };
    let reply = InProcessConnection::new(Box::new(phone))
        .request(play.into())
        .await
        .unwrap();
    PlayReply::try_from(reply).unwrap()
}

#[tokio::test(start_paused = true)]
async fn fast_taps_crash_at_recorded_pace_only() {
    let fast = play(&[900, 3_000, 3_100], ReplayPace::Recorded).await;
    assert_eq!((fast.verdict, fast.played), (Verdict::TargetReached, 3));
    assert_eq!(fast.screens.len(), 4);
    let quiet = play(&[900, 3_000, 3_100], ReplayPace::Quiet).await;
    assert_eq!(
        (quiet.verdict, quiet.played),
        (Verdict::TargetNotReached, 3)
    );
    let slow = play(&[900, 3_000, 3_200], ReplayPace::Recorded).await;
    assert_eq!((slow.verdict, slow.played), (Verdict::TargetNotReached, 3));
    assert!(slow.took >= Micros::from_millis(3_200), "{}", slow.took);
}

#[tokio::test(start_paused = true)]
async fn a_step_reports_its_time_since_the_start() {
    let mut phone = open("sim:camera").unwrap();
    let app = drive::app(&mut phone);
    let connection = InProcessConnection::new(Box::new(phone));
    let start = ControlApp {
        app,
        command: AppCommand::Start(StartMode::Clean),
    };
    let throttle = Settle {
        quiet: Micros::from_millis(70),
        limit: Micros::from_millis(70),
    };
    for _ in 0..2 {
        connection.request(start.clone().into()).await.unwrap();
        let mut times = Vec::new();
        for step in shutter_at(&[0, 0]) {
            let act = Act {
                step,
                settle: throttle,
                held_screen: None,
            };
            let reply = connection.request(act.into()).await.unwrap();
            times.push(ActReply::try_from(reply).unwrap().at);
        }
        // The clock counts from the start, and an event takes a millisecond.
        assert!(times[0] >= Settle::default().quiet && times[0] < Micros::from_millis(1_000));
        let between = times[1].since(times[0]);
        assert!(between >= throttle.quiet && between < Micros::from_millis(75));
    }
}
