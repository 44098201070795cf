//! Forbidden widgets: what a finger or a key reaches, and what it does not.

use std::sync::Arc;

use retap_shared::action::{Action, Key, key_code};
use retap_shared::geometry::{Point, Rect, Size};
use retap_shared::screen::{
    Node, NodeFlags, Screen, ScreenContent, SharedScreen, Window, WindowKind,
};
use retap_shared::trace::Step;

use super::Constraints;
use super::touch::touches_system_window;

fn node(depth: u16, text: &str, bounds: [i32; 4], flags: NodeFlags) -> Node {
    let [left, top, right, bottom] = bounds;
    let flags = flags | NodeFlags::VISIBLE | NodeFlags::ENABLED;
    let bounds = Rect {
        left,
        top,
        right,
        bottom,
    };
    Node {
        depth,
        class: "View".into(),
        text: text.into(),
        bounds,
        flags,
        ..Node::default()
    }
}

/// A row with two labels, and a button that lies over its end.
fn screen() -> SharedScreen {
    let nodes = vec![
        node(0, "", [0, 0, 1000, 1000], NodeFlags::default()),
        node(1, "", [0, 0, 1000, 200], NodeFlags::CLICKABLE),
        node(2, "Subscription", [0, 0, 400, 200], NodeFlags::default()),
        node(2, "9.99 €", [400, 0, 1000, 200], NodeFlags::default()),
        node(1, "Buy", [800, 100, 1000, 300], NodeFlags::CLICKABLE),
    ];
    let bounds = nodes[0].bounds;
    let windows = vec![Window {
        nodes: 5,
        bounds,
        ..Window::default()
    }];
    let size = Size {
        width: 1000,
        height: 1000,
    };
    Arc::new(
        Screen::new(ScreenContent {
            size,
            windows,
            nodes,
            ..ScreenContent::default()
        })
        .unwrap(),
    )
}

fn forbids(text: &str, action: Action) -> bool {
    let constraints = Constraints {
        forbidden_texts: vec![text.into()],
        ..Constraints::default()
    };
    constraints.forbids(&Step::new(action), &screen())
}

fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

#[test]
fn a_finger_beside_the_label_of_a_forbidden_button_is_on_the_button() {
    assert!(forbids("subscription", Action::Tap(at(100, 100))));
    assert!(forbids("subscription", Action::Tap(at(600, 50))));
    assert!(!forbids("subscription", Action::Tap(at(900, 250))));
}

#[test]
fn a_forbidden_button_above_something_else_lets_no_finger_through() {
    assert!(forbids("buy", Action::LongPress(at(900, 150))));
    assert!(!forbids("buy", Action::LongPress(at(600, 150))));
    let constraints = Constraints {
        forbidden_texts: vec!["buy".into()],
        ..Constraints::default()
    };
    assert!(!constraints.mask(screen()).nodes()[4].is(NodeFlags::CLICKABLE));
}

#[test]
fn switches_of_a_notification_shade_are_not_pressed_and_the_app_beside_it_is() {
    let mut content = screen().content().clone();
    let tile = node(0, "Airplane mode", [0, 0, 300, 100], NodeFlags::CLICKABLE);
    let kind = WindowKind::System;
    let package = "com.android.systemui".into();
    content.windows.push(Window {
        nodes: 1,
        bounds: tile.bounds,
        kind,
        package,
        ..Window::default()
    });
    content.nodes.push(tile);
    let screen = Screen::new(content).unwrap();
    let presses =
        |x, y| touches_system_window(&Step::new(Action::Tap(at(x, y))), &screen, "com.example");
    assert!(presses(100, 50));
    assert!(!presses(900, 150));
}

#[test]
fn both_fingers_of_a_pinch_count() {
    let pinch = |from| Action::Pinch {
        center: at(600, 250),
        from,
        to: 10,
        millis: 10,
    };
    assert!(forbids("buy", pinch(600)));
    assert!(!forbids("buy", pinch(200)));
}

#[test]
fn keys_do_not_press_what_is_forbidden_in_a_list_that_has_the_focus() {
    let rows = [("Buy", NodeFlags::SELECTED), ("Look", NodeFlags::empty())];
    let mut nodes = vec![Node {
        flags: NodeFlags::FOCUSED,
        ..Node::default()
    }];
    nodes.extend(rows.map(|(text, flags)| Node {
        depth: 1,
        text: text.into(),
        flags,
        ..Node::default()
    }));
    let windows = vec![Window {
        nodes: nodes.len() as u32,
        ..Window::default()
    }];
    let screen = Screen::new(ScreenContent {
        windows,
        nodes,
        ..ScreenContent::default()
    })
    .unwrap();
    let forbids = |text: &str, code| {
        let constraints = Constraints {
            forbidden_texts: vec![text.into()],
            ..Constraints::default()
        };
        constraints.forbids(&Step::new(Action::Key(Key::Code(code))), &screen)
    };
    for pressing in [
        key_code::DPAD_CENTER,
        key_code::BUTTON_A,
        key_code::NUMPAD_5,
    ] {
        assert!(
            forbids("buy", pressing) && !forbids("look", pressing),
            "{pressing}"
        );
    }
    assert!(!forbids("buy", key_code::DPAD_DOWN));
}
