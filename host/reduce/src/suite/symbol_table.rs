//! Ids of actions, states and coverage items, and the steps that replace recorded ones.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use retap_shared::trace::{Step, Trace};
use xxhash_rust::xxh3::Xxh3;

use super::coverage_item::{CoverageItem, coverage_items};
use super::interner::Interner;
use super::item_set::ItemSet;
use super::replayer::{ReplayObservation, SuiteStepOrigin};

/// Ids of everything that has been observed so far. A guided replay uses a copy from the moment it began.
#[derive(Clone, Debug)]
pub(super) struct SymbolTable {
    /// Actions of the original traces.
    recorded_actions: Vec<Vec<u32>>,
    action_hashes: Interner<u64>,
    /// Steps to replay instead of recorded ones, with their actions.
    replacements: HashMap<SuiteStepOrigin, (u32, Step)>,
    states: Interner<u64>,
    items: Interner<CoverageItem>,
}

impl SymbolTable {
    pub(super) fn new(originals: &[Trace]) -> SymbolTable {
        let mut action_hashes = Interner::default();
        let mut intern_actions = |trace: &Trace| {
            let hashes = trace.steps.iter().map(action_hash);
            hashes.map(|hash| action_hashes.intern(hash)).collect()
        };
        let recorded_actions = originals.iter().map(&mut intern_actions).collect();
        SymbolTable {
            recorded_actions,
            action_hashes,
            replacements: HashMap::new(),
            states: Interner::default(),
            items: Interner::default(),
        }
    }

    pub(super) fn action(&self, origin: SuiteStepOrigin) -> u32 {
        let replacement = self.replacements.get(&origin).map(|(action, _)| *action);
        replacement
            .unwrap_or_else(|| self.recorded_actions[origin.trace as usize][origin.step as usize])
    }

    /// Actions of an original trace.
    pub(super) fn recorded_actions(&self, trace: u32) -> &[u32] {
        &self.recorded_actions[trace as usize]
    }

    /// Hash of an action, the same in every process.
    pub(super) fn action_hash(&self, action: u32) -> u64 {
        *self.action_hashes.value(action)
    }

    /// The step to replay: the recorded one or its replacement.
    pub(super) fn step<'a>(&'a self, originals: &'a [Trace], origin: SuiteStepOrigin) -> &'a Step {
        let replacement = self.replacements.get(&origin).map(|(_, step)| step);
        replacement.unwrap_or(&originals[origin.trace as usize].steps[origin.step as usize])
    }

    /// Adds a step that can be replayed instead of a recorded one.
    pub(super) fn replace_step(
        &mut self,
        recorded: SuiteStepOrigin,
        step: Step,
    ) -> SuiteStepOrigin {
        let hash = action_hash(&step);
        let origin = SuiteStepOrigin {
            instead: hash.max(1),
            ..recorded
        };
        let action = self.action_hashes.intern(hash);
        self.replacements.insert(origin, (action, step));
        origin
    }

    /// Id of a state, if it was observed before.
    pub(super) fn state_id(&self, state: u64) -> Option<u32> {
        self.states.id(&state)
    }

    pub(super) fn state(&self, id: u32) -> u64 {
        *self.states.value(id)
    }

    pub(super) fn items(&self, set: &ItemSet) -> impl Iterator<Item = &CoverageItem> {
        set.ones().map(|id| self.items.value(id))
    }

    /// Every item that was ever observed.
    pub(super) fn all_items(&self) -> ItemSet {
        (0..self.items.len()).collect()
    }

    /// Coverage of an observation, without items that were never observed before.
    pub(super) fn coverage(&self, observation: &ReplayObservation) -> ItemSet {
        coverage_items(observation)
            .filter_map(|item| self.items.id(&item))
            .collect()
    }

    /// State and coverage of an observation.
    pub(super) fn intern_observation(&mut self, observation: &ReplayObservation) -> (u32, ItemSet) {
        let covers = coverage_items(observation)
            .map(|item| self.items.intern(item))
            .collect();
        (self.states.intern(observation.state), covers)
    }
}

/// Hash of a step's action and widget. The screen it was recorded on is not part of it.
pub(super) fn action_hash(step: &Step) -> u64 {
    let mut hasher = Xxh3::new();
    (&step.action, &step.widget).hash(&mut hasher);
    hasher.finish()
}
