//! APE's abstraction for suites: learned from their own runs, the same however many phones teach it, and frozen after that.

use std::sync::Arc;

use retap_agent::in_process::InProcess;
use retap_device::event::nobody;
use retap_device::seed::Seed;
use retap_device::stop::Stop;
use retap_device::{Device, Pool};
use retap_explore::journal::{InMemory as ExplorationInMemory, Journal};
use retap_explore::{ExploreSettings, Random, explore};
use retap_model::ape::Learned;
use retap_model::{Abstraction, States};
use retap_reduce::journal::InMemory;
use retap_reduce::suite::{
    Lesson, Logged, OnPhones, SuiteAlgorithm, SuiteReduction, SuiteSettings, learn, reduce_suite,
};
use retap_shared::trace::{App, Trace};

async fn phones(count: usize) -> (Pool, App) {
    let mut devices = Vec::new();
    for number in 0..count {
        let phone = retap_simulator::open("sim:player").unwrap();
        let connection = Arc::new(InProcess::new(Box::new(phone)));
        devices.push(
            Device::connect(format!("player#{number}"), connection)
                .await
                .unwrap(),
        );
    }
    let app = devices[0].described().apps[0].app.clone();
    (Pool::new(devices), app)
}

async fn suite() -> Vec<Trace> {
    let (pool, _) = phones(1).await;
    let journal = ExplorationInMemory::default();
    let phone = pool.lease().await.unwrap();
    let settings = ExploreSettings {
        session_events: 16,
        keep_traces: true,
        ..ExploreSettings::new(phone.described().apps[0].clone(), 480)
    };
    drop(phone);
    let make = || Box::new(Random::default()) as _;
    explore(
        &pool,
        &make,
        &settings,
        Seed(3),
        &journal,
        &nobody(),
        &Stop::new(),
    )
    .await
    .unwrap();
    journal
        .recall_sessions()
        .unwrap()
        .into_values()
        .flat_map(|session| session.traces)
        .collect()
}

fn on(pool: &Pool, app: &App, learned: &Learned) -> OnPhones {
    let states = States::by(&Abstraction::Ape(learned.clone())).unwrap();
    OnPhones::new(pool, app.clone(), states, &nobody())
}

async fn taught(traces: &[Trace], from: &Learned, count: usize) -> Lesson {
    let (pool, app) = phones(count).await;
    learn(traces, from, &on(&pool, &app, from), &Stop::new())
        .await
        .unwrap()
        .unwrap()
}

async fn reduced(traces: &[Trace], learned: &Learned, log: &InMemory) -> SuiteReduction {
    let (pool, app) = phones(1).await;
    let replayer = on(&pool, &app, learned);
    let settings = SuiteSettings {
        algorithm: SuiteAlgorithm::Auto,
        replays: 3,
        ..SuiteSettings::default()
    };
    let sink = nobody();
    let stop = Stop::new();
    let logged = Logged::new(replayer, log, &sink);
    Box::pin(reduce_suite(traces, &settings, &logged, &sink, &stop))
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_suite_teaches_the_same_on_any_number_of_phones_and_what_it_taught_can_be_written_down() {
    let traces = suite().await;
    let one = taught(&traces, &Learned::default(), 1).await;
    let four = taught(&traces, &Learned::default(), 4).await;
    assert_eq!(one.learned, four.learned);
    assert!(
        !one.learned.finer.is_empty(),
        "nothing was learned: {}",
        one.text
    );
    let written = serde_json::to_string(&one.learned).unwrap();
    assert_eq!(
        serde_json::from_str::<Learned>(&written).unwrap(),
        one.learned
    );
    // What is for people begins with the rules to start from.
    assert_eq!(Learned::from_rules(&one.text).unwrap(), Learned::default());
}

#[tokio::test(start_paused = true)]
async fn runs_that_taught_count_as_the_first_ones_and_change_nothing_of_the_result() {
    let traces = suite().await;
    let lesson = taught(&traces, &Learned::default(), 1).await;
    let noted = InMemory::default();
    let bare = InMemory::default();
    lesson.note(&noted).unwrap();
    let before = noted.runs();
    assert_eq!(before, traces.len());
    let with = reduced(&traces, &lesson.learned, &noted).await;
    let without = reduced(&traces, &lesson.learned, &bare).await;
    assert_eq!((&with.kept, with.spent), (&without.kept, without.spent));
    assert!(
        noted.runs() - before < bare.runs(),
        "they were played again"
    );
    assert!(with.after.covered.contains(&with.before.covered));
    assert!(with.after.traces < with.before.traces);

    // Rules that tell nothing apart leave less to cover.
    let blind = Learned::from_rules("none").unwrap();
    let coarse = reduced(&traces, &blind, &InMemory::default()).await;
    assert!(coarse.before.covered.app.screens.len() < with.before.covered.app.screens.len());
}
