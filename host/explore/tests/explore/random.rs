//! What the explorer `random` does and never does on a screen.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use retap_device::seed::Seed;
use retap_explore::{ChosenAction, RandomExplorer};
use retap_shared::action::{Action, Key};
use retap_shared::geometry::{Rect, Size};
use retap_shared::screen::{Node, NodeFlags, Screen, ScreenContent, Window, WindowKind};
use retap_testing::screens::{TAPPABLE, app, node, root, screen, texted};

fn choices(screen: &Screen, seed: u64, count: usize) -> Vec<ChosenAction> {
    let mut random = RandomExplorer::default();
    let mut rng = Seed(seed).rng();
    (0..count)
        .map(|_| random.choose_action(screen, &mut rng))
        .collect()
}

fn touched(choices: &[ChosenAction]) -> HashSet<usize> {
    choices.iter().filter_map(|choice| choice.node).collect()
}

fn button(number: i32) -> Node {
    node(
        1,
        "android.widget.Button",
        "",
        TAPPABLE,
        [0, 60 * number, 400, 60 * number + 50],
    )
}

#[test]
fn the_same_seed_makes_the_same_choices_and_another_one_others() {
    let screen = app(vec![root(), button(0), button(1), button(2)]);
    assert_eq!(choices(&screen, 5, 50), choices(&screen, 5, 50));
    assert_ne!(choices(&screen, 5, 50), choices(&screen, 6, 50));
}

#[test]
fn what_was_tried_less_is_preferred() {
    let screen = app(std::iter::once(root()).chain((0..10).map(button)).collect());
    let mut taps: HashMap<usize, u32> = HashMap::new();
    for node in choices(&screen, 1, 400)
        .iter()
        .filter_map(|choice| choice.node)
    {
        *taps.entry(node).or_default() += 1;
    }
    assert_eq!(taps.len(), 10);
    let least = taps.values().min().unwrap();
    let most = taps.values().max().unwrap();
    assert!(most - least <= 15, "{taps:?}");
}

#[test]
fn an_equal_list_of_other_texts_is_not_tried_anew() {
    let list = |text: &str| app(vec![root(), texted(button(0), text), button(1)]);
    let mut random = RandomExplorer::default();
    let mut rng = Seed(3).rng();
    let mut back = 0;
    for number in 0..200 {
        let choice = random.choose_action(&list(&format!("{number} items")), &mut rng);
        back += u32::from(choice.action == Action::Key(Key::Back));
    }
    // If every text made a new screen, back would keep its small weight of an untried thing.
    assert!(back > 25, "{back}");
}

#[test]
fn only_what_can_be_touched_is_touched() {
    let below = node(
        1,
        "android.widget.Button",
        "below",
        TAPPABLE,
        [0, 0, 400, 50],
    );
    let disabled = node(
        1,
        "android.widget.Button",
        "disabled",
        TAPPABLE - NodeFlags::ENABLED,
        [100, 300, 300, 350],
    );
    let hidden = node(
        1,
        "android.widget.Button",
        "hidden",
        TAPPABLE - NodeFlags::VISIBLE,
        [100, 350, 300, 400],
    );
    let label = node(
        1,
        "android.widget.TextView",
        "label",
        NodeFlags::VISIBLE | NodeFlags::ENABLED,
        [0, 0, 9, 9],
    );
    let outside = node(
        1,
        "android.widget.Button",
        "outside",
        TAPPABLE,
        [0, 900, 400, 950],
    );
    let yes = node(
        1,
        "android.widget.Button",
        "yes",
        TAPPABLE,
        [100, 400, 300, 450],
    );
    let dialog = vec![root(), disabled, hidden, label, outside, yes];
    let screen = screen(vec![
        (WindowKind::Application, vec![root(), below]),
        (WindowKind::Dialog, dialog),
    ]);
    let yes = screen
        .nodes()
        .iter()
        .position(|node| node.id == "yes")
        .unwrap();
    assert_eq!(touched(&choices(&screen, 1, 200)), HashSet::from([yes]));
}

#[test]
fn the_keyboard_is_not_played_on_and_what_is_under_it_is_left_alone() {
    let covered = node(
        1,
        "android.widget.Button",
        "covered",
        TAPPABLE,
        [0, 600, 400, 650],
    );
    let halfway = node(
        1,
        "android.widget.Button",
        "halfway",
        TAPPABLE,
        [0, 400, 400, 700],
    );
    let key = node(0, "Key", "q", TAPPABLE, [0, 500, 400, 800]);
    let windows = vec![
        (WindowKind::Application, vec![root(), covered, halfway]),
        (WindowKind::Keyboard, vec![key]),
    ];
    let choices = choices(&screen(windows), 1, 200);
    assert_eq!(touched(&choices), HashSet::from([2]));
    assert!(
        choices
            .iter()
            .filter_map(|choice| choice.action.place())
            .all(|place| place.y < 500)
    );
}

#[test]
fn each_widget_is_used_as_it_can_be() {
    let editable = NodeFlags::VISIBLE | NodeFlags::ENABLED | NodeFlags::EDITABLE;
    let scrollable = NodeFlags::VISIBLE | NodeFlags::ENABLED | NodeFlags::SCROLLABLE;
    let screen = app(vec![
        root(),
        node(
            1,
            "android.widget.EditText",
            "field",
            editable,
            [0, 0, 400, 50],
        ),
        node(
            1,
            "android.widget.Button",
            "press",
            TAPPABLE | NodeFlags::LONG_CLICKABLE,
            [0, 50, 400, 100],
        ),
        node(
            1,
            "android.widget.ListView",
            "list",
            scrollable,
            [0, 100, 400, 500],
        ),
        node(
            1,
            "androidx.viewpager.widget.ViewPager",
            "pager",
            scrollable,
            [0, 500, 400, 800],
        ),
    ]);
    let all = choices(&screen, 9, 1_000);
    let on = |node: usize| {
        all.iter()
            .filter(move |choice| choice.node == Some(node))
            .map(|choice| &choice.action)
    };
    let texts: HashSet<&str> = on(1)
        .filter_map(|action| match action {
            Action::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(texts.contains("") && texts.contains("user@example.com"));
    assert!(texts.iter().any(|text| text.len() > 150) && texts.iter().any(|text| !text.is_ascii()));
    assert!(
        texts
            .iter()
            .any(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    );
    assert!(on(2).any(|action| matches!(action, Action::Tap(_))));
    assert!(on(2).any(|action| matches!(action, Action::LongPress(_))));
    let ways = |node: usize| -> HashSet<(i32, i32)> {
        on(node)
            .map(|action| match action {
                Action::Swipe { from, to, .. } => {
                    ((to.x - from.x).signum(), (to.y - from.y).signum())
                }
                other => panic!("{other} on something that only scrolls"),
            })
            .collect()
    };
    assert_eq!(ways(3), HashSet::from([(0, 1), (0, -1)]));
    assert_eq!(ways(4), HashSet::from([(1, 0), (-1, 0)]));
    let alone: HashSet<&Action> = all
        .iter()
        .filter(|choice| choice.node.is_none())
        .map(|choice| &choice.action)
        .collect();
    assert!(alone.contains(&Action::Key(Key::Back)) && alone.contains(&Action::Key(Key::Menu)));
    assert!(
        alone
            .iter()
            .any(|action| matches!(action, Action::Rotate(_)))
    );
}

#[test]
fn a_password_field_mostly_gets_a_password() {
    let flags = NodeFlags::VISIBLE | NodeFlags::ENABLED | NodeFlags::EDITABLE | NodeFlags::PASSWORD;
    let screen = app(vec![
        root(),
        node(1, "android.widget.EditText", "x", flags, [0, 0, 400, 50]),
    ]);
    let mut first = HashMap::new();
    for seed in 0..300 {
        for choice in choices(&screen, seed, 3) {
            if let Action::Text { text, .. } = choice.action {
                *first.entry(text).or_insert(0) += 1;
            }
        }
    }
    let most = first.iter().max_by_key(|(_, count)| **count).unwrap().0;
    assert_eq!(most, "Secret123!");
}

#[test]
fn a_screen_that_shows_nothing_to_aim_at_is_tapped_all_over() {
    let screen = app(vec![root()]);
    let places: HashSet<(i32, i32)> = choices(&screen, 4, 200)
        .iter()
        .filter_map(|choice| choice.action.place())
        .map(|place| (place.x / 200, place.y / 400))
        .collect();
    assert_eq!(places, HashSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]));
}

fn side() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -50..900i32, 1 => Just(i32::MIN), 1 => Just(i32::MAX)]
}

prop_compose! {
    fn any_node(last_depth: u16)(
        depth in 1..=last_depth + 1,
        flags in any::<u16>(),
        sides in [side(), side(), side(), side()],
    ) -> Node {
        node(depth, "View", "", NodeFlags::from_bits_truncate(flags), sides)
    }
}

proptest! {
    #[test]
    fn no_screen_is_too_strange(
        nodes in prop::collection::vec(any_node(0), 0..30),
        (width, height) in (prop_oneof![0u32..2_000, Just(u32::MAX)], prop_oneof![0u32..2_000, Just(u32::MAX)]),
        kind in prop::sample::select(vec![WindowKind::Application, WindowKind::Keyboard, WindowKind::System]),
        seed in any::<u64>(),
    ) {
        let nodes: Vec<Node> = std::iter::once(root()).chain(nodes).collect();
        let bounds = Rect { left: i32::MIN, top: -7, right: 3, bottom: i32::MAX };
        let count = nodes.len() as u32;
        let windows = vec![Window { kind, bounds, nodes: count, ..Window::default() }];
        let content = ScreenContent { size: Size { width, height }, windows, nodes, ..ScreenContent::default() };
        let screen = Screen::new(content).unwrap();
        for choice in choices(&screen, seed, 20) {
            if let (Some(node), Some(place)) = (choice.node, choice.action.place()) {
                prop_assert!(screen.nodes()[node].bounds.contains(place));
            }
        }
    }
}
