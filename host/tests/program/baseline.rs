//! Known and new findings: `retap baseline`, `retap explore --baseline`, and `--mapping`.

use serde_json::Value;

use crate::environment::{TestEnvironment, names};

const EXPLORE: &str = "explore --device sim:notes --explorer random --events 2000 --seed 7";

fn problems(out: &str) -> Vec<Value> {
    let result: Value = serde_json::from_str(out).unwrap_or_else(|_| panic!("{out}"));
    result["problems"].as_array().unwrap().clone()
}

#[test]
fn with_a_baseline_only_findings_that_it_does_not_list_fail_the_run() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "one");
    let crashes = environment.crashes("one");
    let written = environment.run("baseline one --out known.json");
    assert_eq!(written.code, 0, "{}", written.err);
    let expected = format!("of com.example.notes, {} added", crashes.len());
    assert!(written.out.contains(&expected), "{}", written.out);
    let baseline = environment.read("known.json");
    for crash in &crashes {
        assert!(baseline.contains(crash), "{crash} in {baseline}");
    }

    let known = environment.run(&format!("{EXPLORE} --baseline known.json --json --out two"));
    assert_eq!(known.code, 0, "{}", known.err);
    for problem in problems(&known.out) {
        assert_eq!(problem["status"], "known");
        assert_eq!(problem["known_since"], "version 7");
    }
    assert!(
        environment
            .read("two/report.html")
            .contains("known since version 7")
    );

    let unlisted = |line: &&str| !line.contains(&crashes[0]);
    let fewer: Vec<&str> = baseline.lines().filter(unlisted).collect();
    let fewer = fewer.join("\n").replace("},\n  ]", "}\n  ]");
    environment.write("fewer.json", &fewer);
    let new = environment.run(&format!(
        "{EXPLORE} --baseline fewer.json --json --out three"
    ));
    assert_eq!(new.code, 1, "{}", new.err);
    let is_new = |problem: &&Value| problem["status"] == "new";
    let new: Vec<Value> = problems(&new.out).iter().filter(is_new).cloned().collect();
    assert_eq!(new.len(), 1);
    assert_eq!(new[0]["id"], crashes[0].as_str());
    assert_eq!(new[0]["known_since"], Value::Null);
}

#[test]
fn a_baseline_that_exists_keeps_its_findings_and_gets_those_of_the_run() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "one");
    let few = "explore --device sim:notes --explorer random --events 300 --seed 3 --out two";
    environment.run(few);
    environment.run("baseline one");
    let before = environment.read("retap-baseline.json");
    let again = environment.run("baseline one");
    assert!(again.out.contains(", 0 added"), "{}", again.out);
    assert_eq!(environment.read("retap-baseline.json"), before);

    let merged = environment.run("baseline two --json");
    let merged: Value = serde_json::from_str(&merged.out).unwrap();
    let count = |key: &str| merged[key].as_array().unwrap().len();
    let one = environment.crashes("one");
    let two = environment.crashes("two");
    let both = two.iter().filter(|crash| one.contains(crash)).count();
    assert_eq!(merged["met"], both);
    assert_eq!(count("added"), two.len() - both);
    assert_eq!(count("not_met"), one.len() - both);
    assert_eq!(merged["findings"], one.len() + two.len() - both);
    for line in before.lines().filter(|line| line.contains("fingerprint\"")) {
        let entry = line.trim_end_matches(',');
        assert!(
            environment.read("retap-baseline.json").contains(entry),
            "{entry}"
        );
    }
}

#[test]
fn a_run_without_findings_makes_an_empty_baseline() {
    let environment = TestEnvironment::new();
    let explored = environment.run("explore --device sim:notes --events 3 --seed 1 --out quiet");
    assert_eq!(explored.code, 0, "{}", explored.out);
    let written = environment.run("baseline quiet --out known.json");
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(environment.read("known.json").contains("\"findings\": []"));
}

#[test]
fn a_baseline_that_cannot_be_used_ends_with_2_before_anything_is_done() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "one");
    environment.run("baseline one --out known.json");
    let good = environment.read("known.json");
    environment.write("text.json", "hello");
    environment.write(
        "newer.json",
        &good.replace("\"format\": 1", "\"format\": 9"),
    );
    let rules = good.replace("\"fingerprints\": 2", "\"fingerprints\": 1");
    environment.write("rules.json", &rules);
    for (file, words) in [
        ("none.json", "there is no baseline `"),
        ("text.json", "is not a baseline"),
        ("newer.json", "has format 9; this Retap reads up to 1"),
        ("rules.json", "by fingerprints of version 1"),
    ] {
        let ended = environment.run(&format!("{EXPLORE} --baseline {file} --out two"));
        assert_eq!(ended.code, 2, "{file}: {}", ended.err);
        assert!(ended.err.contains(words), "{file}: {}", ended.err);
        assert!(!environment.path("two").exists(), "{file}");
    }
    let other = "explore --device sim:shop --events 100 --baseline known.json --out two";
    let ended = environment.run(other);
    assert_eq!(ended.code, 2, "{}", ended.err);
    let words = "is of the app `com.example.notes`, not of `com.example.shop`";
    assert!(ended.err.contains(words), "{}", ended.err);

    let ended = environment.run("baseline one --out text.json");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert_eq!(environment.read("text.json"), "hello");
    let trace = format!("one/crashes/{}/trace.retap", environment.crashes("one")[0]);
    let ended = environment.run(&format!("baseline {trace}"));
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("is not a run"), "{}", ended.err);
}

#[test]
fn reduce_reduces_findings_that_earlier_runs_know() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "one");
    let again = environment.run(&format!("{EXPLORE} --reduce --out two"));
    assert!(again.out.contains("known since 20"), "{}", again.out);
    for crash in environment.crashes("two") {
        let files = names(&environment.path("two").join("crashes").join(&crash));
        assert!(
            files.contains(&"reduced.retap".to_owned()),
            "{crash}: {files:?}"
        );
    }
}

/// A mapping in which the app's first frame of a stack is an inlined method of a renamed class.
fn mapping_of(stack: &str) -> String {
    let frame = stack
        .lines()
        .find_map(|line| line.trim().strip_prefix("at com.example.notes."))
        .unwrap();
    let (method, source) = frame.split_once('(').unwrap();
    let (class, method) = method.rsplit_once('.').unwrap();
    let line = source.trim_end_matches(')').rsplit(':').next().unwrap();
    format!(
        "# compiler: R8\n# pg_map_id: 59b7a1c\n\
         com.example.notes.source.Written -> com.example.notes.{class}:\n\
         \x20   {line}:{line}:void inlined():7:7 -> {method}\n\
         \x20   {line}:{line}:void caller():9 -> {method}\n"
    )
}

#[test]
fn a_mapping_makes_stacks_readable_and_traces_reach_what_it_names() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "plain");
    let stack =
        |run: &str, crash: &str| environment.read(&format!("{run}/crashes/{crash}/stack.txt"));
    let java = |crash: &&String| stack("plain", crash).contains("at com.example.notes.");
    let plain = environment.crashes("plain");
    let obfuscated = plain.iter().find(java).unwrap();
    environment.write("mapping.txt", &mapping_of(&stack("plain", obfuscated)));

    let explored = environment.run(&format!("{EXPLORE} --mapping mapping.txt --out here"));
    assert_eq!(explored.code, 1, "{}", explored.err);
    let is_again = |line: &&str| line.starts_with("see it again: ");
    let commands: Vec<&str> = explored.out.lines().filter(is_again).collect();
    assert!(!commands.is_empty());
    for command in commands {
        assert!(command.contains("/mapping.txt"), "{command}");
    }
    let crashes = environment.crashes("here");
    assert_eq!(crashes.len(), plain.len());
    assert!(!crashes.contains(obfuscated));
    let written = |crash: &&String| stack("here", crash).contains("source.Written.inlined");
    let retraced = crashes.iter().find(written).unwrap();
    assert!(stack("here", retraced).contains("Written.caller(Written.java:9)"));
    let kept = environment.read(&format!("here/crashes/{retraced}/obfuscated-stack.txt"));
    assert_eq!(kept, stack("plain", obfuscated));

    let trace = format!("here/crashes/{retraced}/trace.retap");
    let replay = |options: &str| {
        environment
            .run(&format!("replay {trace} --times 1 {options}"))
            .code
    };
    assert_eq!(replay("--mapping mapping.txt"), 0);
    assert_eq!(replay(""), 3);
    environment.write("retap.toml", "[mappings]\n7 = \"mapping.txt\"\n");
    assert_eq!(replay(""), 0);
    let reduced = environment.run(&format!("reduce here --crash {retraced} --out short"));
    assert_eq!(reduced.code, 0, "{}", reduced.err);
    assert_eq!(environment.crashes("short"), std::slice::from_ref(retraced));
    let checked = environment.run("check");
    assert!(
        checked
            .out
            .contains("stacks of 1 version of the app are retraced"),
        "{}",
        checked.out
    );
    environment.write("retap.toml", "[mappings]\n8 = \"mapping.txt\"\n");
    let ended = environment.run(&format!("replay {trace} --times 1"));
    assert_eq!(ended.code, 3);
    assert!(
        ended
            .err
            .contains("`[mappings]` has no version 7 of `com.example.notes`"),
        "{}",
        ended.err
    );
}

#[test]
fn a_mapping_that_cannot_be_used_ends_with_2_and_one_of_another_build_is_told() {
    let environment = TestEnvironment::new();
    environment.write("text.txt", "hello\n");
    for (file, words) in [
        ("none.txt", "could not read the mapping"),
        ("text.txt", "is not a mapping of R8 or ProGuard"),
    ] {
        let ended = environment.run(&format!("{EXPLORE} --mapping {file} --out here"));
        assert_eq!(ended.code, 2, "{file}: {}", ended.err);
        assert!(ended.err.contains(words), "{file}: {}", ended.err);
        assert!(!environment.path("here").exists());
    }
    environment.write(
        "other.txt",
        "org.other.Main -> a.a:\n    1:1:void run():1:1 -> a\n",
    );
    let ended = environment.run(&format!("{EXPLORE} --mapping other.txt --out here"));
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(
        ended
            .err
            .contains("is of another build: it knows no class of the stack"),
        "{}",
        ended.err
    );
    assert!(!environment.crashes("here").is_empty());
}

#[test]
fn a_suite_is_reduced_by_the_fingerprints_that_a_mapping_gives() {
    let environment = TestEnvironment::new();
    let explore = "explore --device sim:notes --events 400 --session-events 16 --seed 7";
    let explored = environment.run(&format!("{explore} --keep-traces --out plain"));
    assert_eq!(explored.code, 1, "{}", explored.err);
    let stack =
        |run: &str, crash: &str| environment.read(&format!("{run}/crashes/{crash}/stack.txt"));
    let java = |crash: &&String| stack("plain", crash).contains("at com.example.notes.");
    let plain = environment.crashes("plain");
    let obfuscated = plain.iter().find(java).unwrap();
    environment.write("mapping.txt", &mapping_of(&stack("plain", obfuscated)));
    let mapped = environment.run(&format!("{explore} --mapping mapping.txt --out mapped"));
    assert_eq!(mapped.code, 1, "{}", mapped.err);
    let written = |crash: &&String| stack("mapped", crash).contains("source.Written.inlined");
    let crashes = environment.crashes("mapped");
    let retraced = crashes.iter().find(written).unwrap();

    let leads_to = |run: &str, crash: &str| {
        let files = names(&environment.path(&format!("{run}/suite")));
        files.iter().any(|file| {
            environment
                .read(&format!("{run}/suite/{file}"))
                .contains(crash)
        })
    };
    let named = environment.run("reduce-suite plain --mapping mapping.txt --out named");
    assert_eq!(named.code, 0, "{}", named.err);
    environment.write("retap.toml", "[mappings]\n7 = \"mapping.txt\"\n");
    let configured = environment.run("reduce-suite plain --out configured");
    assert_eq!(configured.code, 0, "{}", configured.err);
    for run in ["named", "configured"] {
        assert!(leads_to(run, retraced), "{run}");
        assert!(!leads_to(run, obfuscated), "{run}");
    }
    environment.write("text.txt", "hello\n");
    let refused = environment.run("reduce-suite plain --mapping text.txt --out none");
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(!environment.path("none").exists());
}
