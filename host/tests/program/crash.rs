//! Recorded crash traces: SimplyDroid's algorithms, the activity machine, and traces of others.

use std::fs;

use retap_shared::trace::Trace;
use serde_json::Value;

use crate::environment::TestEnvironment;

/// The traces of an exploration's crashes in one directory.
fn recorded(environment: &TestEnvironment) -> Vec<String> {
    environment.explored("shop", "found");
    fs::create_dir(environment.path("traces")).unwrap();
    let crashes = environment.crashes("found");
    for id in &crashes {
        fs::copy(
            environment.path(&format!("found/crashes/{id}/trace.retap")),
            environment.path(&format!("traces/{id}.retap")),
        )
        .unwrap();
    }
    crashes
}

#[test]
fn every_algorithm_reduces_a_crash_on_the_phone_and_on_its_recording() {
    let environment = TestEnvironment::new();
    let id = recorded(&environment).remove(0);
    for algorithm in ["hdd", "bhdd", "lhdd", "lhdd-no-preselection"] {
        for hierarchy in ["activity", "screen"] {
            let out = format!("{algorithm}-{hierarchy}");
            let line = format!(
                "reduce traces/{id}.retap --algorithm {algorithm} --hierarchy {hierarchy} --out {out}"
            );
            let ended = environment.run(&line);
            assert_eq!(ended.code, 0, "{line}: {}", ended.err);
            let reduced =
                Trace::parse(&environment.read(&format!("{out}/crashes/{id}/reduced.retap")))
                    .unwrap();
            let whole = Trace::parse(&environment.read(&format!("traces/{id}.retap"))).unwrap();
            assert!(reduced.steps.len() < whole.steps.len(), "{line}");
        }
    }
    let ended = environment.run(&format!(
        "reduce traces/{id}.retap --oracle recording --algorithm lhdd --out machine"
    ));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.err.contains("activity machine"), "{}", ended.err);
    assert!(
        environment
            .read("machine/events.jsonl")
            .contains("activity machine")
    );
    assert!(
        !Trace::parse(&environment.read("machine/traces/reduced.retap"))
            .unwrap()
            .steps
            .is_empty()
    );
}

#[test]
fn the_benchmark_reports_each_reduction_and_all_of_them_crash() {
    let environment = TestEnvironment::new();
    let traces = recorded(&environment).len();
    for made_up in ["", "--hidden 2 --seed 3", "--stray 0.2"] {
        let ended = environment.run(&format!("bench crash --traces traces --json {made_up}"));
        assert_eq!(ended.code, 0, "{}", ended.err);
        let cuts: Vec<Value> = ended
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(cuts.len(), 6 * traces);
        let played = |algorithm: &str| -> u64 {
            let of = cuts.iter().filter(|cut| cut["algorithm"] == algorithm);
            of.map(|cut| cut["played"].as_u64().unwrap()).sum()
        };
        assert!(played("auto") < played("dd"), "{made_up}: {}", ended.out);
        assert!(
            !made_up.is_empty() || played("auto") < played("lhdd"),
            "{}",
            ended.out
        );
        for cut in &cuts {
            assert_eq!(
                (&cut["bench"], &cut["oracle"]),
                (&"crash".into(), &"activity machine".into())
            );
            assert_eq!(cut["crashes"], true, "{cut}");
            let promised = ["auto", "dd"].contains(&cut["algorithm"].as_str().unwrap());
            assert!(!promised || cut["minimal"] == true, "{cut}");
            let kept = cut["kept"].as_array().unwrap();
            let needed = cut["hidden"].as_array().unwrap();
            assert!(
                kept[0] == 0 && needed.iter().all(|event| kept.contains(event)),
                "{cut}"
            );
        }
    }
    let words = environment
        .run("bench crash --traces traces --algorithm lhdd --algorithm auto")
        .out;
    assert!(
        words.contains("activity machine") && words.contains("less than lhdd on"),
        "{words}"
    );
}

#[test]
fn another_reducer_asks_the_machine_with_a_file_of_numbers() {
    let environment = TestEnvironment::new();
    let id = recorded(&environment).remove(0);
    let steps = Trace::parse(&environment.read(&format!("traces/{id}.retap")))
        .unwrap()
        .steps
        .len();
    let ask = |events: &str| {
        environment.write("events", events);
        let ended = environment.run(&format!(
            "bench oracle --recording traces/{id}.retap events"
        ));
        (
            ended.code,
            serde_json::from_str::<Value>(&ended.out).unwrap(),
        )
    };
    let all: String = (0..=steps).map(|event| format!("{event}\n")).collect();
    let (code, answer) = ask(&all);
    assert_eq!((code, &answer["crashes"]), (0, &true.into()));
    assert_eq!(answer["played"], steps);
    let (code, answer) = ask("0\n1x\n999999\n");
    assert_eq!(
        (code, &answer["crashes"], &answer["played"]),
        (3, &false.into(), &0.into())
    );
}

/// A trace of another tool.
pub(crate) const FOREIGN: &str = r#"{"app":"A","trace":1,"screen":[480,854],"crash":["java.lang.Error","at a.b.C.d(C.java:1)"],"events":[
    {"kind":"launch","package":"a.b","activity":"a.b.Main","before":"a.b.Main","after":"a.b.Main"},
    {"kind":"tap","x":1.0,"y":2.0,"ms":0,"before":"a.b.Main","after":"a.b.Main"},
    {"kind":"tap","x":3.0,"y":2.0,"ms":0,"before":"a.b.Main","after":"a.b.More"},
    {"kind":"key","key":"4","before":"a.b.More","after":"CRASH"}]}"#;

#[test]
fn a_trace_of_simplydroid_is_imported_and_reduced_on_its_recording() {
    let environment = TestEnvironment::new();
    environment.write("a-01.json", FOREIGN);
    let ended = environment.run("import simplydroid a-01.json --out own");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.contains("own/a-01.retap") && ended.out.contains("3 steps"),
        "{}",
        ended.out
    );
    let ended = environment.run("reduce own/a-01.retap --oracle recording --json --out cut");
    let result: Value =
        serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.err));
    assert_eq!((&result["from"], &result["to"]), (&3.into(), &2.into()));
}

#[test]
fn a_file_that_is_not_a_recording_is_refused_by_name() {
    let environment = TestEnvironment::new();
    let refused = |line: &str, words: &[&str]| {
        let ended = environment.run(line);
        assert_eq!(ended.code, 2, "{line}: {}", ended.err);
        for word in words {
            assert!(ended.err.contains(word), "{line}: {}", ended.err);
        }
    };
    environment.write("half.json", &FOREIGN[..200]);
    environment.write("never.json", &FOREIGN.replace("CRASH", "a.b.More"));
    environment.write("whole.json", FOREIGN);
    refused(
        "import simplydroid half.json",
        &["half.json", "no trace of SimplyDroid"],
    );
    refused(
        "import simplydroid whole.json never.json --out own",
        &["never.json", "does not end with a crash"],
    );
    assert!(
        !environment.path("own").exists(),
        "nothing is written if something cannot be read"
    );
    refused("import simplydroid nowhere.json", &["nowhere.json"]);
    environment.run("import simplydroid whole.json");
    let unrecorded = environment.read("whole.retap").replace("a.b/a.b.Main", "");
    environment.write("blind.retap", &unrecorded);
    refused(
        "reduce blind.retap --oracle recording",
        &["step 1", "no recorded activity"],
    );
    refused(
        "reduce whole.retap --oracle recording --hierarchy screen",
        &["--hierarchy", "lhdd"],
    );
    fs::create_dir(environment.path("empty")).unwrap();
    refused("bench crash --traces empty", &["empty", "--traces"]);
    refused("bench crash --traces nowhere", &["nowhere"]);
    refused("bench crash --traces empty --stray 2", &["0 to 1"]);
    fs::create_dir(environment.path("mixed")).unwrap();
    fs::copy(
        environment.path("blind.retap"),
        environment.path("mixed/blind.retap"),
    )
    .unwrap();
    refused(
        "bench crash --traces mixed",
        &["blind.retap", "not a recording"],
    );
}
