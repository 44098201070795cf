//! What a pilot needs to understand a run while it is under way.

use std::collections::HashMap;

use retap_shared::trace::Step;

use super::bits::Bits;
use super::known::{Item, items_of};
use super::replayer::{Arrival, Origin};

/// States, actions and coverage by number, as they were known when a run began.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) actions: Vec<Vec<u32>>,
    pub(super) made: HashMap<Origin, (u32, Step)>,
    pub(super) states: HashMap<u64, u32>,
    pub(super) items: HashMap<Item, u32>,
}

impl Lexicon {
    pub(super) fn state(&self, state: u64) -> Option<u32> {
        self.states.get(&state).copied()
    }

    pub(super) fn action(&self, origin: Origin) -> u32 {
        let made = self.made.get(&origin).map(|(action, _)| *action);
        made.unwrap_or_else(|| self.actions[origin.trace as usize][origin.step as usize])
    }

    /// What is done instead of a step, if it is.
    pub(super) fn made(&self, origin: Origin) -> Option<&Step> {
        self.made.get(&origin).map(|(_, step)| step)
    }

    /// What nobody has covered before is not among them.
    pub(super) fn covers(&self, arrival: &Arrival) -> Bits {
        items_of(arrival)
            .filter_map(|item| self.items.get(&item).copied())
            .collect()
    }
}
