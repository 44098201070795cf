//! The abstraction function: a decision tree that selects the reducer of each widget. Its initial nodes are the abstraction to
//! start from: they get branches and never change.

use std::sync::Arc;

use super::attribute_path::{AttributePath, AttributePathId, AttributePaths};
use super::attribute_reducer::AttributeReducer;
use super::gui_tree::GuiTree;

/// A node of a decision tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionNode {
    /// Reducer of the widgets that no branch selects.
    pub reducer: AttributeReducer,
    /// Selector and node of each branch. The first selector that matches counts.
    pub branches: Vec<(AttributePathId, usize)>,
    /// The node belongs to the abstraction to start from.
    pub initial: bool,
}

/// A decision tree. Node 0 is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionTree {
    /// All nodes.
    pub nodes: Vec<DecisionNode>,
}

/// A decision tree that several states share.
pub(super) type SharedDecisionTree = Arc<DecisionTree>;

impl DecisionTree {
    /// Tree with one reducer for all widgets.
    pub fn uniform(reducer: AttributeReducer) -> DecisionTree {
        DecisionTree {
            nodes: vec![DecisionNode {
                reducer,
                branches: Vec::new(),
                initial: true,
            }],
        }
    }

    /// Attribute path of each widget, in their order, and the node that selected its reducer.
    pub fn widget_names(
        &self,
        gui: &GuiTree,
        paths: &mut AttributePaths,
    ) -> Vec<(AttributePathId, usize)> {
        let mut names: Vec<(AttributePathId, usize)> = Vec::with_capacity(gui.widgets.len());
        for (index, widget) in gui.widgets.iter().enumerate() {
            let node = self.select_node(gui, index, paths);
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

    fn select_node(&self, gui: &GuiTree, widget: usize, paths: &AttributePaths) -> usize {
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

    /// Tree in which widgets that `node` names `path` get another reducer. A leaf that is not initial gets the reducer itself;
    /// any other node gets a branch, which must be finer. `None` if that is impossible.
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

/// True if the end of a widget's full attribute path has all attributes that the selector keeps.
fn selects(
    selector: AttributePathId,
    gui: &GuiTree,
    widget: usize,
    paths: &AttributePaths,
) -> bool {
    let mut selector = selector;
    let mut widget = Some(widget);
    loop {
        let (Some(path), Some(current)) = (paths.get(selector), widget) else {
            return false;
        };
        if !path.own.matches(&gui.widgets[current].attributes) {
            return false;
        }
        let Some(above) = path.above else { return true };
        selector = above;
        widget = gui.widgets[current].parent;
    }
}
