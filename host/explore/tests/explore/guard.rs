//! What an exploration must respect, on the simulated phones.

use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{
    ApeExplorer, ApeParameters, AutoExplorer, Constraints, EventMix, ExplorationResult,
    ExploreError, ExploreSettings, Explorer, MonkeyExplorer, TimeTravelExplorer,
    TimeTravelParameters, TraceSeededExplorer, WidgetSelector, run_exploration,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_shared::action::Action;
use retap_shared::micros::Micros;
use retap_shared::target::Target;
use retap_shared::trace::Step;
use retap_shared::widget::Widget;

use crate::whole::{phones, settings};

fn monkey() -> Box<dyn Explorer> {
    Box::new(
        MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200)).with_system_events(),
    )
}

fn auto() -> Box<dyn Explorer> {
    let tree = DecisionTree::uniform(AttributeReducer::TYPE);
    Box::new(AutoExplorer::new(
        ApeParameters::default(),
        tree,
        AttributePaths::default(),
        true,
    ))
}

fn travel() -> Box<dyn Explorer> {
    Box::new(TimeTravelExplorer::over(
        monkey(),
        TimeTravelParameters::default(),
    ))
}

fn ape() -> Box<dyn Explorer> {
    Box::new(ApeExplorer::new(
        ApeParameters::default(),
        DecisionTree::uniform(AttributeReducer::TYPE),
        AttributePaths::default(),
    ))
}

async fn explored(
    spec: &str,
    explorer: Box<dyn Explorer>,
    guard: Constraints,
    events: u64,
    sink: &EventSink,
) -> Result<ExplorationResult, ExploreError> {
    let pool = phones(spec, 1).await;
    let settings = ExploreSettings {
        constraints: guard,
        ..settings(spec, events)
    };
    run_exploration(
        &pool,
        explorer,
        &settings,
        RunContext {
            seed: Seed(3),
            events: sink,
            journal: &MemoryExplorationJournal::default(),
            cancellation: &CancellationToken::new(),
        },
    )
    .await
}

/// Widget, activity and action of every step.
type Steps = Arc<Mutex<Vec<(String, String, String)>>>;

fn listening() -> (EventSink, Steps) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&heard);
    let sink: EventSink = Arc::new(move |event| {
        if let RunEvent::Stepped {
            widget,
            activity,
            action,
            ..
        } = event
        {
            keep.lock()
                .unwrap()
                .push((widget.unwrap_or_default(), activity.to_string(), action));
        }
    });
    (sink, heard)
}

#[tokio::test(start_paused = true)]
async fn what_is_forbidden_is_never_reached_by_any_explorer() {
    for explorer in [monkey(), ape(), auto(), travel()] {
        let name = explorer.name().to_owned();
        // Settings of notes are behind one entry of a menu, and so are the tags.
        let guard = Constraints {
            forbidden_texts: vec!["settings".into()],
            forbidden_widgets: vec![WidgetSelector {
                text: "Tags".into(),
                ..WidgetSelector::default()
            }],
            ..Constraints::default()
        };
        let run = explored("sim:notes", explorer, guard, 3_000, &null_sink())
            .await
            .unwrap();
        let reached = |end: &str| {
            run.coverage
                .activities
                .iter()
                .any(|name| name.ends_with(end))
        };
        assert!(
            !reached("SettingsActivity") && !reached("TagsActivity"),
            "{name}: {:?}",
            run.coverage.activities
        );
        assert!(run.coverage.activities.len() > 3, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_activity_is_left_at_once() {
    let guard = Constraints {
        forbidden_activities: vec!["EditorActivity".into()],
        ..Constraints::default()
    };
    let (sink, heard) = listening();
    let run = explored("sim:notes", auto(), guard, 1_500, &sink)
        .await
        .unwrap();
    assert!(
        !run.coverage
            .activities
            .iter()
            .any(|name| name.ends_with("EditorActivity"))
    );
    let heard = heard.lock().unwrap();
    let inside: Vec<_> = heard
        .iter()
        .filter(|(_, activity, _)| activity.ends_with("EditorActivity"))
        .collect();
    assert!(!inside.is_empty());
    assert!(
        inside
            .iter()
            .all(|(_, _, action)| ["key back", "launch the app"].contains(&action.as_str()))
    );
}

#[tokio::test(start_paused = true)]
async fn fields_get_the_texts_that_belong_there() {
    let guard = Constraints {
        field_texts: vec![("title".into(), "my title".into())],
        ..Constraints::default()
    };
    let (sink, heard) = listening();
    explored("sim:notes", auto(), guard, 2_000, &sink)
        .await
        .unwrap();
    let heard = heard.lock().unwrap();
    let titles: Vec<_> = heard
        .iter()
        .filter(|(widget, _, action)| widget.contains("title") && action.starts_with("type"))
        .collect();
    assert!(!titles.is_empty());
    assert!(
        titles
            .iter()
            .all(|(_, _, action)| action.contains("\"my title\"")),
        "{titles:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_must_never_appear_is_a_problem_with_a_trace_that_reaches_it() {
    let target = Target::Activity("SearchActivity".into());
    let guard = Constraints {
        never_rules: vec![target.clone()],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), guard, 1_000, &null_sink())
        .await
        .unwrap();
    let found = run
        .findings
        .iter()
        .find(|found| found.finding.summary.contains("SearchActivity"))
        .unwrap();
    assert_eq!(found.trace.header.target, Some(target));
    assert!(!found.trace.steps.is_empty());
}

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
async fn what_comes_before_is_done_after_every_clean_start_and_is_in_every_trace() {
    let search = tap("Search", "");
    let guard = Constraints {
        setup_steps: vec![search.clone()],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), guard, 800, &null_sink())
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
async fn what_comes_before_and_fails_ends_the_run_loudly() {
    let guard = Constraints {
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
    let error = explored("sim:notes", monkey(), guard, 800, &sink)
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
        "a seed is no travel"
    );
}

#[tokio::test(start_paused = true)]
async fn traces_that_were_played_are_not_played_again_when_a_run_goes_on() {
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
async fn where_everything_is_forbidden_nothing_is_touched_and_time_ends_the_run() {
    for explorer in [monkey(), ape(), auto(), travel()] {
        let widgets = vec![WidgetSelector {
            class: "FrameLayout".into(),
            ..WidgetSelector::default()
        }];
        let guard = Constraints {
            forbidden_widgets: widgets,
            ..Constraints::default()
        };
        let (sink, heard) = listening();
        let name = explorer.name().to_owned();
        explored("sim:shop", explorer, guard, 400, &sink)
            .await
            .unwrap();
        let heard = heard.lock().unwrap();
        let touches = |action: &str| {
            ["tap", "long", "swipe", "pinch", "type"]
                .iter()
                .any(|it| action.starts_with(it))
        };
        let inside = |activity: &str| activity.starts_with("com.example.shop");
        let touched: Vec<_> = heard
            .iter()
            .filter(|(_, activity, action)| touches(action) && inside(activity))
            .collect();
        assert!(touched.is_empty(), "{name}: {touched:?}");
    }
    let touches = EventMix::with_shares(&[("touch".to_owned(), 100.0)]).unwrap();
    let widgets = vec![WidgetSelector {
        class: "FrameLayout".into(),
        ..WidgetSelector::default()
    }];
    let guard = Constraints {
        forbidden_widgets: widgets,
        ..Constraints::default()
    };
    let time = Some(Micros::from_millis(20_000));
    let settings = ExploreSettings {
        constraints: guard,
        time_limit: time,
        ..settings("sim:shop", 1)
    };
    let monkey = Box::new(MonkeyExplorer::new(touches, Micros::from_millis(200)));
    let pool = phones("sim:shop", 1).await;
    let run = run_exploration(
        &pool,
        monkey,
        &settings,
        RunContext {
            seed: Seed(3),
            events: &null_sink(),
            journal: &MemoryExplorationJournal::default(),
            cancellation: &CancellationToken::new(),
        },
    )
    .await;
    assert!(
        run.unwrap().counts.clean_starts > 5,
        "only a start takes time where nothing may be done"
    );
}

#[tokio::test(start_paused = true)]
async fn what_must_never_appear_may_not_be_on_the_first_screen_either() {
    let guard = Constraints {
        never_rules: vec![Target::Activity("ListActivity".into())],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), guard, 100, &null_sink())
        .await
        .unwrap();
    let found = run
        .findings
        .iter()
        .find(|found| found.finding.summary.contains("ListActivity"))
        .unwrap();
    assert_eq!((found.trace.steps.len(), run.events), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_app_that_fails_in_what_comes_before_has_a_problem_with_a_trace() {
    // A template that is missing: one tap, and it fails.
    let steps = retap_simulator::ground_truth("notes").unwrap().crashes[0]
        .shortest
        .clone();
    let guard = Constraints {
        setup_steps: steps.clone(),
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), guard, 100, &null_sink())
        .await
        .unwrap();
    assert_eq!(
        (run.findings.len(), run.findings[0].occurrences, run.events),
        (1, 3, 0)
    );
    assert_eq!(run.findings[0].trace.steps.len(), steps.len());
}

#[tokio::test(start_paused = true)]
async fn apps_that_misbehave_are_explored_or_ended_with_words() {
    // Canvas only, endless lists, screens that never rest and thousands of nodes are all in made apps.
    let specs = [
        "sim:forge?seed=4&widgets=1800&activities=6",
        "sim:forge?seed=11",
        "sim:player?flaky=0.3&late_dialog=0.2",
    ];
    for spec in specs {
        for explorer in [ape(), auto(), travel()] {
            let run = explored(spec, explorer, Constraints::default(), 250, &null_sink())
                .await
                .unwrap();
            assert_eq!(run.events, 250, "{spec}");
        }
    }
}
