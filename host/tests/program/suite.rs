//! `retap reduce-suite`: the same coverage, and a manifest of origins.

mod inputs;

use std::os::unix::process::ExitStatusExt;

use retap_shared::trace::{StartMode, Trace};
use serde_json::Value;

use crate::environment::{ProgramOutput, TestEnvironment, grown_to, length, names};

/// A run with the traces of 25 sessions.
fn recorded(environment: &TestEnvironment, app: &str) {
    let line = "--events 400 --session-events 16 --seed 7 --keep-traces";
    let ended = environment.run(&format!("explore --device sim:{app} {line} --out {app}"));
    assert!(ended.code <= 1, "{}", ended.err);
}

fn reduced(environment: &TestEnvironment, rest: &str) -> Value {
    let ended = environment.run(&format!("reduce-suite {rest} --json"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

fn changed(environment: &TestEnvironment, from: &str, to: &str, change: impl Fn(&mut Trace)) {
    let mut trace = Trace::parse(&environment.read(from)).unwrap();
    change(&mut trace);
    environment.write(to, &trace.to_text());
}

fn refused(ended: &ProgramOutput, code: i32, words: &[&str]) {
    assert_eq!(ended.code, code, "{}{}", ended.out, ended.err);
    for word in words {
        assert!(ended.err.contains(word), "`{word}` in {}", ended.err);
    }
}

#[test]
fn the_reduced_suite_covers_the_same_in_fewer_and_shorter_traces() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    for algorithm in ["detreduce", "auto"] {
        let result = reduced(
            &environment,
            &format!("notes --algorithm {algorithm} --seed 1 --out {algorithm}"),
        );
        let before = &result["before"];
        let after = &result["after"];
        // A spliced trace may cover more than any original.
        for kind in ["activities", "screens", "branches", "crashes"] {
            let old = &before["coverage"][kind];
            let new = &after["coverage"][kind];
            assert!(new.as_u64() >= old.as_u64(), "{kind} in {result}");
        }
        assert_eq!(result["not_replayable"], 0);
        for what in ["traces", "transitions", "seconds"] {
            assert!(
                after[what].as_f64() < before[what].as_f64(),
                "{what} in {result}"
            );
        }
        assert_eq!(result["replays"]["successes"], result["replays"]["runs"]);

        let manifest: Value =
            serde_json::from_str(&environment.read(&format!("{algorithm}/suite/manifest.json")))
                .unwrap();
        let traces = manifest["traces"].as_array().unwrap();
        assert_eq!(traces.len() as u64, after["traces"].as_u64().unwrap());
        for trace in traces {
            let file = trace["file"].as_str().unwrap();
            let kept =
                Trace::parse(&environment.read(&format!("{algorithm}/suite/{file}"))).unwrap();
            assert_eq!(kept.header.start, StartMode::Clean);
            // Its steps are those of the manifest.
            let mut steps = Vec::new();
            for fragment in trace["fragments"].as_array().unwrap() {
                let original =
                    Trace::parse(&environment.read(fragment["from"].as_str().unwrap())).unwrap();
                let number = |name: &str| fragment[name].as_u64().unwrap() as usize;
                steps.extend_from_slice(
                    &original.steps[number("first_step") - 1..number("last_step")],
                );
            }
            // A simplified step still acts on the same widget.
            let simplified = trace["simplified"].as_array().unwrap();
            assert!(simplified.is_empty() || algorithm == "auto");
            for (number, (was, is)) in (1..).zip(steps.iter().zip(&kept.steps)) {
                let simpler = simplified.contains(&Value::from(number));
                assert_eq!(was.action != is.action, simpler, "{was:?} {is:?} {trace}");
                assert_eq!(was.widget, is.widget);
            }
            assert_eq!(steps.len(), kept.steps.len());
        }
        if algorithm == "auto" {
            assert!(result["simplified"].as_u64().unwrap() > 0, "{result}");
            let line = "notes --seed 1 --only-delete --out only";
            assert_eq!(reduced(&environment, line)["simplified"], 0);
        }
        // The reduced suite is a suite itself, with the coverage that was reported.
        let again = reduced(
            &environment,
            &format!("{algorithm}/suite --algorithm detreduce --out again-{algorithm}"),
        );
        assert_eq!(again["before"]["coverage"], after["coverage"]);
        let page = environment.read(&format!("{algorithm}/report.html"));
        assert!(page.contains("Reduced suite") && page.contains("suite/001.retap"));
    }
}

#[test]
fn the_table_shows_before_and_after_and_where_the_suite_is() {
    let environment = TestEnvironment::new();
    recorded(&environment, "shop");
    let ended = environment.run("reduce-suite shop --seed 1 --count 3 --out small");
    assert_eq!(
        (ended.code, ended.last_line()),
        (0, "small"),
        "{}",
        ended.err
    );
    for row in [
        "traces, restarts",
        "transitions",
        "time of one replay",
        "findings",
        "check",
        "small/suite/manifest.json",
    ] {
        assert!(ended.out.contains(row), "{row} in {}", ended.out);
    }
}

#[test]
fn the_tally_on_a_noisy_phone_is_what_the_log_of_the_run_counts() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    let phone = "--device sim:notes?noise=0.02";
    for algorithm in ["detreduce", "auto"] {
        let line = format!("notes {phone} --algorithm {algorithm} --replays 4 --seed 1");
        let result = reduced(&environment, &format!("{line} --out {algorithm}"));
        let log = environment.read(&format!("{algorithm}/events.jsonl"));
        let replays: Vec<Value> = log
            .lines()
            .filter(|line| line.contains("\"suite_replayed\""))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let followed = |replays: &[Value]| {
            let is_followed = |replay: &&Value| !replay.to_string().contains("diverged_at");
            replays.iter().filter(is_followed).count() as u64
        };
        let cost = &result["cost"];
        assert_eq!(cost["runs"], replays.len() as u64);
        assert_eq!(cost["diverged"], replays.len() as u64 - followed(&replays));
        // The check comes last.
        let runs = result["replays"]["runs"].as_u64().unwrap();
        assert_eq!(runs, 4 * result["after"]["traces"].as_u64().unwrap());
        let check = &replays[replays.len() - runs as usize..];
        assert_eq!(result["replays"]["successes"], followed(check), "{result}");
        let flaky = result["flaky"].as_array().unwrap();
        assert!(!flaky.is_empty(), "{result}");
        let page = environment.read(&format!("{algorithm}/report.html"));
        assert!(page.contains("Flaky: ") && page.contains("left its path"));
    }
}

#[test]
fn a_budget_ends_with_the_best_suite_so_far() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    for algorithm in ["detreduce", "auto"] {
        for (name, runs) in [("tiny", 3), ("small", 60), ("medium", 120)] {
            let line = format!("notes --algorithm {algorithm} --max-runs {runs} --seed 1");
            let result = reduced(&environment, &format!("{line} --out {algorithm}-{name}"));
            assert_eq!(result["outcome"], "budget_spent", "{result}");
            assert!(result["cost"]["runs"].as_u64().unwrap() <= runs, "{result}");
            assert_eq!(result["lost"]["screens"], Value::Array(Vec::new()));
            let traces = names(&environment.path(&format!("{algorithm}-{name}/suite")));
            let written = result["after"]["traces"].as_u64().unwrap() as usize;
            assert_eq!(traces.len(), written + 1, "{traces:?}");
        }
    }
    let ended = environment.run("reduce-suite notes --max-runs 60 --seed 1 --out short");
    assert!(ended.out.contains("budget spent"), "{}", ended.out);
    refused(
        &environment.run("reduce-suite notes --max-runs 0"),
        2,
        &["--max-runs"],
    );
    refused(
        &environment.run("reduce-suite notes --minutes 0"),
        2,
        &["--minutes"],
    );
}

#[test]
fn every_activity_that_a_run_has_reached_gets_its_shortest_trace() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    let ended = environment.run("reduce notes --every activity --seed 1 --out every --json");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let results: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(results.len() > 3, "{}", ended.out);
    for result in &results {
        assert_eq!(result["outcome"], "done");
        assert!(result["to"].as_u64() <= result["from"].as_u64());
        let file = result["file"].as_str().unwrap();
        let trace = Trace::parse(&environment.read(file)).unwrap();
        assert_eq!(trace.steps.len() as u64, result["to"].as_u64().unwrap());
        let again = environment.run(&format!("replay {file} --times 1"));
        assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    }
    let ended = environment.run("reduce notes --every screen --seed 1 --out screens");
    assert!(ended.out.contains("before  after"), "{}", ended.out);
    reduced(&environment, "notes --replays 1 --seed 1 --out small");
    refused(
        &environment.run("reduce small --every activity"),
        2,
        &["--keep-traces"],
    );
}

#[test]
fn a_changed_app_is_reported_and_one_that_never_repeats_a_screen_has_exit_code_3() {
    let environment = TestEnvironment::new();
    recorded(&environment, "notes");
    let file = format!(
        "notes/traces/{}",
        names(&environment.path("notes/traces"))[0]
    );
    changed(&environment, &file, "older.retap", |trace| {
        trace.header.app.version_code += 7;
    });
    let ended = environment.run("reduce-suite older.retap --out older");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.err.contains("the trace was made with version"),
        "{}",
        ended.err
    );

    // Every second touch is lost.
    changed(&environment, &file, "tap.retap", |trace| {
        let is_tap = |step: &retap_shared::trace::Step| {
            let text = step
                .widget
                .as_ref()
                .is_some_and(|widget| !widget.text.is_empty());
            matches!(step.action, retap_shared::action::Action::Tap(_)) && text
        };
        let tap = trace.steps.iter().position(is_tap).unwrap();
        trace.steps = vec![trace.steps[tap].clone()];
    });
    let ended = environment.run(
        "reduce-suite tap.retap --device sim:notes?flaky=0.5 --seed 3 --algorithm detreduce --out flaky",
    );
    refused(&ended, 3, &["leads to the same screen every time"]);
}

#[test]
fn a_killed_reduction_is_resumed_and_ends_with_the_same_suite() {
    let environment = TestEnvironment::new();
    recorded(&environment, "mail");
    let line = "reduce-suite mail --algorithm detreduce --seed 1";
    let calm = environment.run(&format!("{line} --out calm"));
    assert_eq!(calm.code, 0, "{}", calm.err);
    let whole = length(&environment.path("calm/events.jsonl"));
    let mut killed = 0;
    for part in 1..5 {
        let resume = environment.path("run/originals/names.json").exists();
        let mut child = environment.start(&if resume {
            "reduce-suite --resume run".into()
        } else {
            format!("{line} --out run")
        });
        grown_to(
            &environment.path("run/events.jsonl"),
            whole * part / 6,
            &mut child,
        );
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
    }
    assert!(killed > 0);
    // The state of a run that was killed while it copied the traces.
    std::fs::remove_file(environment.path("run/originals/names.json")).unwrap();
    let resumed = environment.run("reduce-suite --resume run");
    assert_eq!(resumed.code, 0, "{}", resumed.err);
    let suite = |run: &str| names(&environment.path(&format!("{run}/suite")));
    assert_eq!(suite("run"), suite("calm"));
    for file in suite("run").iter().filter(|file| file.ends_with(".retap")) {
        assert_eq!(
            environment.read(&format!("run/suite/{file}")),
            environment.read(&format!("calm/suite/{file}"))
        );
    }
}

#[test]
fn the_benchmark_shows_before_after_and_cost_of_each_algorithm() {
    let ended = TestEnvironment::new()
        .run("bench suite --app shop --events 300 --session-events 15 --replays 3 --json");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let lines: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        assert_eq!(
            (&line["bench"], &line["app"], &line["kept"]),
            (&"suite".into(), &"shop".into(), &true.into())
        );
        assert!(line["before"]["traces"].as_u64().unwrap() >= 20);
        assert_eq!(line["before"]["crashes"], line["after"]["crashes"]);
        assert!(line["cost"]["runs"].as_u64() > line["before"]["traces"].as_u64());
    }
    refused(
        &TestEnvironment::new().run("bench suite --app calendar"),
        2,
        &["calendar"],
    );
}
