//! What the other phones are about, so that no two of them do the same: where their plans lead, and what they do at this moment,
//! which the model knows nothing of until it has ended.

use std::collections::HashMap;

use retap_model::ape::{ActionId, StateId};

use super::Walker;

#[derive(Debug, Default)]
pub(super) struct Others {
    goals: Vec<StateId>,
    doing: Vec<(StateId, ActionId)>,
}

impl Others {
    pub(super) fn of(walkers: &HashMap<usize, Walker>, number: usize) -> Others {
        let mut all = Others::default();
        for (_, walker) in walkers.iter().filter(|(other, _)| **other != number) {
            all.goals.extend(walker.goal);
            all.doing.extend(walker.doing);
        }
        all
    }

    /// Whether one of them is on its way to this state.
    pub(super) fn go_to(&self, state: StateId) -> bool {
        self.goals.contains(&state)
    }

    /// How many of them do this now. It counts as done: what one finds out by it the others will know.
    pub(super) fn doing(&self, state: StateId, action: ActionId) -> u32 {
        let same = self
            .doing
            .iter()
            .filter(|doing| **doing == (state, action))
            .count();
        u32::try_from(same).unwrap_or(u32::MAX)
    }
}
