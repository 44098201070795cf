//! Starts that are checked, and displays that go off: what the host learns of them.

use retap_agent::handlers::Handlers;
use retap_agent::phone::PhoneError;
use retap_shared::obstacle::Obstacle;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{
    Act, ActReply, AppCommand, ControlApp, ControlAppReply, RequestFailure, ScreenUpdate,
};
use retap_shared::screen::ScreenDiff;
use retap_shared::trace::StartMode;

use crate::handlers::{act, millis, request, tap_more};
use crate::scripted::{Scheduled, ScriptedPhone, app, crash, screen};

fn start(start: StartMode) -> ControlApp {
    ControlApp {
        app: app(),
        command: AppCommand::Start(start),
    }
}

#[test]
fn a_start_waits_for_a_window_of_the_app_in_phone_time() {
    let phone = ScriptedPhone {
        obstacles: vec![
            (millis(9_000), Obstacle::NoWindow),
            (millis(2_000), Obstacle::Launcher),
        ],
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let started: ControlAppReply = request(&mut handlers, start(StartMode::Clean));
    assert_eq!(started.in_front, None);
    assert!(started.took >= millis(9_000), "{}", started.took);
}

#[test]
fn what_is_in_front_instead_of_the_app_after_15_s_is_told() {
    for obstacle in [
        Obstacle::Launcher,
        Obstacle::NoWindow,
        Obstacle::FailureDialog,
    ] {
        let phone = ScriptedPhone {
            obstacles: vec![(millis(600_000), obstacle.clone())],
            ..ScriptedPhone::default()
        };
        let mut handlers = Handlers::new(Box::new(phone));
        let refused = handlers.handle(start(StartMode::Restart).into());
        let expected = RequestFailure::Obstructed(obstacle);
        assert_eq!(refused.unwrap_err(), PhoneError::Failed(expected));
        assert!(handlers.now() < millis(20_000));
    }
}

#[test]
fn a_start_that_leads_to_a_permission_dialog_or_to_another_app_is_one() {
    for (obstacle, limit) in [
        (Obstacle::PermissionDialog, 1_000),
        (Obstacle::OtherApp("org.example.other".into()), 5_000),
    ] {
        let phone = ScriptedPhone {
            obstacles: vec![(millis(600_000), obstacle.clone())],
            ..ScriptedPhone::default()
        };
        let mut handlers = Handlers::new(Box::new(phone));
        let started: ControlAppReply = request(&mut handlers, start(StartMode::Restart));
        assert_eq!(started.in_front, Some(obstacle));
        assert!(started.took < millis(limit), "{}", started.took);
    }
}

#[test]
fn an_app_that_crashes_at_its_start_is_a_finding_and_no_obstacle() {
    let finding = PhoneEventKind::Finding(crash(1));
    let mut phone = ScriptedPhone {
        obstacles: vec![(millis(600_000), Obstacle::Launcher)],
        ..ScriptedPhone::default()
    };
    let crashed = Scheduled::Event(finding.clone());
    phone.scheduled.insert(millis(400), vec![crashed]);
    let mut handlers = Handlers::new(Box::new(phone));
    let started: ControlAppReply = request(&mut handlers, start(StartMode::Clean));
    assert_eq!(started.events[0].kind, finding);
}

#[test]
fn a_step_in_the_dark_is_not_taken_and_the_phone_is_woken() {
    let phone = ScriptedPhone {
        sleeps_at: Some(1),
        ..ScriptedPhone::default()
    };
    let mut handlers = Handlers::new(Box::new(phone));
    let held = |counter| Act {
        held_screen: Some(screen(counter).hash()),
        ..act(tap_more())
    };
    let taken: ActReply = request(&mut handlers, held(0));
    assert_eq!(taken.refusal, None);
    let lost: ActReply = request(&mut handlers, held(1));
    assert_eq!(lost.refusal, Some(Obstacle::DisplayOff.to_string()));
    let taken: ActReply = request(&mut handlers, held(1));
    assert_eq!(taken.refusal, None);
    assert_eq!(
        taken.screen,
        ScreenUpdate::Changed(ScreenDiff::between(&screen(1), &screen(2)))
    );
}

#[test]
fn a_phone_that_stays_locked_refuses_the_start() {
    let phone = ScriptedPhone {
        is_locked: true,
        ..ScriptedPhone::default()
    };
    let calls = phone.calls.clone();
    let mut handlers = Handlers::new(Box::new(phone));
    let failed = handlers
        .handle(start(StartMode::Restart).into())
        .unwrap_err();
    assert!(failed.to_string().contains("unlock it"), "{failed}");
    assert!(!calls.lock().unwrap().contains(&"launch".to_owned()));
}
