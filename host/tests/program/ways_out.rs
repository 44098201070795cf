//! Results on every way out: a lost phone, a full disk, Ctrl-C and `kill` leave the table, the JSON object and the page with
//! what was found until then, and one remedy.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment, grown_to};
use crate::link_phone::{ServedPhone, padded, planted};

/// Lines that a user sees as a remedy.
pub(crate) fn remedies(err: &str) -> Vec<&str> {
    let is_remedy = |line: &&str| line.starts_with("help: ") || line.contains("resume with: ");
    err.lines().filter(is_remedy).collect()
}

/// Starts a command whose output is kept.
pub(crate) fn start(environment: &TestEnvironment, line: &str) -> Child {
    let mut command = environment.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

pub(crate) fn ended(child: Child) -> ProgramOutput {
    child.wait_with_output().unwrap().into()
}

/// A device that is given up soon after it is gone.
pub(crate) fn impatient(served: &ServedPhone) -> String {
    served.device().replace('?', "?wait=1&")
}

fn absolute_run(environment: &TestEnvironment, run: &str) -> String {
    let path = std::fs::canonicalize(environment.path(run)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_exploration_that_loses_its_phone_has_its_results_and_one_remedy() {
    let environment = TestEnvironment::new();
    let trace = planted(&environment, "notes");
    let mut served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let line = format!(
        "explore --device {} --from {trace} --events 1000000 --json --out here",
        impatient(&served)
    );
    let mut child = start(&environment, &line);
    let found = "\"event\":\"problem_found\"";
    assert!(grown_with(
        &environment,
        "here/events.jsonl",
        found,
        &mut child
    ));
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    assert!(result["events"].as_u64().unwrap() > 0, "{result}");
    assert!(
        !result["problems"].as_array().unwrap().is_empty(),
        "{result}"
    );
    let page = environment.read("here/report.html");
    let crash = &environment.crashes("here")[0];
    assert!(page.contains(crash), "the page has the finding");
    assert_eq!(
        remedies(&ended.err),
        [format!(
            "help: see why the phones were lost, then resume with `retap explore --resume {}`",
            absolute_run(&environment, "here")
        )],
        "{}",
        ended.err
    );
}

#[test]
fn a_reduction_that_loses_its_phone_prints_the_best_so_far() {
    let environment = TestEnvironment::new();
    let trace = padded(&environment, "notes");
    let mut served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let line = format!(
        "reduce {trace} --device {} --algorithm dd --runs 2 --json --out cut",
        impatient(&served)
    );
    let mut child = start(&environment, &line);
    let observed = "\"event\":\"observed\"";
    assert!(grown_with(
        &environment,
        "cut/events.jsonl",
        observed,
        &mut child
    ));
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    assert!(result["runs"].as_u64().unwrap() > 0, "{result}");
    assert!(environment.path("cut").join(relative(&result)).is_file());
    assert_eq!(remedies(&ended.err).len(), 1, "{}", ended.err);
}

/// The result's file, inside the run.
fn relative(result: &Value) -> String {
    let file = result["file"].as_str().unwrap();
    file.strip_prefix("cut/").unwrap().to_owned()
}

#[test]
fn an_interrupted_exploration_prints_its_table_and_one_remedy() {
    for signal in ["-INT", "-TERM"] {
        let environment = TestEnvironment::new();
        let line = "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
        let mut child = start_interruptible(&environment, line);
        let found = "\"event\":\"problem_found\"";
        assert!(grown_with(
            &environment,
            "here/events.jsonl",
            found,
            &mut child
        ));
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let ended = ended(child);
        assert_eq!(ended.code, 130, "{}{}", ended.out, ended.err);
        assert!(ended.out.contains(", interrupted"), "{}", ended.out);
        assert!(
            ended.out.contains("see it again: retap replay "),
            "{}",
            ended.out
        );
        assert_eq!(remedies(&ended.err).len(), 1, "{}", ended.err);
    }
}

/// Tests that run in the background ignore Ctrl-C; the program must not inherit that.
pub(crate) fn start_interruptible(environment: &TestEnvironment, line: &str) -> Child {
    let plain = environment.command(line);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
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
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a file has this text. False if the process ended before.
pub(crate) fn grown_with(
    environment: &TestEnvironment,
    file: &str,
    text: &str,
    child: &mut Child,
) -> bool {
    let mut wanted = 1;
    loop {
        if !grown_to(&environment.path(file), wanted, child) {
            return false;
        }
        let content = std::fs::read_to_string(environment.path(file)).unwrap_or_default();
        if content.contains(text) {
            return true;
        }
        wanted = content.len() as u64 + 1;
    }
}

#[test]
fn a_killed_run_gets_its_page_from_report() {
    let environment = TestEnvironment::new();
    let line =
        "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
    let mut child = environment.start(line);
    let found = "\"event\":\"problem_found\"";
    assert!(grown_with(
        &environment,
        "here/events.jsonl",
        found,
        &mut child
    ));
    let busy = environment.run("report here");
    assert_eq!(busy.code, 2, "{}", busy.err);
    assert!(busy.err.contains("is in use by process"), "{}", busy.err);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!environment.path("here/report.html").exists());

    let ended = environment.run("report here");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (0, "report: here/report.html\n"),
        "{}",
        ended.err
    );
    let page = environment.read("here/report.html");
    assert!(
        page.contains("interrupted") && page.contains("<svg"),
        "no coverage"
    );
    // A finding without this file was not written to its end.
    let is_complete = |crash: &String| {
        let file = format!("here/crashes/{crash}/problem.json");
        environment.path(&file).exists()
    };
    for crash in environment.crashes("here").into_iter().filter(is_complete) {
        assert!(page.contains(&crash), "{crash}");
    }
    assert!(
        environment
            .read("here/run.json")
            .contains("\"state\": \"running\"")
    );
}

#[test]
fn the_page_of_a_finished_run_can_be_written_again() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    assert_eq!(environment.run("reduce found --out cut").code, 0);
    let crash = environment.crashes("cut").remove(0);
    for run in ["found", "cut"] {
        std::fs::remove_file(environment.path(run).join("report.html")).unwrap();
        let ended = environment.run(&format!("report {run}"));
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(
            environment
                .read(&format!("{run}/report.html"))
                .contains(&crash)
        );
    }
    let page = environment.read("cut/report.html");
    assert!(
        page.contains("reduced.retap") && page.contains("class=\"proof"),
        "no reduction"
    );
    let none = environment.run("report .");
    assert_eq!(none.code, 2);
    assert!(none.err.contains("is not a run"), "{}", none.err);
}

#[test]
fn a_run_without_findings_has_nothing_to_reduce() {
    let environment = TestEnvironment::new();
    let explored = environment.run("explore --device sim:camera --events 20 --seed 1 --out calm");
    assert_eq!(explored.code, 0, "{}{}", explored.out, explored.err);
    let ended = environment.run("reduce calm");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(
        ended.out,
        "the run `calm` has no finding: there is nothing to reduce\n"
    );
    let json = environment.run("reduce calm --json");
    assert_eq!((json.code, json.out.as_str()), (0, ""), "{}", json.err);
}

#[test]
fn commands_to_see_a_finding_again_work_in_any_directory() {
    let environment = TestEnvironment::new();
    let explored = environment.run(
        "explore --device sim:notes?seed=3 --explorer random --events 2000 --seed 7 --out here",
    );
    assert_eq!(explored.code, 1, "{}", explored.err);
    let reduced = environment.run("reduce here --device sim:notes?seed=3 --out cut");
    assert_eq!(reduced.code, 0, "{}", reduced.err);
    let page = environment.read("cut/report.html");
    let on_page = page.split("See it again</span><code><bdi>").nth(1).unwrap();
    let on_page = on_page.split("</bdi>").next().unwrap();
    let on_page = on_page
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    for command in [printed(&explored.out), printed(&reduced.out), on_page] {
        assert!(command.contains("--device 'sim:notes?seed=3'"), "{command}");
        let ended = in_shell(&environment, &command);
        assert_eq!(ended.code, 0, "{command}: {}{}", ended.out, ended.err);
    }
}

fn printed(out: &str) -> String {
    let prefix = "see it again: ";
    let line = out
        .lines()
        .find_map(|line| line.trim().strip_prefix(prefix));
    line.unwrap_or_else(|| panic!("{out}")).to_owned()
}

/// Runs a command as it was pasted, in another directory, with `retap` on the path.
fn in_shell(environment: &TestEnvironment, command: &str) -> ProgramOutput {
    let retap = environment.command("");
    let programs = std::path::Path::new(retap.get_program()).parent().unwrap();
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("PATH", path);
    shell.envs(
        retap
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    shell.current_dir(elsewhere.path()).output().unwrap().into()
}
