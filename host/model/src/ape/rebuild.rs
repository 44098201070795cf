//! After a state was split, or took its parts back, only what it touches is made anew: its GUI trees, and the transitions
//! that begin or end in it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ApeModel, ModelScreen, RefinementChange, StateId};

impl ApeModel {
    /// Splits a state by a finer abstraction.
    pub(super) fn split(
        &mut self,
        state: StateId,
        tree: super::DecisionTree,
        change: RefinementChange,
    ) {
        self.trees.push(Arc::new(tree));
        let finer = self.trees.len() - 1;
        self.states[state.0 as usize].refined = Some((finer, change));
        self.rebuild_states(&[state]);
    }

    /// A state takes its parts back, and is never split in that way again.
    pub(super) fn join(&mut self, state: StateId) {
        let leaves = self.leaves(state);
        let Some((_, change)) = self.states[state.0 as usize].refined.take() else {
            return;
        };
        for below in self.descendants(state) {
            let parent = self.states[below.0 as usize].parent;
            let key = self.states[below.0 as usize].key;
            self.state_ids.remove(&(parent, key));
        }
        self.revive(state);
        let coarse = &mut self.states[state.0 as usize];
        coarse.black_list.push(change);
        coarse.children.clear();
        self.rebuild_states(&leaves);
    }

    /// Takes these states out of the model and puts what they held where it belongs now.
    fn rebuild_states(&mut self, gone: &[StateId]) {
        let mut guis = Vec::new();
        let mut transitions: BTreeSet<u32> = BTreeSet::new();
        let mut visits = 0;
        for &state in gone {
            self.retire(state);
            let old = &mut self.states[state.0 as usize];
            guis.append(&mut old.guis);
            visits += std::mem::take(&mut old.visits);
            let actions = std::mem::take(&mut old.actions);
            let incoming = std::mem::take(&mut old.incoming);
            old.action_indices.clear();
            old.futile_refinements.clear();
            for action in actions {
                for target in action.targets {
                    transitions.extend(&target.kept);
                    self.states[target.state.0 as usize]
                        .incoming
                        .remove(&(state, action.id));
                }
            }
            for (from, action) in incoming {
                let Some(place) = self.states[from.0 as usize]
                    .action_indices
                    .get(&action)
                    .copied()
                else {
                    continue;
                };
                let action = &mut self.states[from.0 as usize].actions[place];
                action.targets.retain(|target| {
                    let stays = target.state != state;
                    if !stays {
                        transitions.extend(&target.kept);
                        // Counted again when the transitions are put back.
                        let kept: u32 = target.kept.len().try_into().unwrap_or(u32::MAX);
                        action.visits = action.visits.saturating_sub(kept.max(target.times));
                    }
                    stays
                });
            }
        }
        let share = visits / u32::try_from(guis.len().max(1)).unwrap_or(1);
        for kept in guis {
            let gui = Arc::clone(&self.guis[kept as usize].gui);
            let (state, names) = self.abstracted(&gui);
            let held = &mut self.guis[kept as usize];
            (held.state, held.names) = (state, Arc::clone(&names));
            let new = &mut self.states[state.0 as usize];
            new.guis.push(kept);
            new.visits += share.max(1);
            self.add_actions(&ModelScreen {
                state,
                gui,
                names,
                kept: Some(kept),
            });
        }
        for kept in transitions {
            let transition = self.transitions[kept as usize];
            let from = self.spot(transition.from);
            let to = self.spot(transition.to);
            if let Some(action) = self.action_of(&from, transition.widget, transition.kind) {
                self.add_transition(from.state, action, to.state, Some(kept), transition.times);
            }
        }
    }

    /// What it is split into, down to the last.
    pub(super) fn leaves(&self, state: StateId) -> Vec<StateId> {
        self.descendants(state)
            .into_iter()
            .filter(|below| self.is_alive(*below))
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
        // A state that takes its parts back is among the living already.
        if std::mem::replace(&mut old.is_leaf, false)
            && let Some(count) = self.states_per_activity.get_mut(&old.activity)
        {
            *count -= 1;
        }
    }

    fn revive(&mut self, state: StateId) {
        let old = &mut self.states[state.0 as usize];
        old.is_leaf = true;
        *self
            .states_per_activity
            .entry(old.activity.clone())
            .or_default() += 1;
    }
}
