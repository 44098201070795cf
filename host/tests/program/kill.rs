//! A process that is killed with SIGKILL loses nothing: a resumed reduction and a resumed exploration of simulated phones
//! have the same result as undisturbed ones. `RETAP_KILLS=N` makes at least N kills with each explorer on each kind of phone;
//! `--nocapture` shows how many there were.

use std::collections::BTreeMap;
use std::env;
use std::os::unix::process::ExitStatusExt;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use retap_shared::trace::Trace;
use serde_json::Value;

use crate::environment::{TestEnvironment, grown_to, length, names};

/// Number of kills before the run may end.
const KILLS: usize = 4;
const SIGKILL: i32 = 9;

/// Kills a run again and again while it writes its events. Returns the number of kills that came before the end.
fn kill_loop(
    environment: &TestEnvironment,
    start: &str,
    resume: &str,
    run: &str,
    whole: u64,
    seed: u64,
) -> usize {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let events = environment.path(run).join("events.jsonl");
    let mut killed = 0;
    for round in 0..KILLS {
        let mut child = environment.start(if environment.path(run).join("run.json").exists() {
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

/// All traces of all crashes. Stacks are left out: they have addresses and process ids.
fn traces(environment: &TestEnvironment, run: &str) -> BTreeMap<String, String> {
    let mut traces = BTreeMap::new();
    for crash in environment.crashes(run) {
        let place = format!("{run}/crashes/{crash}");
        for file in names(&environment.path(&place))
            .into_iter()
            .filter(|file| file.ends_with(".retap"))
        {
            traces.insert(
                format!("{crash}/{file}"),
                environment.read(&format!("{place}/{file}")),
            );
        }
    }
    traces
}

/// The traces that were found, without their screens: the settings of mail show the clock.
fn found(environment: &TestEnvironment, run: &str) -> BTreeMap<String, Trace> {
    let parse = |text: String| {
        let mut trace = Trace::parse(&text).unwrap();
        trace.steps.iter_mut().for_each(|step| step.screen = None);
        trace
    };
    traces(environment, run)
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
    let environment = TestEnvironment::new();
    let line = "explore --device sim:mail --events 4000 --session-events 200 --seed 11 --json";
    let undisturbed = environment.run(&format!("{line} --out calm"));
    assert_eq!(undisturbed.code, 1, "{}", undisturbed.err);
    let calm = result(&undisturbed.out);
    let whole = length(&environment.path("calm/events.jsonl"));
    let mut killed = 0;
    for seed in 0..6 {
        let run = format!("run{seed}");
        let start = format!("{line} --out {run}");
        let resume = format!("explore --json --resume {run}");
        killed += kill_loop(&environment, &start, &resume, &run, whole, seed);
        let before = found(&environment, &run);
        let resumed = environment.run(&resume);
        assert_eq!(resumed.code, 1, "{}", resumed.err);
        let ended = result(&resumed.out);
        for same in ["events", "outcome", "sessions"] {
            assert_eq!(ended[same], calm[same], "seed {seed}");
        }
        let after = found(&environment, &run);
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
    let environment = TestEnvironment::new();
    environment.explored("notes", "found");
    let line = "reduce found --seed 11";
    let undisturbed = environment.run(&format!("{line} --out calm"));
    assert_eq!(
        undisturbed.code, 0,
        "{}{}",
        undisturbed.out, undisturbed.err
    );
    let whole = length(&environment.path("calm/events.jsonl"));
    let mut killed = 0;
    for seed in 0..6 {
        let run = format!("run{seed}");
        let start = format!("{line} --out {run}");
        let resume = format!("reduce --resume {run}");
        killed += kill_loop(&environment, &start, &resume, &run, whole, 100 + seed);
        let resumed = environment.run(&resume);
        assert_eq!(resumed.code, 0, "{}{}", resumed.out, resumed.err);
        assert_eq!(
            traces(&environment, &run),
            traces(&environment, "calm"),
            "seed {seed}"
        );
    }
    assert!(
        killed >= 12,
        "only {killed} kills came before the end of the run"
    );
}

#[test]
fn a_resumed_run_replays_nothing_and_its_crashes_were_written_before_the_kill() {
    let environment = TestEnvironment::new();
    let line = "explore --device sim:notes --events 20000 --session-events 100 --seed 5 --out here";
    let mut child = environment.start(line);
    let events = environment.path("here/events.jsonl");
    assert!(grown_to(&events, 150_000, &mut child));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        !environment.crashes("here").is_empty(),
        "crashes are written while the run goes on"
    );
    assert_eq!(environment.run("explore --resume here").code, 1);
    let events = environment.read("here/events.jsonl");
    let stepped = events.matches("\"event\":\"stepped\"").count();
    // The last step before the kill may have been reported, but not recorded any more.
    assert!((19_000..=20_001).contains(&stepped), "{stepped}");
}

/// Explores with one explorer on new seeds until there were enough kills.
#[expect(clippy::print_stderr, reason = "the number of kills is a figure")]
fn ends_the_same(explorer: &str, device: &str, first_seed: u64) {
    let wanted = env::var("RETAP_KILLS").map_or(2, |text| text.parse().expect("a number"));
    let mut killed = 0;
    let mut runs = 0;
    while killed < wanted {
        killed += killed_run_ends_the_same(explorer, device, first_seed + 100 * runs);
        runs += 1;
        assert!(killed as u64 >= runs, "only {killed} kills in {runs} runs");
    }
    eprintln!("{explorer} on {device}: {killed} kills in {runs} runs, all ended the same");
}

/// Kills a run several times, and compares the end with the undisturbed one: all counts, all traces, and each finding
/// reported once. Returns the number of kills.
fn killed_run_ends_the_same(explorer: &str, device: &str, seed: u64) -> usize {
    let environment = TestEnvironment::new();
    let line = format!(
        "explore --device {device} --count 2 --explorer {explorer} --events 1500 --seed {seed} --keep-traces --json"
    );
    let undisturbed = environment.run(&format!("{line} --out calm"));
    assert!(undisturbed.code < 2, "{}", undisturbed.err);
    let whole = length(&environment.path("calm/events.jsonl"));
    let start = format!("{line} --out run --store other.sqlite");
    let resume = "explore --json --resume run";
    let killed = kill_loop(&environment, &start, resume, "run", whole, seed);
    let place = format!("{explorer} on {device} with seed {seed}");
    let resumed = environment.run(resume);
    assert_eq!(resumed.code, undisturbed.code, "{place}: {}", resumed.err);
    assert_eq!(result(&resumed.out), result(&undisturbed.out), "{place}");
    assert_eq!(
        traces(&environment, "run"),
        traces(&environment, "calm"),
        "{place}"
    );
    let again = environment.run(resume);
    assert_eq!(result(&again.out), result(&undisturbed.out), "{place}");
    let count = |run: &str| {
        let events = environment.read(&format!("{run}/events.jsonl"));
        let first = events
            .lines()
            .filter(|line| line.contains("\"first\":true"));
        first.count()
    };
    assert_eq!(count("run"), count("calm"), "{place}");
    killed
}

#[test]
fn every_explorer_ends_the_same_after_kills_on_quiet_phones() {
    for (seed, explorer) in (20..).zip(["random", "monkey", "ape", "timetravel", "auto"]) {
        ends_the_same(explorer, "sim:notes", seed);
    }
}

#[test]
fn every_explorer_ends_the_same_after_kills_on_noisy_phones() {
    let noisy = "sim:mail?flaky=0.1&latency=realistic&late_dialog=0.05";
    for (seed, explorer) in (30..).zip(["random", "monkey", "ape", "timetravel", "auto"]) {
        ends_the_same(explorer, noisy, seed);
    }
}
