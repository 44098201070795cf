//! Noise does what its figures say.

use retap_agent::phone::Phone;
use retap_shared::action::{Action, Key};
use retap_shared::geometry::Point;
use retap_shared::micros::Micros;
use retap_shared::screen::WindowKind;
use retap_simulator::open;

use crate::drive::{self, started};

/// Four standard deviations of this number of trials: one correct run in 16,000 is outside.
fn allowed(trials: u32, probability: f64) -> f64 {
    4.0 * (probability * (1.0 - probability) / f64::from(trials)).sqrt()
}

#[test]
fn touches_work_as_often_as_the_noise_says() {
    const TRIALS: u32 = 20_000;
    for flaky in [0.05, 0.3, 0.8] {
        let mut phone = started(&format!("sim:shop?flaky={flaky}&seed=11"));
        let tabs = ["Books", "Games"].map(|tab| Action::Tap(drive::place(&mut phone, tab)));
        let mut worked = 0;
        for trial in 0..TRIALS {
            // Each tap chooses the tab that is not chosen.
            let chosen = worked as usize % 2;
            let before = phone.capture().unwrap().hash();
            phone.inject(&tabs[1 - chosen]).unwrap();
            worked += u32::from(phone.capture().unwrap().hash() != before);
            assert!(worked <= trial + 1);
        }
        let expected = phone.noise().delivery_probability(&tabs[0]);
        let seen = f64::from(worked) / f64::from(TRIALS);
        assert!(
            (seen - expected).abs() < allowed(TRIALS, expected),
            "{seen} instead of {expected}"
        );
    }
}

#[test]
fn keys_text_and_rotation_always_work() {
    let mut phone = started("sim:notes?flaky=1");
    let menu = Action::Key(Key::Menu);
    assert_eq!(phone.noise().delivery_probability(&menu), 1.0);
    phone.inject(&menu).unwrap();
    assert_eq!(phone.capture().unwrap().windows().len(), 2);
    let tap = Action::Tap(drive::place(&mut phone, "settings"));
    assert_eq!(phone.noise().delivery_probability(&tap), 0.0);
    phone.inject(&tap).unwrap();
    assert_eq!(phone.capture().unwrap().windows().len(), 2);
}

#[test]
fn late_dialogs_come_as_often_as_the_noise_says() {
    const TRIALS: u32 = 3_000;
    let mut phone = started("sim:shop?late_dialog=0.25&seed=3");
    let tabs = ["Books", "Games"].map(|tab| Action::Tap(drive::place(&mut phone, tab)));
    let mut came = 0;
    for trial in 0..TRIALS as usize {
        phone.inject(&tabs[1 - trial % 2]).unwrap();
        phone.sleep(Micros::from_millis(2_500));
        if drive::dialog_is_up(&mut phone) {
            came += 1;
            phone.inject(&Action::Key(Key::Back)).unwrap();
            assert!(!drive::dialog_is_up(&mut phone));
        }
    }
    let seen = f64::from(came) / f64::from(TRIALS);
    assert!((seen - 0.25).abs() < allowed(TRIALS, 0.25), "{seen}");
}

#[test]
fn a_late_dialog_takes_the_touches_and_goes_by_its_buttons() {
    let mut phone = started("sim:shop?late_dialog=1&seed=3");
    drive::tap(&mut phone, "Games");
    phone.sleep(Micros::from_millis(2_500));
    let screen = phone.capture().unwrap();
    assert_eq!(screen.windows().last().unwrap().kind, WindowKind::Dialog);
    assert_eq!(screen.windows().last().unwrap().package, "com.example.shop");
    let close = ["Later", "Close"]
        .into_iter()
        .find(|label| drive::shows(&mut phone, label))
        .unwrap();
    let at = drive::place(&mut phone, close);
    phone.inject(&Action::Tap(at)).unwrap();
    assert_eq!(phone.capture().unwrap().windows().len(), 1);
}

#[test]
fn loading_fails_only_on_a_flaky_phone() {
    let failures = |spec: &str| {
        let mut phone = open(spec).unwrap();
        let times = 0..200;
        times
            .filter(|_| {
                drive::start_clean(&mut phone);
                drive::shows(&mut phone, "No connection")
            })
            .count()
    };
    assert_eq!(failures("sim:mail"), 0);
    let failed = failures("sim:mail?flaky=0.5&seed=2");
    assert!((60..140).contains(&failed), "{failed} of 200");
}

#[test]
fn realistic_latencies_vary_and_fixed_ones_do_not() {
    let spans = |spec: &str| {
        let mut phone = started(spec);
        let nowhere = Action::Tap(Point { x: 1, y: 1 });
        let span = |_| {
            let before = phone.now();
            phone.inject(&nowhere).unwrap();
            phone.now().since(before).0
        };
        (0..500).map(span).collect::<Vec<_>>()
    };
    assert!(spans("sim:notes").iter().all(|span| *span == 1_000));
    let mut realistic = spans("sim:notes?latency=realistic");
    realistic.sort_unstable();
    // The published figure for a persistent injector is 5.6 ms.
    assert!(
        (5_000..6_200).contains(&realistic[250]),
        "median {}",
        realistic[250]
    );
    assert!(realistic[0] < realistic[499]);
}
