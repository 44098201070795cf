//! The abstraction function: a decision tree that finds the reducer of a widget. Its first nodes are the user's rules: they
//! are branched from and never changed.

use std::sync::Arc;

use super::attribute_path::{AttributePath, AttributePathId, AttributePaths};
use super::attribute_reducer::AttributeReducer;
use super::gui_tree::GuiTree;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionNode {
    pub reducer: AttributeReducer,
    pub branches: Vec<(AttributePathId, usize)>,
    pub initial: bool,
}

/// Node 0 is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionTree {
    pub nodes: Vec<DecisionNode>,
}

/// A tree is shared by all states until one of them needs another.
pub type SharedDecisionTree = Arc<DecisionTree>;

impl DecisionTree {
    /// One rule for every widget.
    pub fn uniform(reducer: AttributeReducer) -> DecisionTree {
        DecisionTree {
            nodes: vec![DecisionNode {
                reducer,
                branches: Vec::new(),
                initial: true,
            }],
        }
    }

    /// What each widget is called, in order, and the node that says so.
    pub fn widget_names(
        &self,
        gui: &GuiTree,
        paths: &mut AttributePaths,
    ) -> Vec<(AttributePathId, usize)> {
        let mut names: Vec<(AttributePathId, usize)> = Vec::with_capacity(gui.widgets.len());
        for (number, widget) in gui.widgets.iter().enumerate() {
            let node = self.decide(gui, number, paths);
            let reducer = self.nodes[node].reducer;
            let above = widget
                .parent
                .filter(|_| reducer.has(AttributeReducer::PARENT))
                .map(|parent| names[parent].0);
            names.push((
                paths.intern_path(AttributePath {
                    above,
                    own: reducer.keep(&widget.attributes),
                }),
                node,
            ));
        }
        names
    }

    fn decide(&self, gui: &GuiTree, widget: usize, paths: &AttributePaths) -> usize {
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
    pub fn refined(
        &self,
        node: usize,
        path: AttributePathId,
        reducer: AttributeReducer,
    ) -> Option<DecisionTree> {
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
        tree.nodes.push(DecisionNode {
            reducer,
            branches: Vec::new(),
            initial: false,
        });
        Some(tree)
    }
}

/// Whether a widget's full attribute path can be reduced to this one: its end has all that is kept in it.
fn selects(
    selector: AttributePathId,
    gui: &GuiTree,
    widget: usize,
    paths: &AttributePaths,
) -> bool {
    let mut selector = selector;
    let mut widget = Some(widget);
    loop {
        let (Some(path), Some(here)) = (paths.get(selector), widget) else {
            return false;
        };
        if !path.own.matches(&gui.widgets[here].attributes) {
            return false;
        }
        let Some(above) = path.above else { return true };
        (selector, widget) = (above, gui.widgets[here].parent);
    }
}
