//! APE's abstraction for suites: learned from their own runs, the same however many phones teach it, and frozen after that.

use std::num::NonZeroU32;
use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{Device, DevicePool};
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_model::ape::LearnedAbstraction;
use retap_model::{Abstraction, PreparedAbstraction};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, SuiteLearning, SuiteReduction, SuiteReductionAlgorithm,
    SuiteSettings, learn, reduce_suite,
};
use retap_shared::trace::{App, Trace};

async fn phones(count: usize) -> (DevicePool, App) {
    let mut devices = Vec::new();
    for number in 0..count {
        let phone = retap_simulator::open("sim:player").unwrap();
        let connection = Arc::new(InProcessConnection::new(Box::new(phone)));
        devices.push(
            Device::connect(format!("player#{number}"), connection)
                .await
                .unwrap(),
        );
    }
    let app = devices[0].description().apps[0].app.clone();
    (DevicePool::new(devices), app)
}

async fn suite() -> Vec<Trace> {
    let (pool, _) = phones(1).await;
    let phone = pool.lease().await.unwrap();
    let settings = ExploreSettings {
        keep_traces: true,
        ..ExploreSettings::new(phone.description().apps[0].clone(), 480)
    };
    drop(phone);
    let explorer = RandomSessions::new(Seed(3), NonZeroU32::new(16).unwrap());
    let context = ExplorationContext {
        seed: Seed(3),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation: &CancellationToken::new(),
    };
    let explored = run_exploration(&pool, Box::new(explorer), &settings, context)
        .await
        .unwrap();
    explored
        .traces
        .into_iter()
        .map(|(_, trace)| trace)
        .collect()
}

fn on(pool: &DevicePool, app: &App, learned: &LearnedAbstraction) -> PooledReplayer {
    let states = PreparedAbstraction::by(&Abstraction::Ape(learned.clone())).unwrap();
    PooledReplayer::new(pool, app.clone(), states, &null_sink())
}

async fn taught(traces: &[Trace], from: &LearnedAbstraction, count: usize) -> SuiteLearning {
    let (pool, app) = phones(count).await;
    learn(
        traces,
        from,
        &on(&pool, &app, from),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
    .unwrap()
}

async fn reduced(
    traces: &[Trace],
    learned: &LearnedAbstraction,
    log: &MemoryReductionJournal,
) -> SuiteReduction {
    let (pool, app) = phones(1).await;
    let replayer = on(&pool, &app, learned);
    let settings = SuiteSettings {
        algorithm: SuiteReductionAlgorithm::Auto,
        replays: 3,
        ..SuiteSettings::default()
    };
    let sink = null_sink();
    let stop = CancellationToken::new();
    let logged = JournaledReplayer::new(replayer, log, &sink);
    Box::pin(reduce_suite(traces, &settings, &logged, &sink, &stop))
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_suite_teaches_the_same_on_any_number_of_phones_and_what_it_taught_can_be_written_down() {
    let traces = suite().await;
    let one = taught(&traces, &LearnedAbstraction::default(), 1).await;
    let four = taught(&traces, &LearnedAbstraction::default(), 4).await;
    assert_eq!(one.learned, four.learned);
    assert!(
        !one.learned.finer.is_empty(),
        "nothing was learned: {}",
        one.text
    );
    let written = serde_json::to_string(&one.learned).unwrap();
    assert_eq!(
        serde_json::from_str::<LearnedAbstraction>(&written).unwrap(),
        one.learned
    );
    // What is for people begins with the rules to start from.
    assert_eq!(
        LearnedAbstraction::from_rules(&one.text).unwrap(),
        LearnedAbstraction::default()
    );
}

#[tokio::test(start_paused = true)]
async fn runs_that_taught_count_as_the_first_ones_and_change_nothing_of_the_result() {
    let traces = suite().await;
    let lesson = taught(&traces, &LearnedAbstraction::default(), 1).await;
    let noted = MemoryReductionJournal::default();
    let bare = MemoryReductionJournal::default();
    lesson.record(&noted).unwrap();
    let before = noted.runs();
    assert_eq!(before, traces.len());
    let with = reduced(&traces, &lesson.learned, &noted).await;
    let without = reduced(&traces, &lesson.learned, &bare).await;
    assert_eq!((&with.traces, with.cost), (&without.traces, without.cost));
    assert!(
        noted.runs() - before < bare.runs(),
        "they were played again"
    );
    assert!(with.after.covered.contains(&with.before.covered));
    assert!(with.after.traces < with.before.traces);

    // Rules that tell nothing apart leave less to cover.
    let blind = LearnedAbstraction::from_rules("none").unwrap();
    let coarse = reduced(&traces, &blind, &MemoryReductionJournal::default()).await;
    assert!(coarse.before.covered.app.screens.len() < with.before.covered.app.screens.len());
}
