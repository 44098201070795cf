//! Phones as users name them: what `retap devices` lists, lists of phones, and what happens if none is named.

use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment};

#[test]
fn every_simulated_app_is_listed_with_a_line_about_it() {
    let environment = TestEnvironment::new();
    let words = environment.run("devices");
    let json = environment.run("devices --json");
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
    let environment = TestEnvironment::new();
    let adb = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adb/tests/fake-adb");
    let run =
        |line| ProgramOutput::from(environment.command(line).env("ADB", adb).output().unwrap());
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

/// The names of phones in the events of a run.
fn phones_of(environment: &TestEnvironment, run: &str) -> Vec<String> {
    let events = environment.read(&format!("{run}/events.jsonl"));
    let started = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["event"] == "run_started")
        .unwrap();
    serde_json::from_value(started["devices"].clone()).unwrap()
}

/// The events of a run without what differs from process to process.
fn events_of(environment: &TestEnvironment, run: &str) -> Vec<Value> {
    let events = environment.read(&format!("{run}/events.jsonl"));
    let lines = events.lines().map(|line| {
        let mut event: Value = serde_json::from_str(line).unwrap();
        event.as_object_mut().unwrap().remove("millis");
        event
    });
    lines.filter(|event| event["event"] != "finished").collect()
}

#[test]
fn a_list_of_simulated_phones_explores_as_a_count_does() {
    let environment = TestEnvironment::new();
    let explore = |phones: &str, run: &str| {
        let ended = environment.run(&format!(
            "explore --device {phones} --explorer random --events 600 --seed 7 --out {run}"
        ));
        assert!([0, 1].contains(&ended.code), "{}", ended.err);
        events_of(&environment, run)
    };
    let counted = explore("sim:shop?noise=0.05 --count 2", "counted");
    let listed = explore("sim:shop?noise=0.05,sim:shop?noise=0.05", "listed");
    assert_eq!(
        phones_of(&environment, "listed"),
        ["sim:shop?noise=0.05#1", "sim:shop?noise=0.05#2"]
    );
    assert_eq!(counted, listed);
}

#[test]
fn phones_of_a_list_may_differ_and_reduce_together() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    let ended = environment.run(&format!(
        "reduce found/crashes/{id}/trace.retap --device sim:notes,sim:notes?latency=realistic --out small"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(
        phones_of(&environment, "small"),
        ["sim:notes", "sim:notes?latency=realistic"]
    );
    let manifest: Value = serde_json::from_str(&environment.read("small/run.json")).unwrap();
    assert_eq!(
        manifest["settings"]["device"],
        "sim:notes,sim:notes?latency=realistic"
    );
}

#[test]
fn a_run_of_an_earlier_version_is_resumed() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    let reduced = environment.run(&format!(
        "reduce found --crash {id} --algorithm lhdd-no-preselection --seed 1 --out small"
    ));
    assert_eq!(reduced.code, 0, "{}", reduced.err);
    let mut manifest: Value = serde_json::from_str(&environment.read("small/run.json")).unwrap();
    assert_eq!(manifest["settings"]["algorithm"], "lhdd_no_preselection");
    // As the first version wrote it, before there were more options.
    manifest["settings"] = serde_json::json!({
        "command": "reduce", "device": "sim:notes", "count": 1, "source": "found", "target": null,
        "algorithm": "lhdd_no_preselection", "runs": 1, "successes": 1,
    });
    manifest["state"] = "interrupted".into();
    environment.write("small/run.json", &manifest.to_string());
    let resumed = environment.run("reduce --resume small");
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    assert_eq!(resumed.out, reduced.out);
}

#[test]
fn a_phone_of_a_list_that_lacks_the_app_is_named() {
    let environment = TestEnvironment::new();
    let ended = environment.run("explore --device sim:shop,sim:mail --events 10");
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .err
            .contains("there is no app `com.example.shop` on `sim:mail`"),
        "{}",
        ended.err
    );
}

#[test]
fn the_only_phone_that_is_ready_on_adb_is_used_if_none_is_named() {
    let environment = TestEnvironment::new();
    let adb = concat!(env!("CARGO_MANIFEST_DIR"), "/src/adb/tests/fake-adb");
    let ended = ProgramOutput::from(
        environment
            .command("explore")
            .env("ADB", adb)
            .output()
            .unwrap(),
    );
    // All that is missing are the agent's files.
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended
            .err
            .starts_with("using `my phone`, the only phone that is ready on adb\n"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("could not use `my phone` through adb"),
        "{}",
        ended.err
    );
}

#[test]
fn the_bench_tells_one_object_an_app_and_one_for_large_screens() {
    let environment = TestEnvironment::new();
    let ended = environment.run("bench simulated --json --events 500");
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
    assert_eq!(environment.run("bench simulated --app nots").code, 2);
}
