//! APE's abstraction for a suite: learned from the suite's own replays, the same for any number of phones, frozen after that.

use std::num::NonZeroU32;
use std::sync::Arc;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool};
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
        let device = Device::connect(format!("player#{number}"), connection).await;
        devices.push(device.unwrap());
    }
    let app = devices[0].description().apps[0].app.clone();
    (DevicePool::new(devices), app)
}

async fn explored_suite() -> Vec<Trace> {
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
    let result = run_exploration(&pool, Box::new(explorer), &settings, context)
        .await
        .unwrap();
    result.traces.into_iter().map(|(_, trace)| trace).collect()
}

fn replayer(pool: &DevicePool, app: &App, learned: &LearnedAbstraction) -> PooledReplayer {
    let abstraction = PreparedAbstraction::by(&Abstraction::Ape(learned.clone())).unwrap();
    PooledReplayer::new(pool, app.clone(), abstraction, &null_sink())
}

async fn learn_on(traces: &[Trace], from: &LearnedAbstraction, count: usize) -> SuiteLearning {
    let (pool, app) = phones(count).await;
    let replayer = replayer(&pool, &app, from);
    learn(traces, from, &replayer, &CancellationToken::new())
        .await
        .unwrap()
        .unwrap()
}

async fn reduce(
    traces: &[Trace],
    learned: &LearnedAbstraction,
    journal: &MemoryReductionJournal,
) -> SuiteReduction {
    let (pool, app) = phones(1).await;
    let settings = SuiteSettings {
        algorithm: SuiteReductionAlgorithm::Auto,
        replays: 3,
        ..SuiteSettings::default()
    };
    let sink = null_sink();
    let cancellation = CancellationToken::new();
    let replayer = JournaledReplayer::new(replayer(&pool, &app, learned), journal, &sink);
    let reduction = reduce_suite(traces, &settings, &replayer, &sink, &cancellation);
    Box::pin(reduction).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_abstraction_is_the_same_for_any_number_of_phones_and_can_be_written_to_a_file() {
    let traces = explored_suite().await;
    let one = learn_on(&traces, &LearnedAbstraction::default(), 1).await;
    let four = learn_on(&traces, &LearnedAbstraction::default(), 4).await;
    assert_eq!(one.learned, four.learned);
    let text = &one.text;
    assert!(!one.learned.finer.is_empty(), "nothing was learned: {text}");
    let json = serde_json::to_string(&one.learned).unwrap();
    let read: LearnedAbstraction = serde_json::from_str(&json).unwrap();
    assert_eq!(read, one.learned);
    // The text begins with the rules that learning started from.
    let rules = LearnedAbstraction::from_rules(text).unwrap();
    assert_eq!(rules, LearnedAbstraction::default());
}

#[tokio::test(start_paused = true)]
async fn replays_of_learning_count_as_the_first_ones_and_do_not_change_the_result() {
    let traces = explored_suite().await;
    let learning = learn_on(&traces, &LearnedAbstraction::default(), 1).await;
    let filled = MemoryReductionJournal::default();
    let empty = MemoryReductionJournal::default();
    learning.record(&filled).unwrap();
    let recorded = filled.runs();
    assert_eq!(recorded, traces.len());
    let with = reduce(&traces, &learning.learned, &filled).await;
    let without = reduce(&traces, &learning.learned, &empty).await;
    assert_eq!((&with.traces, with.cost), (&without.traces, without.cost));
    assert!(
        filled.runs() - recorded < empty.runs(),
        "the replays of learning were made again"
    );
    assert!(with.after.covered.contains(&with.before.covered));
    assert!(with.after.traces < with.before.traces);

    // An abstraction in which all screens are equal leaves less to cover.
    let coarsest = LearnedAbstraction::from_rules("none").unwrap();
    let coarse = reduce(&traces, &coarsest, &MemoryReductionJournal::default()).await;
    assert!(coarse.before.covered.app.screens.len() < with.before.covered.app.screens.len());
}
