//! Splitting and putting together (the paper's Algorithm 2): no model action for more than α widgets, no two targets of one
//! action where that can be helped, no state split into more than β.

use std::collections::BTreeSet;
use std::sync::Arc;

use retap_shared::Text;

use super::attribute_path::{AttributePath, AttributePathId};
use super::attribute_reducer::AttributeReducer;
use super::{
    ApeModel, DecisionTree, GuiTree, ModelActionId, ModelScreen, ModelState, RefinementChange,
    StateId,
};

/// An action is split at most so often in a row: more primitive reducers there are not.
const MAX_REFINEMENT_ROUNDS: usize = 4;

/// A way to split a state: which tree, by which change.
struct RefinementCandidate {
    tree: DecisionTree,
    change: RefinementChange,
    /// How many states and names it makes of what is known: fewer are better.
    cost: (usize, usize, u32),
}

impl ApeModel {
    /// Lets an activity have so many more states than the rules say: where telling them apart is worth it.
    pub fn allow(&mut self, activity: &Text, more: usize) {
        match self.extra_states.get_mut(activity) {
            Some(allowed) => *allowed = more,
            None => drop(self.extra_states.insert(activity.clone(), more)),
        }
    }

    /// True if states have changed.
    pub(super) fn optimise(
        &mut self,
        from: &ModelScreen,
        action: ModelActionId,
        to: &ModelScreen,
    ) -> bool {
        let mut changed = false;
        let mut spot = to.clone();
        for _ in 0..MAX_REFINEMENT_ROUNDS {
            if !self.refine_actions(&spot) {
                break;
            }
            changed = true;
            spot = self.again(&spot);
        }
        changed |= self.coarsen(spot.state);
        // The transition may have gone to other states by now; then it is looked at the next time.
        if self.is_alive(from.state) && self.is_alive(to.state) {
            changed |= self.refine_state(from.state, action, to.state);
        }
        changed
    }

    /// Splits one model action that stands for too many widgets of this screen.
    fn refine_actions(&mut self, spot: &ModelScreen) -> bool {
        if spot.kept.is_none() || self.is_full(spot.state) {
            return false;
        }
        let mut names: Vec<AttributePathId> = Vec::new();
        for (widget, _) in &spot.gui.actions {
            names.extend(
                widget
                    .and_then(|widget| spot.names.get(widget as usize))
                    .map(|(path, _)| *path),
            );
        }
        names.sort_unstable();
        let many = |path: AttributePathId| {
            let mut widgets: Vec<u32> = spot
                .gui
                .actions
                .iter()
                .filter_map(|(widget, _)| *widget)
                .collect();
            widgets.retain(|widget| {
                spot.names
                    .get(*widget as usize)
                    .is_some_and(|(name, _)| *name == path)
            });
            widgets.sort_unstable();
            widgets.dedup();
            widgets.len() > self.parameters.alpha
        };
        names.dedup();
        let names: Vec<AttributePathId> = names.into_iter().filter(|path| many(*path)).collect();
        for path in names {
            let mut best: Option<RefinementCandidate> = None;
            for candidate in self.candidates(spot, path) {
                let (_, reducer) = candidate.change;
                let set = self.renamed(&spot.gui, &spot.names, path, reducer);
                let by_place = self.parameters.text_first && !reducer.has(AttributeReducer::TEXT);
                let makes = (1, set.len(), 2 * reducer.size() + u32::from(by_place));
                if set.len() > 1 && best.as_ref().is_none_or(|best| makes < best.cost) {
                    best = Some(RefinementCandidate {
                        cost: makes,
                        ..candidate
                    });
                }
            }
            if let Some(RefinementCandidate { tree, change, .. }) = best {
                self.split(spot.state, tree, change);
                return true;
            }
        }
        false
    }

    /// A state that one of those above was split into: if there are too many of them, they are put together.
    fn coarsen(&mut self, state: StateId) -> bool {
        let mut above = self.states[state.0 as usize].parent;
        while let Some(parent) = above {
            let ModelState {
                children, activity, ..
            } = &self.states[parent.0 as usize];
            if children.len() > self.parameters.beta + self.allowed(activity) {
                self.join(parent);
                return true;
            }
            above = self.states[parent.0 as usize].parent;
        }
        false
    }

    /// An action that has led to two states: the change that tells the two apart with the fewest new states, then with the
    /// fewest new names.
    fn refine_state(&mut self, state: StateId, action: ModelActionId, to: StateId) -> bool {
        let Some(known) = self.states[state.0 as usize].known(action) else {
            return false;
        };
        if known.targets.len() < 2
            || known.targets.len() > self.parameters.targets
            || self.is_full(state)
        {
            return false;
        }
        let kept: usize = known.targets.iter().map(|target| target.kept.len()).sum();
        let Some(here) = known.targets.iter().find(|target| target.state == to) else {
            return false;
        };
        let others: Vec<Vec<u32>> = known
            .targets
            .iter()
            .filter(|other| other.state != to)
            .map(|other| other.kept.clone())
            .collect();
        let here = here.kept.clone();
        if self.states[state.0 as usize]
            .futile_refinements
            .get(&action)
            .is_some_and(|before| kept < before * 2)
        {
            return false;
        }
        for other in others
            .iter()
            .filter(|other| !other.is_empty() && !here.is_empty())
        {
            if let Some(RefinementCandidate { tree, change, .. }) =
                self.separating(state, action, &here, other)
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

    fn separating(
        &mut self,
        state: StateId,
        action: ModelActionId,
        here: &[u32],
        other: &[u32],
    ) -> Option<RefinementCandidate> {
        let guis = self.states[state.0 as usize].guis.clone();
        let spot = self.spot(self.transitions[*here.first()? as usize].from);
        let mut names: Vec<AttributePathId> = spot.names.iter().map(|(path, _)| *path).collect();
        names.sort_unstable();
        names.dedup();
        let mut best: Option<RefinementCandidate> = None;
        for path in names {
            for candidate in self.candidates(&spot, path) {
                let (_, reducer) = candidate.change;
                if !self.separates(here, other, action, path, reducer) {
                    continue;
                }
                let mut sets: BTreeSet<BTreeSet<AttributePathId>> = BTreeSet::new();
                for gui in &guis {
                    let spot = self.spot(*gui);
                    sets.insert(self.renamed(&spot.gui, &spot.names, path, reducer));
                }
                let makes = (
                    sets.len(),
                    sets.iter().map(BTreeSet::len).sum(),
                    reducer.size(),
                );
                if best.as_ref().is_none_or(|best| makes < best.cost) {
                    best = Some(RefinementCandidate {
                        cost: makes,
                        ..candidate
                    });
                }
            }
        }
        best
    }

    /// Whether no screen of the one is in the same state as a screen of the other any more, or else the widgets that were
    /// touched have not the same name any more.
    fn separates(
        &mut self,
        here: &[u32],
        other: &[u32],
        action: ModelActionId,
        path: AttributePathId,
        reducer: AttributeReducer,
    ) -> bool {
        let mut looks = |kept: &[u32]| {
            let mut looks = Vec::with_capacity(kept.len());
            for transition in kept {
                let transition = self.transitions[*transition as usize];
                let spot = self.spot(transition.from);
                let set = self.renamed(&spot.gui, &spot.names, path, reducer);
                let widget = transition.widget.filter(|_| action.path == path);
                let own = widget
                    .map(|widget| self.new_name(&spot.gui, &spot.names, widget as usize, reducer));
                looks.push((set, own));
            }
            looks
        };
        let here = looks(here);
        let other = looks(other);
        here.iter().all(|here| {
            other
                .iter()
                .all(|other| here.0 != other.0 || here.1 != other.1)
        })
    }

    /// All changes of one name of this screen that are allowed and not on the black-list.
    fn candidates(&self, spot: &ModelScreen, path: AttributePathId) -> Vec<RefinementCandidate> {
        let Some((_, node)) = spot.names.iter().find(|(name, _)| *name == path) else {
            return Vec::new();
        };
        let state = &self.states[spot.state.0 as usize];
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

    /// What widgets of this name would be called.
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
        let mut set = BTreeSet::new();
        for (widget, _) in widgets {
            set.insert(self.new_name(gui, names, widget, reducer));
        }
        set
    }

    fn new_name(
        &mut self,
        gui: &GuiTree,
        names: &[(AttributePathId, usize)],
        widget: usize,
        reducer: AttributeReducer,
    ) -> AttributePathId {
        let of = &gui.widgets[widget];
        let above = of
            .parent
            .filter(|_| reducer.has(AttributeReducer::PARENT))
            .map(|parent| names[parent].0);
        self.paths.intern_path(AttributePath {
            above,
            own: reducer.keep(&of.attributes),
        })
    }

    fn is_full(&self, state: StateId) -> bool {
        let activity = &self.states[state.0 as usize].activity;
        let most = self.parameters.states_an_activity + self.allowed(activity);
        self.states_per_activity
            .get(activity)
            .is_some_and(|states| *states > most)
    }

    fn allowed(&self, activity: &Text) -> usize {
        self.extra_states.get(activity).copied().unwrap_or(0)
    }
}
