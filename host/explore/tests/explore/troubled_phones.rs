//! Explorations of phones that refuse and fail now and then: they go on, and no finding is lost or invented.

use std::collections::BTreeSet;
use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{ExplorationResult, Explorer, FindingRecord, run_exploration};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::verdict::Outcome;
use retap_simulator::{ReportedFindings, TroubledPhone};

use crate::fixtures::{ape, auto, monkey, settings, time_travel};

/// Number of seeded days.
const DAYS: u64 = 1_000;
const EVENTS: u64 = 120;
const APPS: [&str; 3] = ["sim:notes", "sim:shop", "sim:mail"];

async fn troubled_pool(app: &str, day: u64) -> (DevicePool, Vec<ReportedFindings>) {
    let mut devices = Vec::new();
    let mut reported = Vec::new();
    for number in 0..2 {
        let phone = Box::new(retap_simulator::open(app).unwrap());
        let phone = TroubledPhone::new(phone, 2 * day + number);
        reported.push(phone.reported_findings());
        let connection = Arc::new(InProcessConnection::new(Box::new(phone)));
        let name = format!("{app}#{number}");
        devices.push(Device::connect(name, connection).await.unwrap());
    }
    (DevicePool::new(devices), reported)
}

async fn explored_day(
    app: &str,
    day: u64,
    explorer: Box<dyn Explorer>,
) -> (ExplorationResult, BTreeSet<Fingerprint>) {
    let (pool, reported) = troubled_pool(app, day).await;
    let exploration = run_exploration(
        &pool,
        explorer,
        &settings(app, EVENTS),
        RunContext {
            seed: Seed(day),
            events: &null_sink(),
            journal: &MemoryExplorationJournal::default(),
            cancellation: &CancellationToken::new(),
        },
    )
    .await
    .unwrap_or_else(|error| panic!("day {day} on {app}: {error}"));
    let reported = reported.iter().flat_map(|findings| {
        let findings = findings.lock().unwrap();
        let fingerprints = findings.iter().map(|finding| finding.fingerprint());
        fingerprints.collect::<Vec<_>>()
    });
    (exploration, reported.collect())
}

fn fingerprints(records: &[FindingRecord]) -> impl Iterator<Item = Fingerprint> {
    records.iter().map(|record| record.fingerprint)
}

#[tokio::test(start_paused = true)]
async fn a_thousand_days_of_trouble_lose_no_finding_and_invent_none() {
    let explorers: [fn() -> Box<dyn Explorer>; 4] = [auto, monkey, ape, time_travel];
    let mut refused = 0;
    let mut found = 0;
    for day in 0..DAYS {
        let app = APPS[day as usize % APPS.len()];
        let explorer = explorers[day as usize % explorers.len()]();
        let (exploration, reported) = explored_day(app, day, explorer).await;
        assert_eq!(exploration.outcome, Outcome::Done, "day {day} on {app}");
        let kept =
            fingerprints(&exploration.findings).chain(fingerprints(&exploration.unconfirmed));
        assert_eq!(
            kept.collect::<BTreeSet<_>>(),
            reported,
            "day {day} on {app}"
        );
        refused += exploration.counts.refused_events;
        found += reported.len();
    }
    assert!(
        refused > DAYS && found > 100,
        "{refused} refused, {found} found"
    );
}
