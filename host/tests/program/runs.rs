//! `retap runs`: the list of runs, and their removal by age and size.

use std::fs;

use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment, grown_to};

const EXPLORE: &str = "explore --device sim:notes --explorer random --seed 5";

fn lines(ended: &ProgramOutput) -> Vec<Value> {
    assert_eq!(ended.code, 0, "{}", ended.err);
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
    ended.out.lines().map(parse).collect()
}

#[test]
fn runs_are_listed_and_removed_but_never_one_in_use_nor_files_of_others() {
    let environment = TestEnvironment::new();
    for run in ["one", "two"] {
        let ended = environment.run(&format!("{EXPLORE} --events 60 --out {run}"));
        assert!(ended.code < 2, "{}", ended.err);
    }
    environment.write("two/mine.txt", "precious");
    let mut child = environment.start(&format!("{EXPLORE} --events 100000000 --out busy"));
    assert!(grown_to(
        &environment.path("busy/events.jsonl"),
        5_000,
        &mut child
    ));
    let listed = lines(&environment.run("runs --json"));
    assert_eq!(listed.len(), 3);
    let states: Vec<&Value> = listed.iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["done", "done", "in use"]);
    for run in &listed {
        assert_eq!(run["command"], "explore");
        assert_eq!(run["app"], "com.example.notes", "{run}");
        assert!(run["bytes"].as_u64().unwrap() > 1_000, "{run}");
    }
    let kept = lines(&environment.run("runs prune --json"));
    assert!(kept.is_empty(), "the defaults keep new runs");
    let prune = "runs prune --older-than 0h --keep-size 0B --json";
    assert_eq!(
        lines(&environment.run(&format!("{prune} --dry-run"))).len(),
        2
    );
    assert!(environment.path("one/run.json").exists(), "a dry run");
    assert_eq!(lines(&environment.run(prune)).len(), 2);
    assert!(!environment.path("one").exists());
    assert_eq!(environment.read("two/mine.txt"), "precious");
    assert!(!environment.path("two/run.json").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let left = lines(&environment.run("runs --json"));
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["state"], "killed");
    let text = environment.run("runs");
    assert!(text.out.contains("killed"), "{}", text.out);
}

#[test]
fn a_run_whose_directory_is_gone_is_said_to_be_and_can_be_pruned() {
    let environment = TestEnvironment::new();
    let ended = environment.run(&format!("{EXPLORE} --events 60 --out one"));
    assert!(ended.code < 2, "{}", ended.err);
    fs::rename(environment.path("one"), environment.path("moved")).unwrap();
    assert_eq!(lines(&environment.run("runs --json"))[0]["state"], "gone");
    environment.write("retap.toml", "[runs]\nolder_than = \"0h\"\n");
    assert_eq!(lines(&environment.run("runs prune --json")).len(), 1);
    assert!(lines(&environment.run("runs --json")).is_empty());
    assert!(environment.path("moved/run.json").exists());
}

#[test]
fn a_database_of_another_program_is_refused_in_its_own_words() {
    let environment = TestEnvironment::new();
    // As another program would make it.
    let database = rusqlite::Connection::open(environment.path("bookmarks.sqlite")).unwrap();
    database
        .execute_batch("CREATE TABLE bookmarks (url TEXT)")
        .unwrap();
    drop(database);
    let refused = environment.run("runs --store bookmarks.sqlite");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(
        refused.err.contains("is a database of another program"),
        "{}",
        refused.err
    );
}
