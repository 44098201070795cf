//! Goals and current actions of the other workers, so that no two do the same. The model knows nothing of an action until it has
//! ended.

use std::collections::HashMap;

use retap_model::ape::{ModelActionId, StateId};

use super::AutoWorkerState;

#[derive(Debug, Default)]
pub(super) struct OtherWorkers {
    goals: Vec<StateId>,
    current_actions: Vec<(StateId, ModelActionId)>,
}

impl OtherWorkers {
    /// All workers except one.
    pub(super) fn of(workers: &HashMap<usize, AutoWorkerState>, except: usize) -> OtherWorkers {
        let mut others = OtherWorkers::default();
        for (_, worker) in workers.iter().filter(|(number, _)| **number != except) {
            others.goals.extend(worker.plan_goal);
            others.current_actions.extend(worker.current_action);
        }
        others
    }

    /// One of them travels to this state.
    pub(super) fn travel_to(&self, state: StateId) -> bool {
        self.goals.contains(&state)
    }

    /// Number of them that do this action now. It counts as done: they will all know its result.
    pub(super) fn count_doing(&self, state: StateId, action: ModelActionId) -> u32 {
        let same = self
            .current_actions
            .iter()
            .filter(|current| **current == (state, action))
            .count();
        u32::try_from(same).unwrap_or(u32::MAX)
    }
}
