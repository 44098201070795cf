//! Refinement and coarsening (Algorithm 2 of the paper): no model action for more than α widgets, no action with two targets where
//! a refinement can separate them, no state split into more than β.

use std::collections::BTreeSet;
use std::sync::Arc;

use retap_shared::Text;

use super::attribute_path::{AttributePath, AttributePathId};
use super::attribute_reducer::AttributeReducer;
use super::model_state::RefinementChange;
use super::{ApeModel, DecisionTree, GuiTree, ModelActionId, ModelScreen, ModelState, StateId};

/// Maximum number of refinements in a row for one screen: the number of primitive reducers.
const MAX_REFINEMENT_ROUNDS: usize = 4;

/// A possible refinement of a state.
struct RefinementCandidate {
    tree: DecisionTree,
    change: RefinementChange,
    cost: RefinementCost,
}

/// Numbers of states and of names that a refinement makes of the kept GUI trees, and the size of its reducer. Compared in this
/// order; less is better.
type RefinementCost = (usize, usize, u32);

impl ApeModel {
    /// Allows an activity this number of states beyond the parameters.
    pub fn allow_extra_states(&mut self, activity: &Text, count: usize) {
        match self.extra_states.get_mut(activity) {
            Some(extra) => *extra = count,
            None => drop(self.extra_states.insert(activity.clone(), count)),
        }
    }

    /// Refines and coarsens the model after a transition. True if states have changed.
    pub(super) fn optimise(
        &mut self,
        from: &ModelScreen,
        action: ModelActionId,
        to: &ModelScreen,
    ) -> bool {
        let mut changed = false;
        let mut screen = to.clone();
        for _ in 0..MAX_REFINEMENT_ROUNDS {
            if !self.refine_actions(&screen) {
                break;
            }
            changed = true;
            screen = self.relocate(&screen);
        }
        changed |= self.coarsen(screen.state);
        // Otherwise the transition belongs to other states now, and is looked at when it occurs again.
        if self.is_leaf(from.state) && self.is_leaf(to.state) {
            changed |= self.refine_state(from.state, action, to.state);
        }
        changed
    }

    /// Refines one model action that stands for too many widgets of a screen.
    fn refine_actions(&mut self, screen: &ModelScreen) -> bool {
        if screen.kept.is_none() || self.is_full(screen.state) {
            return false;
        }
        for path in self.overloaded_paths(screen) {
            if let Some(RefinementCandidate { tree, change, .. }) =
                self.cheapest_for_action(screen, path)
            {
                self.split(screen.state, tree, change);
                return true;
            }
        }
        false
    }

    /// Attribute paths that more than α widgets with actions share, in ascending order.
    fn overloaded_paths(&self, screen: &ModelScreen) -> Vec<AttributePathId> {
        let mut widgets: Vec<(AttributePathId, u32)> = Vec::new();
        for widget in screen.gui.actions.iter().filter_map(|(widget, _)| *widget) {
            let name = screen.names.get(widget as usize);
            widgets.extend(name.map(|(path, _)| (*path, widget)));
        }
        widgets.sort_unstable();
        widgets.dedup();
        widgets
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter(|same_path| same_path.len() > self.parameters.alpha)
            .map(|same_path| same_path[0].0)
            .collect()
    }

    /// Cheapest refinement that gives the widgets of one name several names.
    fn cheapest_for_action(
        &mut self,
        screen: &ModelScreen,
        path: AttributePathId,
    ) -> Option<RefinementCandidate> {
        let mut best: Option<RefinementCandidate> = None;
        for candidate in self.candidates(screen, path) {
            let (_, reducer) = candidate.change;
            let names = self.renamed(&screen.gui, &screen.names, path, reducer);
            let lacks_text = self.parameters.text_first && !reducer.has(AttributeReducer::TEXT);
            let cost = (1, names.len(), 2 * reducer.size() + u32::from(lacks_text));
            if names.len() > 1 && best.as_ref().is_none_or(|best| cost < best.cost) {
                best = Some(RefinementCandidate { cost, ..candidate });
            }
        }
        best
    }

    /// Coarsens the nearest ancestor of a state that was split into too many.
    fn coarsen(&mut self, state: StateId) -> bool {
        let mut ancestor = self.states[state.0 as usize].parent;
        while let Some(parent) = ancestor {
            let ModelState {
                children,
                activity,
                parent: grandparent,
                ..
            } = &self.states[parent.0 as usize];
            if children.len() > self.parameters.beta + self.extra_states_of(activity) {
                self.coarsen_state(parent);
                return true;
            }
            ancestor = *grandparent;
        }
        false
    }

    /// Refines a state if an action has led to `to` and to another state, and a refinement separates the two. Of several
    /// refinements the cheapest is made.
    fn refine_state(&mut self, state: StateId, action: ModelActionId, to: StateId) -> bool {
        let known = &self.states[state.0 as usize];
        let Some(targets) = known.action(action).map(|action| &action.targets) else {
            return false;
        };
        if targets.len() < 2 || targets.len() > self.parameters.targets || self.is_full(state) {
            return false;
        }
        let kept: usize = targets.iter().map(|target| target.kept.len()).sum();
        let Some(target) = targets.iter().find(|target| target.state == to) else {
            return false;
        };
        let was_futile = known
            .futile_refinements
            .get(&action)
            .is_some_and(|kept_then| kept < kept_then * 2);
        if was_futile {
            return false;
        }
        let transitions = target.kept.clone();
        let others: Vec<Vec<u32>> = targets
            .iter()
            .filter(|other| other.state != to && !other.kept.is_empty())
            .map(|other| other.kept.clone())
            .collect();
        for other in others.iter().filter(|_| !transitions.is_empty()) {
            if let Some(RefinementCandidate { tree, change, .. }) =
                self.cheapest_separating(state, action, &transitions, other)
            {
                self.split(state, tree, change);
                return true;
            }
        }
        self.states[state.0 as usize]
            .futile_refinements
            .insert(action, kept.max(1));
        false
    }

    /// Cheapest refinement of a state that separates two groups of GUI transitions of one action.
    fn cheapest_separating(
        &mut self,
        state: StateId,
        action: ModelActionId,
        one: &[u32],
        other: &[u32],
    ) -> Option<RefinementCandidate> {
        let guis = self.states[state.0 as usize].guis.clone();
        let screen = self.kept_screen(self.transitions[*one.first()? as usize].from);
        let mut paths: Vec<AttributePathId> = screen.names.iter().map(|(path, _)| *path).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut best: Option<RefinementCandidate> = None;
        for path in paths {
            for candidate in self.candidates(&screen, path) {
                let (_, reducer) = candidate.change;
                if !self.separates(one, other, action, path, reducer) {
                    continue;
                }
                let mut states: BTreeSet<BTreeSet<AttributePathId>> = BTreeSet::new();
                for gui in &guis {
                    let screen = self.kept_screen(*gui);
                    states.insert(self.renamed(&screen.gui, &screen.names, path, reducer));
                }
                let names = states.iter().map(BTreeSet::len).sum();
                let cost = (states.len(), names, reducer.size());
                if best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(RefinementCandidate { cost, ..candidate });
                }
            }
        }
        best
    }

    /// True if under a refinement no transition of one group begins in the same state with the same model action as one of the
    /// other group.
    fn separates(
        &mut self,
        one: &[u32],
        other: &[u32],
        action: ModelActionId,
        path: AttributePathId,
        reducer: AttributeReducer,
    ) -> bool {
        let mut origins = |transitions: &[u32]| {
            let mut origins = Vec::with_capacity(transitions.len());
            for transition in transitions {
                let transition = self.transitions[*transition as usize];
                let screen = self.kept_screen(transition.from);
                let names = self.renamed(&screen.gui, &screen.names, path, reducer);
                let widget = transition.widget.filter(|_| action.path == path);
                let own_name = widget.map(|widget| {
                    self.new_name(&screen.gui, &screen.names, widget as usize, reducer)
                });
                origins.push((names, own_name));
            }
            origins
        };
        let one = origins(one);
        let other = origins(other);
        one.iter().all(|origin| !other.contains(origin))
    }

    /// Refinements of one name of a screen that are possible and not on the black list.
    fn candidates(&self, screen: &ModelScreen, path: AttributePathId) -> Vec<RefinementCandidate> {
        let Some((_, node)) = screen.names.iter().find(|(name, _)| *name == path) else {
            return Vec::new();
        };
        let state = &self.states[screen.state.0 as usize];
        let tree = Arc::clone(&self.trees[state.tree]);
        let mut candidates = Vec::new();
        for reducer in tree.nodes[*node].reducer.not_coarser() {
            let change = (path, reducer);
            if state.black_list.contains(&change) {
                continue;
            }
            if let Some(tree) = tree.refined(*node, path, reducer) {
                candidates.push(RefinementCandidate {
                    tree,
                    change,
                    cost: (0, 0, 0),
                });
            }
        }
        candidates
    }

    /// Names that a reducer gives to the widgets of one name.
    fn renamed(
        &mut self,
        gui: &GuiTree,
        names: &[(AttributePathId, usize)],
        path: AttributePathId,
        reducer: AttributeReducer,
    ) -> BTreeSet<AttributePathId> {
        let widgets = names
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| *name == path);
        let mut renamed = BTreeSet::new();
        for (widget, _) in widgets {
            renamed.insert(self.new_name(gui, names, widget, reducer));
        }
        renamed
    }

    fn new_name(
        &mut self,
        gui: &GuiTree,
        names: &[(AttributePathId, usize)],
        widget: usize,
        reducer: AttributeReducer,
    ) -> AttributePathId {
        let widget = &gui.widgets[widget];
        let above = widget
            .parent
            .filter(|_| reducer.has(AttributeReducer::PARENT))
            .map(|parent| names[parent].0);
        self.paths.intern_path(AttributePath {
            above,
            own: reducer.keep(&widget.attributes),
        })
    }

    /// True if the activity of a state has reached its limit of states: none of them is refined any more.
    fn is_full(&self, state: StateId) -> bool {
        let activity = &self.states[state.0 as usize].activity;
        let limit = self.parameters.states_an_activity + self.extra_states_of(activity);
        self.states_per_activity
            .get(activity)
            .is_some_and(|states| *states > limit)
    }

    fn extra_states_of(&self, activity: &Text) -> usize {
        self.extra_states.get(activity).copied().unwrap_or(0)
    }
}
