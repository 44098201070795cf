//! Methods and lines of an app on a JVM phone, noted by the library in its process.

use serde_json::Value;

use crate::apps::sample_app;
use crate::command_checks::run_expecting;
use crate::environment::TestEnvironment;
use crate::recorded::{explore, run_events};
use crate::turns::JvmTurn;

/// The last point of the curve of an exploration that coverage does not guide.
fn end_of_curve(environment: &TestEnvironment, coverage: &str) -> Value {
    let options = format!("--explorer random --events 40 --seed 1 --coverage {coverage}");
    let mut command = explore(environment, &sample_app(), &options, coverage);
    let ended = run_expecting(&mut command, &[0, 1]);
    let events = run_events(environment, coverage);
    let covered = |event: &&Value| event["event"] == "covered" && event["branches"] != 0;
    let curve: Vec<&Value> = events.iter().filter(covered).collect();
    assert!(curve.len() > 1, "{coverage} do not grow: {curve:?}");
    let last = curve[curve.len() - 1].clone();
    let row = format!("{coverage} ");
    let count = last["branches"].to_string();
    assert!(
        ended.out.lines().chain(ended.err.lines()).any(|line| {
            let row = line.trim_start().strip_prefix(&row);
            row.is_some_and(|rest| rest.trim().replace(',', "") == count)
        }),
        "the table does not show {count} {coverage}: {}{}",
        ended.out,
        ended.err
    );
    last
}

#[test]
fn methods_and_lines_are_noted_and_the_app_does_the_same_as_without() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let methods = end_of_curve(&environment, "methods");
    let lines = end_of_curve(&environment, "lines");
    for kind in ["activities", "screens"] {
        assert_eq!(methods[kind], lines[kind], "{kind}");
    }
    assert!(
        lines["branches"].as_u64() > methods["branches"].as_u64(),
        "{lines} {methods}"
    );
}
