//! Phones that can save an app's data and nothing more, as Android phones do: the app is stopped for it and begins anew.

use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcess;
use retap_agent::phone::{Phone, PhoneError, TakePixels};
use retap_device::event::nobody;
use retap_device::seed::{Rng, Seed};
use retap_device::stop::Stop;
use retap_device::{Device, Pool};
use retap_explore::journal::InMemory;
use retap_explore::{
    ApeRules, At, Auto, Did, Exploration, Explorer, Mix, Monkey, Move, Random, Seen, TimeTravel,
    TravelRules, explore_whole,
};
use retap_model::ape::{DecisionTree, Paths, Reducer};
use retap_shared::Text;
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::protocol::{
    AppInfo, Capabilities, CheckpointId, Happening, PhoneInfo, Play, Settle,
};
use retap_shared::screen::{ScreenHash, SharedScreen};
use retap_shared::trace::{App, Trace};
use retap_shared::verdict::Verdict;
use retap_simulator::SimulatedPhone;

use crate::whole::settings;

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

    fn can(&self) -> Capabilities {
        Capabilities {
            checkpoints: false,
            ..self.inner.can()
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

    fn screenshot(&mut self) -> Result<TakePixels, PhoneError> {
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

    fn take_happenings(&mut self, into: &mut Vec<Happening>) {
        self.inner.take_happenings(into);
    }

    fn take_branches(&mut self, into: &mut Vec<u32>) {
        self.inner.take_branches(into);
    }

    fn save(&mut self) -> Result<(CheckpointId, u64), PhoneError> {
        self.inner.stop(&self.app)?;
        let saved = self.inner.save()?;
        self.inner.launch(&self.app)?;
        Ok(saved)
    }

    fn restore(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        let bytes = self.inner.restore(id)?;
        self.inner.launch(&self.app)?;
        Ok(bytes)
    }

    fn drop_checkpoint(&mut self, id: CheckpointId) -> Result<u64, PhoneError> {
        self.inner.drop_checkpoint(id)
    }
}

async fn phone() -> Device {
    Device::connect(
        SPEC.to_owned(),
        Arc::new(InProcess::new(Box::new(DataOnly::open()))),
    )
    .await
    .unwrap()
}

async fn explored(explorer: Box<dyn Explorer>, events: u64) -> Exploration {
    let pool = Pool::new(vec![phone().await]);
    let journal = InMemory::default();
    let stop = Stop::new();
    let settings = settings(SPEC, events);
    explore_whole(
        &pool,
        explorer,
        &settings,
        Seed(3),
        &journal,
        &nobody(),
        &stop,
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
        settle: Settle::default(),
        linger: Micros::from_millis(2_000),
        record: false,
    }
}

/// Saves now and then, and keeps what it is shown: after each save, and before what comes next.
struct Saving {
    random: Random,
    events: u32,
    shown: Arc<Mutex<Vec<(ScreenHash, ScreenHash)>>>,
    after_save: Option<ScreenHash>,
}

impl Explorer for Saving {
    fn name(&self) -> &str {
        "saving"
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        self.events += 1;
        if let Some(after) = self.after_save.take() {
            self.shown.lock().unwrap().push((after, at.screen.hash()));
        }
        if self.events.is_multiple_of(7) {
            Move::Save
        } else {
            self.random.choose(at, rng)
        }
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        if let Did::Saved { whole, .. } = seen.did {
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
        random: Random::default(),
        events: 0,
        shown: Arc::clone(&shown),
        after_save: None,
    };
    let run = explored(Box::new(saving), 200).await;
    assert!(run.counts.saves > 15, "{:?}", run.counts);
    let shown = shown.lock().unwrap();
    assert!(
        shown.len() > 15 && shown.iter().all(|(after, next)| after == next),
        "{shown:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn every_problem_that_counts_comes_again_from_a_clean_start() {
    let tree = || DecisionTree::plain(Reducer::TYPE);
    let auto = || Auto::new(ApeRules::default(), tree(), Paths::default(), true);
    let monkey = || Monkey::new(Mix::default(), Micros::from_millis(200)).with_system_events();
    let explorers: [Box<dyn Explorer>; 3] = [
        Box::new(auto()),
        Box::new(TimeTravel::over(Box::new(monkey()), TravelRules::default())),
        Box::new(TimeTravel::over(
            Box::new(Random::default()),
            TravelRules::default(),
        )),
    ];
    let mut found = 0;
    for explorer in explorers {
        let name = explorer.name().to_owned();
        let run = explored(explorer, 3_000).await;
        let mut device = phone().await;
        for problem in &run.found {
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
