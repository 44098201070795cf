//! One seed twice, and two phones at once.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::apps::{real_app, sample_app};
use crate::command_checks::run_expecting;
use crate::environment::TestEnvironment;
use crate::recorded::{assert_repeated, event_count, explore, repeated_events, run_events};
use crate::running_program::RunningProgram;
use crate::turns::JvmTurn;

/// A picture that is all black has 3 kB.
const LEAST_PICTURE: u64 = 5 * 1024;

/// Explores twice at the same time, into `first` and `second`.
fn explore_twice(environment: &TestEnvironment, apk: &Path, options: &str) {
    let log = environment.path("first.log");
    let mut beside = RunningProgram::start(&mut explore(environment, apk, options, "first"), &log);
    run_expecting(&mut explore(environment, apk, options, "second"), &[0, 1]);
    beside.wait(&[0, 1]);
}

#[test]
fn two_runs_of_one_seed_on_api_demos_are_equal() {
    let _turn = JvmTurn::wait_for(2);
    let environment = TestEnvironment::new();
    let count = event_count();
    let options = format!("--explorer random --events {count} --seed 2");
    explore_twice(&environment, &real_app("apidemos"), &options);
    let steps = repeated_events(&environment, "first")
        .iter()
        .filter(|event| event["event"] == "stepped")
        .count();
    assert_eq!(steps, count, "not every step was recorded");
    assert_repeated(&environment, "first", "second");
}

/// The sample app has threads beside the main one, and its chance is the time.
#[test]
fn two_runs_of_one_seed_on_the_sample_app_are_equal_and_no_picture_of_a_crash_is_black() {
    let _turn = JvmTurn::wait_for(2);
    let environment = TestEnvironment::new();
    let options = "--explorer random --events 150 --seed 2";
    explore_twice(&environment, &sample_app(), options);
    assert_repeated(&environment, "first", "second");

    let pictures: Vec<u64> = environment
        .crashes("first")
        .iter()
        .map(|crash| environment.path("first/crashes").join(crash))
        .filter_map(|folder| fs::metadata(folder.join("screenshot.png")).ok())
        .map(|picture| picture.len())
        .collect();
    assert!(!pictures.is_empty(), "no crash has a picture");
    assert!(
        pictures.iter().all(|size| *size > LEAST_PICTURE),
        "the picture of a crash is black: {pictures:?} bytes"
    );
}

#[test]
fn two_jvm_phones_explore_one_app_side_by_side() {
    let _turn = JvmTurn::wait_for(2);
    let environment = TestEnvironment::new();
    let options = "--count 2 --events 40 --session-events 20 --seed 3";
    let app = real_app("contact-manager");
    run_expecting(&mut explore(&environment, &app, options, "both"), &[0, 1]);
    let events = run_events(&environment, "both");
    let is_second = |device: &Value| {
        device
            .as_str()
            .is_some_and(|device| device.contains("apk#2"))
    };
    assert!(
        events
            .iter()
            .any(|event| event["event"] == "stepped" && is_second(&event["device"])),
        "the second phone did nothing"
    );
}
