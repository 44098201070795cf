//! Explorer, oracle and reducers on the simulated phones, whose crashes are known.

use std::num::NonZeroU32;
use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::{ExplorationJournal, MemoryExplorationJournal, RecordedStep};
use retap_explore::{
    ExplorationResult, ExploreSettings, FindingRecord, RandomSessions, run_exploration,
};
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
    let explorer = RandomSessions::new(Seed(seed), NonZeroU32::new(500).unwrap());
    let context = RunContext {
        seed: Seed(seed),
        events: &null_sink(),
        journal,
        cancellation: &CancellationToken::new(),
    };
    let pool = DevicePool::new(devices);
    run_exploration(&pool, Box::new(explorer), &settings, context)
        .await
        .unwrap()
}

async fn reduced(
    spec: &str,
    count: usize,
    finding: &FindingRecord,
    algorithm: ReductionAlgorithm,
) -> Reduction {
    let pool = DevicePool::new(phones(spec, count).await);
    let oracle = PooledOracle::new(&pool, ReplayConditions::of(&finding.trace), &null_sink());
    let settings = ReduceSettings {
        parallel: count,
        ..ReduceSettings::default()
    };
    reduce(
        &finding.trace,
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn all_findings_were_planted_and_many_planted_crashes_are_found() {
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
        for finding in &exploration.findings {
            let planted = truth
                .crashes
                .iter()
                .find(|crash| crash.fingerprint == finding.fingerprint);
            let planted = planted.unwrap_or_else(|| panic!("{name}: {}", finding.finding.stack));
            assert_eq!(finding.finding.kind, planted.kind);
            assert!(finding.trace.steps.len() >= planted.shortest.len());
        }
        // Crashes that a random explorer can reach: few touches, and no system events.
        let is_system =
            |step: &Step| matches!(step.action, Action::System(_) | Action::Key(Key::Home));
        let reachable = truth
            .crashes
            .iter()
            .filter(|crash| crash.shortest.len() <= 6 && !crash.shortest.iter().any(is_system))
            .count();
        assert!(
            exploration.findings.len() * 3 > reachable,
            "{name}: {} of {reachable}",
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
async fn the_same_seed_gives_the_same_exploration() {
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
async fn an_exploration_is_repeatable_on_any_number_of_phones() {
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        for count in [1, 2, 4] {
            let one = explored(&spec, count, 2_200, 5, &MemoryExplorationJournal::default()).await;
            let other =
                explored(&spec, count, 2_200, 5, &MemoryExplorationJournal::default()).await;
            assert_eq!(one.events, 2_200);
            assert!(one == other, "{name} on {count} phones");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_exploration_is_resumed_after_any_step() {
    let spec = "sim:notes";
    let journal = MemoryExplorationJournal::default();
    explored(spec, 1, 3_000, 5, &journal).await;
    let steps = journal.recall_steps().unwrap();
    for recorded in (0..=steps.len()).step_by(steps.len() / 6) {
        let journal = MemoryExplorationJournal::default();
        for step in &steps[..recorded] {
            // Through JSON, as a store keeps it, with the screen beside it.
            let written = serde_json::to_string(step).unwrap();
            let read: RecordedStep = serde_json::from_str(&written).unwrap();
            let screen = step.screen.clone();
            let restored = RecordedStep { screen, ..read };
            journal.record_step(&restored).unwrap();
        }
        let resumed = explored(spec, 2, 3_000, 5, &journal).await;
        assert_eq!(resumed.events, 3_000, "after {recorded} steps");
    }
}

#[tokio::test(start_paused = true)]
async fn every_finding_is_reduced_and_still_reproduces() {
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        let truth = retap_simulator::ground_truth(name).unwrap();
        for finding in &explored(&spec, 1, 4_000, 2, &MemoryExplorationJournal::default())
            .await
            .findings
        {
            let planted = truth
                .crashes
                .iter()
                .find(|crash| crash.fingerprint == finding.fingerprint)
                .unwrap();
            let alone = reduced(&spec, 1, finding, ReductionAlgorithm::Auto).await;
            assert_eq!(alone.outcome, Outcome::Done, "{name}: {}", planted.name);
            let check = alone.result.unwrap();
            assert_eq!(
                (check.successes, check.runs),
                (43, 43),
                "{name}: {}",
                planted.name
            );
            // The result may be longer than the shortest path, because a reduction adds no steps.
            let steps = alone.trace.steps.len();
            let shortest = planted.shortest.len();
            assert!(
                (shortest..=shortest + 6).contains(&steps),
                "{name}: {} in {steps} steps",
                planted.name
            );
            let together = reduced(&spec, 4, finding, ReductionAlgorithm::Auto).await;
            assert_eq!(together.kept, alone.kept, "{name}: {}", planted.name);
        }
    }
}

/// Snapshots change the number of played events, and nothing else.
#[tokio::test(start_paused = true)]
async fn snapshots_save_steps_and_change_no_result() {
    let mut events_with = 0;
    let mut events_without = 0;
    let mut resumed = 0;
    for name in retap_simulator::app_names() {
        let spec = format!("sim:{name}");
        for finding in &explored(&spec, 1, 4_000, 2, &MemoryExplorationJournal::default())
            .await
            .findings
        {
            let clean = reduced(&spec, 3, finding, ReductionAlgorithm::Auto).await;
            let pool = DevicePool::new(phones(&spec, 3).await);
            let conditions = ReplayConditions {
                snapshots: true,
                ..ReplayConditions::of(&finding.trace)
            };
            let oracle = PooledOracle::new(&pool, conditions, &null_sink());
            let settings = ReduceSettings {
                parallel: 3,
                ..ReduceSettings::default()
            };
            let trace = &finding.trace;
            let cancellation = CancellationToken::new();
            let quick = reduce(
                trace,
                ReductionAlgorithm::Auto,
                &settings,
                &oracle,
                &null_sink(),
                &cancellation,
            )
            .await
            .unwrap();
            assert_eq!(
                (quick.kept, quick.result),
                (clean.kept, clean.result),
                "{name}: {}",
                finding.fingerprint
            );
            events_with += quick.events;
            events_without += clean.events;
            resumed += oracle.resume_statistics().runs;
        }
    }
    assert!(
        resumed > 0 && events_with < events_without,
        "{resumed} resumed, {events_with} of {events_without} events"
    );
}
