//! Apps made from a seed: a thousand of them can be explored, and what is planted in them is found.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_agent::phone::Phone;
use retap_shared::finding::FindingKind;
use retap_simulator::{app_names, ground_truth, open};

use crate::{drive, random};

#[test]
fn a_thousand_made_apps_can_be_explored_without_a_fault_of_ours() {
    let mut screens = HashSet::new();
    let mut crashed = 0;
    for seed in 0..1_000 {
        let spec = format!(
            "sim:forge?seed={seed}&noise={}",
            if seed % 4 == 0 { 0.2 } else { 0.0 }
        );
        let mut phone = drive::started(&spec);
        let package = drive::app(&mut phone).package;
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        for _ in 0..60 {
            let screen = phone.capture().unwrap();
            random::check(&screen);
            screens.insert(screen.hash());
            if !screen.activity().starts_with(package.as_str()) {
                drive::start_clean(&mut phone);
                continue;
            }
            let mut possible = drive::possible(&screen);
            possible.extend(
                drive::from_outside(&screen)
                    .into_iter()
                    .map(|action| (None, action)),
            );
            let (_, action) = possible.swap_remove(rng.random_range(0..possible.len()));
            drive::act(&mut phone, &action);
            crashed += drive::findings(&mut phone).len();
        }
    }
    assert!(screens.len() > 10_000, "{} screens", screens.len());
    assert!(crashed > 20, "{crashed} crashes");
}

#[test]
fn everything_planted_in_a_made_app_is_reached_by_its_shortest_trace() {
    for seed in 0..12 {
        let app = format!("forge?seed={seed}&activities=14&depth=4&hidden=0.4");
        let truth = ground_truth(&app).unwrap();
        assert!(
            (8..=20).contains(&truth.crashes.len()),
            "seed {seed}: {} crashes",
            truth.crashes.len()
        );
        for kind in [
            FindingKind::Crash,
            FindingKind::NativeCrash,
            FindingKind::Anr,
        ] {
            assert!(
                truth.crashes.iter().any(|crash| crash.kind == kind),
                "seed {seed} has no {kind}"
            );
        }
        let mut phone = open(&app).unwrap();
        for crash in &truth.crashes {
            drive::start_clean(&mut phone);
            drive::events(&mut phone);
            for step in &crash.shortest {
                let screen = phone.capture().unwrap();
                drive::act(&mut phone, &step.locate(&screen).action);
            }
            phone.sleep(retap_simulator::CRASH_DELAY_LIMIT);
            let findings = drive::findings(&mut phone);
            let reached = findings
                .iter()
                .any(|finding| finding.fingerprint() == crash.fingerprint);
            assert!(
                reached,
                "seed {seed}: {} by {:?}",
                crash.name, crash.shortest
            );
        }
    }
}

#[test]
fn hidden_modes_are_as_many_as_asked_for() {
    let widgets = |hidden: &str| {
        let truth = ground_truth(&format!("forge?seed=3&activities=10&hidden={hidden}")).unwrap();
        let matters = truth
            .crashes
            .into_iter()
            .filter_map(|crash| crash.dependencies);
        matters
            .filter(|matters| matters.widgets.iter().any(|id| id.contains("/hold_")))
            .count()
    };
    assert_eq!(widgets("0"), 0);
    assert!(widgets("1") >= 5, "{}", widgets("1"));
}

/// Large screens are not drawn anew for every switch.
#[test]
fn a_partly_drawn_screen_equals_a_freshly_drawn_one() {
    let large = ["forge?seed=3&widgets=500&activities=6", "forge?seed=4"];
    for app in app_names().iter().chain(&large) {
        let mut phone = drive::started(&format!("sim:{app}"));
        let mut rng = Pcg64Mcg::seed_from_u64(9);
        for event in 0..600 {
            let screen = phone.capture().unwrap();
            let mut possible = drive::possible(&screen);
            let (_, action) = possible.swap_remove(rng.random_range(0..possible.len()));
            drive::act(&mut phone, &action);
            let (in_part, (saved, _)) = (phone.capture().unwrap(), phone.save_snapshot().unwrap());
            phone.restore_snapshot(saved).unwrap();
            assert_eq!(
                phone.capture().unwrap(),
                in_part,
                "`{app}`, event {event}: {action:?}"
            );
            phone.discard_snapshot(saved).unwrap();
            if !in_part
                .activity()
                .starts_with(drive::app(&mut phone).package.as_str())
            {
                drive::start_clean(&mut phone);
            }
        }
    }
}

#[test]
fn a_screen_has_as_many_nodes_as_asked_for() {
    let mut phone = drive::started("sim:forge?seed=3&widgets=500&activities=6");
    for _ in 0..3 {
        let nodes = phone.capture().unwrap().nodes().len();
        assert!((500..600).contains(&nodes), "{nodes} nodes");
        drive::tap(&mut phone, "to_1");
        if drive::shows(&mut phone, "to_1") {
            break;
        }
        drive::press(&mut phone, retap_shared::action::Key::Back);
    }
}
