//! Ctrl-C ends cleanly and keeps everything; a run in use is left alone by others.

use std::process::{Child, Command, Stdio};

use crate::retap::{Desk, grown_to, length};

/// Nobody waits for its end.
const ENDLESS: &str =
    "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
const EVENTS: &str = "here/events.jsonl";

#[test]
fn ctrl_c_finishes_cleanly_with_130_and_the_run_goes_on_later() {
    let desk = Desk::new();
    let mut child = start(&desk, ENDLESS, &[]);
    assert!(
        grown_to(&desk.path(EVENTS), 400_000, &mut child),
        "it ended too early"
    );
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        desk.read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
    assert!(desk.read("here/events.jsonl").trim_end().ends_with('}'));
    assert!(desk.read("here/report.html").contains("</html>"));
    assert!(!desk.crashes("here").is_empty());

    let before = length(&desk.path(EVENTS));
    let mut resumed = start(&desk, "explore --resume here", &[]);
    assert!(
        grown_to(&desk.path(EVENTS), before + 400_000, &mut resumed),
        "it did not go on"
    );
    interrupt(&resumed);
    assert_eq!(resumed.wait().unwrap().code(), Some(130));
    let events = desk.read(EVENTS);
    let first_steps = events.matches("\"step\":1,").count();
    assert_eq!(first_steps, 1, "recorded steps are not done again");
}

/// Whoever runs the tests in the background has them ignore Ctrl-C; the program must not inherit that here.
fn start(desk: &Desk, line: &str, options: &[&str]) -> Child {
    let plain = desk.command(line);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .args(options)
        .arg(plain.get_program())
        .args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .current_dir(desk.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// As `nohup` starts programs.
#[test]
fn ctrl_c_finishes_cleanly_also_where_a_closed_terminal_is_ignored() {
    let desk = Desk::new();
    let mut child = start(&desk, ENDLESS, &["--ignore-signal=HUP"]);
    assert!(
        grown_to(&desk.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        desk.read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
}

#[test]
fn kill_finishes_cleanly_also_where_ctrl_c_is_ignored() {
    let desk = Desk::new();
    let plain = desk.command(ENDLESS);
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' INT; exec \"$0\" \"$@\""])
        .arg(plain.get_program())
        .args(plain.get_args());
    command.envs(
        plain
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
        .current_dir(desk.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    assert!(
        grown_to(&desk.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    let sent = Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        desk.read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
}

#[test]
fn two_processes_on_one_run_the_second_is_told_who_has_it() {
    let desk = Desk::new();
    let mut child = desk.start(ENDLESS);
    assert!(
        grown_to(&desk.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    let second = desk.run("explore --resume here");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(second.code, 2);
    let told = second.err.replace(&child.id().to_string(), "[pid]");
    insta::assert_snapshot!(told, @r"
    error: the run `here` is in use by process [pid]
    help: wait until process [pid] has ended, or end it: the run can be resumed
    ");
    let before = length(&desk.path(EVENTS));
    let mut resumed = desk.start("explore --resume here");
    assert!(
        grown_to(&desk.path(EVENTS), before + 1, &mut resumed),
        "after its end the run can be gone on with"
    );
    resumed.kill().unwrap();
    resumed.wait().unwrap();
}

#[test]
fn a_program_that_was_told_to_ignore_ctrl_c_works_all_the_same() {
    let desk = Desk::new();
    let retap = assert_cmd::cargo::cargo_bin!("retap");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' INT HUP; exec \"$0\" devices"])
        .arg(retap)
        .current_dir(desk.path(""));
    let ended = shell.output().unwrap();
    assert_eq!(
        ended.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}
