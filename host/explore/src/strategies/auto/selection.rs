//! What to do next in a state: drawn by what it is, how rarely it was done there, and what has come of its like in this app.
//! What was never done is looked for here and then nearby, as long as the app is rich before anything else; what is known to
//! end in a crash is left alone.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::ape::{ModelAction, ModelActionId, ModelScreen, ModelState, StateId};

use super::action_weights::{MATTERS, action_weight, draw_by_weight};
use super::other_workers::OtherWorkers;
use super::reward_statistics::comes_from_outside;
use super::{AutoExplorer, ChosenAction, WorkerView};

/// How near something undone must be to be gone to.
const MAX_SEARCHED_STATES: usize = 400;
/// How probably something undone is done, and gone to, rather than anything.
const UNTRIED_PROBABILITY: f64 = 0.8;
const TRAVEL_TO_UNTRIED_PROBABILITY: f64 = 2.0 / 3.0;
/// Where only things are undone that do not matter, they are done as readily as they weigh against a tap.
const TAP_WEIGHT: f64 = 24.0;

impl AutoExplorer {
    pub(super) fn choose_action(
        &mut self,
        number: usize,
        here: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        if let Some(action) = self.next_of_plan(number, here) {
            return Some(action);
        }
        let others = OtherWorkers::of(&self.walkers, number);
        let times = |action: &ModelAction| action.visits + others.doing(here.state, action.id);
        let weighed = |outside: bool,
                       by: &dyn Fn(&ModelAction, u64) -> u64|
         -> Vec<(ModelActionId, u64)> {
            let worth = self.worth(number, here.state);
            let of_side = worth.filter(|(action, _)| comes_from_outside(action.id.kind) == outside);
            of_side
                .map(|(action, weight)| (action.id, by(action, weight)))
                .collect()
        };
        if rng.random_bool(self.yields.share_from_outside()) {
            let outside = weighed(true, &|action, weight| {
                weight / (4 * u64::from(times(action)) + 1)
            });
            if !outside.is_empty() {
                return draw_by_weight(&outside, rng);
            }
        }
        let all = weighed(false, &|action, weight| {
            weight / (u64::from(times(action)) + 1)
        });
        let mut undone = weighed(false, &|action, weight| {
            if times(action) == 0 { weight } else { 0 }
        });
        undone.retain(|(_, weight)| *weight > 0);
        let is_rich = self.yields.is_rich();
        let matters = undone
            .iter()
            .any(|(action, _)| action_weight(action.kind, is_rich) >= MATTERS);
        let sum = undone.iter().map(|(_, weight)| *weight).sum::<u64>() as f64 / WEIGHT_UNIT as f64;
        let do_undone = if matters {
            UNTRIED_PROBABILITY
        } else {
            UNTRIED_PROBABILITY * sum / (sum + TAP_WEIGHT)
        };
        if !undone.is_empty() && (is_rich || rng.random_bool(do_undone)) {
            return draw_by_weight(&undone, rng);
        }
        if !matters
            && (is_rich || rng.random_bool(TRAVEL_TO_UNTRIED_PROBABILITY))
            && let Some(action) = self.go_near(number, here, &others)
        {
            return Some(action);
        }
        draw_by_weight(&all, rng)
    }

    fn next_of_plan(&mut self, number: usize, here: &ModelScreen) -> Option<ModelActionId> {
        let walker = self.walkers.entry(number).or_default();
        match walker.plan.pop_front() {
            Some((state, action)) if state == here.state => {
                walker.expected = self
                    .model
                    .state(state)
                    .action(action)
                    .and_then(ModelAction::reliable_target);
                return Some(action);
            }
            Some(_) => walker.plan.clear(),
            None => {}
        }
        // Who has no plan is on the way to nowhere, and keeps nobody from going there.
        (walker.expected, walker.goal) = (None, None);
        None
    }

    /// What can be done in a state, with what it weighs by itself. What has led to little weighs less, and so does what ended in
    /// problems, and what comes from outside where it has come in the same activity.
    fn worth(&self, number: usize, id: StateId) -> impl Iterator<Item = (&ModelAction, u64)> {
        let state = self.model.state(id);
        let can = self.can(number);
        let possible =
            move |action: &&ModelAction| action.aliases > 0 && action.id.kind.is_supported_by(can);
        state.actions.iter().filter(possible).map(move |action| {
            let what = action.id.kind;
            let crashes = self.crashes.get(&(id, action.id)).copied().unwrap_or(0);
            let outside = self
                .outside
                .get(&(state.activity.clone(), what))
                .copied()
                .unwrap_or(0);
            let weight = u64::from(action_weight(what, self.yields.is_rich())) * WEIGHT_UNIT
                / u64::from(1 + outside / 4);
            let weight = (weight as f64 * self.yields.of_kind(what)) as u64;
            (action, weight >> (2 * crashes).min(16))
        })
    }

    /// The first action on the way to the nearest state where something that matters was never done.
    fn go_near(
        &mut self,
        number: usize,
        here: &ModelScreen,
        others: &OtherWorkers,
    ) -> Option<ModelActionId> {
        let pleases = |id: StateId, state: &ModelState| {
            let matters = |action: &ModelAction| {
                action.aliases > 0
                    && action_weight(action.id.kind, self.yields.is_rich()) >= MATTERS
            };
            let is_undone = |action: &ModelAction| action.visits + others.doing(id, action.id) == 0;
            !others.go_to(id)
                && state
                    .actions
                    .iter()
                    .any(|action| is_undone(action) && matters(action))
        };
        let way = self
            .model
            .nearest_path(here.state, MAX_SEARCHED_STATES, pleases)?;
        let goal = way.last().and_then(|(state, action)| {
            self.model
                .state(*state)
                .action(*action)
                .and_then(ModelAction::reliable_target)
        });
        let walker = self.walkers.entry(number).or_default();
        walker.goal = goal;
        walker.plan = way.into();
        let (_, action) = walker.plan.pop_front()?;
        walker.expected = self
            .model
            .state(here.state)
            .action(action)
            .and_then(ModelAction::reliable_target);
        Some(action)
    }

    /// One of the widgets that the action stands for.
    pub(super) fn choice(
        &self,
        here: &ModelScreen,
        action: ModelActionId,
        at: &WorkerView<'_>,
        rng: &mut Rng,
    ) -> Option<ChosenAction> {
        let listed = self.list(at.worker, at.screen);
        let ways: Vec<usize> = self.model.gui_actions(here, action).collect();
        let way = *ways.get(rng.random_range(0..ways.len().max(1)))?;
        let possible = listed.get(way)?;
        Some(ChosenAction {
            action: possible.to_action(at.screen, rng),
            node: possible.node,
        })
    }
}

/// Weights are counted in such parts, so that small ones can be told apart.
const WEIGHT_UNIT: u64 = 1 << 20;
