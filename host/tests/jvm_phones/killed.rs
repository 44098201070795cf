//! JVM phones under which something is taken away: the JVM itself, or the build that it was started from.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::apps::{project, real_app};
use crate::command_checks::run_expecting;
use crate::descendants::{descendant, descendants};
use crate::environment::{TestEnvironment, names};
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
fn a_jvm_that_is_killed_is_noticed_and_the_run_goes_on_with_a_contained_one() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let app = real_app("contact-manager");
    let options = "--explorer random --events 120 --seed 5";
    let mut running = start_exploring(&environment, &app, options);
    let killed = descendant(running.id(), "java").expect("the phone has a process");
    assert!(killed.is_contained());
    signal(killed.id, "KILL");
    killed.assert_ends();
    let program = running.id();
    let mut next = None;
    running.wait_until("another JVM", || {
        next = descendant(program, "java").filter(|java| *java != killed);
        next.is_some()
    });
    assert!(next.unwrap().is_contained());
    running.wait(&[0, 1]);
    let log = running.log();
    assert!(log.contains("the agent died"), "nobody noticed: {log}");
}

/// The launcher is the program's own child, and the JVM the launcher's.
#[test]
fn a_jvm_ends_with_its_launcher() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let app = real_app("contact-manager");
    let options = "--explorer random --events 40 --seed 5";
    let mut running = start_exploring(&environment, &app, options);
    let jvm = descendant(running.id(), "java").expect("the phone has a process");
    assert_ne!(jvm.parent, running.id(), "it has no launcher");
    signal(jvm.parent, "KILL");
    jvm.assert_ends();
    running.wait(&[0, 1]);
    let log = running.log();
    assert!(log.contains("the agent died"), "nobody noticed: {log}");
}

#[test]
fn a_phone_whose_start_is_cancelled_leaves_no_process_and_no_folder() {
    let _turn = JvmTurn::wait_for(1);
    let environment = TestEnvironment::new();
    let place = environment.path("tmp");
    fs::create_dir(&place).unwrap();
    let app = real_app("contact-manager");
    let mut command = explore(&environment, &app, "--events 40", "run");
    let log = environment.path("run.log");
    let mut running = RunningProgram::start(command.env("TMPDIR", &place), &log);
    let program = running.id();
    running.wait_until("a contained JVM", || {
        descendant(program, "java").is_some_and(|java| java.is_contained())
    });
    let started = descendants(program);
    signal(program, "TERM");
    running.wait(&[130]);
    for process in started {
        process.assert_ends();
    }
    assert_eq!(names(&place), Vec::<String>::new());
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
