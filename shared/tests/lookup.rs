//! Finding the node of a widget and the node under a finger: one test per rule.

use retap_shared::geometry::*;
use retap_shared::screen::*;
use retap_shared::widget::Widget;

const FULL: Rect = Rect {
    left: 0,
    top: 0,
    right: 1_000,
    bottom: 2_000,
};

fn rect(left: i32, top: i32, right: i32, bottom: i32) -> Rect {
    Rect {
        left,
        top,
        right,
        bottom,
    }
}

fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

fn node(depth: u16, class: &str, id: &str, text: &str, bounds: Rect) -> Node {
    Node {
        depth,
        class: class.into(),
        id: id.into(),
        text: text.into(),
        bounds,
        flags: NodeFlags::VISIBLE | NodeFlags::ENABLED,
        ..Node::default()
    }
}

fn clickable(node: Node) -> Node {
    Node {
        flags: node.flags | NodeFlags::CLICKABLE,
        ..node
    }
}

fn widget(class: &str, id: &str, text: &str, path: &str) -> Widget {
    Widget {
        class: class.into(),
        id: id.into(),
        text: text.into(),
        path: path.into(),
    }
}

/// Windows from the bottom to the top.
fn screen(windows: Vec<(WindowKind, Rect, Vec<Node>)>) -> Screen {
    let mut content = ScreenContent::default();
    for (kind, bounds, nodes) in windows {
        content.windows.push(Window {
            kind,
            bounds,
            nodes: nodes.len() as u32,
            ..Window::default()
        });
        content.nodes.extend(nodes);
    }
    Screen::new(content).unwrap()
}

fn app(nodes: Vec<Node>) -> (WindowKind, Rect, Vec<Node>) {
    (WindowKind::Application, FULL, nodes)
}

/// 0 Frame; 1 List; 2, 3, 4 rows; 5 Button.
fn rows() -> Vec<Node> {
    vec![
        node(0, "Frame", "", "", FULL),
        node(1, "List", "list", "", rect(0, 0, 1_000, 900)),
        clickable(node(2, "Row", "row", "Milk", rect(0, 0, 1_000, 300))),
        clickable(node(2, "Row", "row", "Eggs", rect(0, 300, 1_000, 600))),
        clickable(node(2, "Row", "row", "Milk", rect(0, 600, 1_000, 900))),
        clickable(node(1, "Button", "", "Add", rect(0, 1_800, 1_000, 2_000))),
    ]
}

mod tree {
    use super::*;

    #[test]
    fn paths_count_children_from_the_windows_root() {
        let screen = screen(vec![app(rows()), app(rows())]);
        let paths: Vec<_> = (0..12).map(|node| screen.path(node)).collect();
        let expected = ["0", "0.0", "0.0.0", "0.0.1", "0.0.2", "0.1"];
        assert_eq!(paths, [expected, expected].concat());
    }

    #[test]
    fn a_second_root_has_the_next_number_and_a_deep_path_is_complete() {
        let roots = vec![
            node(0, "A", "", "", FULL),
            node(1, "B", "", "", FULL),
            node(0, "C", "", "", FULL),
        ];
        assert_eq!(screen(vec![app(roots)]).path(2), "1");
        let deep = (0..100)
            .map(|depth| node(depth, "A", "", "", FULL))
            .collect();
        assert_eq!(screen(vec![app(deep)]).path(99), ["0"; 100].join("."));
    }

    #[test]
    fn parents_and_children_stay_within_their_window() {
        let screen = screen(vec![app(rows()), app(rows())]);
        let parents: Vec<_> = (0..6).map(|node| screen.parent(node)).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(1), Some(0)]);
        assert_eq!(screen.parent(6), None);
        assert_eq!(screen.parent(8), Some(7));
        assert_eq!(screen.children(0).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(screen.children(1).collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(screen.children(5).count(), 0);
        assert_eq!(screen.children(11).count(), 0);
    }

    #[test]
    fn a_widget_without_text_has_its_description() {
        let mut nodes = rows();
        nodes[1].description = "Shopping".into();
        let screen = screen(vec![app(nodes)]);
        assert_eq!(screen.widget(1), widget("List", "list", "Shopping", "0.0"));
        assert_eq!(screen.widget(3), widget("Row", "row", "Eggs", "0.0.1"));
    }
}

mod find {
    use super::*;

    #[test]
    fn every_widget_finds_itself() {
        let screen = screen(vec![app(rows())]);
        for node in 0..6 {
            assert_eq!(screen.find(&screen.widget(node), None), Some(node));
        }
    }

    #[test]
    fn class_id_and_text_must_be_the_same() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(
            screen.find(&widget("Row", "row", "Eggs", "9"), None),
            Some(3)
        );
        assert_eq!(
            screen.find(&widget("Button", "row", "Eggs", "9"), None),
            None
        );
        assert_eq!(
            screen.find(&widget("Row", "other", "Eggs", "9"), None),
            None
        );
        assert_eq!(screen.find(&widget("Row", "row", "Bread", "9"), None), None);
    }

    #[test]
    fn empty_fields_of_the_widget_match_anything() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(screen.find(&widget("", "", "Eggs", ""), None), Some(3));
        assert_eq!(screen.find(&widget("", "", "", "0.0.1"), None), Some(3));
        assert_eq!(screen.find(&widget("", "", "", "0.7"), None), None);
        assert_eq!(screen.find(&widget("Row", "", "Eggs", ""), None), Some(3));
        assert_eq!(
            screen.find(&widget("Row", "row", "", "0.0.1"), None),
            Some(3)
        );
    }

    #[test]
    fn among_several_the_one_at_the_same_path_is_preferred_to_the_nearest() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(
            screen.find(&widget("Row", "row", "Milk", "0.0.2"), Some(at(500, 100))),
            Some(4)
        );
    }

    #[test]
    fn among_several_at_other_paths_the_nearest_to_the_recorded_place_is_taken() {
        let screen = screen(vec![app(rows())]);
        let milk = widget("Row", "row", "Milk", "0.7");
        assert_eq!(screen.find(&milk, Some(at(500, 100))), Some(2));
        assert_eq!(screen.find(&milk, Some(at(500, 899))), Some(4));
        assert_eq!(screen.find(&milk, Some(at(i32::MIN, i32::MAX))), Some(4));
        assert_eq!(screen.find(&milk, None), Some(2));
    }

    #[test]
    fn a_changed_text_is_accepted_if_id_class_and_path_are_the_same() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(
            screen.find(&widget("Row", "row", "Bread", "0.0.1"), None),
            Some(3)
        );
        assert_eq!(
            screen.find(&widget("Row", "row", "Bread", "0.0.5"), None),
            None
        );
    }

    #[test]
    fn a_changed_text_is_not_accepted_without_an_id() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(
            screen.find(&widget("Button", "", "Remove", "0.1"), None),
            None
        );
    }

    #[test]
    fn invisible_and_empty_nodes_are_not_found() {
        let mut nodes = rows();
        nodes[3].flags -= NodeFlags::VISIBLE;
        nodes[5].bounds.bottom = nodes[5].bounds.top;
        let screen = screen(vec![app(nodes)]);
        assert_eq!(
            screen.find(&widget("Row", "row", "Eggs", "0.0.1"), None),
            None
        );
        assert_eq!(screen.find(&widget("Button", "", "Add", "0.1"), None), None);
    }

    #[test]
    fn nodes_that_a_keyboard_or_popup_covers_are_not_found() {
        for kind in [WindowKind::Keyboard, WindowKind::Popup] {
            let top = (kind, rect(0, 1_500, 1_000, 2_000), vec![]);
            let screen = screen(vec![app(rows()), top]);
            assert_eq!(screen.find(&widget("Button", "", "Add", "0.1"), None), None);
            assert_eq!(
                screen.find(&widget("Row", "row", "Eggs", "0.0.1"), None),
                Some(3)
            );
        }
    }

    #[test]
    fn below_a_dialog_no_node_of_the_app_is_found() {
        let ok = node(0, "Button", "ok", "OK", rect(400, 1_200, 600, 1_300));
        let popup = (
            WindowKind::Popup,
            rect(0, 0, 100, 100),
            vec![node(0, "Item", "", "Cut", rect(0, 0, 100, 100))],
        );
        let dialog = (WindowKind::Dialog, rect(300, 1_000, 700, 1_400), vec![ok]);
        let bar = (
            WindowKind::System,
            rect(0, 0, 1_000, 60),
            vec![node(0, "Clock", "", "", rect(0, 0, 90, 60))],
        );
        let screen = screen(vec![bar, app(rows()), popup, dialog]);
        assert_eq!(
            screen.find(&widget("Row", "row", "Eggs", "0.0.1"), None),
            None
        );
        assert_eq!(screen.find(&widget("Item", "", "Cut", "0"), None), None);
        assert_eq!(
            screen.find(&widget("Button", "ok", "OK", "0"), None),
            Some(8)
        );
        let screen_without = self::screen(vec![app(rows())]);
        assert_eq!(
            screen_without.find(&widget("Row", "row", "Eggs", "0.0.1"), None),
            Some(3)
        );
    }

    #[test]
    fn a_keyboard_above_a_dialog_hides_the_dialogs_button() {
        let ok = node(0, "Button", "ok", "OK", rect(400, 1_600, 600, 1_700));
        let dialog = (WindowKind::Dialog, rect(300, 1_000, 700, 1_800), vec![ok]);
        let keyboard = (WindowKind::Keyboard, rect(0, 1_500, 1_000, 2_000), vec![]);
        let button = widget("Button", "ok", "OK", "0");
        assert_eq!(screen(vec![dialog.clone()]).find(&button, None), Some(0));
        assert_eq!(screen(vec![dialog, keyboard]).find(&button, None), None);
    }

    #[test]
    fn a_system_window_covers_only_where_it_shows_a_node() {
        let bar = |bounds| {
            (
                WindowKind::System,
                FULL,
                vec![node(0, "Bar", "", "", bounds)],
            )
        };
        let eggs = widget("Row", "row", "Eggs", "0.0.1");
        assert_eq!(
            screen(vec![app(rows()), bar(rect(0, 0, 1_000, 60))]).find(&eggs, None),
            Some(3)
        );
        assert_eq!(screen(vec![app(rows()), bar(FULL)]).find(&eggs, None), None);
    }
}

mod under_the_finger {
    use super::*;

    #[test]
    fn lies_the_deepest_visible_node() {
        let mut nodes = rows();
        nodes.insert(4, node(3, "Text", "", "6 pieces", rect(700, 400, 900, 500)));
        let screen_with = screen(vec![app(nodes.clone())]);
        assert_eq!(screen_with.node_at(at(800, 450)), Some(4));
        assert_eq!(screen_with.node_at(at(100, 450)), Some(3));
        assert_eq!(screen_with.node_at(at(100, 1_000)), Some(0));
        nodes[4].flags -= NodeFlags::VISIBLE;
        assert_eq!(screen(vec![app(nodes)]).node_at(at(800, 450)), Some(3));
    }

    #[test]
    fn lies_nothing_outside_of_all_windows() {
        let screen = screen(vec![app(rows())]);
        assert_eq!(screen.node_at(at(1_000, 0)), None);
        assert_eq!(screen.node_at(at(-1, 0)), None);
    }

    #[test]
    fn lies_not_what_lets_touches_through_to_a_button_below() {
        let mut nodes = rows();
        nodes.push(node(1, "Decoration", "", "", FULL));
        assert_eq!(
            screen(vec![app(nodes.clone())]).node_at(at(500, 1_900)),
            Some(5)
        );
        let last = nodes.pop().map(clickable).into_iter();
        assert_eq!(
            screen(vec![app(nodes.into_iter().chain(last).collect())]).node_at(at(500, 1_900)),
            Some(6)
        );
    }

    #[test]
    fn lies_the_topmost_window() {
        let keyboard = (
            WindowKind::Keyboard,
            rect(0, 1_500, 1_000, 2_000),
            vec![node(0, "Keys", "", "", FULL)],
        );
        let screen = screen(vec![app(rows()), keyboard]);
        assert_eq!(screen.node_at(at(500, 1_900)), Some(6));
        assert_eq!(screen.node_at(at(500, 450)), Some(3));
    }

    #[test]
    fn lies_nothing_of_the_app_beside_a_dialog() {
        let ok = node(0, "Button", "ok", "OK", rect(400, 1_200, 600, 1_300));
        let dialog = (WindowKind::Dialog, rect(300, 1_000, 700, 1_400), vec![ok]);
        let screen = screen(vec![app(rows()), dialog]);
        assert_eq!(screen.node_at(at(500, 1_250)), Some(6));
        assert_eq!(
            screen.node_at(at(350, 1_050)),
            None,
            "the dialog's own background"
        );
        assert_eq!(screen.node_at(at(500, 450)), None);
    }
}

mod shows {
    use super::*;

    #[test]
    fn empty_fields_match_anything() {
        let screen = screen(vec![app(rows())]);
        assert!(screen.shows(&Widget::default()));
        assert!(screen.shows(&widget("", "", "Eggs", "")));
        assert!(screen.shows(&widget("", "row", "", "0.0.2")));
        assert!(!screen.shows(&widget("", "", "Bread", "")));
        assert!(!screen.shows(&widget("Button", "row", "", "")));
        assert!(!screen.shows(&widget("", "row", "", "0.1")));
    }

    #[test]
    fn the_app_is_shown_beside_a_dialog_but_not_behind_it() {
        let dialog = (WindowKind::Dialog, rect(300, 300, 700, 600), vec![]);
        let screen = screen(vec![app(rows()), dialog]);
        assert!(screen.shows(&widget("", "", "Add", "")));
        assert!(!screen.shows(&widget("", "", "Eggs", "")));
    }

    #[test]
    fn invisible_nodes_are_not_shown() {
        let mut nodes = rows();
        nodes[5].flags -= NodeFlags::VISIBLE;
        assert!(!screen(vec![app(nodes)]).shows(&widget("", "", "Add", "")));
    }
}
