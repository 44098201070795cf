//! Constraints of an exploration on simulated phones: forbidden things, texts for fields, rules that must hold.

use std::sync::{Arc, Mutex};

use retap_device::run_event::{EventSink, RunEvent, null_sink};
use retap_device::seed::Seed;
use retap_device::{CancellationToken, RunContext};
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{
    Constraints, EventMix, ExplorationResult, ExploreError, ExploreSettings, Explorer,
    MonkeyExplorer, WidgetSelector, run_exploration,
};
use retap_shared::micros::Micros;
use retap_shared::target::Target;

use crate::fixtures::{ape, auto, monkey, phones, settings, time_travel};

pub(crate) async fn explored(
    spec: &str,
    explorer: Box<dyn Explorer>,
    constraints: Constraints,
    events: u64,
    sink: &EventSink,
) -> Result<ExplorationResult, ExploreError> {
    let pool = phones(spec, 1).await;
    let settings = ExploreSettings {
        constraints,
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
pub(crate) type Steps = Arc<Mutex<Vec<(String, String, String)>>>;

pub(crate) fn listening() -> (EventSink, Steps) {
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
async fn no_explorer_reaches_what_is_forbidden() {
    for explorer in [monkey(), ape(), auto(), time_travel()] {
        let name = explorer.name().to_owned();
        // Settings of notes are behind one entry of a menu, and so are the tags.
        let constraints = Constraints {
            forbidden_texts: vec!["settings".into()],
            forbidden_widgets: vec![WidgetSelector {
                text: "Tags".into(),
                ..WidgetSelector::default()
            }],
            ..Constraints::default()
        };
        let run = explored("sim:notes", explorer, constraints, 3_000, &null_sink())
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
    let constraints = Constraints {
        forbidden_activities: vec!["EditorActivity".into()],
        ..Constraints::default()
    };
    let (sink, heard) = listening();
    let run = explored("sim:notes", auto(), constraints, 1_500, &sink)
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
    let constraints = Constraints {
        field_texts: vec![("title".into(), "my title".into())],
        ..Constraints::default()
    };
    let (sink, heard) = listening();
    explored("sim:notes", auto(), constraints, 2_000, &sink)
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
async fn a_broken_never_rule_is_a_finding_with_a_trace_that_reaches_it() {
    let target = Target::Activity("SearchActivity".into());
    let constraints = Constraints {
        never_rules: vec![target.clone()],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), constraints, 1_000, &null_sink())
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

#[tokio::test(start_paused = true)]
async fn nothing_is_touched_where_everything_is_forbidden() {
    for explorer in [monkey(), ape(), auto(), time_travel()] {
        let widgets = vec![WidgetSelector {
            class: "FrameLayout".into(),
            ..WidgetSelector::default()
        }];
        let constraints = Constraints {
            forbidden_widgets: widgets,
            ..Constraints::default()
        };
        let (sink, heard) = listening();
        let name = explorer.name().to_owned();
        explored("sim:shop", explorer, constraints, 400, &sink)
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
    let constraints = Constraints {
        forbidden_widgets: widgets,
        ..Constraints::default()
    };
    let time = Some(Micros::from_millis(20_000));
    let settings = ExploreSettings {
        constraints,
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
        "only clean starts take time where nothing may be touched"
    );
}

#[tokio::test(start_paused = true)]
async fn a_never_rule_holds_on_the_first_screen_too() {
    let constraints = Constraints {
        never_rules: vec![Target::Activity("ListActivity".into())],
        ..Constraints::default()
    };
    let run = explored("sim:notes", auto(), constraints, 100, &null_sink())
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
async fn misbehaving_apps_are_explored_to_the_end() {
    // Generated apps have canvases, endless lists, screens that never settle and thousands of nodes.
    let specs = [
        "sim:forge?seed=4&widgets=1800&activities=6",
        "sim:forge?seed=11",
        "sim:player?flaky=0.3&late_dialog=0.2",
    ];
    for spec in specs {
        for explorer in [ape(), auto(), time_travel()] {
            let run = explored(spec, explorer, Constraints::default(), 250, &null_sink())
                .await
                .unwrap();
            assert_eq!(run.events, 250, "{spec}");
        }
    }
}
