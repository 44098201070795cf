//! Chooses the next action of a state: drawn by its kind, by the number of times it was done there, and by the rewards of its kind in this
//! app. Untried actions are preferred, here and then in nearby states; actions that ended in findings are avoided.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::ape::{ModelAction, ModelActionId, ModelState, StateId};

use super::AutoExplorer;
use super::action_weights::{MIN_TRAVEL_WEIGHT, action_weight, draw_action};
use super::other_workers::OtherWorkers;
use super::reward_statistics::is_system_event;

/// Maximum number of states that a search for nearby untried actions reaches. Retap's own figure.
const MAX_SEARCHED_STATES: usize = 400;
/// Probability of an untried action of the state, where there is one. Retap's own figure.
const UNTRIED_PROBABILITY: f64 = 0.8;
/// Probability of a travel to the nearest untried action, where the state has none. Retap's own figure.
const TRAVEL_TO_UNTRIED_PROBABILITY: f64 = 2.0 / 3.0;
/// Weight of a tap: untried actions that are not worth a travel are done in proportion to their weights against it.
const TAP_WEIGHT: f64 = 24.0;
/// Factor of all weights, so that small ones differ as integers.
const WEIGHT_UNIT: u64 = 1 << 20;
/// Number of times that a system event is done in an activity until the divisor of its weight there grows by one. Retap's own
/// figure.
const SYSTEM_EVENTS_PER_DIVISION: u32 = 4;

/// An action of a state, with its weight before it is divided by the number of times it was done.
struct WeightedAction {
    id: ModelActionId,
    weight: u64,
    /// Number of times that it was done, current ones included.
    times: u64,
}

impl AutoExplorer {
    pub(super) fn choose_action(
        &mut self,
        worker: usize,
        state: StateId,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        if let Some(action) = self.next_planned_action(worker, state) {
            return Some(action);
        }
        let others = OtherWorkers::of(&self.workers, worker);
        let (system_actions, user_actions): (Vec<_>, Vec<_>) = self
            .weighted_actions(worker, state, &others)
            .into_iter()
            .partition(|action| is_system_event(action.id.kind));
        if rng.random_bool(self.rewards.system_event_share()) && !system_actions.is_empty() {
            let weights = weights(&system_actions, |action| 4 * action.times + 1);
            return draw_action(&weights, rng);
        }
        let is_rewarding = self.rewards.is_rewarding();
        let untried: Vec<(ModelActionId, u64)> = user_actions
            .iter()
            .filter(|action| action.times == 0 && action.weight > 0)
            .map(|action| (action.id, action.weight))
            .collect();
        let has_relevant = untried
            .iter()
            .any(|(action, _)| action_weight(action.kind, is_rewarding) >= MIN_TRAVEL_WEIGHT);
        if !untried.is_empty()
            && (is_rewarding || rng.random_bool(untried_probability(&untried, has_relevant)))
        {
            return draw_action(&untried, rng);
        }
        if !has_relevant
            && (is_rewarding || rng.random_bool(TRAVEL_TO_UNTRIED_PROBABILITY))
            && let Some(action) = self.travel_to_untried(worker, state, &others)
        {
            return Some(action);
        }
        draw_action(&weights(&user_actions, |action| action.times + 1), rng)
    }

    fn next_planned_action(&mut self, worker: usize, state: StateId) -> Option<ModelActionId> {
        let worker = self.workers.entry(worker).or_default();
        let action = worker.plan.next_action(state, &self.model);
        if action.is_none() {
            // Without a plan the worker keeps no other one from its goal.
            worker.plan_goal = None;
        }
        action
    }

    /// Actions that can be done in a state. Kinds with little reward weigh less, and so do actions that ended in findings, and
    /// system events that were done before in the same activity.
    fn weighted_actions(
        &self,
        worker: usize,
        id: StateId,
        others: &OtherWorkers,
    ) -> Vec<WeightedAction> {
        let state = self.model.state(id);
        let allowed = self.allowed_events(worker);
        let is_possible =
            |action: &&ModelAction| action.aliases > 0 && action.id.kind.is_supported_by(allowed);
        let is_rewarding = self.rewards.is_rewarding();
        let weighted = |action: &ModelAction| {
            let kind = action.id.kind;
            let crashes = self
                .crash_counts
                .get(&(id, action.id))
                .copied()
                .unwrap_or(0);
            let system_events = self
                .system_event_counts
                .get(&(state.activity.clone(), kind))
                .copied()
                .unwrap_or(0);
            let weight = u64::from(action_weight(kind, is_rewarding)) * WEIGHT_UNIT
                / u64::from(1 + system_events / SYSTEM_EVENTS_PER_DIVISION);
            let weight = (weight as f64 * self.rewards.relative_of_kind(kind)) as u64;
            WeightedAction {
                id: action.id,
                weight: weight >> (2 * crashes).min(16),
                times: u64::from(action.visits + others.count_doing(id, action.id)),
            }
        };
        state
            .actions
            .iter()
            .filter(is_possible)
            .map(weighted)
            .collect()
    }

    /// Plans a path to the nearest state with an untried action that is worth a travel, and returns its first action.
    fn travel_to_untried(
        &mut self,
        worker: usize,
        from: StateId,
        others: &OtherWorkers,
    ) -> Option<ModelActionId> {
        let is_rewarding = self.rewards.is_rewarding();
        let has_untried = |id: StateId, state: &ModelState| {
            let is_untried = |action: &&ModelAction| {
                action.visits + others.count_doing(id, action.id) == 0 && action.aliases > 0
            };
            let is_relevant = |action: &ModelAction| {
                action_weight(action.id.kind, is_rewarding) >= MIN_TRAVEL_WEIGHT
            };
            !others.travel_to(id) && state.actions.iter().filter(is_untried).any(is_relevant)
        };
        let path = self
            .model
            .nearest_path(from, MAX_SEARCHED_STATES, has_untried)?;
        let goal = path
            .last()
            .and_then(|(state, action)| self.model.state(*state).reliable_target(*action));
        let worker = self.workers.entry(worker).or_default();
        worker.plan_goal = goal;
        worker.plan.set_plan(path);
        worker.plan.next_action(from, &self.model)
    }
}

/// Weight of each action, divided.
fn weights(
    actions: &[WeightedAction],
    divisor: impl Fn(&WeightedAction) -> u64,
) -> Vec<(ModelActionId, u64)> {
    actions
        .iter()
        .map(|action| (action.id, action.weight / divisor(action)))
        .collect()
}

/// Probability of an untried action of a state. Lower if none of them is worth a travel.
fn untried_probability(untried: &[(ModelActionId, u64)], has_relevant: bool) -> f64 {
    if has_relevant {
        return UNTRIED_PROBABILITY;
    }
    let sum = untried.iter().map(|(_, weight)| *weight).sum::<u64>() as f64 / WEIGHT_UNIT as f64;
    UNTRIED_PROBABILITY * sum / (sum + TAP_WEIGHT)
}
