//! Phones that can save an app's data and nothing more, as Android phones do: the app is stopped for it and begins anew.

use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::{Phone, PhoneError, ScreenshotTask};
use retap_device::run_event::null_sink;
use retap_device::seed::{Rng, Seed};
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::{MemoryExplorationJournal, RecordedEvent};
use retap_explore::{
    ApeParameters, AutoExplorer, Decision, EventMix, ExplorationResult, Explorer, MonkeyExplorer,
    RandomExplorer, StepObservation, TimeTravelExplorer, TimeTravelParameters, WorkerView,
    run_exploration,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::protocol::{AppInfo, Capabilities, Play, Settle, SnapshotId};
use retap_shared::screen::{ScreenHash, SharedScreen};
use retap_shared::trace::{App, ReplayPace, Trace};
use retap_shared::verdict::Verdict;
use retap_simulator::SimulatedPhone;

use crate::fixtures::settings;

const SPEC: &str = "sim:notes";

/// A simulated phone of which only the app's data come back.
struct DataOnly {
    inner: SimulatedPhone,
    app: App,
}

impl DataOnly {
    fn open() -> DataOnly {
        let mut inner = retap_simulator::open(SPEC).unwrap();
        let app = inner.apps().unwrap().remove(0).app;
        DataOnly { inner, app }
    }
}

impl Phone for DataOnly {
    fn info(&self) -> PhoneInfo {
        self.inner.info()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            snapshots: false,
            ..self.inner.capabilities()
        }
    }

    fn apps(&mut self) -> Result<Vec<AppInfo>, PhoneError> {
        self.inner.apps()
    }

    fn now(&self) -> Micros {
        self.inner.now()
    }

    fn sleep(&mut self, span: Micros) {
        self.inner.sleep(span);
    }

    fn inject(&mut self, action: &Action) -> Result<(), PhoneError> {
        self.inner.inject(action)
    }

    fn last_change(&mut self) -> Micros {
        self.inner.last_change()
    }

    fn capture(&mut self) -> Result<SharedScreen, PhoneError> {
        self.inner.capture()
    }

    fn screenshot(&mut self) -> Result<ScreenshotTask, PhoneError> {
        self.inner.screenshot()
    }

    fn launch(&mut self, app: &App) -> Result<(), PhoneError> {
        self.inner.launch(app)
    }

    fn stop(&mut self, app: &App) -> Result<(), PhoneError> {
        self.inner.stop(app)
    }

    fn clear_data(&mut self, app: &App) -> Result<(), PhoneError> {
        self.inner.clear_data(app)
    }

    fn grant(&mut self, app: &App) -> Result<(), PhoneError> {
        self.inner.grant(app)
    }

    fn watch(&mut self, package: &Text) {
        self.inner.watch(package);
    }

    fn take_events(&mut self, into: &mut Vec<PhoneEvent>) {
        self.inner.take_events(into);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        self.inner.take_branches(into);
    }

    fn save_snapshot(&mut self) -> Result<(SnapshotId, u64), PhoneError> {
        self.inner.stop(&self.app)?;
        let saved = self.inner.save_snapshot()?;
        self.inner.launch(&self.app)?;
        Ok(saved)
    }

    fn restore_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        let bytes = self.inner.restore_snapshot(id)?;
        self.inner.launch(&self.app)?;
        Ok(bytes)
    }

    fn discard_snapshot(&mut self, id: SnapshotId) -> Result<u64, PhoneError> {
        self.inner.discard_snapshot(id)
    }
}

async fn phone() -> Device {
    Device::connect(
        SPEC.to_owned(),
        Arc::new(InProcessConnection::new(Box::new(DataOnly::open()))),
    )
    .await
    .unwrap()
}

async fn explored(explorer: Box<dyn Explorer>, events: u64) -> ExplorationResult {
    let pool = DevicePool::new(vec![phone().await]);
    let journal = MemoryExplorationJournal::default();
    let stop = CancellationToken::new();
    let settings = settings(SPEC, events);
    run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(3),
            events: &null_sink(),
            journal: &journal,
            cancellation: &stop,
        },
    )
    .await
    .unwrap()
}

fn play(trace: &Trace) -> Play {
    Play {
        app: trace.header.app.clone(),
        start: trace.header.start,
        steps: trace.steps.clone(),
        target: trace.header.target.clone(),
        pace: ReplayPace::Quiet,
        settle: Settle::default(),
        final_wait: Micros::from_millis(2_000),
        record: false,
    }
}

/// Saves now and then, and keeps what it is shown: after each save, and before what comes next.
struct Saving {
    random: RandomExplorer,
    events: u32,
    shown: Arc<Mutex<Vec<(ScreenHash, ScreenHash)>>>,
    after_save: Option<ScreenHash>,
}

impl Explorer for Saving {
    fn name(&self) -> &str {
        "saving"
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        self.events += 1;
        if let Some(after) = self.after_save.take() {
            self.shown.lock().unwrap().push((after, at.screen.hash()));
        }
        if self.events.is_multiple_of(7) {
            Decision::TakeSnapshot
        } else {
            self.random.decide(at, rng)
        }
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        if let RecordedEvent::SnapshotTaken {
            whole_phone: whole, ..
        } = seen.record.event
        {
            let screen = seen.screen.unwrap();
            assert_eq!((whole, screen.activity().as_str()), (false, FIRST));
            self.after_save = Some(screen.hash());
        }
    }
}

const FIRST: &str = "com.example.notes/.ListActivity";

#[tokio::test(start_paused = true)]
async fn after_a_save_explorers_see_where_the_app_began_anew() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let saving = Saving {
        random: RandomExplorer::default(),
        events: 0,
        shown: Arc::clone(&shown),
        after_save: None,
    };
    let run = explored(Box::new(saving), 200).await;
    assert!(run.counts.snapshots > 15, "{:?}", run.counts);
    let shown = shown.lock().unwrap();
    assert!(
        shown.len() > 15 && shown.iter().all(|(after, next)| after == next),
        "{shown:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_confirmed_finding_reproduces_from_a_clean_start() {
    let tree = || DecisionTree::uniform(AttributeReducer::TYPE);
    let auto = || {
        AutoExplorer::new(
            ApeParameters::default(),
            tree(),
            AttributePaths::default(),
            true,
        )
    };
    let monkey =
        || MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events();
    let explorers: [Box<dyn Explorer>; 3] = [
        Box::new(auto()),
        Box::new(TimeTravelExplorer::over(
            Box::new(monkey()),
            TimeTravelParameters::default(),
        )),
        Box::new(TimeTravelExplorer::over(
            Box::new(RandomExplorer::default()),
            TimeTravelParameters::default(),
        )),
    ];
    let mut found = 0;
    for explorer in explorers {
        let name = explorer.name().to_owned();
        let run = explored(explorer, 3_000).await;
        let mut device = phone().await;
        for problem in &run.findings {
            let played = device.play(play(&problem.trace)).await.unwrap();
            assert_eq!(
                played.verdict,
                Verdict::TargetReached,
                "{name}: {:?}",
                problem.trace
            );
            found += 1;
        }
    }
    assert!(found >= 3, "{found}");
}
