//! The handlers as a host sees them: one request each, with a scripted phone.

use retap_agent::dispatch::HandlerResult;
use retap_agent::handlers::Handlers;
use retap_shared::action::Action;
use retap_shared::geometry::Point;
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{
    Act, ActReply, AppCommand, Capture, CaptureReply, ControlApp, ControlAppReply, ManageSnapshot,
    ManageSnapshotReply, Reply, Request, ScreenUpdate, Settle, SettleReply, WatchApp,
    WatchAppReply,
};
use retap_shared::trace::{StartMode, Step};
use retap_shared::widget::Widget;

use crate::scripted::{PACKAGE, ScriptedPhone, app, crash, screen};

pub(crate) fn request<T: TryFrom<Reply>>(
    handlers: &mut Handlers,
    request: impl Into<Request>,
) -> T {
    let HandlerResult::Done(reply) = handlers.handle(request.into()).unwrap() else {
        panic!("not a play")
    };
    T::try_from(reply).ok().expect("the reply of the request")
}

pub(crate) fn millis(millis: u64) -> Micros {
    Micros::from_millis(millis)
}

pub(crate) fn act(step: Step) -> Act {
    Act {
        step,
        settle: Settle::default(),
        held_screen: None,
    }
}

fn tap(x: i32, y: i32) -> Step {
    Step::new(Action::Tap(Point { x, y }))
}

pub(crate) fn tap_more() -> Step {
    Step {
        widget: Some(screen(0).widget(2)),
        ..tap(50, 250)
    }
}

#[test]
fn a_step_settles_and_returns_the_screen_after_it() {
    let phone = ScriptedPhone {
        ripples: vec![millis(100), millis(250)],
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let acted: ActReply = request(&mut handlers, act(tap_more()));
    assert_eq!(acted.screen, ScreenUpdate::Full(screen(1).into()));
    assert!(acted.quiet);
    assert_eq!(
        acted.took,
        millis(450),
        "quiet for 200 ms after the change at 250 ms"
    );
    assert_eq!(acted.branches, [1, 7], "each branch once, ascending");
}

#[test]
fn a_screen_that_keeps_changing_ends_the_wait_at_its_limit() {
    let phone = ScriptedPhone {
        ripples: (1..100).map(|n| millis(n * 100)).collect(),
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let acted: ActReply = request(&mut handlers, act(tap_more()));
    assert!(!acted.quiet);
    assert_eq!(acted.took, Micros(5_600) + Settle::default().limit);
}

#[test]
fn quiet_counts_from_the_request_even_if_nothing_has_changed_for_long() {
    let mut handlers = Handlers::new(Box::new(ScriptedPhone {
        now: millis(60_000),
        ..ScriptedPhone::default()
    }));
    let settled: SettleReply = request(&mut handlers, Settle::default());
    assert_eq!((settled.quiet, settled.took), (true, millis(200)));
}

#[test]
fn a_clock_that_stands_still_ends_the_wait() {
    let mut handlers = Handlers::new(Box::new(ScriptedPhone {
        stands_still: true,
        ..ScriptedPhone::default()
    }));
    let settled: SettleReply = request(&mut handlers, Settle::default());
    assert!(!settled.quiet);
}

#[test]
fn a_step_follows_its_widget_and_keeps_a_place_that_still_lies_on_it() {
    let phone = ScriptedPhone {
        counter: 60,
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    let moved: ActReply = request(
        &mut handlers,
        act(Step {
            widget: tap_more().widget,
            ..tap(50, 250)
        }),
    );
    let kept: ActReply = request(
        &mut handlers,
        act(Step {
            widget: tap_more().widget,
            ..tap(99, 265)
        }),
    );
    assert_eq!(
        (moved.located_by, kept.located_by),
        (LocatedBy::Widget, LocatedBy::Widget)
    );
    assert_eq!(*calls.lock().unwrap(), ["tap (50, 310)", "tap (99, 265)"]);
}

#[test]
fn a_step_whose_widget_is_not_found_uses_its_recorded_place() {
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    let missing = Widget {
        text: "Elsewhere".into(),
        class: "android.widget.Button".into(),
        ..Widget::default()
    };
    let acted: ActReply = request(
        &mut handlers,
        act(Step {
            widget: Some(missing),
            ..tap(3, 4)
        }),
    );
    assert_eq!(acted.located_by, LocatedBy::Place);
    assert_eq!(*calls.lock().unwrap(), ["tap (3, 4)"]);
    let acted: ActReply = request(&mut handlers, act(Step::new(Action::Launch)));
    assert_eq!(acted.located_by, LocatedBy::Anywhere);
}

#[test]
fn a_wait_passes_on_the_phones_clock_without_an_injection() {
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    let acted: ActReply = request(
        &mut handlers,
        act(Step::new(Action::Wait { millis: 1_000 })),
    );
    assert_eq!(acted.took, millis(1_200));
    assert!(calls.lock().unwrap().is_empty());
}

#[test]
fn a_screen_is_sent_as_the_diff_from_the_one_that_the_host_holds() {
    let mut handlers = Handlers::new(Box::new(ScriptedPhone::default()));
    let held = screen(0).hash();
    let first: CaptureReply = request(
        &mut handlers,
        Capture {
            held_screen: Some(screen(9).hash()),
        },
    );
    assert_eq!(
        first.screen,
        ScreenUpdate::Full(screen(0).into()),
        "the agent never sent the screen that the host holds"
    );
    let same: CaptureReply = request(
        &mut handlers,
        Capture {
            held_screen: Some(held),
        },
    );
    assert_eq!(same.screen, ScreenUpdate::Unchanged);
    let acted: ActReply = request(
        &mut handlers,
        Act {
            held_screen: Some(held),
            ..act(tap_more())
        },
    );
    let ScreenUpdate::Changed(diff) = acted.screen else {
        panic!("not a diff")
    };
    assert_eq!(diff.apply(&screen(0)).unwrap(), screen(1));
    let acted: ActReply = request(
        &mut handlers,
        Act {
            held_screen: Some(held),
            ..act(tap_more())
        },
    );
    let ScreenUpdate::Changed(diff) = acted.screen else {
        panic!("the reply before may have been lost")
    };
    assert_eq!(diff.apply(&screen(0)).unwrap(), screen(2));
}

#[test]
fn a_crash_during_a_step_is_in_its_reply_only() {
    let finding = PhoneEventKind::Finding(crash(7));
    let phone = ScriptedPhone {
        at_counter: [(1, (millis(150), finding.clone()))].into(),
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let acted: ActReply = request(&mut handlers, act(tap_more()));
    assert_eq!(acted.events.len(), 1);
    assert_eq!(
        (acted.events[0].at, &acted.events[0].kind),
        (millis(150), &finding)
    );
    let watched: WatchAppReply = request(
        &mut handlers,
        WatchApp {
            package: PACKAGE.into(),
        },
    );
    assert!(watched.events.is_empty());
}

#[test]
fn a_clean_start_stops_clears_grants_and_launches_in_this_order() {
    let phone = ScriptedPhone::default();
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    for start in [StartMode::Clean, StartMode::Restart, StartMode::Continue] {
        let control = ControlApp {
            app: app(),
            command: AppCommand::Start(start),
        };
        handlers.handle(control.into()).unwrap();
        calls.lock().unwrap().push("|".into());
    }
    let watch = format!("watch {PACKAGE}");
    let watch = watch.as_str();
    let bar = "|";
    let expected = [
        watch, "stop", "clear", "grant", "launch", bar, watch, "stop", "launch", bar, watch, bar,
    ];
    assert_eq!(*calls.lock().unwrap(), expected);
}

#[test]
fn a_start_turns_the_display_back() {
    let phone = ScriptedPhone {
        can_rotate: true,
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    let control = ControlApp {
        app: app(),
        command: AppCommand::Start(StartMode::Restart),
    };
    handlers.handle(control.into()).unwrap();
    let watch = format!("watch {PACKAGE}");
    assert_eq!(
        *calls.lock().unwrap(),
        [watch.as_str(), "stop", "rotate to natural", "launch"]
    );
}

#[test]
fn events_before_a_start_are_notifications_and_not_part_of_the_run() {
    let finding = PhoneEventKind::Finding(crash(7));
    let phone = ScriptedPhone {
        at_counter: [(1, (millis(300), finding.clone()))].into(),
        stop_takes: millis(500),
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let acted: ActReply = request(&mut handlers, act(tap_more()));
    assert!(acted.events.is_empty(), "the crash comes later");
    let control = ControlApp {
        app: app(),
        command: AppCommand::Start(StartMode::Clean),
    };
    let controlled: ControlAppReply = request(&mut handlers, control);
    assert!(controlled.events.is_empty());
    let watched: WatchAppReply = request(
        &mut handlers,
        WatchApp {
            package: PACKAGE.into(),
        },
    );
    assert_eq!(watched.events[0].kind, finding);
}

#[test]
fn a_snapshot_restores_its_screen_until_it_is_discarded() {
    let mut handlers = Handlers::new(Box::new(ScriptedPhone::default()));
    let _: ActReply = request(&mut handlers, act(tap_more()));
    let saved: ManageSnapshotReply = request(&mut handlers, ManageSnapshot::Save);
    let _: ActReply = request(&mut handlers, act(tap_more()));
    let restored: ManageSnapshotReply = request(&mut handlers, ManageSnapshot::Restore(saved.id));
    assert_eq!((restored.id, restored.bytes), (saved.id, 4));
    let captured: CaptureReply = request(&mut handlers, Capture { held_screen: None });
    assert_eq!(captured.screen, ScreenUpdate::Full(screen(1).into()));
    let _: ManageSnapshotReply = request(&mut handlers, ManageSnapshot::Discard(saved.id));
    let error = handlers
        .handle(ManageSnapshot::Restore(saved.id).into())
        .unwrap_err();
    assert_eq!(error.to_string(), "there is no snapshot 0");
}
