//! `retap explore`: its result, its files and its exit code.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::environment::{TestEnvironment, names};

fn result(environment: &TestEnvironment, line: &str) -> Value {
    let ended = environment.run(line);
    let mut result: Value =
        serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.err));
    for changing in ["seconds", "events_per_second", "phone_seconds", "run"] {
        assert!(
            result.as_object_mut().unwrap().remove(changing).is_some(),
            "{changing}"
        );
    }
    for problem in result["problems"].as_array_mut().unwrap() {
        let problem = problem.as_object_mut().unwrap();
        problem.remove("known_since");
        problem.remove("status");
        // A native crash has an address, which differs between phones.
        problem.remove("summary");
    }
    result
}

#[test]
fn a_run_with_findings_has_exit_code_1_and_a_directory_for_each() {
    let environment = TestEnvironment::new();
    let ended = environment
        .run("explore --device sim:notes --explorer random --events 2000 --seed 7 --out here");
    assert_eq!(
        (ended.code, ended.last_line()),
        (1, "here"),
        "{}",
        ended.err
    );
    for row in [
        "events      2,000 in 4 sessions",
        "activities  ",
        "screens     ",
        "branches    ",
        "speed       ",
    ] {
        assert!(ended.out.contains(row), "{row} in {}", ended.out);
    }
    let crashes = environment.crashes("here");
    assert!(!crashes.is_empty());
    for crash in crashes {
        assert!(ended.out.contains(&crash), "{crash} in {}", ended.out);
        assert!(
            !environment
                .read(&format!("here/crashes/{crash}/stack.txt"))
                .is_empty()
        );
        assert!(environment.read("here/report.html").contains(&crash));
    }
    assert!(
        environment
            .read("here/run.json")
            .contains("\"state\": \"done\"")
    );
}

#[test]
fn a_run_without_findings_has_exit_code_0() {
    let environment = TestEnvironment::new();
    let ended = environment
        .run("explore --device sim:shop --explorer random --events 1 --seed 7 --out here");
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert_eq!(environment.crashes("here"), [""; 0]);
}

#[test]
fn four_phones_find_what_one_finds() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:mail --events 3000 --session-events 300 --seed 3 --json";
    let one = result(&environment, line);
    let four = result(&environment, &format!("{line} --count 4"));
    assert_eq!(one["events"], four["events"]);
    let findings = |result: &Value| -> BTreeSet<String> {
        let problems = result["problems"].as_array().unwrap();
        problems.iter().map(|one| one["id"].to_string()).collect()
    };
    assert_eq!(findings(&one), findings(&four));
    assert!(!findings(&one).is_empty());
}

#[test]
fn kept_traces_hold_every_event_from_clean_starts_and_end_with_their_finding() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:notes --events 600 --session-events 100 --seed 7 --keep-traces --out here";
    let ended = environment.run(line);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let mut steps = 0;
    let mut problems = 0;
    let files = names(&environment.path("here/traces"));
    for file in &files {
        let text = environment.read(&format!("here/traces/{file}"));
        let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(header["start"], "clean", "{header}");
        problems += usize::from(!header["target"].is_null());
        steps += text.lines().count() - 1;
    }
    // Six sessions, and a clean start after each finding.
    assert!(files.len() >= 6 && problems > 0, "{files:?}");
    assert!((590..=600).contains(&steps), "{steps}");
    let again = environment.run(&line.replace("here", "there"));
    assert_eq!(again.code, 1, "{}", again.err);
    assert_eq!(names(&environment.path("there/traces")), files);
}

#[test]
fn without_out_runs_get_a_name_by_time_command_and_seed() {
    let environment = TestEnvironment::new();
    let ended =
        environment.run("explore notes --device sim:notes --explorer random --events 10 --seed 42");
    let name = ended.last_line();
    assert!(
        name.starts_with("runs/20") && name.ends_with("-explore-42"),
        "{name}"
    );
    assert!(environment.path(name).join("run.json").is_file());
}

#[test]
fn a_crash_of_an_earlier_run_is_reported_as_known() {
    let environment = TestEnvironment::new();
    let first = environment.explored("notes", "one");
    let second = environment.explored("notes", "two");
    assert!(!first.out.contains("known since"), "{}", first.out);
    assert!(second.out.contains("known since 20"), "{}", second.out);
}

#[test]
fn every_line_of_events_is_json_and_begins_with_the_start_and_ends_with_the_end() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "here");
    let text = environment.read("here/events.jsonl");
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.first().unwrap()["event"], "run_started");
    assert_eq!(events.last().unwrap()["event"], "finished");
    let stepped = events
        .iter()
        .filter(|event| event["event"] == "stepped")
        .count();
    assert_eq!(stepped, 2_000);
    let times: Vec<u64> = events
        .iter()
        .map(|event| event["millis"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted());
}

#[test]
fn retap_toml_sets_the_defaults_and_the_command_line_wins() {
    let environment = TestEnvironment::new();
    environment.write(
        "retap.toml",
        "device = \"sim:notes\"\nseed = 7\n[explore]\nevents = 40\nsession_events = 10\n",
    );
    let by_file = result(&environment, "explore --json");
    assert_eq!(
        (&by_file["events"], &by_file["sessions"], &by_file["seed"]),
        (&40.into(), &4.into(), &7.into())
    );
    let by_line = result(
        &environment,
        "explore --json --events 20 --seed 8 --device sim:shop",
    );
    assert_eq!(
        (&by_line["events"], &by_line["seed"]),
        (&20.into(), &8.into())
    );
    assert_eq!(by_line["app"], "com.example.shop");
}

#[test]
fn the_store_is_where_the_environment_variable_says_unless_it_is_empty() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:notes --events 5 --seed 1";
    let named = environment
        .command(&format!("{line} --out one"))
        .env("RETAP_STORE", "mine.sqlite")
        .output()
        .unwrap()
        .status;
    assert!(named.code().is_some_and(|code| code < 2) && environment.path("mine.sqlite").is_file());
    assert!(!environment.path("data").exists());
    let empty = environment
        .command(&format!("{line} --out two"))
        .env("RETAP_STORE", "")
        .output()
        .unwrap()
        .status;
    assert!(
        empty.code().is_some_and(|code| code < 2)
            && environment.path("data/retap/store.sqlite").is_file()
    );
}

#[test]
fn piped_output_has_no_colours_and_asking_for_them_brings_them() {
    let environment = TestEnvironment::new();
    let plain = environment.explored("notes", "one");
    assert!(!plain.err.contains('\u{1b}') && !plain.out.contains('\u{1b}'));
    let coloured = environment
        .run("explore --device sim:notes --explorer random --events 2000 --seed 7 --out two --color always");
    assert!(coloured.err.contains("\u{1b}[1m"), "{}", coloured.err);
}

#[test]
fn a_simulated_app_that_hangs_is_not_called_a_silent_phone() {
    let environment = TestEnvironment::new();
    // An app that does not respond takes more phone time than a phone that is silent.
    let ran = environment
        .run("explore --device sim:shop --explorer auto --events 3000 --seed 3 --out hung");
    assert!(ran.out.contains("Not responding"), "{}", ran.out);
    assert!(!ran.err.contains("is silent"), "{}", ran.err);
}

#[test]
fn an_exploration_without_code_is_guided_by_activities_and_screens_alone() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:notes --events 200 --seed 7 --json --coverage";
    let with = result(&environment, &format!("{line} branches"));
    let without = result(&environment, &format!("{line} activities"));
    assert!(with["branches"].as_u64() > Some(0), "{with}");
    assert_eq!(without["coverage"], "activities");
    for count in ["branches", "branches_total"] {
        assert_eq!(without[count], 0, "{without}");
    }
    assert!(without["screens"].as_u64() > Some(1), "{without}");
}

#[test]
fn methods_and_lines_of_a_phone_that_does_not_note_them_are_refused() {
    let environment = TestEnvironment::new();
    for kind in ["methods", "lines"] {
        let ended = environment.run(&format!("explore --device sim:notes --coverage {kind}"));
        assert_eq!(ended.code, 2);
        let why = format!("`--coverage {kind}` is for JVM phones, and `sim:notes` is none");
        assert!(ended.err.contains(&why), "{}", ended.err);
    }
}
