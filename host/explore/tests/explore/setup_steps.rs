//! Steps before an exploration: the setup after each clean start, and traces to start from.

use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{Constraints, ExploreError, TraceSeededExplorer, run_exploration};
use retap_shared::action::Action;
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

use crate::constraints::{explored, listening};
use crate::fixtures::{auto, monkey, phones, settings};

fn tap(text: &str, class: &str) -> Step {
    let widget = Widget {
        text: text.into(),
        class: class.into(),
        ..Widget::default()
    };
    Step {
        widget: Some(widget),
        ..Step::new(Action::Tap(Default::default()))
    }
}

#[tokio::test(start_paused = true)]
async fn setup_steps_follow_every_clean_start_and_are_in_every_trace() {
    let search = tap("Search", "");
    let constraints = Constraints {
        setup_steps: vec![search.clone()],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), constraints, 800, &null_sink())
        .await
        .unwrap();
    assert!(
        run.coverage
            .activities
            .iter()
            .any(|name| name.ends_with("SearchActivity"))
    );
    assert!(!run.findings.is_empty());
    for found in &run.findings {
        assert_eq!(
            found.trace.steps.first().map(|step| &step.widget),
            Some(&search.widget)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn setup_steps_that_fail_end_the_run_with_an_error() {
    let constraints = Constraints {
        setup_steps: vec![tap("Sign in to nowhere", "Button")],
        ..Constraints::default()
    };
    let warnings = Arc::new(Mutex::new(0));
    let heard = listening().0;
    let count = Arc::clone(&warnings);
    let sink: EventSink = Arc::new(move |event| {
        if let RunEvent::Warning { .. } = &event {
            *count.lock().unwrap() += 1;
        }
        heard(event);
    });
    let error = explored("sim:notes", monkey(), constraints, 800, &sink)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ExploreError::SetupFailed { why, .. } if why.contains("Sign in to nowhere")),
        "{error}"
    );
    assert_eq!(
        *warnings.lock().unwrap(),
        2,
        "one each time that it is tried again"
    );
}

#[tokio::test(start_paused = true)]
async fn traces_to_start_from_are_played_first() {
    let seeds = vec![vec![tap("Search", "")], vec![tap("New note", "")]];
    let (sink, heard) = listening();
    let explorer = Box::new(TraceSeededExplorer::new(monkey(), seeds));
    let run = explored("sim:notes", explorer, Constraints::default(), 50, &sink)
        .await
        .unwrap();
    let heard = heard.lock().unwrap();
    let words: Vec<_> = heard
        .iter()
        .take(4)
        .map(|(widget, _, action)| format!("{widget}{action}"))
        .collect();
    let begins = [
        "widget \"Search\"tap",
        "wait 2500 ms",
        "widget \"New note\"tap",
        "wait 2500 ms",
    ];
    assert!(
        words
            .iter()
            .zip(begins)
            .all(|(word, begin)| word.starts_with(begin)),
        "{words:?}"
    );
    assert_eq!(
        (run.counts.clean_starts, run.counts.replayed_paths),
        (2, 0),
        "a trace to start from is no travel"
    );
}

#[tokio::test(start_paused = true)]
async fn traces_to_start_from_are_not_played_again_by_a_resumed_run() {
    let seeds = || vec![vec![tap("Search", "")], vec![tap("New note", "")]];
    let journal = MemoryExplorationJournal::default();
    let settings = |events| settings("sim:notes", events);
    let mut taps: Vec<Vec<String>> = Vec::new();
    // Killed after the first trace, in the middle of the second, and long after both.
    for events in [2, 3, 20, 40] {
        let (sink, heard) = listening();
        let explorer = Box::new(TraceSeededExplorer::new(monkey(), seeds()));
        let pool = phones("sim:notes", 1).await;
        run_exploration(
            &pool,
            explorer,
            &settings(events),
            RunContext {
                seed: Seed(3),
                events: &sink,
                journal: &journal,
                cancellation: &CancellationToken::new(),
            },
        )
        .await
        .unwrap();
        let heard = heard.lock().unwrap();
        taps.push(
            heard
                .iter()
                .filter(|(widget, ..)| !widget.is_empty())
                .map(|it| it.0.clone())
                .collect(),
        );
    }
    let search = "widget \"Search\"".to_owned();
    let note = "widget \"New note\"".to_owned();
    let wanted: [Vec<String>; 4] = [vec![search], vec![note.clone()], vec![note], vec![]];
    assert_eq!(taps, wanted);
}

#[tokio::test(start_paused = true)]
async fn an_app_that_crashes_in_the_setup_has_a_finding_with_a_trace() {
    // A template that is missing: one tap, and it fails.
    let steps = retap_simulator::ground_truth("notes").unwrap().crashes[0]
        .shortest
        .clone();
    let constraints = Constraints {
        setup_steps: steps.clone(),
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), constraints, 100, &null_sink())
        .await
        .unwrap();
    assert_eq!(
        (run.findings.len(), run.findings[0].occurrences, run.events),
        (1, 3, 0)
    );
    assert_eq!(run.findings[0].trace.steps.len(), steps.len());
}
