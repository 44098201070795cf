//! Explorations of a JVM phone, and what they recorded.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::apps::device;
use crate::environment::TestEnvironment;

/// Run events that must be the same in two runs of one seed.
const REPEATED: [&str; 3] = ["stepped", "covered", "problem_found"];

/// Events of the long explorations.
pub(crate) fn event_count() -> usize {
    let asked = std::env::var("RETAP_JVM_EVENTS").ok();
    asked.map_or(500, |count| {
        count.parse().expect("RETAP_JVM_EVENTS is a number")
    })
}

/// An exploration of an app, whose run directory is `out`. It ends with exit code 0, or 1 if it has findings.
pub(crate) fn explore(
    environment: &TestEnvironment,
    apk: &Path,
    options: &str,
    out: &str,
) -> Command {
    let mut command = environment.command(&format!("explore {options} --out {out} --plain"));
    command
        .args(["--device", &device(apk)])
        .env_remove("RUST_BACKTRACE");
    command
}

/// Run events of one run, in their order.
pub(crate) fn run_events(environment: &TestEnvironment, run: &str) -> Vec<Value> {
    let path = environment.path(run).join("events.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Events, widgets, findings and what they covered, branches and the phone's time included, without the machine's time.
pub(crate) fn repeated_events(environment: &TestEnvironment, run: &str) -> Vec<Value> {
    let mut events = run_events(environment, run);
    events.retain(|event| REPEATED.iter().any(|name| event["event"] == **name));
    for event in &mut events {
        event.as_object_mut().unwrap().remove("millis");
    }
    events
}

/// Panics with the first difference between what two runs recorded.
pub(crate) fn assert_repeated(environment: &TestEnvironment, first: &str, second: &str) {
    let first = repeated_events(environment, first);
    let second = repeated_events(environment, second);
    assert!(!first.is_empty(), "nothing was recorded");
    for (number, (first, second)) in first.iter().zip(&second).enumerate() {
        assert_eq!(first, second, "two runs of one seed differ at {number}");
    }
    assert_eq!(first.len(), second.len(), "two runs of one seed differ");
}
