//! What a pilot needs to understand a run while it is under way.

use std::collections::HashMap;

use retap_shared::trace::Step;

use super::item_set::ItemSet;
use super::replay_tree::{CoverageItem, coverage_items};
use super::replayer::{ReplayObservation, SuiteStepOrigin};

/// States, actions and coverage by number, as they were known when a run began.
#[derive(Debug)]
pub(super) struct SymbolTable {
    pub(super) actions: Vec<Vec<u32>>,
    pub(super) replacements: HashMap<SuiteStepOrigin, (u32, Step)>,
    pub(super) states: HashMap<u64, u32>,
    pub(super) items: HashMap<CoverageItem, u32>,
}

impl SymbolTable {
    pub(super) fn state(&self, state: u64) -> Option<u32> {
        self.states.get(&state).copied()
    }

    pub(super) fn action(&self, origin: SuiteStepOrigin) -> u32 {
        let made = self.replacements.get(&origin).map(|(action, _)| *action);
        made.unwrap_or_else(|| self.actions[origin.trace as usize][origin.step as usize])
    }

    /// What is done instead of a step, if it is.
    pub(super) fn replacement(&self, origin: SuiteStepOrigin) -> Option<&Step> {
        self.replacements.get(&origin).map(|(_, step)| step)
    }

    /// What nobody has covered before is not among them.
    pub(super) fn covers(&self, arrival: &ReplayObservation) -> ItemSet {
        coverage_items(arrival)
            .filter_map(|item| self.items.get(&item).copied())
            .collect()
    }
}
