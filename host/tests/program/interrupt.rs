//! Ctrl-C ends a run cleanly and keeps everything; a second process leaves a run in use alone.

use std::process::{Child, Command, Stdio};

use crate::environment::{TestEnvironment, grown_to, length};

/// A run that is interrupted long before its end.
const ENDLESS: &str =
    "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
const EVENTS: &str = "here/events.jsonl";

#[test]
fn ctrl_c_ends_with_exit_code_130_and_the_run_can_be_resumed() {
    let environment = TestEnvironment::new();
    let mut child = start(&environment, ENDLESS, &[]);
    assert!(
        grown_to(&environment.path(EVENTS), 400_000, &mut child),
        "it ended too early"
    );
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        environment
            .read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
    assert!(
        environment
            .read("here/events.jsonl")
            .trim_end()
            .ends_with('}')
    );
    assert!(environment.read("here/report.html").contains("</html>"));
    assert!(!environment.crashes("here").is_empty());

    let before = length(&environment.path(EVENTS));
    let mut resumed = start(&environment, "explore --resume here", &[]);
    assert!(
        grown_to(&environment.path(EVENTS), before + 400_000, &mut resumed),
        "it did not go on"
    );
    interrupt(&resumed);
    assert_eq!(resumed.wait().unwrap().code(), Some(130));
    let events = environment.read(EVENTS);
    let first_steps = events.matches("\"step\":1,").count();
    assert_eq!(first_steps, 1, "recorded steps are not done again");
}

/// Starts the program with the default action for Ctrl-C: tests in the background inherit that it is ignored.
pub(crate) fn start(environment: &TestEnvironment, line: &str, options: &[&str]) -> Child {
    let plain = environment.command(line);
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
        .current_dir(environment.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// `nohup` starts programs this way.
#[test]
fn ctrl_c_finishes_cleanly_also_where_a_closed_terminal_is_ignored() {
    let environment = TestEnvironment::new();
    let mut child = start(&environment, ENDLESS, &["--ignore-signal=HUP"]);
    assert!(
        grown_to(&environment.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        environment
            .read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
}

#[test]
fn kill_finishes_cleanly_also_where_ctrl_c_is_ignored() {
    let environment = TestEnvironment::new();
    let plain = environment.command(ENDLESS);
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
        .current_dir(environment.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    assert!(
        grown_to(&environment.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    let sent = Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        environment
            .read("here/run.json")
            .contains("\"state\": \"interrupted\"")
    );
}

#[test]
fn a_second_process_on_a_run_learns_which_process_has_it() {
    let environment = TestEnvironment::new();
    let mut child = environment.start(ENDLESS);
    assert!(
        grown_to(&environment.path(EVENTS), 1, &mut child),
        "it ended too early"
    );
    let second = environment.run("explore --resume here");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(second.code, 2);
    let message = second.err.replace(&child.id().to_string(), "[pid]");
    insta::assert_snapshot!(message, @r"
    error: the run `here` is in use by process [pid]
    help: wait until process [pid] has ended, or end it: the run can be resumed
    ");
    let before = length(&environment.path(EVENTS));
    let mut resumed = environment.start("explore --resume here");
    assert!(
        grown_to(&environment.path(EVENTS), before + 1, &mut resumed),
        "after its end the run can be resumed"
    );
    resumed.kill().unwrap();
    resumed.wait().unwrap();
}

#[test]
fn a_program_that_must_ignore_ctrl_c_still_works() {
    let environment = TestEnvironment::new();
    let retap = assert_cmd::cargo::cargo_bin!("retap");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' INT HUP; exec \"$0\" devices"])
        .arg(retap)
        .current_dir(environment.path(""));
    let ended = shell.output().unwrap();
    assert_eq!(
        ended.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
}
