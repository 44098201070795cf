//! Proofs on freshly started phones: the terminal, the JSON object, the page and the trace's header say on how many, and a trace
//! that needs what earlier runs have left does not pass for one that reproduces.

use retap_shared::action::Action;
use retap_shared::geometry::Point;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::widget::Widget;
use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::link_phone::{ServedPhone, padded};

/// Steps to the crash of `sim:recorder`: a recording, which stays on the phone, and two taps.
fn recorder_trace(environment: &TestEnvironment) -> &'static str {
    let tap = |id: &str| Step {
        widget: Some(Widget {
            id: format!("com.example.recorder:id/{id}").into(),
            ..Widget::default()
        }),
        ..Step::new(Action::Tap(Point { x: 1, y: 1 }))
    };
    let header = TraceHeader {
        app: App {
            package: "com.example.recorder".into(),
            ..App::default()
        },
        start: StartMode::Clean,
        seed: None,
        target: Some(Target::AnyProblem),
        phone: PhoneInfo::default(),
        pace: ReplayPace::Quiet,
        claim: None,
    };
    let ids = [
        "stereo", "record", "quiet", "stereo", "library", "names", "sort",
    ];
    let steps = ids.into_iter().map(tap).collect();
    environment.write("recorder.retap", &Trace { header, steps }.to_text());
    "recorder.retap"
}

#[test]
fn a_proof_tells_its_fresh_starts_everywhere_and_replay_shows_the_claim() {
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let crash = environment.crashes("found").remove(0);
    let ended = environment.run(&format!("reduce found --crash {crash} --out cut"));
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let words = "; asked for 90 %; 1 on a freshly started phone";
    assert!(ended.out.contains(words), "{}", ended.out);
    let page = environment.read("cut/report.html");
    assert!(page.contains("1 of 1 on freshly started phones"), "{page}");

    let file = format!("cut/crashes/{crash}/reduced.retap");
    let claim = Trace::parse(&environment.read(&file))
        .unwrap()
        .header
        .claim
        .unwrap();
    assert_eq!(claim.tally.successes, claim.tally.runs);
    assert_eq!((claim.fresh_starts.successes, claim.phones), (1, 1));
    let tally = format!("proven: reproduced in {0} of {0} runs", claim.tally.runs);
    assert!(ended.out.contains(&tally), "{tally}: {}", ended.out);

    let replayed = environment.run(&format!("replay {file} --times 2"));
    assert_eq!(replayed.code, 0, "{}{}", replayed.out, replayed.err);
    let beside = format!("seen now: 2 of 2 runs; its reduction claims: {tally}");
    assert!(replayed.out.contains(&beside), "{}", replayed.out);
    let json = environment.run(&format!("replay {file} --times 1 --json"));
    let run: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(run["claim"]["runs"], claim.tally.runs);
    assert_eq!(run["claim"]["fresh_starts"], 1);

    // The page is written again with the claim, from the files alone.
    assert_eq!(environment.run("report cut").code, 0);
    let again = environment.read("cut/report.html");
    assert!(again.contains("1 of 1 on freshly started phones"));
}

#[test]
fn a_trace_that_needs_what_earlier_runs_left_is_not_taken_for_one_that_reproduces() {
    let environment = TestEnvironment::new();
    let trace = recorder_trace(&environment);
    let ended = environment.run(&format!("reduce {trace} --seed 3 --json --out cut"));
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    let file = result["file"].as_str().unwrap();
    // On a phone that has never recorded anything, the result must do what it claims.
    let again = environment.run(&format!("replay {file} --times 1"));
    let is_proven = result["claim"]["standing"] == "proven";
    assert_eq!(
        (is_proven, ended.code, again.code),
        match again.code {
            0 => (true, 0, 0),
            _ => (false, 5, 3),
        },
        "{result}"
    );
    let fresh = result["claim"]["fresh_starts"].as_u64();
    assert!(fresh > Some(0), "{result}");
}

#[test]
fn a_phone_that_others_have_started_is_told_not_to_be_fresh() {
    let environment = TestEnvironment::new();
    let trace = padded(&environment, "notes");
    let served = ServedPhone::start(&environment, "sim:notes", "tcp", "keys.pairing");
    let device = served.device();
    let ended = environment.run(&format!(
        "reduce {trace} --device {device} --max-runs 12 --json --out cut"
    ));
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let result: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(result["claim"]["fresh_starts"], 0, "{result}");
    let words = "is not started anew for the proof: this host has not started it";
    assert!(ended.err.contains(words), "{}", ended.err);
}
