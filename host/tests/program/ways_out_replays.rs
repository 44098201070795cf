//! Results on every way out of `reduce-suite`, `replay` and `demo`: a lost phone, Ctrl-C and `kill` leave what was found until
//! then, and one remedy.

use std::io::Read as _;
use std::process::{Child, Command};

use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::link_phone::{ServedPhone, planted};
use crate::ways_out::{ended, grown_with, impatient, remedies, start, start_interruptible};

const REPLAYED: &str = "\"event\":\"suite_replayed\"";

/// A directory with a suite of three traces: short ones, because a served phone takes real time.
fn suite(environment: &TestEnvironment) -> &'static str {
    let line = "explore --device sim:notes --events 48 --session-events 16 --seed 7 --keep-traces";
    let explored = environment.run(&format!("{line} --out notes"));
    assert!(explored.code <= 1, "{}", explored.err);
    "notes"
}

/// A suite whose reduction takes long enough to be ended.
fn large_suite(environment: &TestEnvironment) -> &'static str {
    let line = "explore --device sim:shop --events 4000 --session-events 50 --seed 7 --keep-traces";
    let explored = environment.run(&format!("{line} --out shop"));
    assert!(explored.code <= 1, "{}", explored.err);
    "shop"
}

#[test]
fn a_suite_reduction_that_loses_its_phone_has_its_results_and_one_remedy() {
    let environment = TestEnvironment::new();
    let traces = suite(&environment);
    let mut served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let device = impatient(&served);
    let line = format!("reduce-suite {traces} --device {device} --json --out cut");
    let mut child = start(&environment, &line);
    assert!(grown_with(
        &environment,
        "cut/events.jsonl",
        REPLAYED,
        &mut child
    ));
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    assert!(result["cost"]["runs"].as_u64() > Some(0), "{result}");
    assert!(environment.read("cut/report.html").contains("interrupted"));
    let remedies = remedies(&ended.err);
    assert_eq!(remedies.len(), 1, "{}", ended.err);
    assert!(
        remedies[0].contains("`retap reduce-suite --resume /"),
        "{remedies:?}"
    );
}

#[test]
fn an_interrupted_suite_reduction_prints_its_table_and_one_remedy() {
    let environment = TestEnvironment::new();
    let traces = large_suite(&environment);
    let line = format!("reduce-suite {traces} --algorithm detreduce --out cut");
    let mut child = start_interruptible(&environment, &line);
    assert!(grown_with(
        &environment,
        "cut/events.jsonl",
        REPLAYED,
        &mut child
    ));
    interrupt(child.id());
    let ended = ended(child);
    assert_eq!(ended.code, 130, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("so far"), "{}", ended.out);
    assert!(environment.read("cut/report.html").contains("interrupted"));
    assert_eq!(remedies(&ended.err).len(), 1, "{}", ended.err);
}

#[test]
fn a_killed_suite_reduction_gets_its_page_from_report() {
    let environment = TestEnvironment::new();
    let traces = large_suite(&environment);
    let line = format!("reduce-suite {traces} --algorithm detreduce --out cut");
    let mut child = environment.start(&line);
    assert!(grown_with(
        &environment,
        "cut/events.jsonl",
        REPLAYED,
        &mut child
    ));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!environment.path("cut/report.html").exists());
    let ended = environment.run("report cut");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (0, "report: cut/report.html\n"),
        "{}",
        ended.err
    );
    let page = environment.read("cut/report.html");
    assert!(page.contains("interrupted"), "{page}");
    // Reporting takes nothing away from the run.
    assert!(
        environment
            .read("cut/run.json")
            .contains("\"state\": \"running\"")
    );
    let elsewhere = environment.run("report cut --store other.sqlite");
    assert_eq!(elsewhere.code, 2, "{}", elsewhere.err);
    assert!(
        elsewhere.err.contains("has no journal of the run"),
        "{}",
        elsewhere.err
    );
    assert!(!environment.path("other.sqlite").exists());
}

#[test]
fn the_page_of_a_finished_suite_reduction_can_be_written_again() {
    let environment = TestEnvironment::new();
    let traces = suite(&environment);
    let reduced = environment.run(&format!("reduce-suite {traces} --out cut"));
    assert_eq!(reduced.code, 0, "{}{}", reduced.out, reduced.err);
    let figures = |page: &str| -> Vec<String> {
        let cells = page.split("<td").skip(1);
        cells
            .map(|cell| cell.split("</td>").next().unwrap_or_default().to_owned())
            .collect()
    };
    let before = environment.read("cut/report.html");
    std::fs::remove_file(environment.path("cut/report.html")).unwrap();
    let ended = environment.run("report cut");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let after = environment.read("cut/report.html");
    assert!(!figures(&before).is_empty(), "the page has a table");
    assert_eq!(figures(&after), figures(&before));
}

#[test]
fn a_replay_that_loses_its_phone_tells_the_runs_that_it_made() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let mut served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let device = impatient(&served);
    let line = format!("replay {trace} --device {device} --times 10000");
    let mut child = start(&environment, &line);
    let first = first_line(&mut child);
    assert!(first.starts_with("run 1 of 10000: reached"), "{first}");
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("ended early: "), "{}", ended.out);
    assert_eq!(remedies(&ended.err).len(), 1, "{}", ended.err);
}

#[test]
fn an_interrupted_replay_tells_the_runs_that_it_made() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let line = format!("replay {trace} --times 10000");
    let mut child = start_interruptible(&environment, &line);
    first_line(&mut child);
    interrupt(child.id());
    let ended = ended(child);
    assert_eq!(ended.code, 130, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("ended early: "), "{}", ended.out);
}

#[test]
fn a_replay_whose_lines_cannot_be_written_ends_with_2() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let mut command = environment.command(&format!("replay {trace}"));
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ended = command.stdout(full).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{err}");
    assert!(err.contains("No space left on device"), "{err}");
}

#[test]
fn a_demo_that_loses_its_phone_ends_with_the_table_and_the_page() {
    let environment = TestEnvironment::new();
    let mut served = ServedPhone::start(&environment, "sim:shop", "tcp", "keys.pairing");
    let line = format!("demo --device {} --out here", impatient(&served));
    let mut child = start(&environment, &line);
    let stepped = "\"event\":\"stepped\"";
    assert!(grown_with(
        &environment,
        "here/events.jsonl",
        stepped,
        &mut child
    ));
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("random events"), "{}", ended.out);
    assert!(
        ended
            .out
            .contains("All of it with pictures: here/report.html"),
        "{}",
        ended.out
    );
    assert!(environment.read("here/report.html").contains("interrupted"));
    assert_eq!(remedies(&ended.err).len(), 1, "{}", ended.err);
}

fn interrupt(process: u32) {
    let sent = Command::new("kill")
        .args(["-INT", &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// The first line that a command prints, read byte by byte: the rest stays in the pipe.
fn first_line(child: &mut Child) -> String {
    let out = child.stdout.as_mut().unwrap();
    let mut line = Vec::new();
    let mut byte = [0];
    while out.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}
