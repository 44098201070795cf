//! Decides when a worker goes to another state, and how. A worker leaves as soon as the expected gain per step is higher elsewhere
//! than here, and than the recent rewards. A worker that stagnates travels to a promising state.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::ActionKind;
use retap_model::ape::{
    ApeModel, AttributePathId, ModelAction, ModelActionId, ModelScreen, ModelState, StateId,
    TransitionPath,
};

use super::AutoExplorer;
use super::action_weights::{MIN_TRAVEL_WEIGHT, action_weight};
use super::other_workers::OtherWorkers;
use super::reward_statistics::{RewardWindow, is_system_event};
use crate::Decision;

/// Maximum number of states that a search for expected gain reaches. Retap's own figure.
const MAX_SEARCHED_STATES: usize = 400;
/// Maximum number of states that a search for a path to a known goal reaches. Retap's own figure.
const MAX_PATH_SEARCH_STATES: usize = 20_000;
/// Factor of the expected gain of the current state, which is certain to be reached. Retap's own figure.
const STAY_FACTOR: f64 = 1.5;
/// Factor of the expected gain of a state for each missed arrival. Retap's own figure.
const MISSED_ARRIVAL_FACTOR: f64 = 0.5;
/// Maximum number of times that Back is tried before a clean start. Retap's own figure.
const MAX_BACK_ATTEMPTS: u32 = 3;
const BACK_ACTION: ModelActionId = ModelActionId {
    path: AttributePathId::NONE,
    kind: ActionKind::Back,
};

/// Gain per step, and the path to the state that has it.
type BestPath = Option<(f64, TransitionPath)>;

/// Shortest path between two states.
pub(super) fn path_between(model: &ApeModel, from: StateId, to: StateId) -> Option<TransitionPath> {
    model.nearest_path(from, MAX_PATH_SEARCH_STATES, |state, _| state == to)
}

impl AutoExplorer {
    /// State after a clean start, in the model as it is now.
    fn root_state(&mut self) -> Option<StateId> {
        let root = self.model.relocate(self.root.as_ref()?);
        let state = root.state;
        self.root = Some(root);
        Some(state)
    }

    /// Shortest path from a clean start to a state.
    pub(super) fn path_from_start(&mut self, to: StateId) -> Option<TransitionPath> {
        let root = self.root_state()?;
        path_between(&self.model, root, to)
    }

    /// Plans the path to a state with more expected gain per step. Returns a clean start if the path begins with one. A worker
    /// that knows no transition out of its state tries Back first.
    pub(super) fn leave(
        &mut self,
        worker: usize,
        screen: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<Decision> {
        let here = screen.state;
        let others = OtherWorkers::of(&self.workers, worker);
        self.record_missed_goal(worker, here);
        let root = self.root_state();
        let (by_transitions, by_start) = self.paths_to_gain(here, root, &others)?;
        let needs_start = gain_per_step(&by_start) > gain_per_step(&by_transitions);
        if needs_start && self.plan_back(worker, here) {
            return None;
        }
        let (_, mut path) = if needs_start {
            by_start
        } else {
            by_transitions
        }?;
        let goal = match path.last() {
            Some((state, action)) => self.model.state(*state).reliable_target(*action)?,
            None => root?,
        };
        let first_action = self.draw_best_untried(goal, &others, rng);
        path.extend(first_action.map(|action| (goal, action)));
        let state = self.workers.entry(worker).or_default();
        state.plan_goal = Some(goal);
        state.gain_goal = Some(goal);
        state.back_attempts = 0;
        if needs_start {
            state.plan_after_start = path;
            return Some(Decision::Restart { clear_data: true });
        }
        state.plan.set_plan(path);
        None
    }

    /// A goal that the worker left for and has not reached counts as missed.
    fn record_missed_goal(&mut self, worker: usize, here: StateId) {
        let goal = self.workers.entry(worker).or_default().gain_goal.take();
        if let Some(goal) = goal.filter(|goal| *goal != here) {
            *self.missed_arrivals.entry(goal).or_default() += 1;
        }
    }

    /// Best paths by transitions and after a clean start. `None` if none of them is better than to stay.
    fn paths_to_gain(
        &self,
        here: StateId,
        root: Option<StateId>,
        others: &OtherWorkers,
    ) -> Option<(BestPath, BestPath)> {
        let gain = |id: StateId, state: &ModelState| {
            let is_taken = id != here && others.travel_to(id);
            if is_taken {
                0.0
            } else {
                self.expected_gain_in(id, state, others)
            }
        };
        let gain_here = gain(here, self.model.state(here));
        let gain_of_staying = (STAY_FACTOR * gain_here).max(self.rewards.mean());
        let start_steps = self.costs.replay_cost(0) as f64 / self.costs.step_cost().max(1) as f64;
        let by_transitions = self
            .model
            .best_path(here, MAX_SEARCHED_STATES, 0.0, gain)
            .filter(|(_, path)| !path.is_empty());
        let by_start = root.filter(|root| *root != here).and_then(|root| {
            self.model
                .best_path(root, MAX_SEARCHED_STATES, start_steps, gain)
        });
        let best = gain_per_step(&by_transitions).max(gain_per_step(&by_start));
        (best > gain_of_staying).then_some((by_transitions, by_start))
    }

    /// Plans Back where it is untried: it may lead out of a state for less than a clean start costs.
    fn plan_back(&mut self, worker: usize, here: StateId) -> bool {
        let is_untried = self
            .model
            .state(here)
            .action(BACK_ACTION)
            .is_some_and(|back| back.visits == 0);
        let state = self.workers.entry(worker).or_default();
        let is_planned = is_untried && state.back_attempts < MAX_BACK_ATTEMPTS;
        if is_planned {
            state.back_attempts += 1;
            state.plan.set_plan(vec![(here, BACK_ACTION)]);
        }
        is_planned
    }

    /// Expected gain of the best untried action of a state. It is reduced for each missed arrival: a worker would leave for such a
    /// state again and again.
    pub(super) fn expected_gain_in(
        &self,
        id: StateId,
        state: &ModelState,
        others: &OtherWorkers,
    ) -> f64 {
        let misses = self.missed_arrivals.get(&id).copied().unwrap_or(0);
        self.best_untried_gain(id, state, others) * MISSED_ARRIVAL_FACTOR.powi(misses)
    }

    fn best_untried_gain(&self, id: StateId, state: &ModelState, others: &OtherWorkers) -> f64 {
        let expected = self.expected_gain.expected(&state.activity);
        self.untried_actions(id, state, others)
            .map(|action| expected(action.kind))
            .fold(0.0, f64::max)
    }

    /// Draws one of the untried actions with the highest expected gain.
    fn draw_best_untried(
        &self,
        id: StateId,
        others: &OtherWorkers,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        let state = self.model.state(id);
        let expected = self.expected_gain.expected(&state.activity);
        let best = self.best_untried_gain(id, state, others);
        let actions: Vec<ModelActionId> = self
            .untried_actions(id, state, others)
            .filter(|action| expected(action.kind) >= best)
            .collect();
        actions
            .get(rng.random_range(0..actions.len().max(1)))
            .copied()
    }

    /// Untried actions of a state that are worth a travel.
    fn untried_actions<'a>(
        &self,
        id: StateId,
        state: &'a ModelState,
        others: &'a OtherWorkers,
    ) -> impl Iterator<Item = ModelActionId> + 'a {
        let is_rewarding = self.rewards.is_rewarding();
        let is_untried = move |action: &&ModelAction| {
            action.aliases > 0 && action.visits + others.count_doing(id, action.id) == 0
        };
        let is_relevant = move |kind: ActionKind| {
            !is_system_event(kind) && action_weight(kind, is_rewarding) >= MIN_TRAVEL_WEIGHT
        };
        state
            .actions
            .iter()
            .filter(is_untried)
            .map(|action| action.id)
            .filter(move |id| is_relevant(id.kind))
    }

    /// Travels to a promising state at the least cost. Returns `None` if transitions lead there: they are planned.
    pub(super) fn travel(
        &mut self,
        worker: usize,
        screen: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<Decision> {
        let root = self.root_state();
        let others = OtherWorkers::of(&self.workers, worker);
        let state = self.workers.entry(worker).or_default();
        state.stagnation = 0;
        state.window = RewardWindow::default();
        state.plan.drop_plan();
        state.plan_goal = self
            .ranking
            .draw_goal(&self.model, &self.rewards, &others, rng);
        match state.plan_goal {
            Some(goal) => self.travel_to(worker, screen.state, root, goal),
            None => Some(Decision::Restart { clear_data: true }),
        }
    }

    fn travel_to(
        &mut self,
        worker: usize,
        here: StateId,
        root: Option<StateId>,
        goal: StateId,
    ) -> Option<Decision> {
        let state = self.workers.entry(worker).or_default();
        let path_from = |from: StateId| path_between(&self.model, from, goal);
        let by_transitions = path_from(here);
        let by_start = root.and_then(path_from);
        let by_restore = state
            .snapshots
            .get(goal)
            .filter(|snapshot| self.model.is_leaf(snapshot.resulting_state))
            .and_then(|snapshot| Some((snapshot.id, path_from(snapshot.resulting_state)?)));
        let cost = |path: &TransitionPath| self.costs.transitions_cost(path.len());
        // With half as much again as a margin. Retap's own figure.
        let transitions_cost = by_transitions
            .as_ref()
            .map_or(u64::MAX, |path| cost(path) + cost(path) / 2);
        let start_cost = by_start
            .as_ref()
            .map_or(u64::MAX, |path| self.costs.replay_cost(path.len()));
        let restore_cost = by_restore
            .as_ref()
            .map_or(u64::MAX, |(_, path)| self.costs.restore_cost() + cost(path));
        match by_restore {
            Some((snapshot, path)) if restore_cost < transitions_cost.min(start_cost) => {
                state.plan_after_start = path;
                Some(Decision::RestoreSnapshot(snapshot))
            }
            _ if transitions_cost < start_cost => {
                state.plan.set_plan(by_transitions.unwrap_or_default());
                None
            }
            _ => {
                state.plan_after_start = by_start.unwrap_or_default();
                Some(Decision::Restart { clear_data: true })
            }
        }
    }
}

fn gain_per_step(best: &BestPath) -> f64 {
    best.as_ref().map_or(0.0, |(gain, _)| *gain)
}
