//! The strategy `ape` (Gu et al., ICSE 2019): explores by a model whose abstraction is refined while it is learned. It does
//! the untried actions of the current state first, then follows the model to the nearest state with untried ones. Random
//! bursts and restarts interrupt it.

mod parameters;

use std::collections::HashMap;

pub use parameters::{ApeParameterError, ApeParameters};
use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction};
use retap_model::ape::{
    ApeModel, AttributePaths, DecisionTree, ModelAction, ModelActionId, ModelScreen, ModelState,
    StateId,
};
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::SharedScreen;

use super::model_actions::concrete_action;
use super::plan_follower::PlanFollower;
use super::random::RandomExplorer;
use crate::journal::RecordedEvent;
use crate::{ChosenAction, Decision, Explorer, StepObservation, WorkerView};

/// Settle of `ape` and `auto`: shorter than the default, for screens that never stop changing. Retap's own figures.
pub(super) const SETTLE: Settle = Settle {
    quiet: Micros::from_millis(200),
    limit: Micros::from_millis(1_000),
};
/// Maximum number of states that a search for untried actions reaches. Retap's own figure.
const MAX_SEARCHED_STATES: usize = 2_000;

/// The strategy `ape`.
#[derive(Debug)]
pub struct ApeExplorer {
    parameters: ApeParameters,
    model: ApeModel,
    workers: HashMap<usize, ApeWorkerState>,
    /// Chooses the events of bursts.
    random: RandomExplorer,
}

#[derive(Debug, Default)]
struct ApeWorkerState {
    screen: Option<ModelScreen>,
    plan: PlanFollower,
    /// Number of random events left in the current burst.
    burst: u32,
    events_since_start: u32,
    /// Number of events from a start to the next restart; 0 before it is drawn.
    restart_after: u32,
    /// Number of events since the model last changed.
    events_unchanged: u32,
}

impl ApeExplorer {
    /// An explorer with an empty model. `tree`, with its `paths`, is the abstraction to start from.
    pub fn new(
        parameters: ApeParameters,
        tree: DecisionTree,
        paths: AttributePaths,
    ) -> ApeExplorer {
        let model = ApeModel::new(parameters.model, tree, paths);
        ApeExplorer {
            parameters,
            model,
            workers: HashMap::new(),
            random: RandomExplorer::default(),
        }
    }

    /// The model as learned so far.
    pub fn model(&self) -> &ApeModel {
        &self.model
    }

    /// Next action: of the plan, else an unsaturated one of this state, else the first on a path to a state that has one, else the
    /// least visited one.
    fn choose_action(
        &mut self,
        worker: usize,
        state: StateId,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        let plan = &mut self.workers.entry(worker).or_default().plan;
        if let Some(action) = plan.next_action(state, &self.model) {
            return Some(action);
        }
        if let Some(action) = draw_unsaturated(self.model.state(state), rng) {
            return Some(action);
        }
        let is_unsaturated = |_, state: &ModelState| state.actions.iter().any(is_worth_exploring);
        if let Some(path) = self
            .model
            .nearest_path(state, MAX_SEARCHED_STATES, is_unsaturated)
        {
            plan.set_plan(path);
            return plan.next_action(state, &self.model);
        }
        self.draw_least_visited(state, rng)
    }

    /// One of the least visited actions of a state; with probability ε any of its actions.
    fn draw_least_visited(&self, state: StateId, rng: &mut Rng) -> Option<ModelActionId> {
        let actions: Vec<&ModelAction> = self
            .model
            .state(state)
            .actions
            .iter()
            .filter(|action| action.aliases > 0)
            .collect();
        if actions.is_empty() {
            return None;
        }
        if rng.random_bool(self.parameters.epsilon) {
            return Some(actions[rng.random_range(0..actions.len())].id);
        }
        let visits = actions.iter().map(|action| action.visits).min()?;
        let least_visited: Vec<&&ModelAction> = actions
            .iter()
            .filter(|action| action.visits == visits)
            .collect();
        Some(least_visited[rng.random_range(0..least_visited.len())].id)
    }

    fn concrete_action(
        &self,
        screen: &ModelScreen,
        action: ModelActionId,
        view: &WorkerView<'_>,
        rng: &mut Rng,
    ) -> Option<ChosenAction> {
        let candidates = candidate_actions(view.screen);
        concrete_action(&self.model, screen, action, &candidates, view.screen, rng)
    }

    fn observe_screen(&mut self, screen: &SharedScreen) -> (ModelScreen, bool) {
        self.model
            .observe_screen(screen, &candidate_actions(screen))
    }

    fn observe_step(&mut self, observation: &StepObservation<'_>) {
        let (RecordedEvent::Stepped { step, node, .. }, Some(before)) =
            (&observation.record.event, observation.before)
        else {
            return;
        };
        let worker = observation.worker;
        let from = self.workers.entry(worker).or_default().screen.take();
        let widget = actions::touchable_widget(before, *node);
        let kind = actions::action_kind_of(&step.action, *node, before);
        let Some(screen) = observation.screen.filter(|_| observation.in_app) else {
            self.observe_exit(worker, from.as_ref(), widget, kind);
            return;
        };
        let (mut to, is_new) = self.observe_screen(screen);
        let mut has_changed = is_new;
        if let (Some(from), Some(kind)) = (from, kind) {
            let from = self.model.relocate(&from);
            has_changed |= self.model.learn(&from, widget, kind, &to);
            to = self.model.relocate(&to);
        }
        let state = self.workers.entry(worker).or_default();
        state.plan.check_arrival(to.state, &mut self.model);
        state.events_unchanged = if has_changed {
            0
        } else {
            state.events_unchanged + 1
        };
        state.events_since_start += 1;
        state.screen = Some(to);
    }

    /// The action led out of the app or to a finding: it counts as done, and has no target.
    fn observe_exit(
        &mut self,
        worker: usize,
        from: Option<&ModelScreen>,
        widget: Option<u32>,
        kind: Option<ActionKind>,
    ) {
        if let (Some(from), Some(kind)) = (from, kind) {
            let from = self.model.relocate(from);
            self.model.record_exit(&from, widget, kind);
        }
        let state = self.workers.entry(worker).or_default();
        state.plan.reset();
        state.events_since_start += 1;
    }
}

impl Explorer for ApeExplorer {
    fn name(&self) -> &str {
        "ape"
    }

    fn settle(&self) -> Option<Settle> {
        Some(SETTLE)
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let known = self.workers.entry(at.worker).or_default().screen.clone();
        let screen = match known {
            Some(screen) => self.model.relocate(&screen),
            None => self.observe_screen(at.screen).0,
        };
        let parameters = &self.parameters;
        let worker = self.workers.entry(at.worker).or_default();
        worker.screen = Some(screen.clone());
        if worker.restart_after == 0 {
            let (least, most) = parameters.restart_after;
            worker.restart_after = rng.random_range(least..=most);
        }
        if worker.events_since_start >= worker.restart_after
            || worker.events_unchanged >= parameters.stagnation_limit
        {
            return Decision::Restart {
                clear_data: rng.random_bool(parameters.clear_data_probability),
            };
        }
        if worker.burst == 0
            && worker.plan.is_empty()
            && rng.random_bool(parameters.burst_probability)
        {
            let (least, most) = parameters.burst_length;
            worker.burst = rng.random_range(least..=most);
        }
        if worker.burst > 0 {
            worker.burst -= 1;
            return self.random.decide(at, rng);
        }
        let action = self.choose_action(at.worker, screen.state, rng);
        let chosen = action.and_then(|action| self.concrete_action(&screen, action, at, rng));
        chosen.map_or_else(|| self.random.decide(at, rng), Decision::Act)
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        match observation.record.event {
            RecordedEvent::Stepped { .. } => self.observe_step(observation),
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotRestored { .. } => {
                let screen = observation
                    .screen
                    .filter(|_| observation.in_app)
                    .map(|screen| self.observe_screen(screen).0);
                let started = ApeWorkerState {
                    screen,
                    ..ApeWorkerState::default()
                };
                self.workers.insert(observation.worker, started);
            }
            RecordedEvent::Refused => {
                let worker = self.workers.entry(observation.worker).or_default();
                worker.plan.drop_plan();
                worker.events_since_start += 1;
            }
            RecordedEvent::SnapshotTaken { .. }
            | RecordedEvent::SnapshotDiscarded { .. }
            | RecordedEvent::SnapshotsLost => {}
        }
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        vec![("abstraction.txt", self.model.abstraction())]
    }
}

fn candidate_actions(screen: &SharedScreen) -> Vec<CandidateAction> {
    let mut candidates = Vec::new();
    actions::list_candidate_actions(screen, &mut candidates);
    candidates
}

/// One of a state's unsaturated actions: untried ones first, then those that stand for several widgets.
fn draw_unsaturated(state: &ModelState, rng: &mut Rng) -> Option<ModelActionId> {
    let unsaturated: Vec<&ModelAction> = state
        .actions
        .iter()
        .filter(|action| is_worth_exploring(action))
        .collect();
    let best = unsaturated.iter().map(|action| priority(action)).max()?;
    let best: Vec<&&ModelAction> = unsaturated
        .iter()
        .filter(|action| priority(action) == best)
        .collect();
    Some(best[rng.random_range(0..best.len())].id)
}

fn priority(action: &ModelAction) -> (bool, u32) {
    (action.visits == 0, action.aliases.min(2))
}

/// An unsaturated action that a screen offers. Rotation is left to the bursts.
fn is_worth_exploring(action: &ModelAction) -> bool {
    action.aliases > 0 && action.id.kind != ActionKind::Rotate && !action.is_saturated()
}
