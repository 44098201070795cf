//! The abstraction function: a decision tree that finds the reducer of a widget. Its first nodes are the user's rules: they
//! are branched from and never changed.

use std::sync::Arc;

use super::gui::Gui;
use super::path::{Path, PathId, Paths};
use super::reducer::Reducer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub reducer: Reducer,
    pub branches: Vec<(PathId, usize)>,
    pub initial: bool,
}

/// Node 0 is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionTree {
    pub nodes: Vec<Decision>,
}

/// A tree is shared by all states until one of them needs another.
pub type SharedTree = Arc<DecisionTree>;

impl DecisionTree {
    /// One rule for every widget.
    pub fn plain(reducer: Reducer) -> DecisionTree {
        DecisionTree {
            nodes: vec![Decision {
                reducer,
                branches: Vec::new(),
                initial: true,
            }],
        }
    }

    /// What each widget is called, in order, and the node that says so.
    pub fn names(&self, gui: &Gui, paths: &mut Paths) -> Vec<(PathId, usize)> {
        let mut names: Vec<(PathId, usize)> = Vec::with_capacity(gui.widgets.len());
        for (number, widget) in gui.widgets.iter().enumerate() {
            let node = self.decide(gui, number, paths);
            let reducer = self.nodes[node].reducer;
            let above = widget
                .parent
                .filter(|_| reducer.has(Reducer::PARENT))
                .map(|parent| names[parent].0);
            names.push((
                paths.path(Path {
                    above,
                    own: reducer.keep(&widget.attributes),
                }),
                node,
            ));
        }
        names
    }

    fn decide(&self, gui: &Gui, widget: usize, paths: &Paths) -> usize {
        let mut node = 0;
        while let Some((_, next)) = self.nodes[node]
            .branches
            .iter()
            .find(|(selector, _)| selects(*selector, gui, widget, paths))
        {
            node = *next;
        }
        node
    }

    /// The same with what is called `path` by `node` told apart by `reducer`: a leaf that is no user's rule is replaced,
    /// another one gets a branch, which must be finer.
    pub fn refined(&self, node: usize, path: PathId, reducer: Reducer) -> Option<DecisionTree> {
        let mut tree = self.clone();
        let decision = &mut tree.nodes[node];
        if !decision.initial && decision.branches.is_empty() {
            decision.reducer = reducer;
            return Some(tree);
        }
        if !reducer.has(decision.reducer)
            || decision.branches.iter().any(|(known, _)| *known == path)
        {
            return None;
        }
        let next = tree.nodes.len();
        tree.nodes[node].branches.push((path, next));
        tree.nodes.push(Decision {
            reducer,
            branches: Vec::new(),
            initial: false,
        });
        Some(tree)
    }
}

/// Whether a widget's full attribute path can be reduced to this one: its end has all that is kept in it.
fn selects(selector: PathId, gui: &Gui, widget: usize, paths: &Paths) -> bool {
    let mut selector = selector;
    let mut widget = Some(widget);
    loop {
        let (Some(path), Some(here)) = (paths.get(selector), widget) else {
            return false;
        };
        if !path.own.select(&gui.widgets[here].attributes) {
            return false;
        }
        let Some(above) = path.above else { return true };
        (selector, widget) = (above, gui.widgets[here].parent);
    }
}
