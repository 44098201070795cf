//! The tree of states of a trace (SimplyDroid, Table 1): a new state is a child of what came before it, one that is already
//! on the way to there is a right sibling of its like. What is below a node are the events right after it.

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
    /// The state in which each step was recorded.
    pub(in crate::trace_reduction) fn states_of<'a>(
        self,
        steps: impl Iterator<Item = &'a Step>,
    ) -> Vec<AppState> {
        let place = |step: &Step| match (self, step.screen) {
            (StateGranularity::Screen, Some(screen)) => AppState::Screen(screen),
            _ => AppState::Activity(step.activity.clone()),
        };
        steps.map(place).collect()
    }
}

/// One node for each event. The root is the start of the app, which is always kept and has no number.
pub(super) struct StateTree {
    parents: Vec<Option<usize>>,
    /// Where the events below each node, and the node itself, end.
    subtree_ends: Vec<usize>,
}

impl StateTree {
    pub(super) fn of(places: &[AppState]) -> StateTree {
        let states = numbered(places);
        let mut parents: Vec<Option<usize>> = Vec::new();
        for (event, state) in states.iter().enumerate() {
            let mut like = event.checked_sub(1);
            while let Some(above) = like.filter(|above| states[*above] != *state) {
                like = parents[above];
            }
            parents.push(like.map_or(event.checked_sub(1), |like| parents[like]));
        }
        let mut ends: Vec<usize> = (1..=states.len()).collect();
        for event in (0..states.len()).rev() {
            if let Some(parent) = parents[event] {
                ends[parent] = ends[parent].max(ends[event]);
            }
        }
        StateTree {
            parents,
            subtree_ends: ends,
        }
    }

    /// An event with all that is below it.
    pub(super) fn subtree(&self, event: usize) -> Range<usize> {
        event..self.subtree_ends[event]
    }

    /// The nodes right below these, in order; below the root if none are named.
    pub(super) fn children(&self, of: Option<&[usize]>) -> Vec<usize> {
        let is = |parent: &Option<usize>| match (of, parent) {
            (Some(of), Some(parent)) => of.contains(parent),
            (None, None) => true,
            _ => false,
        };
        (0..self.parents.len())
            .filter(|event| is(&self.parents[*event]))
            .collect()
    }
}
