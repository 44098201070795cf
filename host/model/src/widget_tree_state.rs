//! TimeMachine's abstraction: the widget tree without the contents of text boxes.

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::hash_mix::mixed;

/// State of a screen: a hash of its activity, its windows, and of every node its class, id, nesting, flags except focus, and
/// its text unless it can be edited.
pub fn widget_tree(screen: &Screen) -> u64 {
    let mut state = xxh3_64(screen.activity().as_bytes());
    for (window, _, nodes) in screen.windows_with_nodes() {
        state = mixed(
            state,
            mixed(xxh3_64(window.package.as_bytes()), window.kind as u64),
        );
        if window.kind != WindowKind::Keyboard {
            state = nodes
                .iter()
                .fold(state, |state, node| mixed(state, hash_node(node)));
        }
    }
    state
}

fn hash_node(node: &Node) -> u64 {
    let flags = u64::from(node.flags.difference(NodeFlags::FOCUSED).bits());
    let class = xxh3_64_with_seed(node.class.as_bytes(), flags | u64::from(node.depth) << 32);
    let class_and_id = xxh3_64_with_seed(node.id.as_bytes(), class);
    if node.is(NodeFlags::EDITABLE) {
        class_and_id
    } else {
        xxh3_64_with_seed(node.text.as_bytes(), class_and_id)
    }
}
