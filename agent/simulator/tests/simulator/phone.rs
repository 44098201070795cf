//! A simulated phone behaves as a phone does: apps are started, stopped, fail, and are restored.

use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::{Phone, PhoneError};
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::connection::Connection;
use retap_shared::finding::FindingKind;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEventKind;
use retap_shared::protocol::{RequestFailure, SnapshotId, TakeScreenshot, TakeScreenshotReply};
use retap_shared::trace::App;
use retap_simulator::{SimulatedPhone, open};

use crate::drive::{self, press, started, text_of};

#[test]
fn an_app_that_was_left_comes_back_as_it_was_and_one_that_was_closed_starts_anew() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "search");
    press(&mut phone, Key::Home);
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.android.launcher3/.Launcher"
    );
    drive::tap(&mut phone, "Notes");
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.example.notes/.SearchActivity"
    );
    press(&mut phone, Key::Back);
    press(&mut phone, Key::Back);
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.android.launcher3/.Launcher"
    );
    drive::act(&mut phone, &Action::Launch);
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.example.notes/.ListActivity"
    );
}

#[test]
fn activities_that_come_to_the_front_are_reported() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "search");
    press(&mut phone, Key::Back);
    let seen: Vec<PhoneEventKind> = drive::events(&mut phone)
        .into_iter()
        .map(|event| event.kind)
        .collect();
    let activity = |name| PhoneEventKind::Activity(Text::new_static(name));
    let expected = [
        "com.example.notes/.SearchActivity",
        "com.example.notes/.ListActivity",
    ]
    .map(activity);
    assert_eq!(seen, expected);
}

fn block(phone: &mut SimulatedPhone) {
    press(phone, Key::Menu);
    for name in ["settings", "backup", "export"] {
        drive::tap(phone, name);
    }
}

#[test]
fn a_blocked_app_fails_only_if_input_waits_for_five_seconds() {
    let mut phone = started("sim:notes");
    block(&mut phone);
    phone.sleep(Micros::from_millis(10_000));
    let before = phone.now();
    drive::tap(&mut phone, "large_text");
    assert!(
        phone.now().since(before) > Micros::from_millis(3_000),
        "the tap waited for the app"
    );
    assert!(drive::findings(&mut phone).is_empty());

    let mut phone = started("sim:notes");
    block(&mut phone);
    let before = phone.now();
    press(&mut phone, Key::Back);
    let findings = drive::findings(&mut phone);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].kind, FindingKind::Anr);
    assert!(phone.now().since(before) >= Micros::from_millis(5_000));
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.android.launcher3/.Launcher"
    );
}

#[test]
fn a_crash_leaves_the_launcher_in_front_and_the_data_on_disk() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "new");
    drive::tap(&mut phone, "save");
    let new = drive::place(&mut phone, "new");
    drive::act(&mut phone, &Action::LongPress(new));
    let findings = drive::findings(&mut phone);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].process, "com.example.notes");
    assert!(
        findings[0]
            .stack
            .contains("\tat com.example.notes.ListActivity"),
        "{}",
        findings[0].stack
    );
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.android.launcher3/.Launcher"
    );
    drive::act(&mut phone, &Action::Launch);
    assert!(drive::shows(&mut phone, "Untitled"));
}

#[test]
fn only_failures_of_the_watched_app_are_reported() {
    let mut phone = started("sim:notes");
    phone.watch(&Text::new_static("com.example.other"));
    let new = drive::place(&mut phone, "new");
    drive::act(&mut phone, &Action::LongPress(new));
    assert!(drive::findings(&mut phone).is_empty());
}

#[test]
fn stopping_keeps_the_data_and_clearing_does_not() {
    let mut phone = started("sim:notes");
    let app = drive::app(&mut phone);
    drive::tap(&mut phone, "new");
    drive::tap(&mut phone, "save");
    for (clears, kept) in [(false, true), (true, false)] {
        let before = phone.now();
        phone.stop(&app).unwrap();
        if clears {
            phone.clear_data(&app).unwrap();
        }
        assert_eq!(
            phone.capture().unwrap().activity(),
            "com.android.launcher3/.Launcher"
        );
        phone.launch(&app).unwrap();
        assert!(phone.now() > before);
        assert_eq!(drive::shows(&mut phone, "Untitled"), kept);
    }
}

#[test]
fn an_app_that_is_not_there_is_refused_by_name() {
    let mut phone = started("sim:notes");
    let wrong = App {
        package: Text::new_static("com.example.shop"),
        ..App::default()
    };
    let refused = "there is no app `com.example.shop` on this phone; it has `com.example.notes`";
    assert_eq!(
        phone.launch(&wrong),
        Err(PhoneError::Failed(RequestFailure::Impossible(
            refused.to_string()
        )))
    );
    let inner = App {
        activity: Text::new_static(".EditorActivity"),
        ..drive::app(&mut phone)
    };
    assert!(
        phone
            .launch(&inner)
            .unwrap_err()
            .to_string()
            .contains("`com.example.notes/.ListActivity` can")
    );
}

#[test]
fn a_checkpoint_brings_back_the_state_but_not_the_clock() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "Shopping");
    let state = phone.state_hash();
    let screen = phone.capture().unwrap();
    let (id, bytes) = phone.save_snapshot().unwrap();
    press(&mut phone, Key::Back);
    drive::tap(&mut phone, "new");
    assert_ne!(phone.state_hash(), state);
    let before = phone.now();
    assert_eq!(phone.restore_snapshot(id), Ok(bytes));
    assert!(phone.now() > before);
    assert_eq!(phone.state_hash(), state);
    assert_eq!(phone.capture().unwrap(), screen);
    // And it can be gone back to again.
    drive::tap(&mut phone, "save");
    phone.restore_snapshot(id).unwrap();
    assert_eq!(phone.state_hash(), state);
}

#[test]
fn work_that_is_due_after_a_snapshot_is_due_after_its_restore() {
    let mut phone = started("sim:shop");
    drive::tap(&mut phone, "The Long Way Round");
    drive::tap(&mut phone, "wish");
    let (id, _) = phone.save_snapshot().unwrap();
    for _ in 0..2 {
        phone.sleep(Micros::from_millis(60_000));
        phone.restore_snapshot(id).unwrap();
        press(&mut phone, Key::Back);
        assert!(drive::findings(&mut phone).is_empty());
        phone.sleep(Micros::from_millis(600));
        assert_eq!(drive::findings(&mut phone).len(), 1);
    }
}

#[test]
fn a_snapshot_is_as_large_as_the_state_of_the_app() {
    let mut phone = started("sim:notes");
    let (_, small) = phone.save_snapshot().unwrap();
    drive::tap(&mut phone, "new");
    let at = drive::place(&mut phone, "body");
    let long = Text::new("x".repeat(100_000));
    drive::act(&mut phone, &Action::Text { at, text: long });
    let (_, large) = phone.save_snapshot().unwrap();
    assert!(small > 500 && small < 5_000, "{small}");
    assert!(large > small + 100_000, "{large}");
}

#[test]
fn a_checkpoint_that_is_not_there_is_refused_by_number() {
    let mut phone = started("sim:notes");
    let (id, bytes) = phone.save_snapshot().unwrap();
    assert_eq!(phone.discard_snapshot(id), Ok(bytes));
    for refused in [
        phone.restore_snapshot(id),
        phone.discard_snapshot(id),
        phone.restore_snapshot(SnapshotId(77)),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(
            error.contains("never saved, or it was discarded"),
            "{error}"
        );
    }
}

#[test]
fn messages_run_when_they_are_due_and_not_before() {
    let mut phone = open("sim:mail").unwrap();
    let app = drive::app(&mut phone);
    phone.launch(&app).unwrap();
    let shown = |phone: &mut SimulatedPhone| text_of(phone, "loading");
    assert_eq!(shown(&mut phone), "Loading…");
    phone.sleep(Micros::from_millis(79));
    assert_eq!(shown(&mut phone), "Loading…");
    let before = phone.now();
    phone.sleep(Micros::from_millis(2));
    assert_eq!(shown(&mut phone), "Loading… 50 %");
    assert_eq!(phone.last_change(), before + Micros::from_millis(1));
    phone.sleep(Micros::from_millis(80));
    assert!(drive::shows(&mut phone, "Lunch on Friday?"));
}

#[tokio::test]
async fn a_screenshot_is_a_picture_of_a_quarter_of_the_displays_size() {
    let connection =
        InProcessConnection::new(Box::new(retap_simulator::open("sim:notes").unwrap()));
    let shot: TakeScreenshotReply = connection
        .request(TakeScreenshot.into())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    let picture = png::Decoder::new(std::io::Cursor::new(shot.picture.0))
        .read_info()
        .unwrap();
    assert_eq!((picture.info().width, picture.info().height), (270, 480));
}
