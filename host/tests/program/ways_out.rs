//! Results on every way out: a lost phone, a full disk, Ctrl-C and `kill` leave the table, the JSON object and the page with
//! what was found until then, and one remedy.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::link_phone::{Served, padded, planted};
use crate::retap::{Desk, Ended, grown_to};

/// Lines that a user sees as a remedy.
fn remedies(err: &str) -> Vec<&str> {
    let is_remedy = |line: &&str| line.starts_with("help: ") || line.contains("resume with: ");
    err.lines().filter(is_remedy).collect()
}

/// Starts a command whose output is kept.
fn start(desk: &Desk, line: &str) -> Child {
    let mut command = desk.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn ended(child: Child) -> Ended {
    child.wait_with_output().unwrap().into()
}

/// A device that is given up soon after it is gone.
fn impatient(served: &Served) -> String {
    served.device().replace('?', "?wait=1&")
}

fn absolute_run(desk: &Desk, run: &str) -> String {
    let path = std::fs::canonicalize(desk.path(run)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn an_exploration_that_loses_its_phone_has_its_results_and_one_remedy() {
    let desk = Desk::new();
    let trace = planted(&desk, "notes");
    let mut served = Served::start(&desk, "sim:notes", "tcp", "keys.pairing");
    let line = format!(
        "explore --device {} --from {trace} --events 1000000 --json --out here",
        impatient(&served)
    );
    let mut child = start(&desk, &line);
    let found = "\"event\":\"problem_found\"";
    assert!(grown_with(&desk, "here/events.jsonl", found, &mut child));
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
    let page = desk.read("here/report.html");
    let crash = &desk.crashes("here")[0];
    assert!(page.contains(crash), "the page has the finding");
    assert_eq!(
        remedies(&ended.err),
        [format!(
            "help: see why the phones were lost, then resume with `retap explore --resume {}`",
            absolute_run(&desk, "here")
        )],
        "{}",
        ended.err
    );
}

#[test]
fn a_reduction_that_loses_its_phone_prints_the_best_so_far() {
    let desk = Desk::new();
    let trace = padded(&desk, "notes");
    let mut served = Served::start(&desk, "sim:notes", "tcp", "keys.pairing");
    let line = format!(
        "reduce {trace} --device {} --algorithm dd --runs 2 --json --out cut",
        impatient(&served)
    );
    let mut child = start(&desk, &line);
    let observed = "\"event\":\"observed\"";
    assert!(grown_with(&desk, "cut/events.jsonl", observed, &mut child));
    served.kill();
    let ended = ended(child);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result["outcome"], "interrupted");
    assert!(result["runs"].as_u64().unwrap() > 0, "{result}");
    assert!(desk.path("cut").join(relative(&result)).is_file());
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
        let desk = Desk::new();
        let line = "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
        let mut child = start_interruptible(&desk, line);
        let found = "\"event\":\"problem_found\"";
        assert!(grown_with(&desk, "here/events.jsonl", found, &mut child));
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

/// Whoever runs the tests in the background has them ignore Ctrl-C; the program must not inherit that.
fn start_interruptible(desk: &Desk, line: &str) -> Child {
    let plain = desk.command(line);
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
        .current_dir(desk.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a file has this text. False if the process ended before.
fn grown_with(desk: &Desk, file: &str, text: &str, child: &mut Child) -> bool {
    let mut wanted = 1;
    loop {
        if !grown_to(&desk.path(file), wanted, child) {
            return false;
        }
        let content = std::fs::read_to_string(desk.path(file)).unwrap_or_default();
        if content.contains(text) {
            return true;
        }
        wanted = content.len() as u64 + 1;
    }
}

#[test]
fn a_killed_run_gets_its_page_from_report() {
    let desk = Desk::new();
    let line =
        "explore --device sim:shop --events 1000000000 --session-events 300 --seed 2 --out here";
    let mut child = desk.start(line);
    let found = "\"event\":\"problem_found\"";
    assert!(grown_with(&desk, "here/events.jsonl", found, &mut child));
    let busy = desk.run("report here");
    assert_eq!(busy.code, 2, "{}", busy.err);
    assert!(busy.err.contains("is in use by process"), "{}", busy.err);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!desk.path("here/report.html").exists());

    let ended = desk.run("report here");
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (0, "report: here/report.html\n"),
        "{}",
        ended.err
    );
    let page = desk.read("here/report.html");
    assert!(
        page.contains("interrupted") && page.contains("<svg"),
        "no coverage"
    );
    for crash in desk.crashes("here") {
        assert!(page.contains(&crash), "{crash}");
    }
    assert!(
        desk.read("here/run.json")
            .contains("\"state\": \"running\"")
    );
}

#[test]
fn the_page_of_a_finished_run_can_be_written_again() {
    let desk = Desk::new();
    desk.explored("notes", "found");
    assert_eq!(desk.run("reduce found --out cut").code, 0);
    let crash = desk.crashes("cut").remove(0);
    for run in ["found", "cut"] {
        std::fs::remove_file(desk.path(run).join("report.html")).unwrap();
        let ended = desk.run(&format!("report {run}"));
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(desk.read(&format!("{run}/report.html")).contains(&crash));
    }
    let page = desk.read("cut/report.html");
    assert!(
        page.contains("reduced.retap") && page.contains("class=\"proof"),
        "no reduction"
    );
    let none = desk.run("report .");
    assert_eq!(none.code, 2);
    assert!(none.err.contains("is not a run"), "{}", none.err);
}

#[test]
fn a_run_without_findings_has_nothing_to_reduce() {
    let desk = Desk::new();
    let explored = desk.run("explore --device sim:camera --events 20 --seed 1 --out calm");
    assert_eq!(explored.code, 0, "{}{}", explored.out, explored.err);
    let ended = desk.run("reduce calm");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(
        ended.out,
        "the run `calm` has no finding: there is nothing to reduce\n"
    );
    let json = desk.run("reduce calm --json");
    assert_eq!((json.code, json.out.as_str()), (0, ""), "{}", json.err);
}

#[test]
fn commands_to_see_a_finding_again_work_in_any_directory() {
    let desk = Desk::new();
    let explored = desk.run(
        "explore --device sim:notes?seed=3 --explorer random --events 2000 --seed 7 --out here",
    );
    assert_eq!(explored.code, 1, "{}", explored.err);
    let reduced = desk.run("reduce here --device sim:notes?seed=3 --out cut");
    assert_eq!(reduced.code, 0, "{}", reduced.err);
    let page = desk.read("cut/report.html");
    let on_page = page.split("See it again</span><code><bdi>").nth(1).unwrap();
    let on_page = on_page.split("</bdi>").next().unwrap();
    let on_page = on_page
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    for command in [printed(&explored.out), printed(&reduced.out), on_page] {
        assert!(command.contains("--device 'sim:notes?seed=3'"), "{command}");
        let ended = in_shell(&desk, &command);
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
fn in_shell(desk: &Desk, command: &str) -> Ended {
    let retap = desk.command("");
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
