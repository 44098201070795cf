//! The computed probability is the true one.

use retap_agent::phone::Phone;
use retap_shared::action::{Action, Key};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::Step;
use retap_simulator::{
    CRASH_DELAY_LIMIT, ExactProbabilityError, PlantedCrash, exact_probability, ground_truth, open,
};

use crate::drive;

fn planted(app: &str, name: &str) -> PlantedCrash {
    ground_truth(app)
        .unwrap()
        .crashes
        .into_iter()
        .find(|crash| crash.name == name)
        .unwrap()
}

#[test]
fn without_noise_a_shortest_trace_always_reaches_its_crash() {
    for app in retap_simulator::app_names() {
        for crash in ground_truth(app).unwrap().crashes {
            assert_eq!(
                exact_probability(app, &crash.shortest, crash.fingerprint),
                Ok(1.0),
                "{}",
                crash.name
            );
        }
    }
}

#[test]
fn a_trace_of_touches_that_all_matter_works_as_often_as_all_of_them_do() {
    let crash = planted("settings", "layers too deep");
    assert_eq!(crash.shortest.len(), 11);
    let computed =
        exact_probability("sim:settings?flaky=0.1", &crash.shortest, crash.fingerprint).unwrap();
    assert!((computed - 0.9_f64.powi(11)).abs() < 1e-12, "{computed}");
    // One more of those that count leaves room for one loss among them.
    let spare: Vec<Step> = crash
        .shortest
        .iter()
        .chain(crash.shortest.last())
        .cloned()
        .collect();
    let computed = exact_probability("sim:settings?flaky=0.1", &spare, crash.fingerprint).unwrap();
    let works = 0.9_f64;
    let lost = 0.1_f64;
    let by_hand = works.powi(2) * (works.powi(9) + 9.0 * works.powi(9) * lost);
    assert!(
        (computed - by_hand).abs() < 1e-12,
        "{computed} instead of {by_hand}"
    );
}

#[test]
fn computed_probabilities_equal_counted_ones() {
    const RUNS: u32 = 3_000;
    for (app, name) in [
        ("mail", "selection in rotation"),
        ("mail", "three videos"),
        ("shop", "coupon is no number"),
        ("player", "sync after the sign-in has expired"),
        ("calculator", "divided by zero"),
    ] {
        let crash = planted(app, name);
        let spec = format!("sim:{app}?flaky=0.08&seed=4");
        let computed = exact_probability(&spec, &crash.shortest, crash.fingerprint).unwrap();
        let counted =
            f64::from(count(&spec, &crash.shortest, crash.fingerprint, RUNS)) / f64::from(RUNS);
        let allowed = 4.0 * (computed * (1.0 - computed) / f64::from(RUNS)).sqrt();
        assert!(
            (computed - counted).abs() < allowed,
            "{name}: {computed} computed, {counted} counted"
        );
        assert!(computed < 0.99, "{name}: {computed} is not noisy");
    }
}

#[test]
fn a_probability_that_cannot_be_computed_is_reported() {
    let steps = [Step::new(Action::Key(Key::Back))];
    let of = |spec: &str| exact_probability(spec, &steps, Fingerprint(1));
    assert_eq!(
        of("sim:notes?noise=0.1"),
        Err(ExactProbabilityError::LateDialogs)
    );
    assert_eq!(
        of("sim:notes?flaky=0.1&latency=realistic"),
        Err(ExactProbabilityError::Latencies)
    );
    assert!(matches!(
        of("sim:nots"),
        Err(ExactProbabilityError::Spec(_))
    ));
}

fn count(spec: &str, steps: &[Step], target: Fingerprint, runs: u32) -> u32 {
    let mut phone = open(spec).unwrap();
    let mut reached = 0;
    for _ in 0..runs {
        drive::start_clean(&mut phone);
        drive::events(&mut phone);
        let mut findings = Vec::new();
        for step in steps {
            let screen = phone.capture().unwrap();
            drive::act(&mut phone, &step.locate(&screen).action);
            findings.extend(drive::findings(&mut phone));
            if !findings.is_empty() {
                break;
            }
        }
        phone.sleep(CRASH_DELAY_LIMIT);
        findings.extend(drive::findings(&mut phone));
        reached += u32::from(
            findings
                .iter()
                .any(|finding| finding.fingerprint() == target),
        );
    }
    reached
}
