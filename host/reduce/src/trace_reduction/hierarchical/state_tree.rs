//! The state tree of a trace (SimplyDroid, Table 1): a new state becomes a child of the previous event; a state that is already
//! on the path to the root becomes a right sibling of that node. A subtree is a range of events.

use std::ops::Range;

use retap_model::numbered;
use retap_shared::trace::Step;
use serde::{Deserialize, Serialize};

use crate::named_choice::{NamedChoice, named_choice_text};
use crate::oracle::AppState;

/// Granularity of the states of a state tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateGranularity {
    /// One state per activity.
    #[default]
    Activity,
    /// One state per recorded screen; the activity for steps without a recorded screen.
    Screen,
}

impl NamedChoice for StateGranularity {
    const KIND: &'static str = "hierarchy";
    const ALL: &'static [StateGranularity] =
        &[StateGranularity::Activity, StateGranularity::Screen];

    fn name(self) -> &'static str {
        match self {
            StateGranularity::Activity => "activity",
            StateGranularity::Screen => "screen",
        }
    }

    fn description(self) -> &'static str {
        match self {
            StateGranularity::Activity => "One state per activity",
            StateGranularity::Screen => "One state per recorded screen",
        }
    }
}

named_choice_text!(StateGranularity);

impl StateGranularity {
    /// State in which each step was recorded.
    pub(in crate::trace_reduction) fn states_of<'a>(
        self,
        steps: impl Iterator<Item = &'a Step>,
    ) -> Vec<AppState> {
        let state = |step: &Step| match (self, step.screen) {
            (StateGranularity::Screen, Some(screen)) => AppState::Screen(screen),
            _ => AppState::Activity(step.activity.clone()),
        };
        steps.map(state).collect()
    }
}

/// One node per event. The root is the start of the app, which is always kept and has no number.
pub(super) struct StateTree {
    parents: Vec<Option<usize>>,
    /// End of the subtree of each node, as a range of events.
    subtree_ends: Vec<usize>,
}

impl StateTree {
    pub(super) fn of(states: &[AppState]) -> StateTree {
        let states = numbered(states);
        let mut parents: Vec<Option<usize>> = Vec::new();
        for (event, state) in states.iter().enumerate() {
            let mut same_state = event.checked_sub(1);
            while let Some(ancestor) = same_state.filter(|ancestor| states[*ancestor] != *state) {
                same_state = parents[ancestor];
            }
            parents.push(same_state.map_or(event.checked_sub(1), |sibling| parents[sibling]));
        }
        let mut subtree_ends: Vec<usize> = (1..=states.len()).collect();
        for event in (0..states.len()).rev() {
            if let Some(parent) = parents[event] {
                subtree_ends[parent] = subtree_ends[parent].max(subtree_ends[event]);
            }
        }
        StateTree {
            parents,
            subtree_ends,
        }
    }

    /// Events of the subtree of a node, itself included.
    pub(super) fn subtree(&self, event: usize) -> Range<usize> {
        event..self.subtree_ends[event]
    }

    /// Children of these nodes, in order; of the root for `None`.
    pub(super) fn children(&self, nodes: Option<&[usize]>) -> Vec<usize> {
        let is_child = |parent: &Option<usize>| match (nodes, parent) {
            (Some(nodes), Some(parent)) => nodes.contains(parent),
            (None, None) => true,
            _ => false,
        };
        (0..self.parents.len())
            .filter(|event| is_child(&self.parents[*event]))
            .collect()
    }
}
