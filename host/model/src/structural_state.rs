//! Which screens count as the same state: those of equal structure, whatever their texts and places.

use retap_shared::screen::{Node, NodeFlags, Screen, WindowKind};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::mixed;

/// The state a screen stands for: its activity and windows, and of their nodes class, id, nesting and flags except
/// focus. Texts and bounds do not count, and siblings that look equal count once, so that a list is the same list
/// when it grows or is scrolled.
pub fn abstract_screen(screen: &Screen) -> u64 {
    let mut state = xxh3_64(screen.activity().as_bytes());
    let mut open = Vec::with_capacity(64);
    for (window, _, nodes) in screen.windows_with_nodes() {
        // Which keys a keyboard happens to show is not the app's state; that there is one is.
        let tree = if window.kind == WindowKind::Keyboard {
            0
        } else {
            tree(nodes, &mut open)
        };
        let owner = mixed(xxh3_64(window.package.as_bytes()), window.kind as u64);
        state = mixed(state, mixed(owner, tree));
    }
    state
}

/// A finished subtree that its parent, which comes before it, has not taken up yet.
#[derive(Clone, Copy)]
struct Subtree {
    depth: u16,
    hash: u64,
}

/// Children come after their parent, so that going backwards every subtree is finished before it is needed.
fn tree(nodes: &[Node], open: &mut Vec<Subtree>) -> u64 {
    open.clear();
    for node in nodes.iter().rev() {
        let first_child = open
            .iter()
            .rposition(|subtree| subtree.depth <= node.depth)
            .map_or(0, |last| last + 1);
        let hash = with_children(own(node), &mut open[first_child..]);
        open.truncate(first_child);
        open.push(Subtree {
            depth: node.depth,
            hash,
        });
    }
    with_children(0, open)
}

fn own(node: &Node) -> u64 {
    let flags = node.flags.difference(NodeFlags::FOCUSED);
    let named = xxh3_64_with_seed(node.class.as_bytes(), u64::from(flags.bits()));
    xxh3_64_with_seed(node.id.as_bytes(), named)
}

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
