//! Explorers that learn, through the program: results, files, going on after a kill, and what they must respect.

use serde_json::Value;

use crate::retap::{Desk, grown_to};

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
        let desk = Desk::new();
        let line = format!(
            "explore --device sim:notes?latency=realistic --explorer {explorer} --events 400 --seed 7 --json"
        );
        let results: Vec<Value> = ["one", "two"]
            .iter()
            .map(|out| {
                let ended = desk.run(&format!("{line} --out {out}"));
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
        assert_eq!(desk.crashes("one"), desk.crashes("two"), "{explorer}");
    }
}

#[test]
fn auto_explores_unless_another_is_named_or_sessions_are_spoken_of() {
    let desk = Desk::new();
    for (options, explorer) in [
        ("", "auto"),
        ("--session-events 20", "random"),
        ("--explorer ape", "ape"),
    ] {
        let ended = desk.run(&format!(
            "explore --device sim:notes --events 40 --seed 7 {options} --json"
        ));
        let result: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(result["explorer"], explorer, "{options}");
    }
}

#[test]
fn the_table_tells_starts_and_travel_and_ape_leaves_its_abstraction() {
    let desk = Desk::new();
    let ended =
        desk.run("explore --device sim:shop --explorer ape --events 1500 --seed 7 --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    for row in ["events      1,500\n", "starts      ", "travel      none"] {
        assert!(ended.out.contains(row), "{row} in {}", ended.out);
    }
    let abstraction = desk.read("here/abstraction.txt");
    assert!(abstraction.contains("\ntype\n"), "{abstraction}");
    let line = "explore --device sim:shop --explorer ape --events 100 --seed 7";
    let again = desk.run(&format!(
        "{line} --abstraction here/abstraction.txt --ape alpha=5 --out two"
    ));
    assert!(again.code < 2, "{}", again.err);
    desk.write("broken.txt", "type\n  {colour=\"red\"} => text\n");
    let broken = desk.run(&format!("{line} --abstraction broken.txt --out three"));
    assert!(
        broken.code == 2 && broken.err.contains("line 2: unknown attribute `colour`"),
        "{}",
        broken.err
    );
    let unknown = desk.run(&format!("{line} --ape alfa=3 --out four"));
    assert!(
        unknown.code == 2 && unknown.err.contains("`alfa`"),
        "{}",
        unknown.err
    );
}

#[test]
fn wrong_settings_of_explorers_are_told_before_anything_is_begun_each_with_its_own_help() {
    let desk = Desk::new();
    desk.write("broken.txt", "colour\n");
    for (options, why, help) in [
        ("--ape gamma=3", "`gamma`", "--ape NAME=VALUE"),
        ("--explorer ape --ape alpha=x", "alpha", "--ape NAME=VALUE"),
        (
            "--explorer ape --abstraction broken.txt",
            "line 1",
            "`abstraction.txt` of a run",
        ),
        (
            "--explorer monkey --pct-touch 101",
            "the share of `touch` must be a number from 0 to 100, not 101",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch -5",
            "from 0 to 100, not -5",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch nan",
            "from 0 to 100, not NaN",
            "--pct-touch 40",
        ),
        (
            "--explorer monkey --pct-touch 60 --pct-nav 60",
            "add up to 120",
            "--pct-touch 40",
        ),
        (
            "--explorer timetravel --over auto",
            "`auto` travels by itself",
            "--over",
        ),
    ] {
        let ended = desk.run(&format!(
            "explore --device sim:notes --events 50 {options} --out here"
        ));
        assert_eq!(ended.code, 2, "{options}: {}", ended.err);
        assert!(
            ended.err.contains(why) && ended.err.contains(help),
            "{options}: {}",
            ended.err
        );
        assert!(
            !ended.err.contains("Exploring") && !desk.path("here").exists(),
            "{options}: {}",
            ended.err
        );
        let others = ["--ape NAME", "abstraction.txt` of", "--pct-touch 40"];
        let told = others
            .iter()
            .filter(|other| ended.err.contains(**other))
            .count();
        assert!(told <= 1, "{options}: {}", ended.err);
    }
}

#[test]
fn minutes_of_phone_time_end_a_run() {
    let desk = Desk::new();
    let line = "explore --device sim:mail?latency=realistic --explorer random --minutes 2 --seed 7 --json --out here";
    let ended = desk.run(line);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    let seconds = result["phone_seconds"].as_f64().unwrap();
    assert!((120.0..160.0).contains(&seconds), "{seconds}");
    for row in ["starts      ", "travel      none"] {
        let again = desk.run("explore --device sim:mail --explorer random --events 50 --seed 7");
        assert!(again.out.contains(row), "{row} in {}", again.out);
    }
    let both = desk.run("explore --device sim:mail --minutes 2 --events 5");
    assert_eq!(both.code, 2);
}

#[test]
fn a_killed_run_goes_on_with_what_it_had_learned() {
    let desk = Desk::new();
    let line = "explore --device sim:mail --explorer auto --events 6000 --seed 5 --out here";
    let mut child = desk.start(line);
    let events = desk.path("here/events.jsonl");
    assert!(grown_to(&events, 200_000, &mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    let before = desk
        .read("here/events.jsonl")
        .matches("\"event\":\"stepped\"")
        .count();
    let resumed = desk.run("explore --resume here --json");
    assert_eq!(resumed.code, 1, "{}", resumed.err);
    let result: Value = serde_json::from_str(&resumed.out).unwrap();
    assert_eq!(result["events"], 6_000);
    let after = desk
        .read("here/events.jsonl")
        .matches("\"event\":\"stepped\"")
        .count();
    // The last step may be in the store although its event was not written any more, or the other way round.
    assert!(
        before > 0 && (5_998..=6_002).contains(&after),
        "{before} {after}"
    );
    let straight = desk.run(
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
fn crashes_of_a_run_that_was_killed_can_be_cut_down_as_they_are() {
    let desk = Desk::new();
    let mut child =
        desk.start("explore --device sim:notes --events 1000000000 --seed 7 --out here");
    let problem = |id: &String| desk.path(&format!("here/crashes/{id}/problem.json"));
    while !desk.crashes("here").iter().any(|id| problem(id).is_file()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let id = desk
        .crashes("here")
        .into_iter()
        .find(|id| problem(id).is_file())
        .unwrap();
    for file in ["trace.retap", "stack.txt", "log.txt", "screenshot.png"] {
        assert!(
            desk.path(&format!("here/crashes/{id}/{file}")).is_file(),
            "{file}"
        );
    }
    let reduced = desk.run(&format!("reduce here --crash {id} --out short"));
    assert_eq!(reduced.code, 0, "{}", reduced.err);
}

#[test]
fn traces_of_another_app_are_refused_by_the_names_of_both() {
    let desk = Desk::new();
    let trace =
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.mail\"},\"start\":\"clean\"}\n";
    desk.write("mail.retap", trace);
    desk.write("retap.toml", "[explore]\nbefore = \"mail.retap\"\n");
    desk.write("none.toml", "");
    for (options, named) in [
        ("", "before"),
        ("--config none.toml --from mail.retap", "from"),
    ] {
        let ended = desk.run(&format!(
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
fn who_forbids_what_the_app_begins_with_is_told_once() {
    let desk = Desk::new();
    desk.write(
        "retap.toml",
        "[explore]\nforbidden_activities = [\"ListActivity\"]\n",
    );
    let ended = desk.run("explore --device sim:notes --events 20 --explorer auto");
    let told = ended
        .err
        .matches("ListActivity`, which is forbidden and left at once")
        .count();
    assert_eq!((ended.code, told), (0, 1), "{}", ended.err);
}

#[test]
fn an_old_find_is_found_again_by_starting_from_it_also_if_it_comes_late() {
    let desk = Desk::new();
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
    desk.write("old.retap", &(trace + "{\"do\":{\"key\":\"back\"}}\n"));
    let line = "explore --device sim:shop --explorer monkey --events 4 --from old.retap --out here";
    let ended = desk.run(line);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(
        ended.out.contains("not attached to an activity"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("travel      none"), "{}", ended.out);
}

#[test]
fn retap_toml_forbids_types_and_looks_out() {
    let desk = Desk::new();
    desk.write(
        "retap.toml",
        "device = \"sim:notes\"\nseed = 7\n[explore]\nexplorer = \"auto\"\nevents = 1500\n\
         forbidden_texts = [\"settings\"]\nnever = [\"activity:SearchActivity\"]\n",
    );
    let ended = desk.run("explore --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(
        ended
            .out
            .contains("Rule broken: must never appear: the activity SearchActivity"),
        "{}",
        ended.out
    );
    assert!(
        !desk
            .read("here/events.jsonl")
            .contains("notes/.SettingsActivity")
    );
    desk.write(
        "retap.toml",
        "[explore]\nforbidden_widgets = [\"logout\"]\nnever = [\"toast:x\"]\n",
    );
    let wrong = desk.run("check");
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("2:22") && wrong.err.contains("3:10"),
        "{}",
        wrong.err
    );
}

#[test]
fn what_must_not_be_logged_and_what_must_be_there_are_problems_that_can_be_replayed() {
    let desk = Desk::new();
    desk.write(
        "retap.toml",
        "device = \"sim:notes\"\nseed = 7\n[explore]\nexplorer = \"auto\"\nevents = 1500\n\
         never = [\"log:Displayed .*SearchActivity\"]\nalways = [\"id:nothing_of_this_name in TagsActivity\"]\n",
    );
    let ended = desk.run("explore --out here");
    assert_eq!(ended.code, 1, "{}", ended.err);
    for what in [
        "must never be logged: Displayed .*SearchActivity",
        "must always be there",
    ] {
        assert!(ended.out.contains(what), "{what} in {}", ended.out);
    }
    let of = |what: &str| {
        let crashes = desk.crashes("here");
        let is = |crash: &&String| {
            desk.read(&format!("here/crashes/{crash}/problem.json"))
                .contains(what)
        };
        crashes.iter().find(is).cloned().unwrap()
    };
    for what in ["must never be logged", "must always be there"] {
        let trace = format!("here/crashes/{}/trace.retap", of(what));
        let replayed = desk.run(&format!("replay {trace} --times 1"));
        assert_eq!(
            replayed.code, 0,
            "{what}: {} {}",
            replayed.out, replayed.err
        );
    }
    desk.write(
        "retap.toml",
        "[explore]\nnever = [\"log:(\"]\nalways = [\"toolbar\"]\n",
    );
    let wrong = desk.run("check");
    assert!(
        wrong.code == 2 && wrong.err.contains("2:10") && wrong.err.contains("3:11"),
        "{}",
        wrong.err
    );
}

#[test]
fn a_crash_is_kept_with_a_picture_and_the_log_around_it() {
    let desk = Desk::new();
    for explorer in ["random", "auto"] {
        let line =
            format!("explore --device sim:notes --explorer {explorer} --events 1500 --seed 7");
        assert_eq!(desk.run(&format!("{line} --out {explorer}")).code, 1);
        for crash in desk.crashes(explorer) {
            let place = format!("{explorer}/crashes/{crash}");
            let picture = std::fs::read(desk.path(&format!("{place}/screenshot.png"))).unwrap();
            assert!(picture.starts_with(b"\x89PNG"), "{place}");
            let log = desk.read(&format!("{place}/log.txt"));
            let stack = desk.read(&format!("{place}/stack.txt"));
            let first = stack.lines().next().unwrap();
            assert!(
                log.contains("I/Retap: ") && log.contains(first),
                "{place}: {log}"
            );
        }
        let page = desk.read(&format!("{explorer}/report.html"));
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
fn a_sign_in_that_fails_ends_with_words_and_code_2() {
    let desk = Desk::new();
    desk.write(
        "login.retap",
        "{\"retap\":\"1.0\",\"app\":{\"package\":\"com.example.notes\"},\"start\":\"clean\"}\n\
         {\"do\":{\"tap\":{\"x\":5,\"y\":5}},\"widget\":{\"text\":\"Sign in to nowhere\",\"class\":\"Button\"}}\n",
    );
    desk.write(
        "retap.toml",
        "device = \"sim:notes\"\n[explore]\nexplorer = \"auto\"\nbefore = \"login.retap\"\n",
    );
    let ended = desk.run("explore --events 50 --out here");
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(
        ended.err.contains("step 1 of 1 does not find"),
        "{}",
        ended.err
    );
}

#[test]
fn a_script_of_monkey_is_imported_and_replayed() {
    let desk = Desk::new();
    desk.write(
        "script.txt",
        "type= raw events\ncount= 3\nspeed= 1.0\nstart data >>\nLaunchActivity(com.example.notes,x)\nTap(900,100)\n\
         UserWait(200)\nDispatchPress(KEYCODE_BACK)\nWriteLog()\n",
    );
    let imported = desk.run("import monkey script.txt");
    assert_eq!(
        (imported.code, imported.out.trim()),
        (0, "script.retap: 3 steps, without 1 line"),
        "{}",
        imported.err
    );
    let replayed = desk.run("replay script.retap --device sim:notes --times 1");
    assert!(
        replayed.code == 3 && !replayed.err.contains("version"),
        "{}",
        replayed.err
    );
    desk.write("script.txt", "start data >>\nJump(1)\n");
    let wrong = desk.run("import monkey script.txt --app a.b");
    assert!(
        wrong.code == 2 && wrong.err.contains("line 2: `Jump`"),
        "{}",
        wrong.err
    );
}

#[test]
fn new_crashes_are_cut_down_while_others_are_looked_for_and_known_ones_are_not() {
    let desk = Desk::new();
    let line = "explore --device sim:shop --count 2 --session-events 100 --events 1500 --seed 7 --reduce --json";
    let ended = desk.run(&format!("{line} --out one"));
    assert_eq!(ended.code, 1, "{}", ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        result["events"], 1500,
        "nothing but one object is told: {}",
        ended.out
    );
    let ids = desk.crashes("one");
    assert!(ids.len() > 2, "{ids:?}");
    for id in &ids {
        let steps = |file: &str| {
            desk.read(&format!("one/crashes/{id}/{file}"))
                .lines()
                .count()
        };
        assert!(steps("reduced.retap") <= steps("trace.retap"), "{id}");
    }
    let events = desk.read("one/events.jsonl");
    let first = |event: &str| events.find(&format!("\"event\":\"{event}\"")).unwrap();
    assert!(first("reduction_started") < first("exploration_ended"));
    let again = desk.run(&format!("{line} --out two"));
    assert_eq!((again.code, desk.crashes("two")), (1, ids.clone()));
    assert!(ids.iter().all(|id| {
        !desk
            .path(&format!("two/crashes/{id}/reduced.retap"))
            .exists()
    }));
}

#[test]
fn bench_explore_tells_one_object_a_run() {
    let desk = Desk::new();
    let line = "bench explore --device sim:notes --explorer monkey --explorer ape --events 300 --seeds 2 --json";
    let ended = desk.run(line);
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
    let model = desk.run("bench model --states 50 --steps 500 --json");
    let model: Value = serde_json::from_str(&model.out).unwrap();
    assert!(model["states"].as_u64().unwrap() > 10, "{model}");
}
