//! Size of screens on the wire, their hashes, and parts that make no screen.

use std::sync::Arc;

use retap_shared::codec::encode;
use retap_shared::geometry::*;
use retap_shared::micros::Micros;
use retap_shared::protocol::{CaptureReply, Reply, ScreenUpdate};
use retap_shared::screen::*;

/// A list with rows of an icon, a title and a subtitle.
fn list(nodes: usize) -> ScreenContent {
    let node = |number: usize| Node {
        depth: if number == 0 {
            0
        } else {
            1 + u16::from(number % 3 != 1)
        },
        class: [
            "android.widget.TextView",
            "android.widget.LinearLayout",
            "android.widget.ImageView",
        ][number % 3]
            .into(),
        id: format!("com.example.mail:id/row_{}", number % 3).into(),
        text: format!("Subject of message number {number}").into(),
        description: Default::default(),
        bounds: Rect {
            left: 0,
            top: 40 * number as i32,
            right: 1_080,
            bottom: 40 * number as i32 + 40,
        },
        flags: NodeFlags::ENABLED | NodeFlags::VISIBLE,
    };
    ScreenContent {
        size: Size {
            width: 1_080,
            height: 2_400,
        },
        rotation: Rotation::Natural,
        activity: "com.example.mail/.InboxActivity".into(),
        windows: vec![Window {
            package: "com.example.mail".into(),
            title: "Inbox".into(),
            nodes: nodes as u32,
            ..Window::default()
        }],
        nodes: (0..nodes).map(node).collect(),
    }
}

fn screen(content: ScreenContent) -> Screen {
    Screen::new(content).unwrap()
}

fn cost(update: ScreenUpdate) -> usize {
    encode(&Reply::from(CaptureReply {
        screen: update,
        agent_time: Micros::ZERO,
    }))
    .unwrap()
    .len()
}

fn cost_of_change(before: &Screen, after: &Screen) -> usize {
    let change = ScreenDiff::between(before, after);
    assert_eq!(change.apply(before).as_ref(), Ok(after));
    cost(ScreenUpdate::Changed(change))
}

#[test]
fn an_unchanged_screen_needs_a_few_bytes() {
    assert_eq!(cost(ScreenUpdate::Unchanged), 3);
    let screen = screen(list(500));
    assert!(cost_of_change(&screen, &screen) < 64);
}

#[test]
fn one_changed_text_among_500_nodes_needs_at_most_256_bytes() {
    let before = screen(list(500));
    for place in [0, 250, 499] {
        let mut after = list(500);
        after.nodes[place].text =
            "A subject of quite some length, as people write them when they are in a hurry".into();
        assert!(cost_of_change(&before, &screen(after)) <= 256);
    }
}

#[test]
fn an_added_or_removed_row_needs_few_bytes() {
    let shorter = screen(list(500));
    let longer = screen(list(503));
    assert!(cost_of_change(&shorter, &longer) <= 512);
    assert!(cost_of_change(&longer, &shorter) <= 128);
}

#[test]
fn a_dialog_on_top_needs_no_more_than_its_own_bytes() {
    let before = list(500);
    let mut after = before.clone();
    after.windows.push(Window {
        kind: WindowKind::Dialog,
        nodes: 1,
        ..Window::default()
    });
    after.nodes.push(Node {
        text: "Delete it?".into(),
        ..Node::default()
    });
    assert!(cost_of_change(&screen(before), &screen(after)) <= 256);
}

#[test]
fn a_full_screen_holds_repeated_texts_once() {
    let repeated = ScreenContent {
        nodes: list(500)
            .nodes
            .into_iter()
            .map(|node| Node {
                text: "the same".into(),
                ..node
            })
            .collect(),
        ..list(500)
    };
    let whole = cost(ScreenUpdate::Full(Arc::new(screen(repeated))));
    assert!(whole < 500 * 20 + 500, "{whole} bytes");
}

#[test]
fn every_attribute_of_a_screen_is_part_of_its_hash() {
    let base = list(3);
    let mut others = vec![base.clone(); 15];
    others[0].size.width += 1;
    others[1].rotation = Rotation::Left;
    others[2].activity = "other".into();
    others[3].windows[0].kind = WindowKind::Popup;
    others[4].windows[0].package = "other".into();
    others[5].windows[0].title = "other".into();
    others[6].windows[0].bounds.left += 1;
    others[7].windows[0].flags = WindowFlags::SECURE;
    others[8].nodes[1].class = "other".into();
    others[9].nodes[1].id = "other".into();
    others[10].nodes[1].description = others[10].nodes[1].text.clone();
    others[10].nodes[1].text = Default::default();
    others[11].nodes[1].bounds.bottom += 1;
    others[12].nodes[1].flags |= NodeFlags::CHECKED;
    others[13].nodes[2].depth = 1;
    // Another order of the nodes.
    others[14].nodes[2].depth = 1;
    others[14].nodes.swap(1, 2);
    let mut hashes: Vec<_> = others
        .into_iter()
        .chain([base])
        .map(|content| screen(content).hash())
        .collect();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 16);
}

#[test]
fn with_flags_equals_a_new_screen_with_these_flags() {
    let mut content = list(5);
    content.nodes[2].flags = NodeFlags::CHECKED;
    content.nodes[4].flags = NodeFlags::empty();
    let changed = [
        (2, NodeFlags::CHECKED),
        (4, NodeFlags::empty()),
        (5, NodeFlags::SELECTED),
    ];
    assert_eq!(
        screen(list(5)).with_flags(&changed),
        screen(content),
        "there is no node 5"
    );
}

#[test]
fn a_hash_is_the_same_on_every_machine_and_written_as_16_digits() {
    let hash = screen(list(3)).hash();
    assert_eq!(hash.to_string(), "1fa6741401f8958e");
    assert_eq!(hash.to_string().parse(), Ok(hash));
    assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{hash}\""));
    for wrong in [
        "",
        "123",
        "+123456789abcdef",
        "0123456789abcdeg",
        "0123456789abcdef0",
    ] {
        assert!(wrong.parse::<ScreenHash>().is_err(), "{wrong}");
    }
}

#[test]
fn parts_that_are_no_tree_are_refused() {
    let mut too_many = list(3);
    too_many.windows[0].nodes = 4;
    assert_eq!(
        Screen::new(too_many),
        Err(MalformedScreen::Count {
            claimed: 4,
            present: 3
        })
    );

    let mut orphan = list(3);
    orphan.nodes[0].depth = 1;
    assert_eq!(
        Screen::new(orphan),
        Err(MalformedScreen::Depth { node: 0, depth: 1 })
    );

    let mut gap = list(3);
    gap.nodes[2].depth = 3;
    assert_eq!(
        Screen::new(gap),
        Err(MalformedScreen::Depth { node: 2, depth: 3 })
    );
}
