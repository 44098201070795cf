//! `retap devices` and `retap bench`: what there is, and how fast it is.

use serde_json::Value;

use crate::retap::{Desk, Ended};

#[test]
fn every_simulated_app_is_listed_with_a_line_about_it() {
    let desk = Desk::new();
    let words = desk.run("devices");
    let json = desk.run("devices --json");
    assert_eq!((words.code, json.code), (0, 0));
    assert_eq!(json.out.lines().count(), retap_simulator::app_names().len());
    for (app, line) in retap_simulator::app_names().iter().zip(json.out.lines()) {
        let device: Value = serde_json::from_str(line).unwrap();
        assert_eq!(device["device"], format!("sim:{app}"));
        let about = device["about"].as_str().unwrap();
        assert!(
            words.out.contains(&format!("sim:{app} ")) && words.out.contains(about),
            "{}",
            words.out
        );
    }
    assert!(
        words.err.contains("Phones on adb: could not run `no-adb`"),
        "{}",
        words.err
    );
}

#[test]
fn phones_on_adb_are_listed_with_what_to_do_about_them() {
    let desk = Desk::new();
    let adb = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adb/tests/fake-adb");
    let run = |line| Ended::from(desk.command(line).env("ADB", adb).output().unwrap());
    let words = run("devices");
    let json = run("devices --json");
    assert_eq!((words.code, json.code), (0, 0), "{}{}", words.err, json.err);
    let known = "my phone  on adb, ready: x86_64, API level x86_64, x86_64\n";
    assert!(words.out.contains(known), "{}", words.out);
    assert!(
        words
            .out
            .contains("locked  on adb, unauthorized: look at the phone"),
        "{}",
        words.out
    );
    let last: Value = serde_json::from_str(json.last_line()).unwrap();
    assert_eq!(
        (&last["device"], &last["state"]),
        (&"locked".into(), &"unauthorized".into())
    );
}

#[test]
fn the_bench_tells_one_object_an_app_and_one_for_large_screens() {
    let desk = Desk::new();
    let ended = desk.run("bench simulated --json --events 500");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let apps: Vec<&str> = lines
        .iter()
        .map(|line| line["app"].as_str().unwrap())
        .collect();
    let (large, by_hand) = apps.split_last().unwrap();
    assert_eq!(by_hand, retap_simulator::app_names());
    assert!(large.starts_with("forge?"), "{large}");
    for line in &lines {
        assert_eq!(line["bench"], "simulated");
        assert!(line["events_per_second"].as_u64().unwrap() > 0);
        assert!(line["nodes"].as_u64().unwrap() > 0);
        assert!(line["snapshot_micros"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(desk.run("bench simulated --app nots").code, 2);
}
