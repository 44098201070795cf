//! The structural abstraction, and how coverage adds up.

use retap_model::{Coverage, CoverageGain, abstract_screen};
use retap_shared::micros::Micros;
use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use retap_testing::screens::{TAPPABLE, app, node, root, screen, texted};

fn row(top: i32, text: &str) -> Vec<Node> {
    let layout = node(
        2,
        "android.widget.LinearLayout",
        "",
        TAPPABLE,
        [0, top, 400, top + 50],
    );
    let title = node(
        3,
        "android.widget.TextView",
        "app:id/title",
        NodeFlags::VISIBLE,
        [0, top, 400, top + 50],
    );
    vec![layout, texted(title, text)]
}

fn list(texts: &[&str]) -> Screen {
    let list = node(
        1,
        "android.widget.ListView",
        "app:id/list",
        TAPPABLE,
        [0, 0, 400, 800],
    );
    let rows = (0..)
        .zip(texts)
        .flat_map(|(number, text)| row(50 * number, text));
    app([root(), list].into_iter().chain(rows).collect())
}

#[test]
fn texts_positions_and_the_length_of_a_list_do_not_change_the_state() {
    let state = abstract_screen(&list(&["milk"]));
    assert_eq!(abstract_screen(&list(&["eggs", "bread", "tea"])), state);
    assert_ne!(abstract_screen(&list(&[])), state);
}

#[test]
fn equal_children_of_different_parents_do_not_merge_the_parents() {
    let with = |ids: [&str; 2]| {
        let group = |id| {
            node(
                1,
                "android.widget.LinearLayout",
                id,
                NodeFlags::VISIBLE,
                [0, 0, 9, 9],
            )
        };
        let button = || {
            node(
                2,
                "android.widget.Button",
                "app:id/ok",
                TAPPABLE,
                [0, 0, 9, 9],
            )
        };
        abstract_screen(&app(vec![
            root(),
            group(ids[0]),
            button(),
            group(ids[1]),
            button(),
        ]))
    };
    assert_eq!(with(["a", "a"]), with(["a", "a"]));
    assert_ne!(with(["a", "b"]), with(["a", "a"]));
}

#[test]
fn nesting_changes_the_state() {
    let nested = |depth| {
        let group = node(
            1,
            "android.widget.LinearLayout",
            "",
            NodeFlags::VISIBLE,
            [0, 0, 9, 9],
        );
        abstract_screen(&app(vec![
            root(),
            group,
            node(depth, "android.widget.Button", "", TAPPABLE, [0, 0, 9, 9]),
        ]))
    };
    assert_ne!(nested(1), nested(2));
}

#[test]
fn every_flag_except_focus_changes_the_state() {
    let with = |flags| {
        abstract_screen(&app(vec![
            root(),
            node(1, "Button", "b", flags, [0, 0, 9, 9]),
        ]))
    };
    assert_eq!(with(TAPPABLE | NodeFlags::FOCUSED), with(TAPPABLE));
    assert_ne!(with(TAPPABLE | NodeFlags::CHECKED), with(TAPPABLE));
    assert_ne!(with(TAPPABLE - NodeFlags::ENABLED), with(TAPPABLE));
}

#[test]
fn a_dialog_or_a_keyboard_changes_the_state_but_the_keys_do_not() {
    let key = |id| node(0, "Key", id, TAPPABLE, [0, 600, 400, 800]);
    let application = || (WindowKind::Application, vec![root()]);
    let plain = abstract_screen(&screen(vec![application()]));
    let with = |kind, id| abstract_screen(&screen(vec![application(), (kind, vec![key(id)])]));
    assert_ne!(with(WindowKind::Keyboard, "a"), plain);
    assert_eq!(
        with(WindowKind::Keyboard, "a"),
        with(WindowKind::Keyboard, "b")
    );
    assert_ne!(with(WindowKind::Dialog, "a"), with(WindowKind::Dialog, "b"));
    assert_ne!(with(WindowKind::Dialog, "a"), with(WindowKind::Popup, "a"));
}

#[test]
fn a_coverage_gain_is_new_only_once() {
    let mut coverage = Coverage::default();
    let gain = CoverageGain {
        activities: vec!["app/Main".into()],
        screens: vec![5, 6],
        branches: vec![1],
        ..CoverageGain::default()
    };
    assert!(coverage.gain(&gain));
    assert!(!coverage.gain(&gain));
    let point = coverage.at(10, Micros(20));
    assert_eq!(
        (
            point.events,
            point.activities,
            point.screens,
            point.branches
        ),
        (10, 1, 2, 1)
    );
    assert!(coverage.gain(&CoverageGain {
        branches: vec![1, 2],
        ..CoverageGain::default()
    }));
}
