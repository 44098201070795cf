//! The sample app: its planted bugs, a reduction with pictures, and branches.

use crate::apps::{device, project, sample_app};
use crate::command_checks::run_expecting;
use crate::environment::TestEnvironment;
use crate::recorded::{explore, run_events};
use crate::scenarios::replay_folder;
use crate::turns::JvmTurn;

#[test]
fn every_trace_of_the_sample_app_reaches_its_target() {
    let folder = project("android-project/sample-app/traces");
    replay_folder(&folder, &sample_app(), |command| {
        command.env("JAVA_TOOL_OPTIONS", "-Dretap.sample.chance=100");
    });
}

#[test]
fn a_crash_is_reduced_to_its_shortest_trace_proven_and_shown_with_pictures() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let mut command = environment.command("reduce --out short --plain");
    command
        .arg(project("android-project/sample-app/traces/long-way.retap"))
        .args(["--device", &device(&sample_app())])
        .env_remove("RUST_BACKTRACE");
    let ended = run_expecting(&mut command, &[0]);
    let output = format!("{}{}", ended.out, ended.err);
    assert!(
        output
            .lines()
            .any(|line| line.ends_with("8 steps → 3 steps")),
        "it is not the shortest: {output}"
    );
    assert!(
        output.contains("  proven: reproduced in "),
        "it is not proven: {output}"
    );
    let report = environment.read("short/report.html");
    assert!(report.contains("data:image/png"), "it shows no pictures");
}

#[test]
fn branches_grow_with_every_screen_and_are_never_more_than_there_are() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let options = "--explorer random --events 40 --seed 1";
    let mut command = explore(&environment, &sample_app(), options, "run");
    let ended = run_expecting(&mut command, &[0, 1]);

    let events = run_events(&environment, "run");
    let branches: Vec<u64> = events
        .iter()
        .filter(|event| event["event"] == "covered" && event["events"] != 0)
        .map(|event| event["branches"].as_u64().unwrap())
        .collect();
    let total = events
        .iter()
        .find_map(|event| event["branches_total"].as_u64());
    let first = branches[0];
    let last = branches[branches.len() - 1];
    let total = total.unwrap();
    assert!(
        first > 0 && last > first && last <= total,
        "after the first step, at the end and in all: {first}, {last}, {total}"
    );

    let output = format!("{}{}", ended.out, ended.err);
    let row = format!("{last} of {total}");
    assert!(
        output.lines().any(|line| {
            line.split_once("branches ")
                .is_some_and(|(_, count)| count.trim_start().starts_with(&row))
        }),
        "the table does not show {row}: {output}"
    );
    let report = environment.read("run/report.html");
    assert!(report.contains("aria-label=\"Branches: "));
}
