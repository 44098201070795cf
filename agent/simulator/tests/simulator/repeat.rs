//! The same seed, the same run: bit for bit.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_agent::phone::Phone;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::screen::SharedScreen;
use retap_simulator::{app_names, open};

use crate::drive;

const EVENTS: usize = 10_000;

#[test]
fn the_same_seed_is_the_same_run_bit_for_bit() {
    for app in app_names() {
        let spec = format!("sim:{app}?noise=0.2&latency=realistic&seed=5");
        let one = Run::of(&spec, 1);
        let other = Run::of(&spec, 1);
        assert_eq!(one.moments.len(), EVENTS);
        for (number, (one, other)) in one.moments.iter().zip(&other.moments).enumerate() {
            assert_eq!(one, other, "`{app}`, event {number}");
        }
        assert_eq!(one.happened, other.happened);
        assert_eq!(one.branches, other.branches);
    }
}

#[test]
fn another_seed_is_another_run() {
    let run = |seed| {
        Run::of(
            &format!("sim:mail?noise=0.2&latency=realistic&seed={seed}"),
            1,
        )
    };
    assert_ne!(run(5).moments, run(6).moments);
}

#[test]
fn without_noise_every_seed_is_the_same_run() {
    let run = |seed| Run::of(&format!("sim:shop?seed={seed}"), 1);
    assert_eq!(run(5).moments, run(6).moments);
}

#[derive(Default)]
struct Run {
    moments: Vec<(Micros, SharedScreen)>,
    happened: Vec<PhoneEvent>,
    branches: Vec<u32>,
}

impl Run {
    /// Random events; which ones depends on `seed` and on the screens alone.
    fn of(spec: &str, seed: u64) -> Run {
        let mut run = Run::default();
        let mut phone = open(spec).unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let app = drive::app(&mut phone);
        for _ in 0..EVENTS {
            let screen = phone.capture().unwrap();
            if screen.activity().starts_with(app.package.as_str()) {
                let mut possible = drive::possible(&screen);
                let (_, action) = possible.swap_remove(rng.random_range(0..possible.len()));
                phone.inject(&action).unwrap();
                phone.sleep(Micros(rng.random_range(0..400_000)));
            } else {
                phone.launch(&app).unwrap();
            }
            run.moments.push((phone.now(), screen));
            phone.take_events(&mut run.happened);
            phone.take_branches(&mut run.branches);
        }
        run
    }
}
