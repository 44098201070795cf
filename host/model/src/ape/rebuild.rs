//! Splits and coarsens states. Only what a change touches is rebuilt: the GUI trees of the states that it replaces, and the
//! transitions that begin or end in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::model_state::RefinementChange;
use super::{ApeModel, DecisionTree, ModelScreen, StateId};

/// Contents of the replaced states, to be moved to the states of the new abstraction.
#[derive(Default)]
struct Detached {
    /// Indices of GUI trees.
    guis: Vec<u32>,
    /// Indices of GUI transitions.
    transitions: BTreeSet<u32>,
    visits: u32,
}

impl ApeModel {
    /// Splits a state by a finer decision tree.
    pub(super) fn split(&mut self, state: StateId, tree: DecisionTree, change: RefinementChange) {
        self.trees.push(Arc::new(tree));
        let finer = self.trees.len() - 1;
        self.states[state.0 as usize].refined = Some((finer, change));
        self.rebuild_states(&[state]);
    }

    /// Reverses the refinement of a state, and bars it from being made again.
    pub(super) fn coarsen_state(&mut self, state: StateId) {
        let leaves = self.leaves(state);
        let Some((_, change)) = self.states[state.0 as usize].refined.take() else {
            return;
        };
        for descendant in self.descendants(state) {
            let descendant = &self.states[descendant.0 as usize];
            self.state_ids.remove(&(descendant.parent, descendant.key));
        }
        self.make_leaf(state);
        let coarse = &mut self.states[state.0 as usize];
        coarse.black_list.push(change);
        coarse.children.clear();
        self.rebuild_states(&leaves);
    }

    /// Takes states out of the model and moves their contents to the states of the current abstraction.
    fn rebuild_states(&mut self, replaced: &[StateId]) {
        let mut detached = Detached::default();
        for &state in replaced {
            self.detach_contents(state, &mut detached);
        }
        self.attach_guis(&detached.guis, detached.visits);
        self.attach_transitions(&detached.transitions);
    }

    fn detach_contents(&mut self, state: StateId, detached: &mut Detached) {
        self.retire(state);
        let old = &mut self.states[state.0 as usize];
        detached.guis.append(&mut old.guis);
        detached.visits += std::mem::take(&mut old.visits);
        let actions = std::mem::take(&mut old.actions);
        let incoming = std::mem::take(&mut old.incoming);
        old.action_indices.clear();
        old.futile_refinements.clear();
        for action in actions {
            for target in action.targets {
                detached.transitions.extend(&target.kept);
                self.states[target.state.0 as usize]
                    .incoming
                    .remove(&(state, action.id));
            }
        }
        for (from, action) in incoming {
            let from = &mut self.states[from.0 as usize];
            let Some(index) = from.action_indices.get(&action).copied() else {
                continue;
            };
            let action = &mut from.actions[index];
            action.targets.retain(|target| {
                let stays = target.state != state;
                if !stays {
                    detached.transitions.extend(&target.kept);
                    // Counted again when the transitions are attached.
                    let kept: u32 = target.kept.len().try_into().unwrap_or(u32::MAX);
                    action.visits = action.visits.saturating_sub(kept.max(target.times));
                }
                stays
            });
        }
    }

    /// Each GUI tree takes an equal share of the visits to its new state.
    fn attach_guis(&mut self, guis: &[u32], visits: u32) {
        let share = visits / u32::try_from(guis.len().max(1)).unwrap_or(1);
        for &index in guis {
            let gui = Arc::clone(&self.guis[index as usize].gui);
            let (state, names) = self.locate(&gui);
            let kept = &mut self.guis[index as usize];
            kept.state = state;
            kept.names = Arc::clone(&names);
            let new = &mut self.states[state.0 as usize];
            new.guis.push(index);
            new.visits += share.max(1);
            self.add_actions(&ModelScreen {
                state,
                gui,
                names,
                kept: Some(index),
            });
        }
    }

    fn attach_transitions(&mut self, transitions: &BTreeSet<u32>) {
        for &index in transitions {
            let transition = self.transitions[index as usize];
            let from = self.kept_screen(transition.from);
            let to = self.kept_screen(transition.to);
            if let Some(action) = self.action_of(&from, transition.widget, transition.kind) {
                self.add_transition(from.state, action, to.state, Some(index), transition.times);
            }
        }
    }

    /// States that a state is split into and that are not split themselves.
    pub(super) fn leaves(&self, state: StateId) -> Vec<StateId> {
        self.descendants(state)
            .into_iter()
            .filter(|descendant| self.is_leaf(*descendant))
            .collect()
    }

    fn descendants(&self, state: StateId) -> Vec<StateId> {
        let mut all = self.states[state.0 as usize].children.clone();
        let mut next = 0;
        while next < all.len() {
            all.extend_from_slice(&self.states[all[next].0 as usize].children);
            next += 1;
        }
        all
    }

    fn retire(&mut self, state: StateId) {
        let old = &mut self.states[state.0 as usize];
        if std::mem::replace(&mut old.is_leaf, false)
            && let Some(count) = self.states_per_activity.get_mut(&old.activity)
        {
            *count -= 1;
        }
    }

    fn make_leaf(&mut self, state: StateId) {
        let coarse = &mut self.states[state.0 as usize];
        coarse.is_leaf = true;
        *self
            .states_per_activity
            .entry(coarse.activity.clone())
            .or_default() += 1;
    }
}
