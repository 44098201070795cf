//! Suite reductions that are cancelled or lose their phones, and are resumed.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, null_sink};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, DevicePool};
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_model::{Abstraction, PreparedAbstraction, WidgetAbstraction};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, Replayer, SuiteError, SuiteSettings, reduce_suite,
};
use retap_shared::action::{Action, Key};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use retap_testing::TinyApp;

use super::BOTH;
use super::machine::{random_machine, random_suite, reduce_random_suite, reduced_actions, trace};

#[tokio::test]
async fn a_cancelled_reduction_is_resumed_without_replaying_anything_twice() {
    for algorithm in BOTH {
        let suite = random_suite(3);
        let traces: Vec<Trace> = suite.iter().map(|actions| trace(actions)).collect();
        let settings = SuiteSettings {
            algorithm,
            ..SuiteSettings::default()
        };
        let uninterrupted = reduce_random_suite(&random_machine(3), 3, algorithm).await;

        let journal = MemoryReductionJournal::default();
        let machine = random_machine(3);
        let mut resumed = None;
        for event_count in (10..).step_by(40) {
            let cancellation = CancellationToken::new();
            let sink = cancel_at(event_count, &cancellation);
            let replayer = JournaledReplayer::new(&machine, &journal, &sink);
            let reduction = reduce_suite(&traces, &settings, &replayer, &sink, &cancellation)
                .await
                .unwrap();
            if reduction.outcome != Outcome::Interrupted {
                resumed = Some(reduction);
                break;
            }
        }
        let resumed = resumed.unwrap();
        let expected = reduced_actions(&uninterrupted);
        assert_eq!(reduced_actions(&resumed), expected, "{algorithm}");
        // A replay that was under way when the reduction was cancelled is made again; nothing else is.
        let recorded = journal.runs();
        assert_eq!(recorded as u64, uninterrupted.cost.runs, "{algorithm}");
        assert!(machine.replay_count() < 2 * recorded, "{algorithm}");
    }
}

/// Event sink that cancels at the given event.
fn cancel_at(event_count: u32, cancellation: &CancellationToken) -> EventSink {
    let cancellation = cancellation.clone();
    let received = Mutex::new(0);
    Arc::new(move |_| {
        let mut received = received.lock().unwrap();
        *received += 1;
        if *received == event_count {
            cancellation.cancel();
        }
    })
}

#[tokio::test(start_paused = true)]
async fn losing_all_phones_is_an_error_and_a_new_phone_resumes_the_reduction() {
    let app = TinyApp {
        back_by: Some(Action::Key(Key::Back)),
        ..TinyApp::default()
    };
    let pool = DevicePool::new(vec![app.device("one").await]);
    let traces = explored_traces(&pool).await;
    assert!(traces.len() >= 15);

    for algorithm in BOTH {
        let settings = SuiteSettings {
            algorithm,
            ..SuiteSettings::default()
        };
        let reduce = async |replayer: &dyn Replayer| {
            let cancellation = CancellationToken::new();
            reduce_suite(&traces, &settings, replayer, &null_sink(), &cancellation).await
        };
        let uninterrupted = reduce(&replayer(&pool)).await.unwrap();
        assert_eq!(uninterrupted.outcome, Outcome::Done);
        assert_eq!(uninterrupted.after.covered.findings.len(), 1);

        let journal = MemoryReductionJournal::default();
        let journaled =
            |pool: &DevicePool| JournaledReplayer::new(replayer(pool), &journal, &null_sink());
        let lost = TinyApp {
            lost_at: Some(60),
            ..app.clone()
        };
        let lost_pool = DevicePool::new(vec![lost.device("lost").await]);
        let error = reduce(&journaled(&lost_pool)).await.unwrap_err();
        assert!(matches!(error, SuiteError::Pool(_)), "{error}");
        assert!(journal.runs() > 0);
        let resumed = reduce(&journaled(&pool)).await.unwrap();
        assert_eq!(resumed.traces, uninterrupted.traces, "{algorithm}");
        assert_eq!(resumed.cost, uninterrupted.cost, "{algorithm}");
    }
}

async fn explored_traces(pool: &DevicePool) -> Vec<Trace> {
    let settings = ExploreSettings {
        keep_traces: true,
        ..ExploreSettings::new(TinyApp::app(), 120)
    };
    let explorer = RandomSessions::new(Seed(7), NonZeroU32::new(8).unwrap());
    let context = ExplorationContext {
        seed: Seed(7),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation: &CancellationToken::new(),
    };
    let result = run_exploration(pool, Box::new(explorer), &settings, context)
        .await
        .unwrap();
    result.traces.into_iter().map(|(_, trace)| trace).collect()
}

fn replayer(pool: &DevicePool) -> PooledReplayer {
    let widgets = Abstraction::Widgets(WidgetAbstraction::default());
    let abstraction = PreparedAbstraction::by(&widgets).unwrap();
    PooledReplayer::new(pool, TinyApp::app().app, abstraction, &null_sink())
}
