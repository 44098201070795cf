//! Random input: they get about, they find some of what was planted, and every screen on the way is a tree that a phone
//! could show.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_agent::phone::Phone;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::Rect;
use retap_shared::screen::Screen;
use retap_simulator::{SimulatedPhone, app_names, ground_truth, open};

use crate::drive;

const EVENTS: usize = 3_000;
const SESSION: usize = 200;

#[test]
fn random_input_finds_about_half_of_the_crashes_and_never_all() {
    let mut found = 0;
    let mut planted = 0;
    for app in app_names() {
        let crashes = ground_truth(app).unwrap().crashes;
        let run = RandomRun::through(app, 1);
        let known: HashSet<Fingerprint> = crashes.iter().map(|crash| crash.fingerprint).collect();
        assert!(
            run.crashes.is_subset(&known),
            "`{app}` has a crash that was not planted"
        );
        assert!(!run.crashes.is_empty(), "`{app}`: found none");
        assert!(run.crashes.len() < crashes.len(), "`{app}`: found all");
        found += run.crashes.len();
        planted += crashes.len();
    }
    assert!(
        (planted / 4..=planted * 2 / 3).contains(&found),
        "{found} of {planted}"
    );
}

#[test]
fn random_input_sees_many_activities_and_branches() {
    for app in app_names() {
        let truth = ground_truth(app).unwrap();
        let run = RandomRun::through(app, 2);
        let known: HashSet<_> = truth.activities.iter().cloned().collect();
        assert!(
            run.activities.is_subset(&known),
            "`{app}` has activities that it does not declare"
        );
        assert!(
            run.activities.len() > known.len() / 3,
            "`{app}`: {:?}",
            run.activities
        );
        assert!(
            run.branches.iter().all(|branch| *branch < truth.branches),
            "`{app}`"
        );
        assert!(
            run.branches.len() * 6 > truth.branches as usize,
            "`{app}`: {}",
            run.branches.len()
        );
    }
}

#[test]
fn every_screen_on_the_way_could_be_a_phones() {
    for app in app_names() {
        RandomRun::through(app, 3);
    }
}

#[derive(Default)]
struct RandomRun {
    crashes: HashSet<Fingerprint>,
    activities: HashSet<retap_shared::Text>,
    branches: HashSet<u32>,
}

impl RandomRun {
    fn through(app: &str, seed: u64) -> RandomRun {
        let mut run = RandomRun::default();
        let mut phone = open(app).unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let package = drive::app(&mut phone).package;
        for event in 0..EVENTS {
            let screen = phone.capture().unwrap();
            if event % SESSION == 0 || !screen.activity().starts_with(package.as_str()) {
                drive::start_clean(&mut phone);
                continue;
            }
            check(&screen);
            run.activities.insert(screen.activity().clone());
            let mut possible = drive::possible(&screen);
            if event % 8 == 0 {
                possible = drive::from_outside(&screen)
                    .into_iter()
                    .map(|action| (None, action))
                    .collect();
            }
            let (_, action) = possible.swap_remove(rng.random_range(0..possible.len()));
            drive::act(&mut phone, &action);
            run.note(&mut phone);
        }
        run
    }

    fn note(&mut self, phone: &mut SimulatedPhone) {
        let mut branches = Vec::new();
        phone.take_branches(&mut branches);
        self.branches.extend(branches);
        self.crashes.extend(
            drive::findings(phone)
                .iter()
                .map(|finding| finding.fingerprint()),
        );
    }
}

/// Everything is within what it is in, and can be seen.
pub(crate) fn check(screen: &Screen) {
    let display = Rect {
        left: 0,
        top: 0,
        right: screen.size().width as i32,
        bottom: screen.size().height as i32,
    };
    for (window, first, nodes) in screen.windows_with_nodes() {
        assert!(within(&window.bounds, &display), "{window:?}");
        assert_eq!(
            nodes.iter().filter(|node| node.depth == 0).count(),
            1,
            "one root: {window:?}"
        );
        for (place, node) in nodes.iter().enumerate() {
            let outer = screen
                .parent(first + place)
                .map_or(window.bounds, |parent| screen.nodes()[parent].bounds);
            assert!(
                within(&node.bounds, &outer) && !node.bounds.is_empty(),
                "{node:?} in {outer:?}"
            );
        }
    }
}

fn within(inner: &Rect, outer: &Rect) -> bool {
    inner.left >= outer.left
        && inner.top >= outer.top
        && inner.right <= outer.right
        && inner.bottom <= outer.bottom
}
