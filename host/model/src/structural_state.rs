//! The structural abstraction of coverage and of `random`: screens of equal structure are one state, whatever their texts
//! and positions are.

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::hash_mix::mixed;

/// State of a screen: a hash of its activity, its windows, and of each node its class, id, nesting and flags except focus.
/// Texts and bounds do not count. Siblings with equal subtrees count once, so that a list stays the same state when it
/// grows or is scrolled.
pub fn abstract_screen(screen: &Screen) -> u64 {
    let mut state = xxh3_64(screen.activity().as_bytes());
    let mut open = Vec::with_capacity(64);
    for (window, _, nodes) in screen.windows_with_nodes() {
        // A keyboard belongs to the state of the app; the keys that it shows do not.
        let tree = if window.kind == WindowKind::Keyboard {
            0
        } else {
            hash_tree(nodes, &mut open)
        };
        let owner = mixed(xxh3_64(window.package.as_bytes()), window.kind as u64);
        state = mixed(state, mixed(owner, tree));
    }
    state
}

/// A hashed subtree whose parent has not been hashed yet.
#[derive(Clone, Copy)]
struct Subtree {
    depth: u16,
    hash: u64,
}

/// Hashes the nodes of a window. Children come after their parent: backwards, every subtree is hashed before its parent.
fn hash_tree(nodes: &[Node], open: &mut Vec<Subtree>) -> u64 {
    open.clear();
    for node in nodes.iter().rev() {
        let first_child = open
            .iter()
            .rposition(|subtree| subtree.depth <= node.depth)
            .map_or(0, |last| last + 1);
        let hash = with_children(hash_node(node), &mut open[first_child..]);
        open.truncate(first_child);
        open.push(Subtree {
            depth: node.depth,
            hash,
        });
    }
    with_children(0, open)
}

fn hash_node(node: &Node) -> u64 {
    let flags = node.flags.difference(NodeFlags::FOCUSED);
    let class = xxh3_64_with_seed(node.class.as_bytes(), u64::from(flags.bits()));
    xxh3_64_with_seed(node.id.as_bytes(), class)
}

/// Adds the hashes of the children, each distinct one once.
fn with_children(own: u64, children: &mut [Subtree]) -> u64 {
    children.sort_unstable_by_key(|child| child.hash);
    let mut last = None;
    children.iter().fold(own, |hash, child| {
        if last.replace(child.hash) == Some(child.hash) {
            hash
        } else {
            mixed(hash, child.hash)
        }
    })
}
