//! JVM phones under which something is taken away: the JVM itself, or the build that it was started from.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::apps::{project, real_app};
use crate::command_checks::run_expecting;
use crate::environment::TestEnvironment;
use crate::recorded::{event_count, explore};
use crate::running_program::{RunningProgram, signal};
use crate::turns::JvmTurn;

/// Starts an exploration, and waits for its first step.
fn start_exploring(environment: &TestEnvironment, apk: &Path, options: &str) -> RunningProgram {
    let mut command = explore(environment, apk, options, "run");
    let mut running = RunningProgram::start(&mut command, &environment.path("run.log"));
    let events = environment.path("run/events.jsonl");
    running.wait_for_text(&events, "\"stepped\"", 1);
    running
}

#[test]
fn a_jvm_that_is_killed_is_noticed_and_the_run_goes_on() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let app = real_app("contact-manager");
    let options = "--explorer random --events 120 --seed 5";
    let mut running = start_exploring(&environment, &app, options);
    signal(java_below(running.id()), "KILL");
    running.wait(&[0, 1]);
    let log = running.log();
    assert!(log.contains("the agent died"), "nobody noticed: {log}");
}

/// The JVM that a process has started.
fn java_below(parent: u32) -> u32 {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let mut found = entries.filter_map(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The number, the name in brackets, the state, the parent.
        let (number, rest) = stat.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let is_below = rest.split(' ').nth(1)? == parent.to_string();
        (is_below && name == "java").then(|| number.parse().unwrap())
    });
    found.next().expect("the phone has a process")
}

#[test]
fn a_phone_keeps_what_it_has_while_another_one_is_built() {
    // Building takes as much as a second JVM.
    let _turn = JvmTurn::wait_for(2);
    let environment = TestEnvironment::new();
    let app = real_app("apidemos");
    let options = format!("--explorer random --events {} --seed 4", event_count());
    let mut running = start_exploring(&environment, &app, &options);
    let mut build = Command::new(project("scripts/build-jvm-phone"));
    run_expecting(build.arg("--debug"), &[0]);
    running.wait(&[0, 1]);
    let log = running.log();
    for words in ["the agent died", "not supported"] {
        assert!(!log.contains(words), "the phone lost what it had: {log}");
    }
}
