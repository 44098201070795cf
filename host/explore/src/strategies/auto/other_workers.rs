//! What the other phones are about, so that no two of them do the same: where their plans lead, and what they do at this moment,
//! which the model knows nothing of until it has ended.

use std::collections::HashMap;

use retap_model::ape::{ModelActionId, StateId};

use super::AutoWorkerState;

#[derive(Debug, Default)]
pub(super) struct OtherWorkers {
    goals: Vec<StateId>,
    current_actions: Vec<(StateId, ModelActionId)>,
}

impl OtherWorkers {
    pub(super) fn of(walkers: &HashMap<usize, AutoWorkerState>, number: usize) -> OtherWorkers {
        let mut all = OtherWorkers::default();
        for (_, walker) in walkers.iter().filter(|(other, _)| **other != number) {
            all.goals.extend(walker.goal);
            all.current_actions.extend(walker.doing);
        }
        all
    }

    /// Whether one of them is on its way to this state.
    pub(super) fn go_to(&self, state: StateId) -> bool {
        self.goals.contains(&state)
    }

    /// How many of them do this now. It counts as done: what one finds out by it the others will know.
    pub(super) fn doing(&self, state: StateId, action: ModelActionId) -> u32 {
        let same = self
            .current_actions
            .iter()
            .filter(|doing| **doing == (state, action))
            .count();
        u32::try_from(same).unwrap_or(u32::MAX)
    }
}
