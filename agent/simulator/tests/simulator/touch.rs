//! Fingers and keys: what they reach, and what they do there.

use std::sync::Arc;

use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::geometry::{Point, Rotation, Size};
use retap_shared::screen::{NodeFlags, WindowKind};
use retap_simulator::SimulatedPhone;

use crate::drive::{self, press, started, text_of};

fn front_kind(phone: &mut SimulatedPhone) -> WindowKind {
    phone.capture().unwrap().windows().last().unwrap().kind
}

#[test]
fn a_tap_on_a_field_brings_the_keyboard_and_back_hides_it_first() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "search");
    drive::tap(&mut phone, "query");
    assert_eq!(front_kind(&mut phone), WindowKind::Keyboard);
    for key in ["h", "i", "Space", "Delete"] {
        drive::tap(&mut phone, key);
    }
    assert_eq!(text_of(&mut phone, "query"), "hi");
    press(&mut phone, Key::Back);
    assert_eq!(front_kind(&mut phone), WindowKind::Application);
    assert!(drive::shows(&mut phone, "query"));
    press(&mut phone, Key::Back);
    assert!(!drive::shows(&mut phone, "query"));
}

#[test]
fn enter_on_the_keyboard_does_what_the_field_says() {
    let mut phone = started("sim:notes");
    press(&mut phone, Key::Menu);
    drive::tap(&mut phone, "tags");
    drive::tap(&mut phone, "tag_name");
    for key in ["a", "b", "Enter"] {
        drive::tap(&mut phone, key);
    }
    assert!(drive::shows(&mut phone, "ab"));
    assert_eq!(text_of(&mut phone, "tag_name"), "");
}

#[test]
fn a_field_behind_the_keyboard_is_scrolled_into_view() {
    let mut phone = started("sim:mail");
    drive::act(&mut phone, &Action::Rotate(Rotation::Left));
    drive::tap(&mut phone, "compose");
    drive::tap(&mut phone, "subject_field");
    let screen = phone.capture().unwrap();
    let field = &screen.nodes()[drive::find(&screen, "subject_field").unwrap()];
    let keyboard = screen.windows().last().unwrap();
    assert_eq!(keyboard.kind, WindowKind::Keyboard);
    assert!(field.is(NodeFlags::FOCUSED));
    assert!(field.bounds.height() > 100 && field.bounds.bottom <= keyboard.bounds.top);
}

#[test]
fn a_dialog_takes_the_touches_beside_it() {
    let mut phone = started("sim:notes");
    let new = drive::place(&mut phone, "new");
    let note = drive::place(&mut phone, "Shopping");
    drive::act(&mut phone, &Action::LongPress(note));
    assert_eq!(front_kind(&mut phone), WindowKind::Dialog);
    drive::act(&mut phone, &Action::Tap(new));
    assert_eq!(front_kind(&mut phone), WindowKind::Application);
    assert_eq!(
        phone.capture().unwrap().activity(),
        "com.example.notes/.ListActivity"
    );
}

#[test]
fn the_menu_opens_by_key_and_closes_by_a_touch_beside_it() {
    let mut phone = started("sim:notes");
    press(&mut phone, Key::Menu);
    assert_eq!(front_kind(&mut phone), WindowKind::Popup);
    let beside = Action::Tap(Point { x: 200, y: 1_500 });
    drive::act(&mut phone, &beside);
    assert_eq!(front_kind(&mut phone), WindowKind::Application);
}

#[test]
fn only_rows_that_can_be_seen_are_nodes_and_swipes_bring_the_others() {
    let mut phone = started("sim:shop");
    let first = "The Long Way Round";
    let last = "The Atlas of Islands";
    assert!(drive::shows(&mut phone, first) && !drive::shows(&mut phone, last));
    let swipe = |from, to, millis| Action::Swipe {
        from: Point { x: 500, y: from },
        to: Point { x: 500, y: to },
        millis,
    };
    let price_at = |phone: &mut SimulatedPhone| drive::place(phone, "Cooking for One").y;
    let before = price_at(&mut phone);
    drive::act(&mut phone, &swipe(1_500, 1_400, 1_000));
    assert_eq!(price_at(&mut phone), before - 100);
    drive::act(&mut phone, &swipe(1_500, 900, 100));
    assert!(drive::shows(&mut phone, last) && !drive::shows(&mut phone, first));
    drive::act(&mut phone, &swipe(900, 1_500, 100));
    assert_eq!(price_at(&mut phone), before);
}

#[test]
fn a_swipe_to_the_side_turns_the_page() {
    let mut phone = started("sim:shop");
    let left = Point { x: 200, y: 900 };
    let right = Point { x: 900, y: 900 };
    drive::act(
        &mut phone,
        &Action::Swipe {
            from: right,
            to: left,
            millis: 300,
        },
    );
    assert!(drive::shows(&mut phone, "Castle Builders"));
    drive::act(
        &mut phone,
        &Action::Swipe {
            from: left,
            to: right,
            millis: 300,
        },
    );
    assert!(drive::shows(&mut phone, "The Long Way Round"));
}

#[test]
fn rotation_lays_the_app_out_again_and_keeps_its_saved_state() {
    let mut phone = started("sim:notes");
    drive::tap(&mut phone, "Shopping");
    let at = drive::place(&mut phone, "title");
    drive::act(
        &mut phone,
        &Action::Text {
            at,
            text: Text::new_static("hello"),
        },
    );
    drive::act(&mut phone, &Action::Rotate(Rotation::Right));
    let screen = phone.capture().unwrap();
    assert_eq!(
        screen.size(),
        Size {
            width: 1920,
            height: 1080
        }
    );
    assert_eq!(screen.rotation(), Rotation::Right);
    assert_eq!(text_of(&mut phone, "title"), "hello");
}

#[test]
fn an_event_without_effect_leaves_screen_and_quiet_alone() {
    let mut phone = started("sim:notes");
    let screen = phone.capture().unwrap();
    let changed = phone.last_change();
    let nowhere = Point { x: -5, y: 30_000 };
    for action in [
        Action::Tap(nowhere),
        Action::Pinch {
            center: Point { x: 500, y: 500 },
            from: 100,
            to: 500,
            millis: 200,
        },
        Action::Key(Key::Code(24)),
        Action::Key(Key::Enter),
        Action::Rotate(Rotation::Natural),
        Action::Swipe {
            from: nowhere,
            to: Point {
                x: i32::MAX,
                y: i32::MIN,
            },
            millis: 0,
        },
        Action::Wait { millis: 3_000 },
    ] {
        let before = phone.now();
        phone.inject(&action).unwrap();
        assert!(phone.now() > before, "{action}");
        assert!(Arc::ptr_eq(&phone.capture().unwrap(), &screen), "{action}");
        assert_eq!(phone.last_change(), changed, "{action}");
    }
}
