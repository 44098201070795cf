//! Traces of targets that are reached only sometimes: reducing, refusing, resuming and reporting them.

use std::path::Path;

use retap_shared::trace::Trace;
use serde_json::Value;

use crate::environment::{TestEnvironment, grown_to, length};

/// One touch in a hundred is lost.
const FLAKY: &str = "sim:notes?noise=0.01";
const RULES: &str = "--runs 20 --successes 18 --count 8";

/// A crash's trace from a phone that loses no touches.
fn trace(environment: &TestEnvironment) -> String {
    environment.explored("notes", "found");
    let id = environment.crashes("found").remove(0);
    format!("found/crashes/{id}/trace.retap")
}

fn json(out: &str) -> Value {
    serde_json::from_str(out.lines().next().unwrap_or_default()).unwrap_or_else(|_| panic!("{out}"))
}

#[test]
fn a_flaky_trace_is_reduced_and_reported_with_all_runs_of_its_result() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    for algorithm in ["auto", "nd3min"] {
        let line = format!(
            "reduce {trace} --device {FLAKY} {RULES} --algorithm {algorithm} --out {algorithm} --json"
        );
        let ended = environment.run(&line);
        assert_eq!(ended.code, 0, "{algorithm}: {}", ended.err);
        let result = json(&ended.out);
        assert!(result["to"].as_u64() < Some(20), "{result}");
        let claim = &result["claim"];
        assert_eq!(claim["required_rate"], 0.85, "{result}");
        assert!(claim["runs"].as_u64() >= result["replays"]["runs"].as_u64());
        let interval = |end: usize| claim["interval"][end].as_f64().unwrap();
        let rate = claim["rate"].as_f64().unwrap();
        assert!(interval(0) <= rate && rate <= interval(1), "{result}");
        // `c (p1/p2)` of 20 runs, as published.
        let is_published = |check: &str| check.contains("(0.") || check.contains("(1.");
        let check = result["check"].as_str();
        assert_eq!(
            check.is_some_and(is_published) && result["replays"]["runs"] == 20,
            algorithm == "nd3min",
            "{result}"
        );
        if algorithm == "auto" {
            assert_eq!(claim["standing"], "proven", "{result}");
            assert!(interval(0) >= 0.85, "{result}");
        }
    }
    let events = environment.read("auto/events.jsonl");
    let believed = events
        .lines()
        .rfind(|line| line.contains("\"believed\""))
        .map(json)
        .unwrap();
    assert!(
        believed["strip"]
            .as_str()
            .is_some_and(|strip| strip.contains('9')),
        "{believed}"
    );
    assert_eq!(believed["under_way"], 0);
    let page = environment.read("auto/report.html");
    assert!(
        page.contains("Progress of the reduction") && page.contains("Belief about the steps"),
        "the page shows the reduction"
    );
}

#[test]
fn a_killed_flaky_reduction_is_resumed_with_its_attempts() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    let start = format!("reduce {trace} --device {FLAKY} {RULES} --out here");
    let mut child = environment.start(&start);
    let events = environment.path("here/events.jsonl");
    assert!(grown_to(&events, 4_000, &mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    let before = observed(&events);
    let resumed = environment.run("reduce --resume here --json");
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let result = json(&resumed.out);
    assert!(
        result["replays"]["successes"].as_u64() >= Some(18),
        "{result}"
    );
    let recalled = environment
        .read("here/events.jsonl")
        .lines()
        .filter(|line| line.contains("\"recalled\":true"))
        .count();
    assert!(
        before > 0 && recalled > 0,
        "{before} runs before, {recalled} recalled"
    );
    assert!(length(&events) > 0);
}

fn observed(events: &Path) -> usize {
    std::fs::read_to_string(events)
        .unwrap()
        .matches("\"observed\"")
        .count()
}

#[test]
fn a_target_that_nothing_reaches_and_one_that_everything_reaches() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    for rules in ["", RULES] {
        let line = format!(
            "reduce {trace} {rules} --target activity:Nowhere --out never{}",
            rules.len()
        );
        let ended = environment.run(&line);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains("0 of "), "{}", ended.err);
        let line = format!(
            "reduce {trace} {rules} --target activity:ListActivity --out always{} --json",
            rules.len()
        );
        let ended = environment.run(&line);
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert_eq!(
            json(&ended.out)["to"],
            0,
            "the app starts with it: no step is needed"
        );
    }
}

#[test]
fn a_line_of_the_log_can_be_the_target() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    let ended = environment.run(&format!(
        "reduce {trace} --target log:FATAL.EXCEPTION --out cut --json"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(json(&ended.out)["target"]["log"], "FATAL.EXCEPTION");
    let replay = environment.run("replay cut/traces/reduced.retap --times 2");
    assert_eq!(replay.code, 0, "{}{}", replay.out, replay.err);
    let ended = environment.run(&format!("reduce {trace} --target log:( --out other"));
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("log:REGEX"), "{}", ended.err);
}

#[test]
fn remaining_steps_become_simpler_unless_only_deleting_is_asked_for() {
    let environment = TestEnvironment::new();
    environment.explored("shop", "found");
    let texts = |run: &str| -> usize {
        let of = |id: String| {
            Trace::parse(&environment.read(&format!("{run}/crashes/{id}/reduced.retap"))).unwrap()
        };
        let steps = environment
            .crashes(run)
            .into_iter()
            .flat_map(|id| of(id).steps);
        steps.map(|step| step.action.to_string().len()).sum()
    };
    assert_eq!(environment.run("reduce found --out simple").code, 0);
    assert_eq!(
        environment
            .run("reduce found --only-delete --out deleted")
            .code,
        0
    );
    assert!(
        texts("simple") < texts("deleted"),
        "{} {}",
        texts("simple"),
        texts("deleted")
    );
}

#[test]
fn options_that_contradict_each_other() {
    let environment = TestEnvironment::new();
    let trace = trace(&environment);
    for (options, message) in [
        (
            "--scheduler greedy",
            "`--scheduler` is for `--algorithm nd3min`",
        ),
        (
            "--algorithm dd --parts 3",
            "`--parts` is for `--algorithm nd3min`",
        ),
        (
            "--algorithm nd3min --keep-rate",
            "`--keep-rate` is for `--algorithm auto`",
        ),
        ("--keep-rate --successes 3", "cannot be used with"),
        (
            "--runs 5 --successes 6",
            "6 successes of 5 runs cannot decide anything",
        ),
        (
            "--runs 20 --successes 18 --original-successes 21",
            "21 successes cannot be asked of 20 runs",
        ),
        ("--runs 0", "0 is not in 1..=10000"),
        ("--max-runs 0", "0 is not in 1.."),
        ("--minutes 0", "0 is not in 1..=100000"),
        ("--algorithm nd3min --parts 1", "1 is not in 2..=10000"),
    ] {
        let ended = environment.run(&format!("reduce {trace} {options} --out cut"));
        assert_eq!(ended.code, 2, "{options}: {}", ended.err);
        assert!(ended.err.contains(message), "{options}: {}", ended.err);
        assert!(!environment.path("cut").exists(), "{options}");
    }
}

#[test]
fn a_policy_too_large_for_memory_is_refused_before_it_is_begun() {
    let environment = TestEnvironment::new();
    let ended = environment.run("policy --candidates 8 --parallel 15 --runs 20 --successes 18");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("MiB of memory"), "{}", ended.err);
    let ended = environment.run("policy --candidates 3 --parallel 15 --runs 18 --successes 20");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.contains("cannot decide anything"),
        "{}",
        ended.err
    );
}
