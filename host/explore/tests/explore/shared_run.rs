//! Explorations with one explorer for all phones: repeatable, resumed after a stop, with confirmed findings.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::{Rng, Seed};
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::{
    ExplorationContext, ExplorationJournal, MemoryExplorationJournal, RecordedEvent,
};
use retap_explore::{
    Decision, EventMix, ExplorationResult, ExploreSettings, Explorer, MonkeyExplorer,
    RandomExplorer, RandomSessions, StepObservation, StuckParameters, WorkerView, run_exploration,
};
use retap_shared::connection::{BoxFuture, Connection, RequestError};
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::protocol::{Reply, Request, SnapshotId};
use retap_shared::trace::StartMode;
use retap_shared::verdict::Outcome;

use crate::fixtures::{phones, settings};

fn monkey() -> MonkeyExplorer {
    MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events()
}

async fn explored(
    spec: &str,
    count: usize,
    explorer: impl Explorer + 'static,
    events: u64,
    journal: &dyn ExplorationJournal,
    sink: &EventSink,
    stop: &CancellationToken,
) -> ExplorationResult {
    let pool = phones(spec, count).await;
    let settings = settings(spec, events);
    run_exploration(
        &pool,
        Box::new(explorer),
        &settings,
        RunContext {
            seed: Seed(5),
            events: sink,
            journal,
            cancellation: stop,
        },
    )
    .await
    .unwrap()
}

async fn undisturbed(
    spec: &str,
    count: usize,
    explorer: impl Explorer + 'static,
    events: u64,
) -> ExplorationResult {
    explored(
        spec,
        count,
        explorer,
        events,
        &MemoryExplorationJournal::default(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_makes_the_same_run_on_any_number_of_phones() {
    for count in [1, 3] {
        let one = undisturbed("sim:mail?latency=realistic", count, monkey(), 1_500).await;
        let other = undisturbed("sim:mail?latency=realistic", count, monkey(), 1_500).await;
        assert_eq!(
            (one.events, one.counts.clean_starts >= count as u32),
            (1_500, true)
        );
        assert_eq!(one, other);
    }
}

#[tokio::test(start_paused = true)]
async fn three_phones_take_a_third_of_the_time() {
    let one = undisturbed("sim:notes?latency=realistic", 1, monkey(), 3_000).await;
    let three = undisturbed("sim:notes?latency=realistic", 3, monkey(), 3_000).await;
    assert!(
        three.longest_worker_time.0 * 5 < one.longest_worker_time.0 * 2,
        "{} {}",
        three.longest_worker_time,
        one.longest_worker_time
    );
    assert!(
        three
            .curve
            .is_sorted_by_key(|point| (point.events, point.branches))
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_ends_a_run_instead_of_events() {
    let pool = phones("sim:notes?latency=realistic", 2).await;
    let limit = Micros::from_millis(60_000);
    let settings = ExploreSettings {
        time_limit: Some(limit),
        ..settings("sim:notes?latency=realistic", 1)
    };
    let stop = CancellationToken::new();
    let journal = MemoryExplorationJournal::default();
    let sink = null_sink();
    let explorer = Box::new(RandomSessions::new(Seed(5), NonZeroU32::new(50).unwrap()));
    let run = run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(5),
            events: &sink,
            journal: &journal,
            cancellation: &stop,
        },
    );
    let run = run.await.unwrap();
    assert!(
        limit <= run.longest_worker_time
            && run.longest_worker_time < limit + Micros::from_millis(30_000),
        "{}",
        run.longest_worker_time
    );
    assert!(run.events > 200 && run.counts.clean_starts > 4, "{run:?}");
}

#[tokio::test(start_paused = true)]
async fn a_monkey_that_restarts_starts_clean_when_it_is_stuck() {
    let restarts = MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200))
        .with_restarts(StuckParameters::default());
    let stubborn = undisturbed("sim:calculator", 1, monkey(), 2_000).await;
    let restarting = undisturbed("sim:calculator", 1, restarts, 2_000).await;
    assert!(
        restarting.counts.clean_starts > 5 * stubborn.counts.clean_starts,
        "{:?}",
        restarting.counts
    );
}

/// Records what it observes, and decides as Monkey does.
struct RecordingExplorer {
    monkey: MonkeyExplorer,
    observed: Arc<Mutex<Vec<String>>>,
}

impl Explorer for RecordingExplorer {
    fn name(&self) -> &str {
        "recording"
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        self.monkey.decide(at, rng)
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        let screen = seen.screen.map(|screen| screen.hash());
        self.observed.lock().unwrap().push(format!(
            "{} {:?} {screen:?} {:?}",
            seen.worker, seen.record.event, seen.gain
        ));
        self.monkey.observe(seen);
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_explorer_observes_all_recorded_steps() {
    let journal = MemoryExplorationJournal::default();
    let observed = Arc::new(Mutex::new(Vec::new()));
    let stop = CancellationToken::new();
    let left = Mutex::new(400);
    let asking = stop.clone();
    let sink: EventSink = Arc::new(move |event| {
        if let RunEvent::Stepped { .. } = event {
            let mut left = left.lock().unwrap();
            *left -= 1;
            if *left == 0 {
                asking.cancel();
            }
        }
    });
    let recording = || RecordingExplorer {
        monkey: monkey(),
        observed: Arc::clone(&observed),
    };
    let part = explored("sim:notes", 2, recording(), 1_000, &journal, &sink, &stop).await;
    assert_eq!(part.outcome, Outcome::Interrupted);
    let before = std::mem::take(&mut *observed.lock().unwrap());
    let whole = explored(
        "sim:notes",
        2,
        recording(),
        1_000,
        &journal,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(observed.lock().unwrap()[..before.len()], before[..]);
    assert_eq!((whole.outcome, whole.events), (Outcome::Done, 1_000));
    assert!(whole.coverage.branches.is_superset(&part.coverage.branches));
    assert!(whole.curve.len() >= part.curve.len() - 1);
}

/// Takes a snapshot before every event and restores it afterwards: every finding comes after a restore.
#[derive(Default)]
struct SnapshotExplorer {
    random: RandomExplorer,
    saved: Option<SnapshotId>,
    acted: bool,
}

impl Explorer for SnapshotExplorer {
    fn name(&self) -> &str {
        "snapshots"
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        match (self.saved, self.acted) {
            (None, _) => Decision::TakeSnapshot,
            (Some(id), true) => Decision::RestoreSnapshot(id),
            (Some(_), false) => self.random.decide(at, rng),
        }
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        match seen.record.event {
            RecordedEvent::SnapshotTaken { id, .. } => self.saved = Some(id),
            RecordedEvent::Stepped { .. } => self.acted = true,
            RecordedEvent::SnapshotRestored { .. } => self.acted = false,
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotsLost => {
                (self.saved, self.acted) = (None, false);
            }
            _ => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_finding_after_a_restore_counts_once_it_reproduces_from_a_clean_start() {
    let run = undisturbed("sim:notes", 1, SnapshotExplorer::default(), 300).await;
    assert!(run.counts.restores > 100 && run.counts.snapshots > 1);
    let [found] = &run.findings[..] else {
        panic!("{:?}", run.findings)
    };
    assert_eq!(
        (found.trace.header.start, found.trace.steps.len()),
        (StartMode::Clean, 1)
    );
    assert_eq!(run.first_seen.len(), 1);
    assert!(run.unconfirmed.is_empty());
}

/// A simulated phone on which nothing can be played from a clean start.
struct ForgetfulPhone(InProcessConnection);

impl Connection for ForgetfulPhone {
    fn request(&self, mut request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        if let Request::Play(play) = &mut request {
            play.steps.clear();
        }
        self.0.request(request)
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.0.next_notification()
    }
}

#[tokio::test(start_paused = true)]
async fn a_finding_that_does_not_reproduce_from_a_clean_start_is_unconfirmed() {
    let phone = ForgetfulPhone(InProcessConnection::new(Box::new(
        retap_simulator::open("sim:notes").unwrap(),
    )));
    let pool = DevicePool::new(vec![
        Device::connect("phone".to_owned(), Arc::new(phone))
            .await
            .unwrap(),
    ]);
    let settings = settings("sim:notes", 300);
    let journal = MemoryExplorationJournal::default();
    let explorer = Box::new(SnapshotExplorer::default());
    let run = run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(5),
            events: &null_sink(),
            journal: &journal,
            cancellation: &CancellationToken::new(),
        },
    )
    .await
    .unwrap();
    assert_eq!(
        (
            run.findings.len(),
            run.first_seen.len(),
            run.unconfirmed.len()
        ),
        (0, 0, 1)
    );
    assert!(!run.unconfirmed[0].context.log.is_empty());
}

/// A simulated phone whose screenshots take long.
struct SlowScreenshotPhone(InProcessConnection);

impl Connection for SlowScreenshotPhone {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        Box::pin(async move {
            if let Request::TakeScreenshot(_) = &request {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            self.0.request(request).await
        })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        self.0.next_notification()
    }
}

#[tokio::test(start_paused = true)]
async fn the_journal_has_the_steps_in_the_order_in_which_they_were_observed() {
    let spec = "sim:notes?latency=realistic";
    let mut devices = Vec::new();
    for number in 0..3 {
        let phone = InProcessConnection::new(Box::new(retap_simulator::open(spec).unwrap()));
        let connection = Arc::new(SlowScreenshotPhone(phone));
        let device = Device::connect(format!("phone-{number}"), connection).await;
        devices.push(device.unwrap());
    }
    let journal = MemoryExplorationJournal::default();
    let settings = ExploreSettings {
        screenshots: true,
        ..settings(spec, 1_500)
    };
    let context = ExplorationContext {
        seed: Seed(5),
        events: &null_sink(),
        journal: &journal,
        cancellation: &CancellationToken::new(),
    };
    let explorer = RandomSessions::new(Seed(5), NonZeroU32::new(500).unwrap());
    let pool = DevicePool::new(devices);
    let result = run_exploration(&pool, Box::new(explorer), &settings, context)
        .await
        .unwrap();
    assert!(result.findings[0].context.screenshot.is_some());
    let steps = journal.recall_steps().unwrap();
    let numbers = steps.iter().map(|step| step.number);
    assert!(numbers.eq(0..steps.len() as u64));
}
