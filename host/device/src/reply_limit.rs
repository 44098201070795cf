//! How long each request may take: one table, made from what the request does. `docs/reference/protocol.md` has it too.

use std::time::Duration;

use retap_shared::protocol::{Request, Settle};
use retap_shared::trace::Step;

/// Time after which a phone that should have answered counts as silent, and a message says so.
pub const SILENCE: Duration = Duration::from_secs(10);

/// Time for one step of a play beyond its own waits: to find the widget, to inject, to read the screen.
const PLAYED_STEP: Duration = Duration::from_secs(30);
/// The same, as it usually is with its settling.
const USUAL_STEP: Duration = Duration::from_secs(3);
/// Time that an app usually takes to start at most.
const USUAL_START: Duration = Duration::from_secs(10);
/// Time that a snapshot usually takes at most.
const USUAL_SNAPSHOT: Duration = Duration::from_secs(30);

/// How long a reply is waited for on a connection that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimit {
    /// Time after which the phone counts as silent.
    pub notice: Duration,
    /// Time after which the phone is given up.
    pub limit: Duration,
}

/// The limit of a request: that of its kind, and the waits that it asks for itself.
pub fn reply_limit(request: &Request) -> ReplyLimit {
    let limit = Duration::from_secs(kind_seconds(request));
    let waits = |step: &Step, settle: Settle| step.action.duration() + settle.limit.into();
    let (usual, most) = match request {
        Request::Act(act) => {
            let own = waits(&act.step, act.settle);
            (own, own)
        }
        Request::Settle(settle) => (settle.limit.into(), settle.limit.into()),
        Request::Play(play) => {
            let last = play.steps.last().and_then(|step| step.at_millis);
            let pauses = Duration::from_millis(u64::from(last.unwrap_or_default()));
            let steps = play.steps.iter();
            let usual: Duration = steps
                .clone()
                .map(|step| step.action.duration() + USUAL_STEP)
                .sum();
            let most: Duration = steps
                .map(|step| waits(step, play.settle) + PLAYED_STEP)
                .sum();
            let always = pauses + play.final_wait.into();
            (USUAL_START + usual + always, most + always)
        }
        Request::ControlApp(_) => (USUAL_START, Duration::ZERO),
        Request::ManageSnapshot(_) => (USUAL_SNAPSHOT, Duration::ZERO),
        _ => (Duration::ZERO, Duration::ZERO),
    };
    ReplyLimit {
        notice: SILENCE + usual,
        limit: limit + most,
    }
}

/// Seconds for a request of this kind on a slow phone, without the waits that it asks for.
fn kind_seconds(request: &Request) -> u64 {
    match request {
        Request::DescribePhone(_) => 60,
        Request::Capture(_) => 60,
        Request::Act(_) => 60,
        Request::Settle(_) => 60,
        Request::Play(_) => 180,
        Request::ControlApp(_) => 180,
        Request::WatchApp(_) => 30,
        Request::ManageSnapshot(_) => 600,
        Request::TakeScreenshot(_) => 120,
        Request::ReadLog(_) => 60,
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::protocol::{
        Act, AppCommand, Capture, ControlApp, DescribePhone, ManageSnapshot, Play, TakeScreenshot,
        WatchApp,
    };
    use retap_shared::trace::{App, ReplayPace, StartMode};
    use retap_shared::{action::Action, micros::Micros};

    use super::*;

    fn play(steps: usize) -> Request {
        Play {
            app: App::default(),
            start: StartMode::Clean,
            steps: vec![Step::new(Action::Wait { millis: 1_000 }); steps],
            target: None,
            pace: ReplayPace::Quiet,
            settle: Settle::default(),
            final_wait: Micros::from_millis(6_000),
            record: false,
        }
        .into()
    }

    fn act() -> Request {
        Act {
            step: Step::new(Action::Wait { millis: 1_000 }),
            settle: Settle::default(),
            held_screen: None,
        }
        .into()
    }

    #[test]
    fn a_tap_is_given_up_long_before_a_play() {
        let tap = reply_limit(&act());
        assert_eq!(tap.limit, Duration::from_secs(60 + 1 + 5));
        assert_eq!(tap.notice, Duration::from_secs(10 + 1 + 5));
        assert_eq!(
            reply_limit(&play(10)).limit,
            Duration::from_secs(180 + 6 + 10 * (1 + 5 + 30))
        );
        assert!(reply_limit(&play(10)).limit > tap.limit * 8);
    }

    #[test]
    fn the_manual_has_the_limit_of_every_request() {
        let manual = include_str!("../../../docs/reference/protocol.md");
        let app = App::default();
        let command = AppCommand::Launch;
        let requests: [Request; 9] = [
            DescribePhone.into(),
            Capture { held_screen: None }.into(),
            act(),
            Settle::default().into(),
            play(0),
            ControlApp { app, command }.into(),
            WatchApp { package: "".into() }.into(),
            ManageSnapshot::Save.into(),
            TakeScreenshot.into(),
        ];
        for request in requests {
            let row = format!("| `{}` | {} s |", request.name(), kind_seconds(&request));
            assert!(manual.contains(&row), "{row}");
        }
    }
}
