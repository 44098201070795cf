//! A disk that is full in the middle of a run: one clear error, and the run is resumed once there is room. The disk is a
//! small tmpfs in a private mount namespace.

use std::process::{Command, Stdio};

use crate::environment::{ProgramOutput, TestEnvironment};

/// Runs a script in a mount namespace. Panics where mounting is not allowed: a test that did nothing must not pass.
fn with_mounts(environment: &TestEnvironment, script: &str) -> ProgramOutput {
    let can = |command: &mut Command| {
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let try_mount = "d=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d && rmdir $d";
    let unshare: &[&str] = if can(Command::new("unshare").args(["-rm", "sh", "-c", try_mount])) {
        &["unshare", "-rm", "sh", "-c"]
    } else if can(Command::new("unshare").args(["-m", "sh", "-c", try_mount])) {
        &["unshare", "-m", "sh", "-c"]
    } else {
        panic!(
            "this test needs a small tmpfs, and neither user namespaces nor root may mount one here"
        )
    };
    let retap = assert_cmd::cargo::cargo_bin!("retap");
    let mut command = Command::new(unshare[0]);
    command
        .args(&unshare[1..])
        .arg(script)
        .env("RETAP", retap)
        .env_remove("RETAP_STORE");
    command
        .current_dir(environment.path(""))
        .env("XDG_DATA_HOME", environment.path("data"))
        .output()
        .unwrap()
        .into()
}

const EXPLORE: &str =
    "explore --device sim:notes --events 4000 --session-events 200 --seed 3 --json";

#[test]
fn a_full_run_directory_is_reported_and_nothing_is_lost_once_there_is_room() {
    let environment = TestEnvironment::new();
    let calm = environment.run(&format!("{EXPLORE} --out calm"));
    let script = format!(
        "set -e; mkdir disk; mount -t tmpfs -o size=200k tmpfs disk
         code=0; $RETAP {EXPLORE} --out disk/run || code=$?; echo first $code
         cp disk/run/events.jsonl before.jsonl
         mount -o remount,size=64m disk
         code=0; $RETAP explore --json --resume disk/run || code=$?; echo second $code
         ls disk/run/crashes > crashes; cp disk/run/events.jsonl after.jsonl"
    );
    let ended = with_mounts(&environment, &script);
    let (first, rest) = ended
        .out
        .split_once("first 2\n")
        .unwrap_or_else(|| panic!("{}{}", ended.out, ended.err));
    assert_partial_result(first);
    assert!(rest.trim_end().ends_with("second 1"), "{rest}{}", ended.err);
    assert!(ended.err.contains("error: could not "), "{}", ended.err);
    assert!(
        ended.err.contains("cause: No space left on device"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("help: free disk space")
            && ended.err.contains("`retap explore --resume /"),
        "{}",
        ended.err
    );

    let before = environment.read("before.jsonl");
    let after = environment.read("after.jsonl");
    assert!(
        before.ends_with("}\n") && after.starts_with(&before),
        "no line was lost or cut"
    );
    assert_done_once(&after);
    assert!(
        !environment.read("crashes").trim().is_empty(),
        "no finding is left"
    );
    assert_eq!(event_count(rest), event_count(&calm.out));
}

#[test]
fn a_full_store_is_reported_and_nothing_is_lost_once_there_is_room() {
    let environment = TestEnvironment::new();
    let calm = environment.run(&format!("{EXPLORE} --out calm"));
    let script = format!(
        "set -e; mkdir disk; mount -t tmpfs -o size=300k tmpfs disk
         code=0; $RETAP {EXPLORE} --out run --store disk/store.sqlite || code=$?; echo first $code
         mount -o remount,size=64m disk
         code=0; $RETAP explore --json --resume run || code=$?; echo second $code"
    );
    let ended = with_mounts(&environment, &script);
    let (first, rest) = ended
        .out
        .split_once("first 2\n")
        .unwrap_or_else(|| panic!("{}{}", ended.out, ended.err));
    assert_partial_result(first);
    assert!(rest.trim_end().ends_with("second 1"), "{rest}{}", ended.err);
    assert!(
        ended
            .err
            .contains("error: could not write a step to the store"),
        "{}",
        ended.err
    );
    assert!(
        ended.err.contains("cause: database or disk is full"),
        "{}",
        ended.err
    );
    assert_done_once(&environment.read("run/events.jsonl"));
    assert_eq!(event_count(rest), event_count(&calm.out));
}

#[test]
fn a_suite_reduction_with_a_full_store_tells_what_it_has_and_is_resumed_once_there_is_room() {
    let environment = TestEnvironment::new();
    let explore =
        "explore --device sim:notes --events 400 --session-events 16 --seed 7 --keep-traces";
    let explored = environment.run(&format!("{explore} --out notes"));
    assert!(explored.code <= 1, "{}", explored.err);
    let calm = environment.run("reduce-suite notes --seed 1 --json --out calm");
    assert_eq!(calm.code, 0, "{}", calm.err);
    let script = "set -e; mkdir disk; mount -t tmpfs -o size=300k tmpfs disk
         code=0; $RETAP reduce-suite notes --seed 1 --json --out run --store disk/store.sqlite || code=$?
         echo first $code; mount -o remount,size=64m disk
         code=0; $RETAP reduce-suite --json --resume run || code=$?; echo second $code";
    let ended = with_mounts(&environment, script);
    let (first, rest) = ended
        .out
        .split_once("first 2\n")
        .unwrap_or_else(|| panic!("{}{}", ended.out, ended.err));
    let result: serde_json::Value = serde_json::from_str(first).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    assert!(
        ended.err.contains("cause: database or disk is full")
            && ended.err.contains("`retap reduce-suite --resume /"),
        "{}",
        ended.err
    );
    let again = rest.lines().next().unwrap_or_default();
    let again: serde_json::Value = serde_json::from_str(again).unwrap();
    let calm: serde_json::Value = serde_json::from_str(&calm.out).unwrap();
    for same in ["outcome", "before", "after", "replays"] {
        assert_eq!(again[same], calm[same], "{same}");
    }
    assert!(rest.trim_end().ends_with("second 0"), "{rest}{}", ended.err);
}

/// The result of a run whose disk was full has what was found until then.
fn assert_partial_result(out: &str) {
    let result: serde_json::Value = serde_json::from_str(out).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    let events = result["events"].as_u64().unwrap();
    assert!((1..4_000).contains(&events), "{events}");
}

/// No recorded step is done again. The step at which the disk was full may have been reported, but not recorded.
fn assert_done_once(events: &str) {
    let steps = events.matches("\"event\":\"stepped\"").count();
    assert!((3_900..=4_002).contains(&steps), "{steps} steps");
}

fn event_count(out: &str) -> serde_json::Value {
    let line = out
        .lines()
        .find(|line| line.starts_with('{'))
        .unwrap_or_else(|| panic!("{out}"));
    let result: serde_json::Value = serde_json::from_str(line).unwrap();
    result["events"].clone()
}
