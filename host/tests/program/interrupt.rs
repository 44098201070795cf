//! Ctrl-C ends cleanly and keeps everything; a run in use is left alone by others.

use std::process::Command;

use crate::retap::{Desk, grown_to};

const LONG: &str = "explore --device sim:shop --events 30000 --session-events 300 --seed 2 --out here";

#[test]
fn ctrl_c_finishes_cleanly_with_130_and_the_run_goes_on_later() {
    let desk = Desk::new();
    let mut child = desk.start(LONG);
    assert!(grown_to(&desk.path("here/events.jsonl"), 400_000, &mut child), "it ended too early");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(desk.read("here/run.json").contains("\"state\": \"interrupted\""));
    assert!(desk.read("here/events.jsonl").trim_end().ends_with('}'));
    assert!(desk.read("here/report.html").contains("</html>"));
    assert!(!desk.crashes("here").is_empty());

    let resumed = desk.run("explore --resume here");
    assert_eq!(resumed.code, 1, "{}", resumed.err);
    assert!(resumed.out.contains("30,000 in 100 sessions"), "{}", resumed.out);
}

#[test]
fn two_processes_on_one_run_the_second_is_told_who_has_it() {
    let desk = Desk::new();
    let mut child = desk.start(LONG);
    assert!(grown_to(&desk.path("here/events.jsonl"), 1, &mut child), "it ended too early");
    let second = desk.run("explore --resume here");
    let still_there = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(still_there, "the first one ended before the second could meet it");
    assert_eq!(second.code, 2);
    let told = second.err.replace(&child.id().to_string(), "[pid]");
    insta::assert_snapshot!(told, @r"
    error: the run `here` is in use by process [pid]
    help: wait until process [pid] has ended, or end it; nothing is lost then
    ");
    assert_eq!(desk.run("explore --resume here").code, 1, "after its end the run can be gone on with");
}

#[test]
fn a_program_that_was_told_to_ignore_ctrl_c_works_all_the_same() {
    let desk = Desk::new();
    let retap = assert_cmd::cargo::cargo_bin!("retap");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT HUP; exec \"$0\" devices"]).arg(retap).current_dir(desk.path(""));
    let ended = shell.output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}
