//! Explorer, oracle and reducers on the simulated phones, whose crashes are known.

use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool};
use retap_explore::journal::{ExplorationJournal, MemoryExplorationJournal, SessionRecord};
use retap_explore::{ExplorationResult, ExploreSettings, FindingRecord, RandomExplorer, explore};
use retap_reduce::oracle::{PooledOracle, ReplayConditions};
use retap_reduce::trace_reduction::{ReduceSettings, Reduction, ReductionAlgorithm, reduce};
use retap_shared::action::{Action, Key};
use retap_shared::trace::Step;
use retap_shared::verdict::Outcome;

async fn phones(spec: &str, count: usize) -> Vec<Device> {
    let mut devices = Vec::new();
    for number in 0..count {
        let phone = retap_simulator::open(spec).unwrap();
        let connection = Arc::new(InProcessConnection::new(Box::new(phone)));
        devices.push(
            Device::connect(format!("{spec}#{number}"), connection)
                .await
                .unwrap(),
        );
    }
    devices
}

async fn explored(
    spec: &str,
    count: usize,
    events: u64,
    seed: u64,
    journal: &dyn ExplorationJournal,
) -> ExplorationResult {
    let devices = phones(spec, count).await;
    let app = devices[0].description().apps[0].clone();
    let settings = ExploreSettings::new(app, events);
    let make = || Box::new(RandomExplorer::default()) as _;
    let pool = DevicePool::new(devices);
    explore(
        &pool,
        &make,
        &settings,
        Seed(seed),
        journal,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

async fn reduced(
    spec: &str,
    count: usize,
    found: &FindingRecord,
    algorithm: ReductionAlgorithm,
) -> Reduction {
    let pool = DevicePool::new(phones(spec, count).await);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&found.trace), &null_sink());
    let settings = ReduceSettings {
        parallel: count,
        ..ReduceSettings::default()
    };
    reduce(
        &found.trace,
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

/// All of an exploration but what a clock shows: the simulated phones have texts with the time of day in them, and
/// that is another one on a phone that has been at work before.
fn without_clock(exploration: &ExplorationResult) -> impl PartialEq + use<> {
    let ExplorationResult {
        outcome,
        coverage,
        curve,
        findings: found,
        events,
        took,
        ..
    } = exploration.clone();
    let step = |step: Step| {
        (
            step.action,
            step.activity,
            step.widget
                .map(|widget| (widget.id, widget.class, widget.path)),
        )
    };
    let found: Vec<_> = found
        .into_iter()
        .map(|found| {
            let steps: Vec<_> = found.trace.steps.into_iter().map(step).collect();
            (
                found.fingerprint,
                found.occurrences,
                found.trace.header,
                steps,
            )
        })
        .collect();
    (outcome, coverage, curve, found, events, took)
}

#[tokio::test(start_paused = true)]
async fn what_is_found_was_planted_and_most_of_it_is_found() {
    for name in retap_simulator::app_names() {
        let truth = retap_simulator::ground_truth(name).unwrap();
        let exploration = explored(
            &format!("sim:{name}"),
            2,
            10_000,
            1,
            &MemoryExplorationJournal::default(),
        )
        .await;
        assert_eq!(exploration.events, 10_000);
        for found in &exploration.findings {
            let planted = truth
                .crashes
                .iter()
                .find(|crash| crash.fingerprint == found.fingerprint);
            let planted = planted.unwrap_or_else(|| panic!("{name}: {}", found.finding.stack));
            assert_eq!(found.finding.kind, planted.kind);
            assert!(found.trace.steps.len() >= planted.shortest.len());
        }
        // What a random explorer has a chance of: few touches, and nothing that the system would have to do.
        let outside =
            |step: &Step| matches!(step.action, Action::System(_) | Action::Key(Key::Home));
        let near = truth
            .crashes
            .iter()
            .filter(|crash| crash.shortest.len() <= 6 && !crash.shortest.iter().any(outside))
            .count();
        assert!(
            exploration.findings.len() * 3 > near,
            "{name}: {} of {near}",
            exploration.findings.len()
        );
        assert!(
            exploration
                .coverage
                .activities
                .iter()
                .all(|activity| truth.activities.contains(activity))
        );
        assert!(
            exploration
                .coverage
                .branches
                .iter()
                .all(|&branch| branch < truth.branches)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_is_the_same_exploration_bit_for_bit() {
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}?noise=0.1&latency=realistic&seed=3");
        let once = explored(&spec, 2, 2_200, 5, &MemoryExplorationJournal::default()).await;
        assert!(
            explored(&spec, 2, 2_200, 5, &MemoryExplorationJournal::default()).await == once,
            "{name}"
        );
        assert!(
            explored(&spec, 2, 2_200, 6, &MemoryExplorationJournal::default()).await != once,
            "{name} with another seed"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_exploration_is_the_same_on_any_number_of_phones() {
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        let alone = without_clock(
            &explored(&spec, 1, 2_200, 5, &MemoryExplorationJournal::default()).await,
        );
        for count in [2, 4] {
            let together =
                explored(&spec, count, 2_200, 5, &MemoryExplorationJournal::default()).await;
            assert!(
                without_clock(&together) == alone,
                "{name} on {count} phones"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_exploration_goes_on_after_any_session() {
    let spec = "sim:notes";
    let whole = MemoryExplorationJournal::default();
    let undisturbed = explored(spec, 1, 3_000, 5, &whole).await;
    let sessions: Vec<SessionRecord> = whole.recall_sessions().unwrap().into_values().collect();
    assert_eq!(sessions.len(), 6);
    for finished in 0..=sessions.len() {
        let journal = MemoryExplorationJournal::default();
        for session in &sessions[sessions.len() - finished..] {
            // Through JSON, as a store keeps it.
            let written = serde_json::to_string(session).unwrap();
            journal
                .note_session(&serde_json::from_str(&written).unwrap())
                .unwrap();
        }
        let resumed = explored(spec, 2, 3_000, 5, &journal).await;
        assert!(
            without_clock(&resumed) == without_clock(&undisturbed),
            "after {finished} sessions"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_crash_that_is_found_is_cut_down_and_still_crashes() {
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        let truth = retap_simulator::ground_truth(name).unwrap();
        for found in &explored(&spec, 1, 4_000, 2, &MemoryExplorationJournal::default())
            .await
            .findings
        {
            let planted = truth
                .crashes
                .iter()
                .find(|crash| crash.fingerprint == found.fingerprint)
                .unwrap();
            let alone = reduced(&spec, 1, found, ReductionAlgorithm::Auto).await;
            assert_eq!(alone.outcome, Outcome::Done, "{name}: {}", planted.name);
            let check = alone.result.unwrap();
            assert_eq!(
                (check.successes, check.runs),
                (3, 3),
                "{name}: {}",
                planted.name
            );
            // What is left may be another way than the shortest, since nothing is put in that was not there.
            let left = alone.trace.steps.len();
            let shortest = planted.shortest.len();
            assert!(
                (shortest..=shortest + 6).contains(&left),
                "{name}: {} in {left} steps",
                planted.name
            );
            let together = reduced(&spec, 4, found, ReductionAlgorithm::Auto).await;
            assert_eq!(together.kept, alone.kept, "{name}: {}", planted.name);
        }
    }
}

/// Going on from saved states changes how much is played, and nothing else.
#[tokio::test(start_paused = true)]
async fn snapshots_save_steps_and_change_no_result() {
    let mut with = 0;
    let mut without = 0;
    let mut resumed = 0;
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        for found in &explored(&spec, 1, 4_000, 2, &MemoryExplorationJournal::default())
            .await
            .findings
        {
            let clean = reduced(&spec, 3, found, ReductionAlgorithm::Auto).await;
            let pool = DevicePool::new(phones(&spec, 3).await);
            let conditions = ReplayConditions {
                snapshots: true,
                ..ReplayConditions::of(&found.trace)
            };
            let oracle = PooledOracle::new(&pool, conditions, &null_sink());
            let settings = ReduceSettings {
                parallel: 3,
                ..ReduceSettings::default()
            };
            let trace = &found.trace;
            let stop = CancellationToken::new();
            let quick = reduce(
                trace,
                ReductionAlgorithm::Auto,
                &settings,
                &oracle,
                &null_sink(),
                &stop,
            )
            .await
            .unwrap();
            assert_eq!(
                (quick.kept, quick.result),
                (clean.kept, clean.result),
                "{name}: {}",
                found.fingerprint
            );
            with += quick.events;
            without += clean.events;
            resumed += oracle.resume_statistics().runs;
        }
    }
    assert!(
        resumed > 0 && with < without,
        "{resumed} resumed, {with} of {without} events"
    );
}
