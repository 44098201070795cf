//! `retap bench device`, on every kind of phone.

use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment};
use crate::link_phone::ServedPhone;

const CASES: [&str; 6] = ["step", "restart", "tree", "tap", "key", "screenshot"];

fn cases(ended: &ProgramOutput) -> Vec<Value> {
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_request_is_measured_on_a_simulated_phone() {
    let ended = TestEnvironment::new()
        .run("bench device --device sim:notes --events 50 --samples 3 --json");
    let cases = cases(&ended);
    assert_eq!(
        cases
            .iter()
            .map(|case| case["case"].as_str().unwrap())
            .collect::<Vec<_>>(),
        CASES
    );
    for case in &cases {
        assert_eq!(
            (&case["bench"], &case["device"]),
            (&"device".into(), &"sim:notes".into())
        );
        let p50 = case["p50_us"].as_f64().unwrap();
        let p90 = case["p90_us"].as_f64().unwrap();
        assert!(0.0 < p50 && p50 <= p90, "{case}");
        assert_eq!(
            case["events_per_second"].is_number(),
            case["case"] == "step",
            "{case}"
        );
        assert_eq!(
            case["us_per_node"].is_number(),
            case["case"] == "tree",
            "{case}"
        );
    }
    // Its clock is virtual, so it reports no real time.
    assert!(cases[0]["phone_p50_us"].is_null(), "{}", cases[0]);
}

#[test]
fn over_a_link_the_time_on_the_phone_is_reported_separately() {
    let environment = TestEnvironment::new();
    let served = ServedPhone::start(&environment, "sim:notes", "udp", "keys.pairing");
    let device = format!("{}?pairing=keys.pairing", served.address);
    let ended = environment.run(&format!(
        "bench device --device {device} --events 5 --samples 2 --quiet 20 --json"
    ));
    let cases = cases(&ended);
    assert_eq!(cases.len(), CASES.len());
    let here = cases[0]["p50_us"].as_f64().unwrap();
    let phone = cases[0]["phone_p50_us"].as_f64().unwrap();
    assert!(20_000.0 <= phone && phone <= here, "{}", cases[0]);
}

#[test]
fn a_phone_and_an_app_that_do_not_exist_are_named() {
    let environment = TestEnvironment::new();
    let ended = environment.run("bench device --device sim:nots");
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("`sim:nots`"), "{}", ended.err);
    let ended = environment.run("bench device --device sim:notes --app camera");
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("`camera`"), "{}", ended.err);
    let ended = environment.run("bench device --device sim:notes --samples 0");
    assert_eq!(ended.code, 2);
}
