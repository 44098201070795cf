//! A process that is killed with SIGKILL at any moment loses nothing: a resumed reduction ends with the same answer as one that
//! was left alone, a resumed exploration with as many events and with all findings that it had.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_shared::trace::Trace;
use serde_json::Value;

use crate::retap::{Desk, grown_to, length, names};

/// How often a run is killed before it may end.
const KILLS: usize = 4;
const SIGKILL: i32 = 9;

/// Kills a job again and again while its events are written, and returns how often that worked.
fn torment(desk: &Desk, start: &str, resume: &str, run: &str, whole: u64, seed: u64) -> usize {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let events = desk.path(run).join("events.jsonl");
    let mut killed = 0;
    for round in 0..KILLS {
        let mut child = desk.start(if desk.path(run).join("run.json").exists() {
            resume
        } else {
            start
        });
        let wanted = length(&events) + rng.random_range(1..whole / (2 + round as u64));
        grown_to(&events, wanted, &mut child);
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().signal() == Some(SIGKILL));
    }
    killed
}

/// Every trace of every crash. A stack has addresses and process numbers, which are no part of the answer.
fn traces(desk: &Desk, run: &str) -> BTreeMap<String, String> {
    let mut traces = BTreeMap::new();
    for crash in desk.crashes(run) {
        let place = format!("{run}/crashes/{crash}");
        for file in names(&desk.path(&place))
            .into_iter()
            .filter(|file| file.ends_with(".retap"))
        {
            traces.insert(
                format!("{crash}/{file}"),
                desk.read(&format!("{place}/{file}")),
            );
        }
    }
    traces
}

/// The traces that were found, without what the phone's clock has a part in: mail shows it on its settings.
fn found(desk: &Desk, run: &str) -> BTreeMap<String, Trace> {
    let parse = |text: String| {
        let mut trace = Trace::parse(&text).unwrap();
        trace.steps.iter_mut().for_each(|step| step.screen = None);
        trace
    };
    traces(desk, run)
        .into_iter()
        .map(|(file, text)| (file, parse(text)))
        .collect()
}

fn result(json: &str) -> Value {
    let mut result: Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("{json}"));
    for changing in [
        "seconds",
        "events_per_second",
        "phone_seconds",
        "run",
        "file",
    ] {
        result.as_object_mut().unwrap().remove(changing);
    }
    for problem in result["problems"].as_array_mut().into_iter().flatten() {
        let problem = problem.as_object_mut().unwrap();
        problem.remove("known_since");
        problem.remove("status");
        problem.remove("summary");
    }
    result
}

#[test]
fn a_killed_exploration_is_resumed_with_all_its_events_and_findings() {
    let desk = Desk::new();
    let line = "explore --device sim:mail --events 4000 --session-events 200 --seed 11 --json";
    let undisturbed = desk.run(&format!("{line} --out calm"));
    assert_eq!(undisturbed.code, 1, "{}", undisturbed.err);
    let calm = result(&undisturbed.out);
    let whole = length(&desk.path("calm/events.jsonl"));
    let mut killed = 0;
    for seed in 0..6 {
        let run = format!("run{seed}");
        let start = format!("{line} --out {run}");
        let resume = format!("explore --json --resume {run}");
        killed += torment(&desk, &start, &resume, &run, whole, seed);
        let before = found(&desk, &run);
        let resumed = desk.run(&resume);
        assert_eq!(resumed.code, 1, "{}", resumed.err);
        let ended = result(&resumed.out);
        for same in ["events", "outcome", "sessions"] {
            assert_eq!(ended[same], calm[same], "seed {seed}");
        }
        let after = found(&desk, &run);
        assert!(
            before.keys().all(|file| after.contains_key(file)),
            "seed {seed}: {before:?} {after:?}"
        );
    }
    assert!(
        killed >= 12,
        "only {killed} kills came before the end of the run"
    );
}

#[test]
fn a_killed_reduction_ends_with_the_same_trace() {
    let desk = Desk::new();
    desk.explored("notes", "found");
    let line = "reduce found --seed 11";
    let undisturbed = desk.run(&format!("{line} --out calm"));
    assert_eq!(
        undisturbed.code, 0,
        "{}{}",
        undisturbed.out, undisturbed.err
    );
    let whole = length(&desk.path("calm/events.jsonl"));
    let mut killed = 0;
    for seed in 0..6 {
        let run = format!("run{seed}");
        let start = format!("{line} --out {run}");
        let resume = format!("reduce --resume {run}");
        killed += torment(&desk, &start, &resume, &run, whole, 100 + seed);
        let resumed = desk.run(&resume);
        assert_eq!(resumed.code, 0, "{}{}", resumed.out, resumed.err);
        assert_eq!(traces(&desk, &run), traces(&desk, "calm"), "seed {seed}");
    }
    assert!(
        killed >= 12,
        "only {killed} kills came before the end of the run"
    );
}

#[test]
fn what_was_recalled_is_not_played_again_and_crashes_were_there_before_the_kill() {
    let desk = Desk::new();
    let line = "explore --device sim:notes --events 20000 --session-events 100 --seed 5 --out here";
    let mut child = desk.start(line);
    let events = desk.path("here/events.jsonl");
    assert!(grown_to(&events, 150_000, &mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        !desk.crashes("here").is_empty(),
        "crashes are written while the run goes on"
    );
    assert_eq!(desk.run("explore --resume here").code, 1);
    let events = desk.read("here/events.jsonl");
    let stepped = events.matches("\"event\":\"stepped\"").count();
    // The last step before the kill may have been reported, but not recorded any more.
    assert!((19_000..=20_001).contains(&stepped), "{stepped}");
}
