//! Explorations with one explorer for all phones: repeatable, gone on with after a stop, and fair about what counts.

use std::sync::{Arc, Mutex};

use retap_agent::in_process::InProcess;
use retap_device::event::{RunEvent, Sink, nobody};
use retap_device::seed::{Rng, Seed};
use retap_device::stop::Stop;
use retap_device::{Device, Pool};
use retap_explore::journal::{InMemory, Journal};
use retap_explore::{
    At, Did, Exploration, ExploreSettings, Explorer, Mix, Monkey, Move, Random, Seen, Sessions,
    StuckRules, explore_whole,
};
use retap_shared::connection::{Connection, Pending, RequestError};
use retap_shared::micros::Micros;
use retap_shared::protocol::{CheckpointId, Happening, Reply, Request};
use retap_shared::trace::Start;
use retap_shared::verdict::Outcome;

pub(crate) async fn phones(spec: &str, count: usize) -> Pool {
    let mut devices = Vec::new();
    for number in 0..count {
        let connection = Arc::new(InProcess::new(Box::new(
            retap_simulator::open(spec).unwrap(),
        )));
        devices.push(
            Device::connect(format!("{spec}#{number}"), connection)
                .await
                .unwrap(),
        );
    }
    Pool::new(devices)
}

pub(crate) fn settings(pool_app: &str, events: u64) -> ExploreSettings {
    let mut phone = retap_simulator::open(pool_app).unwrap();
    let app = retap_agent::phone::Phone::apps(&mut phone)
        .unwrap()
        .remove(0);
    ExploreSettings::new(app, events)
}

fn monkey() -> Monkey {
    Monkey::new(Mix::default(), Micros::from_millis(200)).with_system_events()
}

async fn explored(
    spec: &str,
    count: usize,
    explorer: impl Explorer + 'static,
    events: u64,
    journal: &dyn Journal,
    sink: &Sink,
    stop: &Stop,
) -> Exploration {
    let pool = phones(spec, count).await;
    let settings = settings(spec, events);
    explore_whole(
        &pool,
        Box::new(explorer),
        &settings,
        Seed(5),
        journal,
        sink,
        stop,
    )
    .await
    .unwrap()
}

async fn undisturbed(
    spec: &str,
    count: usize,
    explorer: impl Explorer + 'static,
    events: u64,
) -> Exploration {
    explored(
        spec,
        count,
        explorer,
        events,
        &InMemory::default(),
        &nobody(),
        &Stop::new(),
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
        three.longest.0 * 5 < one.longest.0 * 2,
        "{} {}",
        three.longest,
        one.longest
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
        time: Some(limit),
        ..settings("sim:notes?latency=realistic", 1)
    };
    let stop = Stop::new();
    let journal = InMemory::default();
    let sink = nobody();
    let explorer = Box::new(Sessions::new(|| Box::new(Random::default()), 50));
    let run = explore_whole(&pool, explorer, &settings, Seed(5), &journal, &sink, &stop);
    let run = run.await.unwrap();
    assert!(
        limit <= run.longest && run.longest < limit + Micros::from_millis(30_000),
        "{}",
        run.longest
    );
    assert!(run.events > 200 && run.counts.clean_starts > 4, "{run:?}");
}

#[tokio::test(start_paused = true)]
async fn a_monkey_that_restarts_starts_clean_when_it_is_stuck() {
    let restarts =
        Monkey::new(Mix::default(), Micros::from_millis(200)).with_restarts(StuckRules::default());
    let stubborn = undisturbed("sim:calculator", 1, monkey(), 2_000).await;
    let restarting = undisturbed("sim:calculator", 1, restarts, 2_000).await;
    assert!(
        restarting.counts.clean_starts > 5 * stubborn.counts.clean_starts,
        "{:?}",
        restarting.counts
    );
}

/// Counts what it is told, and chooses as Monkey does.
struct Listening {
    monkey: Monkey,
    told: Arc<Mutex<Vec<String>>>,
}

impl Explorer for Listening {
    fn name(&self) -> &str {
        "listening"
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        self.monkey.choose(at, rng)
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        let screen = seen.screen.map(|screen| screen.hash());
        self.told.lock().unwrap().push(format!(
            "{} {:?} {screen:?} {:?}",
            seen.walker, seen.did, seen.new
        ));
        self.monkey.observe(seen);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_stop_the_explorer_is_told_all_that_it_knew() {
    let journal = InMemory::default();
    let told = Arc::new(Mutex::new(Vec::new()));
    let stop = Stop::new();
    let left = Mutex::new(400);
    let asking = stop.clone();
    let sink: Sink = Arc::new(move |event| {
        if let RunEvent::Stepped { .. } = event {
            let mut left = left.lock().unwrap();
            *left -= 1;
            if *left == 0 {
                asking.ask();
            }
        }
    });
    let listening = || Listening {
        monkey: monkey(),
        told: Arc::clone(&told),
    };
    let part = explored("sim:notes", 2, listening(), 1_000, &journal, &sink, &stop).await;
    assert_eq!(part.outcome, Outcome::Interrupted);
    let before = std::mem::take(&mut *told.lock().unwrap());
    let whole = explored(
        "sim:notes",
        2,
        listening(),
        1_000,
        &journal,
        &nobody(),
        &Stop::new(),
    )
    .await;
    assert_eq!(told.lock().unwrap()[..before.len()], before[..]);
    assert_eq!((whole.outcome, whole.events), (Outcome::Done, 1_000));
    assert!(whole.coverage.branches.is_superset(&part.coverage.branches));
    assert!(whole.curve.len() >= part.curve.len() - 1);
}

/// Saves the state before every event and goes back after it: every problem comes after a restore.
#[derive(Default)]
struct ToAndFro {
    random: Random,
    saved: Option<CheckpointId>,
    acted: bool,
}

impl Explorer for ToAndFro {
    fn name(&self) -> &str {
        "to and fro"
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        match (self.saved, self.acted) {
            (None, _) => Move::Save,
            (Some(id), true) => Move::Restore(id),
            (Some(_), false) => self.random.choose(at, rng),
        }
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        match seen.did {
            Did::Saved { id, .. } => self.saved = Some(id),
            Did::Stepped { .. } => self.acted = true,
            Did::Restored { .. } => self.acted = false,
            Did::Started { .. } | Did::Forgotten => (self.saved, self.acted) = (None, false),
            _ => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_found_after_a_restore_counts_once_it_comes_from_a_clean_start() {
    let run = undisturbed("sim:notes", 1, ToAndFro::default(), 300).await;
    assert!(run.counts.restores > 100 && run.counts.saves > 1);
    let [found] = &run.found[..] else {
        panic!("{:?}", run.found)
    };
    assert_eq!(
        (found.trace.header.start, found.trace.steps.len()),
        (Start::Clean, 1)
    );
    assert_eq!(run.crashes.len(), 1);
    assert!(run.apart.is_empty());
}

/// A simulated phone on which nothing can be played from a clean start.
struct Forgetful(InProcess);

impl Connection for Forgetful {
    fn request(&self, mut request: Request) -> Pending<'_, Result<Reply, RequestError>> {
        if let Request::Play(play) = &mut request {
            play.steps.clear();
        }
        self.0.request(request)
    }

    fn news(&self) -> Pending<'_, Option<Happening>> {
        self.0.news()
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_found_after_a_restore_and_does_not_come_from_a_clean_start_is_apart() {
    let phone = Forgetful(InProcess::new(Box::new(
        retap_simulator::open("sim:notes").unwrap(),
    )));
    let pool = Pool::new(vec![
        Device::connect("phone".to_owned(), Arc::new(phone))
            .await
            .unwrap(),
    ]);
    let settings = settings("sim:notes", 300);
    let journal = InMemory::default();
    let explorer = Box::new(ToAndFro::default());
    let run = explore_whole(
        &pool,
        explorer,
        &settings,
        Seed(5),
        &journal,
        &nobody(),
        &Stop::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        (run.found.len(), run.crashes.len(), run.apart.len()),
        (0, 0, 1)
    );
    assert!(!run.apart[0].scene.log.is_empty());
}
