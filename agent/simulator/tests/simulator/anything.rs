//! A simulated phone survives every request.

use proptest::prelude::*;
use retap_agent::phone::Phone;
use retap_shared::Text;
use retap_shared::action::{Action, Key};
use retap_shared::geometry::{Point, Rotation};
use retap_shared::micros::Micros;
use retap_simulator::{app_names, open};

use crate::drive;

proptest! {
    #[test]
    fn no_spec_makes_it_panic(spec in "(sim:)?[a-z]{0,6}(\\?([a-z_]{0,12}=?[0-9.a-z-]{0,24}&?){0,4})?|.{0,40}") {
        let _ = open(&spec);
    }

    #[test]
    fn no_event_makes_it_panic_and_each_takes_its_time(
        app in 0..app_names().len(),
        noise in 0..3_u32,
        actions in proptest::collection::vec(action(), 1..80),
    ) {
        let noise = f64::from(noise) / 4.0;
        let mut phone = drive::started(&format!("sim:{}?noise={noise}", app_names()[app]));
        for action in actions {
            let before = phone.now();
            phone.inject(&action).unwrap();
            let no_time = action == Action::Wait { millis: 0 };
            prop_assert!(phone.now() > before || no_time);
            phone.sleep(Micros::from_millis(100));
            let screen = phone.capture().unwrap();
            prop_assert!(!screen.nodes().is_empty());
        }
    }
}

/// Half of the places are on the display, the others anywhere a number can name.
fn place() -> impl Strategy<Value = Point> {
    prop_oneof![
        (0..1080_i32, 0..1920_i32).prop_map(|(x, y)| Point { x, y }),
        (any::<i32>(), any::<i32>()).prop_map(|(x, y)| Point { x, y }),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let key = prop_oneof![
        Just(Key::Back),
        Just(Key::Menu),
        Just(Key::Home),
        any::<u16>().prop_map(Key::Code)
    ];
    let rotation = prop_oneof![
        Just(Rotation::Natural),
        Just(Rotation::Left),
        Just(Rotation::UpsideDown),
        Just(Rotation::Right)
    ];
    prop_oneof![
        8 => place().prop_map(Action::Tap),
        2 => place().prop_map(Action::LongPress),
        2 => (place(), place(), any::<u32>()).prop_map(|(from, to, millis)| Action::Swipe { from, to, millis }),
        1 => (place(), any::<i32>(), any::<i32>(), any::<u32>())
            .prop_map(|(center, from, to, millis)| Action::Pinch { center, from, to, millis }),
        2 => key.prop_map(Action::Key),
        2 => (place(), ".{0,30}").prop_map(|(at, text)| Action::Text { at, text: Text::new(text) }),
        1 => rotation.prop_map(Action::Rotate),
        1 => Just(Action::Launch),
        1 => any::<u32>().prop_map(|millis| Action::Wait { millis }),
    ]
}
