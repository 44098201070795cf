//! Each command is stopped at its operations on files and on the store: as SIGKILL stops it, by a disk that is full from
//! then on, and by a power failure after which only synced data are left. Then it is resumed, or started again where nothing
//! was begun, and must end as if nothing had happened.
//!
//! The operations are sampled. `RETAP_STOPS=kill` kills at each of them, `RETAP_STOPS=all` stops at each in each way, and
//! `RETAP_STOPS=N` at N in each way. `--nocapture` shows how many stops there were.

mod prune;
mod scenario;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use scenario::{Scenario, StoppedRun};
use tempfile::TempDir;

use crate::environment::{ProgramOutput, TestEnvironment};

/// Exit code of a program that was stopped.
const STOPPED: i32 = 99;

/// How a program is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopKind {
    Kill,
    FullDisk,
    PowerFailure,
}

impl StopKind {
    fn name(self) -> &'static str {
        match self {
            StopKind::Kill => "kill",
            StopKind::FullDisk => "full",
            StopKind::PowerFailure => "power",
        }
    }
}

/// Runs a command that is stopped at one of its operations; with 0 it is not stopped. Returns its output and the number of
/// operations of a program that ended by itself.
pub(crate) fn run_stopped(
    environment: &TestEnvironment,
    line: &str,
    kind: StopKind,
    at: u64,
) -> (ProgramOutput, u64) {
    let shadow = tempfile::tempdir().unwrap();
    let count = shadow.path().join("count");
    let output = environment
        .command(line)
        .env("LD_PRELOAD", shim())
        .env("RETAP_STOP_ROOT", environment.path(""))
        .env("RETAP_STOP_AT", at.to_string())
        .env("RETAP_STOP_HOW", kind.name())
        .env("RETAP_STOP_COUNT", &count)
        .env("RETAP_STOP_SHADOW", shadow.path())
        .output()
        .unwrap();
    let operations = fs::read_to_string(&count).map_or(0, |text| text.trim().parse().unwrap());
    (output.into(), operations)
}

/// The library that stops a program, compiled once.
fn shim() -> PathBuf {
    static SHIM: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = SHIM.get_or_init(|| {
        let place = tempfile::tempdir().unwrap();
        let library = place.path().join("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/stops/shim.c");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&library)
            .args([source, "-ldl"])
            .status()
            .expect("this test needs a C compiler");
        assert!(compiled.success(), "the shim cannot be compiled");
        (place, library)
    });
    path.clone()
}

/// Operations to stop at: all of them, or so many that are spread evenly, the first ones always among them.
fn chosen(operations: u64, samples: u64, kind: StopKind) -> Vec<u64> {
    let samples = match env::var("RETAP_STOPS").as_deref() {
        Err(_) => samples,
        Ok("kill") if kind != StopKind::Kill => samples,
        Ok("kill" | "all") => return (1..=operations).collect(),
        Ok(number) => number.parse().expect("`kill`, `all` or a number"),
    };
    let spread = |number: u64| 1 + (number * operations + kind as u64) / samples;
    let mut chosen: Vec<u64> = (0..samples)
        .map(spread)
        .filter(|at| *at <= operations)
        .collect();
    chosen.dedup();
    chosen
}

/// Stops a command in each way, and compares how it ends with an undisturbed run.
#[expect(clippy::print_stderr, reason = "the number of stops is a figure")]
fn check(scenario: &Scenario, samples: u64) {
    let calm = scenario.environment();
    let (ended, operations) = run_stopped(&calm, scenario.start, StopKind::Kill, 0);
    assert_eq!(ended.code, scenario.code, "{}{}", ended.out, ended.err);
    assert!(operations > 1, "only {operations} operations were seen");
    let expected = scenario.result(&calm, &ended);
    let mut stops = 0;
    for kind in [StopKind::Kill, StopKind::FullDisk, StopKind::PowerFailure] {
        for at in chosen(operations, samples, kind) {
            let environment = scenario.environment();
            let (stopped, _) = run_stopped(&environment, scenario.start, kind, at);
            let place = format!("{kind:?} at operation {at} of {operations}");
            let run = StoppedRun {
                scenario,
                environment: &environment,
                place: &place,
            };
            run.check_words(&stopped, kind);
            let result = run.finish(&stopped);
            assert_eq!(result, expected, "{place}");
            stops += 1;
        }
    }
    assert!(stops >= 3, "only {stops} stops");
    eprintln!(
        "`{}`: {stops} stops, {operations} operations",
        scenario.start
    );
}

#[test]
fn a_stopped_reduction_has_all_crashes_of_its_source_and_the_same_traces() {
    check(&scenario::REDUCE, 10);
}

#[test]
fn a_stopped_exploration_of_a_noisy_phone_ends_as_if_nothing_had_happened() {
    check(&scenario::EXPLORE, 8);
}

#[test]
fn a_stopped_reduction_of_a_suite_ends_with_the_same_suite() {
    check(&scenario::REDUCE_SUITE, 6);
}

#[test]
fn a_stopped_demo_can_be_made_again() {
    check(&scenario::DEMO, 2);
}

#[test]
fn a_stopped_baseline_is_written_again_and_is_never_incomplete() {
    check(&scenario::BASELINE, 4);
}

#[test]
fn a_stopped_import_is_made_again_and_its_trace_is_never_incomplete() {
    check(&scenario::IMPORT, 4);
}

#[test]
fn a_stopped_export_is_made_again_and_its_test_is_never_incomplete() {
    check(&scenario::EXPORT, 4);
}

#[test]
fn a_replay_and_a_look_at_a_screen_write_no_file_that_could_be_incomplete() {
    let environment = scenario::BASELINE.environment();
    let id = environment.crashes("found").remove(0);
    for command in ["replay", "screen"] {
        let line = format!("{command} found/crashes/{id}/trace.retap --device sim:notes");
        let (ended, operations) = run_stopped(&environment, &line, StopKind::Kill, 0);
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
        assert_eq!(operations, 0, "{command}");
    }
}
