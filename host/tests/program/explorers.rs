//! Explorers that learn, through the program: results, files, resuming after a kill, and constraints.

use serde_json::Value;

use crate::environment::{TestEnvironment, grown_to};

const EXPLORERS: [&str; 6] = [
    "monkey",
    "monkey+system",
    "monkey+restart",
    "ape",
    "timetravel",
    "auto",
];

#[test]
fn every_explorer_makes_the_same_run_of_the_same_seed() {
    for explorer in EXPLORERS {
        let environment = TestEnvironment::new();
        let line = format!(
            "explore --device sim:notes?latency=realistic --explorer {explorer} --events 400 --seed 7 --json"
        );
        let results: Vec<Value> = ["one", "two"]
            .iter()
            .map(|out| {
                let ended = environment.run(&format!("{line} --out {out}"));
                assert!(ended.code < 2, "{explorer}: {}", ended.err);
                let mut result: Value = serde_json::from_str(&ended.out).unwrap();
                for changing in ["seconds", "events_per_second", "run", "problems"] {
                    result.as_object_mut().unwrap().remove(changing);
                }
                result
            })
            .collect();
        assert_eq!(results[0], results[1], "{explorer}");
        assert_eq!(results[0]["events"], 400);
        assert_eq!(
            environment.crashes("one"),
            environment.crashes("two"),
            "{explorer}"
        );
    }
}

#[test]
fn auto_explores_unless_another_explorer_or_sessions_are_asked_for() {
    let environment = TestEnvironment::new();
    for (options, explorer) in [
        ("", "auto"),
        ("--session-events 20", "random"),
        ("--explorer ape", "ape"),
    ] {
        let ended = environment.run(&format!(
            "explore --device sim:notes --events 40 --seed 7 {options} --json"
        ));
        let result: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(result["explorer"], explorer, "{options}");
    }
}

#[test]
fn the_table_shows_starts_and_travel_and_ape_writes_its_abstraction() {
    let environment = TestEnvironment::new();
    let ended = environment
        .run("explore --device sim:shop --explorer ape --events 1500 --seed 7 --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    for row in ["events      1,500\n", "starts      ", "travel      none"] {
        assert!(ended.out.contains(row), "{row} in {}", ended.out);
    }
    let abstraction = environment.read("here/abstraction.txt");
    assert!(abstraction.contains("\ntype\n"), "{abstraction}");
    let line = "explore --device sim:shop --explorer ape --events 100 --seed 7";
    let again = environment.run(&format!(
        "{line} --abstraction here/abstraction.txt --ape alpha=5 --out two"
    ));
    assert!(again.code < 2, "{}", again.err);
    environment.write("broken.txt", "type\n  {colour=\"red\"} => text\n");
    let broken = environment.run(&format!("{line} --abstraction broken.txt --out three"));
    assert!(
        broken.code == 2 && broken.err.contains("line 2: unknown attribute `colour`"),
        "{}",
        broken.err
    );
    let unknown = environment.run(&format!("{line} --ape alfa=3 --out four"));
    assert!(
        unknown.code == 2 && unknown.err.contains("`alfa`"),
        "{}",
        unknown.err
    );
}

#[test]
fn minutes_of_phone_time_end_a_run() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:mail?latency=realistic --explorer random --minutes 2 --seed 7 --json --out here";
    let ended = environment.run(line);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    let seconds = result["phone_seconds"].as_f64().unwrap();
    assert!((120.0..160.0).contains(&seconds), "{seconds}");
    for row in ["starts      ", "travel      none"] {
        let again =
            environment.run("explore --device sim:mail --explorer random --events 50 --seed 7");
        assert!(again.out.contains(row), "{row} in {}", again.out);
    }
    let both = environment.run("explore --device sim:mail --minutes 2 --events 5");
    assert_eq!(both.code, 2);
}

#[test]
fn a_killed_run_is_resumed_with_what_it_had_learned() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:mail --explorer auto --events 6000 --seed 5 --out here";
    let mut child = environment.start(line);
    let events = environment.path("here/events.jsonl");
    assert!(grown_to(&events, 200_000, &mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    let before = environment
        .read("here/events.jsonl")
        .matches("\"event\":\"stepped\"")
        .count();
    let resumed = environment.run("explore --resume here --json");
    assert_eq!(resumed.code, 1, "{}", resumed.err);
    let result: Value = serde_json::from_str(&resumed.out).unwrap();
    assert_eq!(result["events"], 6_000);
    let after = environment
        .read("here/events.jsonl")
        .matches("\"event\":\"stepped\"")
        .count();
    // The last step may be in the store although its event was not written any more, or the other way round.
    assert!(
        before > 0 && (5_998..=6_002).contains(&after),
        "{before} {after}"
    );
    let straight = environment.run(
        "explore --device sim:mail --explorer auto --events 6000 --seed 5 --json --out straight",
    );
    let straight: Value = serde_json::from_str(&straight.out).unwrap();
    let near = |key: &str| {
        let one = result[key].as_f64().unwrap();
        let other = straight[key].as_f64().unwrap();
        (one - other).abs() / other < 0.1
    };
    assert!(
        near("branches") && near("activities"),
        "{result} {straight}"
    );
}

#[test]
fn crashes_of_a_killed_run_can_be_reduced_without_resuming_it() {
    let environment = TestEnvironment::new();
    let mut child =
        environment.start("explore --device sim:notes --events 1000000000 --seed 7 --out here");
    let problem = |id: &String| environment.path(&format!("here/crashes/{id}/problem.json"));
    while !environment
        .crashes("here")
        .iter()
        .any(|id| problem(id).is_file())
    {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let id = environment
        .crashes("here")
        .into_iter()
        .find(|id| problem(id).is_file())
        .unwrap();
    for file in ["trace.retap", "stack.txt", "log.txt", "screenshot.png"] {
        assert!(
            environment
                .path(&format!("here/crashes/{id}/{file}"))
                .is_file(),
            "{file}"
        );
    }
    let reduced = environment.run(&format!("reduce here --crash {id} --out short"));
    assert_eq!(reduced.code, 0, "{}", reduced.err);
}

#[test]
fn traces_of_another_app_are_refused_by_the_names_of_both() {
    let environment = TestEnvironment::new();
    let trace =
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.mail\"},\"start\":\"clean\"}\n";
    environment.write("mail.retap", trace);
    environment.write("retap.toml", "[explore]\nbefore = \"mail.retap\"\n");
    environment.write("none.toml", "");
    for (options, named) in [
        ("", "before"),
        ("--config none.toml --from mail.retap", "from"),
    ] {
        let ended = environment.run(&format!(
            "explore --device sim:notes --events 20 --out {named} {options}"
        ));
        let why = format!(
            "`{named}` names a trace of `com.example.mail`, but the app to explore is `com.example.notes`"
        );
        assert!(
            ended.code == 2 && ended.err.contains(&why),
            "{options}: {}",
            ended.err
        );
    }
}

#[test]
fn an_old_finding_is_found_again_from_its_trace_even_if_it_comes_late() {
    let environment = TestEnvironment::new();
    // The heart outlives its page: it fails 0.8 s after the last step.
    let steps = [("product", "LinearLayout"), ("wish", "Button")];
    let mut trace =
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.shop\"},\"start\":\"clean\"}\n"
            .to_owned();
    for (id, class) in steps {
        trace += &format!(
            "{{\"do\":{{\"tap\":{{\"x\":500,\"y\":440}}}},\"widget\":{{\"id\":\"com.example.shop:id/{id}\",\"class\":\"android.widget.{class}\"}}}}\n"
        );
    }
    environment.write("old.retap", &(trace + "{\"do\":{\"key\":\"back\"}}\n"));
    let line = "explore --device sim:shop --explorer monkey --events 4 --from old.retap --out here";
    let ended = environment.run(line);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(
        ended.out.contains("not attached to an activity"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("travel      none"), "{}", ended.out);
}

#[test]
fn a_crash_is_kept_with_a_picture_and_the_log_around_it() {
    let environment = TestEnvironment::new();
    for explorer in ["random", "auto"] {
        let line =
            format!("explore --device sim:notes --explorer {explorer} --events 1500 --seed 7");
        assert_eq!(environment.run(&format!("{line} --out {explorer}")).code, 1);
        for crash in environment.crashes(explorer) {
            let place = format!("{explorer}/crashes/{crash}");
            let picture =
                std::fs::read(environment.path(&format!("{place}/screenshot.png"))).unwrap();
            assert!(picture.starts_with(b"\x89PNG"), "{place}");
            let log = environment.read(&format!("{place}/log.txt"));
            let stack = environment.read(&format!("{place}/stack.txt"));
            let first = stack.lines().next().unwrap();
            assert!(
                log.contains("I/Retap: ") && log.contains(first),
                "{place}: {log}"
            );
        }
        let page = environment.read(&format!("{explorer}/report.html"));
        for part in [
            "Before the last step",
            "As soon as the finding was known",
            "Log around it",
        ] {
            assert!(page.contains(part), "{explorer}: {part}");
        }
    }
}

#[test]
fn a_script_of_monkey_is_imported_and_replayed() {
    let environment = TestEnvironment::new();
    environment.write(
        "script.txt",
        "type= raw events\ncount= 3\nspeed= 1.0\nstart data >>\nLaunchActivity(com.example.notes,x)\nTap(900,100)\n\
         UserWait(200)\nDispatchPress(KEYCODE_BACK)\nWriteLog()\n",
    );
    let imported = environment.run("import monkey script.txt");
    assert_eq!(
        (imported.code, imported.out.trim()),
        (0, "script.retap: 3 steps, without 1 line"),
        "{}",
        imported.err
    );
    let replayed = environment.run("replay script.retap --device sim:notes --times 1");
    assert!(
        replayed.code == 3 && !replayed.err.contains("version"),
        "{}",
        replayed.err
    );
    environment.write("script.txt", "start data >>\nJump(1)\n");
    let wrong = environment.run("import monkey script.txt --app a.b");
    assert!(
        wrong.code == 2 && wrong.err.contains("line 2: `Jump`"),
        "{}",
        wrong.err
    );
}

#[test]
fn crashes_are_reduced_while_exploring_known_ones_too() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:shop --count 2 --session-events 100 --events 1500 --seed 7 --reduce --json";
    let ended = environment.run(&format!("{line} --out one"));
    assert_eq!(ended.code, 1, "{}", ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        result["events"], 1500,
        "standard output has one object and nothing else: {}",
        ended.out
    );
    let ids = environment.crashes("one");
    assert!(ids.len() > 2, "{ids:?}");
    for id in &ids {
        let steps = |file: &str| {
            environment
                .read(&format!("one/crashes/{id}/{file}"))
                .lines()
                .count()
        };
        assert!(steps("reduced.retap") <= steps("trace.retap"), "{id}");
    }
    let events = environment.read("one/events.jsonl");
    let first = |event: &str| events.find(&format!("\"event\":\"{event}\"")).unwrap();
    assert!(first("reduction_started") < first("exploration_ended"));
    let again = environment.run(&format!("{line} --out two"));
    assert_eq!((again.code, environment.crashes("two")), (1, ids.clone()));
    assert!(ids.iter().all(|id| {
        environment
            .path(&format!("two/crashes/{id}/reduced.retap"))
            .exists()
    }));
}

#[test]
fn bench_explore_prints_one_object_per_run() {
    let environment = TestEnvironment::new();
    let line = "bench explore --device sim:notes --explorer monkey --explorer ape --events 300 --seeds 2 --json";
    let ended = environment.run(line);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let runs: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(runs.len(), 4);
    for run in &runs {
        assert_eq!(
            (&run["bench"], &run["events"]),
            (&"explore".into(), &300.into())
        );
        assert_eq!(run["device"], "sim:notes");
        assert!(
            run["explorer"] == "monkey" || run["explorer"] == "ape",
            "{run}"
        );
        let counts = [
            "seed",
            "activities",
            "activities_total",
            "screens",
            "branches",
            "branches_total",
            "crashes",
        ];
        for key in counts.into_iter().chain(["seconds", "host_us_per_step"]) {
            assert!(run[key].is_number(), "{key} in {run}");
        }
    }
    let model = environment.run("bench model --states 50 --steps 500 --json");
    let model: Value = serde_json::from_str(&model.out).unwrap();
    assert!(model["states"].as_u64().unwrap() > 10, "{model}");
}
