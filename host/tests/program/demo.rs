//! `retap demo` from the first line to the report.

use std::collections::BTreeMap;
use std::fs;

use retap_shared::fingerprint::Fingerprint;
use retap_shared::trace::Trace;

use crate::environment::TestEnvironment;

/// The fewest steps to every crash that was planted in a simulated app.
fn shortest() -> BTreeMap<Fingerprint, usize> {
    let truths = retap_simulator::app_names()
        .iter()
        .map(|app| retap_simulator::ground_truth(app).unwrap());
    truths
        .flat_map(|truth| truth.crashes)
        .map(|crash| (crash.fingerprint, crash.shortest.len()))
        .collect()
}

#[test]
fn the_demo_finds_crashes_in_every_app_and_reduces_each_to_its_fewest_steps() {
    let environment = TestEnvironment::new();
    let ended = environment.run("demo");
    assert_eq!(ended.code, 0, "{}", ended.err);
    let run = ended.last_line().to_owned();
    assert!(
        environment.path(&run).join("run.json").is_file(),
        "the last line is the run: {run}"
    );

    let shortest = shortest();
    let crashes = environment.crashes(&run);
    assert!(crashes.len() >= 3, "{crashes:?}");
    let mut packages = Vec::new();
    for crash in crashes {
        let place = format!("{run}/crashes/{crash}");
        let reduced = Trace::parse(&environment.read(&format!("{place}/reduced.retap"))).unwrap();
        let id: Fingerprint = crash.parse().unwrap();
        assert_eq!(
            Some(&reduced.steps.len()),
            shortest.get(&id),
            "{crash}: {:#?}",
            reduced.steps
        );
        let problem: serde_json::Value =
            serde_json::from_str(&environment.read(&format!("{place}/problem.json"))).unwrap();
        let reduced_runs = &problem["reduced"];
        assert_eq!(
            reduced_runs["successes"], reduced_runs["replays"],
            "{crash}"
        );
        // This many successes in a row distinguish a rate of 1 from one of 0.9.
        assert_eq!(reduced_runs["replays"], 43, "{crash}");
        packages.push(reduced.header.app.package);
    }
    packages.dedup();
    packages.sort();
    packages.dedup();
    assert_eq!(packages.len(), 3, "{packages:?}");
}

#[test]
fn the_report_of_the_demo_fetches_nothing_from_anywhere() {
    let environment = TestEnvironment::new();
    let ended = environment.run("demo --out here");
    assert_eq!(
        (ended.code, ended.last_line()),
        (0, "here"),
        "{}",
        ended.err
    );
    let page = environment.read("here/report.html");
    for foreign in [
        "<script src",
        "http://",
        "https://",
        "src=\"//",
        "@import",
        "url(",
    ] {
        let found = page
            .find(foreign)
            .map(|place| &page[place..(place + 80).min(page.len())]);
        let is_namespace = found.is_some_and(|text| text.starts_with("http://www.w3.org/"));
        assert!(found.is_none() || is_namespace, "{foreign}: {found:?}");
    }
    for crash in environment.crashes("here") {
        assert!(page.contains(&crash), "{crash} is on the page");
    }
}

#[test]
fn the_demo_leaves_the_users_store_alone_and_works_beside_a_broken_retap_toml() {
    let environment = TestEnvironment::new();
    environment.write("retap.toml", "nonsense = = 1");
    let ended = environment.run("demo --out here --seed 5");
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(!environment.path("data").exists());
}

#[test]
fn the_same_seed_makes_the_same_demo() {
    let environment = TestEnvironment::new();
    for run in ["one", "two"] {
        assert_eq!(
            environment.run(&format!("demo --seed 9 --out {run}")).code,
            0
        );
    }
    let traces = |run: &str| -> Vec<Vec<u8>> {
        let places = environment
            .crashes(run)
            .into_iter()
            .map(|crash| environment.path(&format!("{run}/crashes/{crash}")));
        places
            .flat_map(|place| {
                ["trace.retap", "reduced.retap"].map(|file| fs::read(place.join(file)).unwrap())
            })
            .collect()
    };
    assert_eq!(environment.crashes("one"), environment.crashes("two"));
    assert_eq!(traces("one"), traces("two"));
}
