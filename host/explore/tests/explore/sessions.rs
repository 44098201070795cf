//! Random exploration in sessions, of an app that is small enough to know everything about.

use std::num::NonZeroU32;

use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, DevicePool, PoolError, RunContext};
use retap_explore::journal::{
    ExplorationContext, ExplorationJournal, MemoryExplorationJournal, RecordedEvent,
};
use retap_explore::{
    ExplorationEnd, ExplorationResult, ExploreError, ExploreSettings, RandomSessions,
    explore_to_end, run_exploration,
};
use retap_shared::action::{Action, Key};
use retap_shared::target::Target;
use retap_shared::trace::StartMode;
use retap_shared::verdict::Outcome;
use retap_testing::TinyApp;
use retap_testing::fakes::listening;

fn settings(events: u64) -> ExploreSettings {
    ExploreSettings::new(TinyApp::app(), events)
}

fn random() -> Box<RandomSessions> {
    Box::new(RandomSessions::new(Seed(7), NonZeroU32::new(40).unwrap()))
}

pub(crate) async fn pool(tiny: &TinyApp, phones: usize) -> DevicePool {
    let mut devices = Vec::new();
    for phone in 0..phones {
        devices.push(tiny.device(&format!("phone-{phone}")).await);
    }
    DevicePool::new(devices)
}

pub(crate) async fn explored(
    pool: &DevicePool,
    events: u64,
    journal: &dyn ExplorationJournal,
    sink: &EventSink,
    stop: &CancellationToken,
) -> ExplorationResult {
    let context = RunContext {
        seed: Seed(7),
        events: sink,
        journal,
        cancellation: stop,
    };
    run_exploration(pool, random(), &settings(events), context)
        .await
        .unwrap()
}

pub(crate) async fn alone(tiny: &TinyApp, events: u64) -> ExplorationResult {
    explored(
        &pool(tiny, 1).await,
        events,
        &MemoryExplorationJournal::default(),
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
}

pub(crate) fn back() -> Option<Action> {
    Some(Action::Key(Key::Back))
}

#[tokio::test(start_paused = true)]
async fn a_finding_has_its_trace_from_a_clean_start() {
    let tiny = TinyApp {
        back_by: back(),
        ..TinyApp::default()
    };
    let exploration = alone(&tiny, 200).await;
    assert_eq!(
        (exploration.outcome, exploration.events),
        (Outcome::Done, 200)
    );
    let [found] = &exploration.findings[..] else {
        panic!("{:?}", exploration.findings)
    };
    assert!(found.occurrences > 1);
    let trace = &found.trace;
    assert_eq!(
        (trace.header.start, &trace.header.app),
        (StartMode::Clean, &TinyApp::app().app)
    );
    assert_eq!(
        trace.header.target,
        Some(Target::Problem(found.fingerprint))
    );
    let injected = tiny.injected.lock().unwrap();
    let until_fail = injected[1..]
        .split(Option::is_none)
        .next()
        .unwrap()
        .iter()
        .flatten();
    assert!(until_fail.eq(trace.steps.iter().map(|step| &step.action)));
    let last = trace.steps.last().unwrap();
    assert_eq!(last.widget.as_ref().unwrap().text, "fail");
    assert_eq!(last.activity, "tiny/Second");
    assert!(last.screen.is_some());
}

#[tokio::test(start_paused = true)]
async fn coverage_counts_only_the_app() {
    let exploration = alone(
        &TinyApp {
            back_by: back(),
            ..TinyApp::default()
        },
        200,
    )
    .await;
    let activities: Vec<&str> = exploration
        .coverage
        .activities
        .iter()
        .map(|name| name.as_str())
        .collect();
    assert_eq!(activities, ["tiny/Home", "tiny/Second"]);
    assert_eq!(
        (
            exploration.coverage.screens.len(),
            exploration.coverage.branches.len()
        ),
        (2, 3)
    );
    let first = exploration.curve[0];
    let last = *exploration.curve.last().unwrap();
    assert_eq!(
        (
            first.events,
            first.activities,
            first.screens,
            first.branches
        ),
        (0, 1, 1, 0)
    );
    assert_eq!(last, exploration.coverage.at(200, exploration.took));
    assert!(
        exploration
            .curve
            .is_sorted_by_key(|point| (point.events, point.took))
    );
}

#[tokio::test(start_paused = true)]
async fn an_app_that_was_left_is_brought_back_by_back_or_by_launching_it() {
    for (back_by, ways) in [(back(), 1), (Some(Action::Launch), 2)] {
        let tiny = TinyApp {
            back_by,
            ..TinyApp::default()
        };
        let exploration = alone(&tiny, 400).await;
        let launches = |action: &&Option<Action>| **action == Some(Action::Launch);
        assert_eq!(
            tiny.injected
                .lock()
                .unwrap()
                .iter()
                .filter(launches)
                .count()
                > 0,
            ways == 2
        );
        // Coming back is part of the trace: what is found later can be reached again.
        assert_eq!(exploration.findings.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_that_stays_left_is_started_clean() {
    let tiny = TinyApp::default();
    let exploration = alone(&tiny, 400).await;
    assert_eq!((exploration.events, exploration.findings.len()), (400, 1));
    let injected = tiny.injected.lock().unwrap();
    let launch = injected
        .iter()
        .position(|action| *action == Some(Action::Launch))
        .unwrap();
    assert_eq!(
        injected[launch - 1..=launch + 1],
        [back(), Some(Action::Launch), None]
    );
}

#[tokio::test(start_paused = true)]
async fn an_app_that_fails_at_every_start_ends_the_worker_early() {
    let tiny = TinyApp {
        fails_at_start: true,
        ..TinyApp::default()
    };
    let (sink, heard) = listening();
    let exploration = explored(
        &pool(&tiny, 1).await,
        80,
        &MemoryExplorationJournal::default(),
        &sink,
        &CancellationToken::new(),
    )
    .await;
    assert_eq!(
        (exploration.events, exploration.outcome),
        (0, Outcome::Done)
    );
    let [found] = &exploration.findings[..] else {
        panic!("{:?}", exploration.findings)
    };
    assert_eq!((found.occurrences, found.trace.steps.len()), (3, 0));
    assert!(
        heard
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, RunEvent::Warning { .. }))
    );
}

#[tokio::test(start_paused = true)]
async fn an_action_that_the_phone_cannot_do_is_in_no_trace() {
    let tiny = TinyApp {
        cannot_rotate: true,
        back_by: back(),
        ..TinyApp::default()
    };
    let exploration = alone(&tiny, 1_500).await;
    assert_eq!(exploration.events, 1_500);
    let rotates = |action: &Action| matches!(action, Action::Rotate(_));
    assert!(tiny.injected.lock().unwrap().iter().flatten().any(rotates));
    assert!(
        !exploration.findings.iter().any(|found| found
            .trace
            .steps
            .iter()
            .any(|step| rotates(&step.action)))
    );
}

#[tokio::test(start_paused = true)]
async fn events_report_every_step_and_every_worker() {
    let (sink, heard) = listening();
    let tiny = TinyApp {
        back_by: back(),
        ..TinyApp::default()
    };
    let exploration = explored(
        &pool(&tiny, 2).await,
        100,
        &MemoryExplorationJournal::default(),
        &sink,
        &CancellationToken::new(),
    )
    .await;
    let heard = heard.lock().unwrap();
    let count = |is: fn(&&RunEvent) -> bool| heard.iter().filter(is).count();
    assert_eq!(
        count(|event| matches!(event, RunEvent::Stepped { .. })),
        100
    );
    assert_eq!(
        count(|event| matches!(event, RunEvent::SessionStarted { .. })),
        2
    );
    let ended: u32 = heard
        .iter()
        .filter_map(|event| match event {
            RunEvent::SessionEnded {
                events,
                recalled: false,
                ..
            } => Some(*events),
            _ => None,
        })
        .sum();
    assert_eq!(ended, 100);
    assert_eq!(
        count(|event| matches!(event, RunEvent::ProblemFound { first: true, .. })),
        1
    );
    let problems = count(|event| matches!(event, RunEvent::ProblemFound { .. }));
    assert_eq!(problems, exploration.findings[0].occurrences as usize);
    let covered = heard.iter().rev().find_map(|event| match event {
        RunEvent::Covered {
            activities,
            screens,
            branches,
            ..
        } => Some((*activities, *screens, *branches)),
        _ => None,
    });
    assert_eq!(covered, Some((2, 2, 3)));
}

#[tokio::test(start_paused = true)]
async fn when_all_phones_are_lost_the_error_says_so_and_the_result_has_what_was_done() {
    let tiny = TinyApp {
        lost_at: Some(20),
        ..TinyApp::default()
    };
    let pool = pool(&tiny, 2).await;
    let context = ExplorationContext {
        seed: Seed(7),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation: &CancellationToken::new(),
    };
    let ExplorationEnd { result, error } =
        explore_to_end(&pool, random(), &settings(400), context).await;
    assert!(
        matches!(error, Some(ExploreError::Pool(PoolError::Empty { lost })) if lost.len() == 2)
    );
    assert_eq!(result.outcome, Outcome::Interrupted);
    assert!((1..400).contains(&result.events), "{}", result.events);
    assert!(!result.curve.is_empty());
}

/// The actions of each worker, in order.
async fn actions_on(phones: usize) -> Vec<Vec<Action>> {
    let tiny = TinyApp {
        back_by: back(),
        ..TinyApp::default()
    };
    let journal = MemoryExplorationJournal::default();
    let stop = CancellationToken::new();
    let pool = pool(&tiny, phones).await;
    let exploration = explored(&pool, 240, &journal, &null_sink(), &stop).await;
    assert_eq!(exploration.events, 240);
    let mut workers = vec![Vec::new(); phones];
    for record in journal.recall_steps().unwrap() {
        if let RecordedEvent::Stepped { step, .. } = record.event {
            workers[record.worker as usize].push(step.action);
        }
    }
    workers
}

#[tokio::test(start_paused = true)]
async fn a_session_chooses_the_same_on_any_worker() {
    let alone = actions_on(1).await.remove(0);
    for worker in actions_on(3).await {
        let session = &worker[..30];
        assert!(
            alone.windows(30).any(|window| window == session),
            "{session:?}"
        );
    }
}
