//! The pace of replays: a crash that needs fast taps reproduces as it was recorded, and not on settled screens.

use retap_shared::trace::Trace;
use serde_json::Value;

use crate::environment::TestEnvironment;

/// A run with the crash of `sim:camera`, found by taps that do not wait.
fn explored(environment: &TestEnvironment) -> String {
    let ended = environment.run(
        "explore --device sim:camera --explorer monkey --throttle 60 --events 4000 --seed 5 --out found",
    );
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    let crashes = environment.crashes("found");
    assert_eq!(crashes.len(), 1, "{}", ended.out);
    format!("found/crashes/{}/trace.retap", crashes[0])
}

#[test]
fn a_crash_that_needs_fast_taps_is_reduced_at_recorded_pace_by_itself() {
    let environment = TestEnvironment::new();
    let trace = explored(&environment);
    assert!(Trace::parse(&environment.read(&trace)).unwrap().has_times());
    let quiet = environment.run(&format!("replay {trace} --times 2"));
    assert_eq!(quiet.code, 3, "{}{}", quiet.out, quiet.err);
    let recorded = environment.run(&format!("replay {trace} --times 2 --pace recorded"));
    assert_eq!(recorded.code, 0, "{}{}", recorded.out, recorded.err);

    let reduced = environment.run(&format!("reduce {trace} --json --out cut"));
    assert_eq!(reduced.code, 0, "{}{}", reduced.out, reduced.err);
    assert!(
        reduced.err.contains("tried at recorded pace"),
        "{}",
        reduced.err
    );
    let result: Value = serde_json::from_str(&reduced.out).unwrap();
    assert_eq!(result["pace"], "recorded");
    let from = result["from"].as_u64().unwrap();
    assert!(result["to"].as_u64().unwrap() * 100 < from, "{result}");
    let file = result["file"].as_str().unwrap();
    let smallest = Trace::parse(&environment.read(file)).unwrap();
    assert!(smallest.has_times());
    // The trace remembers its pace.
    let again = environment.run(&format!("replay {file} --times 3"));
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    let slower = environment.run(&format!("replay {file} --times 3 --pace quiet"));
    assert_eq!(slower.code, 3, "{}{}", slower.out, slower.err);
}

#[test]
fn a_pace_that_was_asked_for_is_the_only_one() {
    let environment = TestEnvironment::new();
    let trace = explored(&environment);
    let quiet = environment.run(&format!("reduce {trace} --pace quiet --out quiet"));
    assert_eq!(quiet.code, 3, "{}{}", quiet.out, quiet.err);
    let recorded = environment.run(&format!(
        "reduce {trace} --pace recorded --json --out recorded"
    ));
    assert_eq!(recorded.code, 0, "{}{}", recorded.out, recorded.err);
}

#[test]
fn a_trace_without_times_is_refused_at_recorded_pace() {
    let environment = TestEnvironment::new();
    let trace = Trace::parse(&environment.read_found_trace())
        .unwrap()
        .without_times();
    environment.write("untimed.retap", &trace.to_text());
    for line in ["replay untimed.retap", "reduce untimed.retap --out cut"] {
        let ended = environment.run(&format!("{line} --pace recorded"));
        assert_eq!(ended.code, 2, "{}{}", ended.out, ended.err);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ended.err, @r"
            error: the trace has no times, so it cannot be played at recorded pace
            help: omit `--pace recorded`, or record the trace again with `retap explore`
            ");
        }
    }
    assert!(!environment.path("cut").exists());
}

impl TestEnvironment {
    /// The trace of a crash of `sim:notes`.
    fn read_found_trace(&self) -> String {
        self.explored("notes", "notes");
        let crash = self.crashes("notes").remove(0);
        self.read(&format!("notes/crashes/{crash}/trace.retap"))
    }
}
