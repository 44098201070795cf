//! Follows a transition path through APE's model, and notices when it leads elsewhere.

use std::collections::VecDeque;

use retap_model::ape::{ApeModel, ModelActionId, StateId, TransitionPath};

/// The plan of one worker.
#[derive(Debug, Default)]
pub(super) struct PlanFollower {
    /// States still to pass, each with the action to do in it.
    plan: VecDeque<(StateId, ModelActionId)>,
    /// Reliable target of the last action that came from a plan.
    expected: Option<StateId>,
}

impl PlanFollower {
    /// Replaces the plan.
    pub(super) fn set_plan(&mut self, path: TransitionPath) {
        self.plan = path.into();
    }

    /// No action is planned.
    pub(super) fn is_empty(&self) -> bool {
        self.plan.is_empty()
    }

    /// Drops the plan. The arrival of the last action is still checked.
    pub(super) fn drop_plan(&mut self) {
        self.plan.clear();
    }

    /// Drops the plan, and expects nothing of the last action.
    pub(super) fn reset(&mut self) {
        self.plan.clear();
        self.expected = None;
    }

    /// Takes the next action of the plan. A plan that continues in another state is dropped.
    pub(super) fn next_action(
        &mut self,
        state: StateId,
        model: &ApeModel,
    ) -> Option<ModelActionId> {
        let next = self.plan.pop_front();
        let Some((_, action)) = next.filter(|(planned, _)| *planned == state) else {
            self.reset();
            return None;
        };
        self.expected = model.state(state).reliable_target(action);
        Some(action)
    }

    /// Compares the state that an action led to with the expected one. If they differ, the plan is dropped, the expected state
    /// is detached from the model, and false is returned.
    pub(super) fn check_arrival(&mut self, arrived: StateId, model: &mut ApeModel) -> bool {
        let Some(missed) = self.expected.take().filter(|state| *state != arrived) else {
            return true;
        };
        self.plan.clear();
        if model.is_leaf(missed) {
            model.detach(missed);
        }
        false
    }
}
