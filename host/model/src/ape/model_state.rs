//! States of the model, their actions, and the transitions that were observed.

use std::collections::{BTreeSet, HashMap};

use retap_shared::Text;

use super::attribute_path::AttributePathId;
use super::attribute_reducer::AttributeReducer;
use crate::actions::ActionKind;

/// Share of an action's transitions that must end in one state for the action to be reliable, as a fraction. Retap's own figure.
const RELIABLE_SHARE: (u32, u32) = (3, 4);

/// Number of a state. Numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A model action: a kind of action on all widgets with one attribute path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelActionId {
    /// Attribute path of the widgets; empty for actions that need no widget.
    pub path: AttributePathId,
    /// Kind of the action.
    pub kind: ActionKind,
}

/// A refinement: widgets with this attribute path are named by this reducer.
pub(super) type RefinementChange = (AttributePathId, AttributeReducer);

/// A state of the model. A refined state stays as the parent of the states that it was split into.
#[derive(Debug)]
pub struct ModelState {
    /// Index of the decision tree that names its widgets.
    pub(super) tree: usize,
    /// Hash of the widget names and their actions.
    pub(super) key: u64,
    pub(super) parent: Option<StateId>,
    pub(super) children: Vec<StateId>,
    /// Index of the decision tree of its children, and the change that made that tree.
    pub(super) refined: Option<(usize, RefinementChange)>,
    /// Activity of all its screens.
    pub activity: Text,
    /// Indices of the GUI trees that were kept.
    pub(super) guis: Vec<u32>,
    /// Number of times that a worker arrived here.
    pub visits: u32,
    /// All actions that any of its screens offers, in the order of their first occurrence.
    pub actions: Vec<ModelAction>,
    pub(super) action_indices: HashMap<ModelActionId, usize>,
    /// Transitions that lead here: their states and actions.
    pub(super) incoming: BTreeSet<(StateId, ModelActionId)>,
    /// Refinements that were reversed, and are not made again.
    pub(super) black_list: Vec<RefinementChange>,
    /// Number of kept GUI transitions of an action when no refinement could separate its targets.
    pub(super) futile_refinements: HashMap<ModelActionId, usize>,
    /// A transition path to this state led elsewhere, and no worker has arrived here since.
    pub detached: bool,
    pub(super) is_leaf: bool,
}

/// An action of a state, with its observed transitions.
#[derive(Clone, Debug)]
pub struct ModelAction {
    /// Identity in its state.
    pub id: ModelActionId,
    /// Largest number of widgets of one screen that it stands for. 0 if no screen of the state offers it any more.
    pub aliases: u32,
    /// Number of times that it was done.
    pub visits: u32,
    /// States that it led to.
    pub targets: Vec<ActionTarget>,
}

/// A state that an action led to.
#[derive(Clone, Debug)]
pub struct ActionTarget {
    /// The state.
    pub state: StateId,
    /// Number of times that the action led to it.
    pub times: u32,
    /// Indices of the GUI transitions that were kept.
    pub(super) kept: Vec<u32>,
}

impl ModelState {
    /// A state without visits and actions.
    pub(super) fn new(
        parent: Option<StateId>,
        tree: usize,
        key: u64,
        activity: Text,
    ) -> ModelState {
        ModelState {
            tree,
            key,
            parent,
            children: Vec::new(),
            refined: None,
            activity,
            guis: Vec::new(),
            visits: 0,
            actions: Vec::new(),
            action_indices: HashMap::new(),
            incoming: BTreeSet::new(),
            black_list: Vec::new(),
            futile_refinements: HashMap::new(),
            detached: false,
            is_leaf: true,
        }
    }

    /// Action with this identity, if any screen of the state offered it or it was done here.
    pub fn action(&self, id: ModelActionId) -> Option<&ModelAction> {
        self.action_indices
            .get(&id)
            .map(|index| &self.actions[*index])
    }

    /// Action with this identity; added if there is none.
    pub(super) fn action_mut(&mut self, id: ModelActionId) -> &mut ModelAction {
        let index = *self.action_indices.entry(id).or_insert_with(|| {
            self.actions.push(ModelAction {
                id,
                aliases: 0,
                visits: 0,
                targets: Vec::new(),
            });
            self.actions.len() - 1
        });
        &mut self.actions[index]
    }

    /// State that an action reliably leads to.
    pub fn reliable_target(&self, id: ModelActionId) -> Option<StateId> {
        self.action(id).and_then(ModelAction::reliable_target)
    }
}

impl ModelAction {
    /// The action was done often enough: once, or twice if it stands for several widgets.
    pub fn is_saturated(&self) -> bool {
        self.visits >= self.aliases.clamp(1, 2)
    }

    /// State that the action reliably leads to: its only target, or one that most of its transitions end in.
    pub fn reliable_target(&self) -> Option<StateId> {
        match &self.targets[..] {
            [only] => Some(only.state),
            [] => None,
            several => {
                let most_frequent = several.iter().max_by_key(|target| target.times)?;
                let all: u32 = several.iter().map(|target| target.times).sum();
                let (numerator, denominator) = RELIABLE_SHARE;
                (most_frequent.times * denominator >= all * numerator)
                    .then_some(most_frequent.state)
            }
        }
    }

    /// Target for a state; added if there is none.
    pub(super) fn target_mut(&mut self, state: StateId) -> &mut ActionTarget {
        let known = self.targets.iter().position(|target| target.state == state);
        let index = known.unwrap_or_else(|| {
            self.targets.push(ActionTarget {
                state,
                times: 0,
                kept: Vec::new(),
            });
            self.targets.len() - 1
        });
        &mut self.targets[index]
    }
}
