//! Targets that traces have reached: activities and screens, each with the shortest prefix that leads there.

use retap_reduce::reached_targets::{ReachedKind, reached_targets};
use retap_shared::action::Action;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::screen::ScreenHash;
use retap_shared::target::Target;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::widget::Widget;

/// A step on an activity, on a screen of the given number, at a widget with the given id.
fn step(activity: &str, screen: u64, id: &str) -> Step {
    Step {
        widget: (!id.is_empty()).then(|| Widget {
            id: id.into(),
            text: "its text".into(),
            ..Widget::default()
        }),
        activity: activity.into(),
        screen: Some(ScreenHash(screen)),
        ..Step::new(Action::Wait { millis: 1 })
    }
}

fn trace(steps: Vec<Step>) -> Trace {
    let app = App {
        package: "com.example".into(),
        ..App::default()
    };
    let header = TraceHeader {
        app,
        start: StartMode::Clean,
        seed: None,
        target: None,
        phone: PhoneInfo::default(),
        pace: ReplayPace::default(),
        claim: None,
    };
    Trace { header, steps }
}

fn suite() -> [Trace; 2] {
    let main = || step("com.example/.Main", 1, "open");
    [
        trace(vec![
            main(),
            step("com.example/.List", 2, "item"),
            step("com.example/.Editor", 3, "save"),
            step("com.launcher/.Home", 9, "icon"),
        ]),
        trace(vec![
            main(),
            step("com.example/.Editor", 4, "title"),
            step("com.example/.Editor", 4, "body"),
        ]),
    ]
}

#[test]
fn each_activity_of_the_app_has_the_shortest_prefix_to_it() {
    let traces = suite();
    let reached = reached_targets(&traces, ReachedKind::Activity);
    let found: Vec<(String, usize, usize)> = reached
        .iter()
        .map(|one| (one.target.label(), one.trace, one.steps))
        .collect();
    let expected = [
        ("activity com.example/.Main", 0, 0),
        ("activity com.example/.List", 0, 1),
        ("activity com.example/.Editor", 1, 1),
    ];
    assert_eq!(
        found,
        expected.map(|(name, trace, steps)| (name.to_owned(), trace, steps))
    );
    let prefix = reached[2].prefix(&traces);
    assert_eq!(prefix.steps, traces[1].steps[..1]);
    let editor = Target::Activity("com.example/.Editor".into());
    assert_eq!(prefix.header.target, Some(editor));
}

#[test]
fn each_screen_is_identified_by_one_widget_that_was_first_used_on_it() {
    let reached = reached_targets(&suite(), ReachedKind::Screen);
    let ids: Vec<(&str, usize)> = reached
        .iter()
        .map(|one| match &one.target {
            Target::Screen(widget) => (widget.id.as_str(), one.steps),
            other => panic!("{other:?}"),
        })
        .collect();
    // `body` was first used on the same screen as `title`.
    assert_eq!(ids, [("open", 0), ("item", 1), ("title", 1), ("save", 2)]);
}

#[test]
fn traces_without_activities_reach_nothing() {
    let bare = trace(vec![Step::new(Action::Wait { millis: 1 })]);
    assert!(reached_targets(&[bare], ReachedKind::Activity).is_empty());
    assert!(reached_targets(&[], ReachedKind::Screen).is_empty());
}
