//! What an exploration must respect, on the simulated phones.

use std::sync::{Arc, Mutex};

use retap_engine::event::{RunEvent, Sink, nobody};
use retap_engine::explore::{
    Ape, ApeRules, Auto, Exploration, ExploreError, ExploreSettings, Explorer, Guard, Mix, Monkey, Seeded,
    Selector, TimeTravel, TravelRules, explore_whole,
};
use retap_engine::journal::InMemory;
use retap_engine::model::ape::{DecisionTree, Paths, Reducer};
use retap_engine::seed::Seed;
use retap_engine::stop::Stop;
use retap_shared::action::{Action, Widget};
use retap_shared::micros::Micros;
use retap_shared::protocol::Target;
use retap_shared::trace::Step;

use crate::whole::{phones, settings};

fn monkey() -> Box<dyn Explorer> {
    Box::new(Monkey::new(Mix::default(), Micros::from_millis(200)).with_system_events())
}

fn auto() -> Box<dyn Explorer> {
    let tree = DecisionTree::plain(Reducer::TYPE);
    Box::new(Auto::new(ApeRules::default(), tree, Paths::default(), true))
}

fn travel() -> Box<dyn Explorer> {
    Box::new(TimeTravel::over(monkey(), TravelRules::default()))
}

fn ape() -> Box<dyn Explorer> {
    Box::new(Ape::new(ApeRules::default(), DecisionTree::plain(Reducer::TYPE), Paths::default()))
}

async fn explored(
    spec: &str,
    explorer: Box<dyn Explorer>,
    guard: Guard,
    events: u64,
    sink: &Sink,
) -> Result<Exploration, ExploreError> {
    let pool = phones(spec, 1).await;
    let settings = ExploreSettings { guard, ..settings(spec, events) };
    explore_whole(&pool, explorer, &settings, Seed(3), &InMemory::default(), sink, &Stop::new()).await
}

/// Widget, activity and action of every step.
type Steps = Arc<Mutex<Vec<(String, String, String)>>>;

fn listening() -> (Sink, Steps) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&heard);
    let sink: Sink = Arc::new(move |event| {
        if let RunEvent::Stepped { widget, activity, action, .. } = event {
            keep.lock().unwrap().push((widget.unwrap_or_default(), activity.to_string(), action));
        }
    });
    (sink, heard)
}

#[tokio::test(start_paused = true)]
async fn what_is_forbidden_is_never_reached_by_any_explorer() {
    for explorer in [monkey(), ape(), auto(), travel()] {
        let name = explorer.name().to_owned();
        // Settings of notes are behind one entry of a menu, and so are the tags.
        let guard = Guard {
            texts: vec!["settings".into()],
            widgets: vec![Selector { text: "Tags".into(), ..Selector::default() }],
            ..Guard::default()
        };
        let run = explored("sim:notes", explorer, guard, 3_000, &nobody()).await.unwrap();
        let reached = |end: &str| run.coverage.activities.iter().any(|name| name.ends_with(end));
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
    let guard = Guard { activities: vec!["EditorActivity".into()], ..Guard::default() };
    let (sink, heard) = listening();
    let run = explored("sim:notes", auto(), guard, 1_500, &sink).await.unwrap();
    assert!(!run.coverage.activities.iter().any(|name| name.ends_with("EditorActivity")));
    let heard = heard.lock().unwrap();
    let inside: Vec<_> =
        heard.iter().filter(|(_, activity, _)| activity.ends_with("EditorActivity")).collect();
    assert!(!inside.is_empty());
    assert!(inside.iter().all(|(_, _, action)| ["key back", "launch the app"].contains(&action.as_str())));
}

#[tokio::test(start_paused = true)]
async fn fields_get_the_texts_that_belong_there() {
    let guard = Guard { fields: vec![("title".into(), "my title".into())], ..Guard::default() };
    let (sink, heard) = listening();
    explored("sim:notes", auto(), guard, 2_000, &sink).await.unwrap();
    let heard = heard.lock().unwrap();
    let titles: Vec<_> = heard
        .iter()
        .filter(|(widget, _, action)| widget.contains("title") && action.starts_with("type"))
        .collect();
    assert!(!titles.is_empty());
    assert!(titles.iter().all(|(_, _, action)| action.contains("\"my title\"")), "{titles:?}");
}

#[tokio::test(start_paused = true)]
async fn what_must_never_appear_is_a_problem_with_a_trace_that_reaches_it() {
    let target = Target::Activity("SearchActivity".into());
    let guard = Guard { never: vec![target.clone()], ..Guard::default() };
    let run = explored("sim:notes", auto(), guard, 1_000, &nobody()).await.unwrap();
    let found = run.found.iter().find(|found| found.problem.summary.contains("SearchActivity")).unwrap();
    assert_eq!(found.trace.header.target, Some(target));
    assert!(!found.trace.steps.is_empty());
}

fn tap(text: &str, class: &str) -> Step {
    let widget = Widget { text: text.into(), class: class.into(), ..Widget::default() };
    Step { widget: Some(widget), ..Step::new(Action::Tap(Default::default())) }
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_is_done_after_every_clean_start_and_is_in_every_trace() {
    let search = tap("Search", "");
    let guard = Guard { before: vec![search.clone()], ..Guard::default() };
    let run = explored("sim:notes", auto(), guard, 800, &nobody()).await.unwrap();
    assert!(run.coverage.activities.iter().any(|name| name.ends_with("SearchActivity")));
    assert!(!run.found.is_empty());
    for found in &run.found {
        assert_eq!(found.trace.steps.first().map(|step| &step.widget), Some(&search.widget));
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_before_and_fails_ends_the_run_loudly() {
    let guard = Guard { before: vec![tap("Sign in to nowhere", "Button")], ..Guard::default() };
    let (warnings, heard) = (Arc::new(Mutex::new(0)), listening().0);
    let count = Arc::clone(&warnings);
    let sink: Sink = Arc::new(move |event| {
        if let RunEvent::Warning { .. } = &event {
            *count.lock().unwrap() += 1;
        }
        heard(event);
    });
    let error = explored("sim:notes", monkey(), guard, 800, &sink).await.unwrap_err();
    assert!(
        matches!(&error, ExploreError::Before { why, .. } if why.contains("Sign in to nowhere")),
        "{error}"
    );
    assert_eq!(*warnings.lock().unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn traces_to_start_from_are_played_first() {
    let seeds = vec![vec![tap("Search", "")], vec![tap("New note", "")]];
    let (sink, heard) = listening();
    let explorer = Box::new(Seeded::new(monkey(), seeds));
    let run = explored("sim:notes", explorer, Guard::default(), 50, &sink).await.unwrap();
    let heard = heard.lock().unwrap();
    assert!(heard[0].0.contains("Search"), "{:?}", &heard[..2]);
    assert_eq!((run.counts.replays, run.counts.replayed), (2, 2));
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
            let run = explored(spec, explorer, Guard::default(), 250, &nobody()).await.unwrap();
            assert_eq!(run.events, 250, "{spec}");
        }
    }
}
