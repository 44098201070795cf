//! APE: explores by a model that changes its mind. Local first: what has not been done in this state, then in the nearest
//! state of the same connected part; now and then a burst of random events, now and then a restart.

mod parameters;

use std::collections::{HashMap, VecDeque};

pub use parameters::{ApeParameterError, ApeParameters};
use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction};
use retap_model::ape::{
    ApeModel, AttributePaths, DecisionTree, ModelAction, ModelActionId, ModelScreen, StateId,
};
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::SharedScreen;

use super::random::RandomExplorer;
use crate::journal::RecordedEvent;
use crate::{ChosenAction, Decision, Explorer, StepObservation, WorkerView};

/// A screen that never rests is not waited for as long as others wait.
const SETTLE: Settle = Settle {
    quiet: Micros::from_millis(200),
    limit: Micros::from_millis(1_000),
};
/// How far a search for something to do goes, in states.
const MAX_SEARCHED_STATES: usize = 2_000;

#[derive(Debug)]
pub struct ApeExplorer {
    parameters: ApeParameters,
    pub(super) model: ApeModel,
    workers: HashMap<usize, ApeWorkerState>,
    /// For bursts.
    random: RandomExplorer,
}

#[derive(Debug, Default)]
struct ApeWorkerState {
    screen: Option<ModelScreen>,
    /// What to do where, one after the other.
    plan: VecDeque<(StateId, ModelActionId)>,
    /// Where the last action of a plan should have led.
    expected: Option<StateId>,
    burst: u32,
    events_since_start: u32,
    restart_after: u32,
    events_unchanged: u32,
}

impl ApeExplorer {
    pub fn new(rules: ApeParameters, tree: DecisionTree, paths: AttributePaths) -> ApeExplorer {
        let model = ApeModel::new(rules.model, tree, paths);
        ApeExplorer {
            parameters: rules,
            model,
            workers: HashMap::new(),
            random: RandomExplorer::default(),
        }
    }

    pub fn model(&self) -> &ApeModel {
        &self.model
    }

    /// What to do in this state: buffered, then what is not done yet, here or nearby, then what was done least.
    fn choose_action(
        &mut self,
        walker: usize,
        here: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        let held = self.workers.entry(walker).or_default();
        match held.plan.pop_front() {
            Some((state, action)) if state == here.state => {
                let known = self.model.state(state).action(action);
                held.expected = known.and_then(ModelAction::reliable_target);
                return Some(action);
            }
            Some(_) => held.plan.clear(),
            None => {}
        }
        held.expected = None;
        if let Some(action) = self.unsaturated_action(here.state, rng) {
            return Some(action);
        }
        let undone = |_, state: &retap_model::ape::ModelState| {
            state
                .actions
                .iter()
                .any(|action| is_explorable(action) && !action.is_saturated())
        };
        if let Some(way) = self
            .model
            .nearest_path(here.state, MAX_SEARCHED_STATES, undone)
        {
            let held = self.workers.entry(walker).or_default();
            held.plan = way.into();
            let (_, action) = held.plan.pop_front()?;
            let known = self.model.state(here.state).action(action);
            held.expected = known.and_then(ModelAction::reliable_target);
            return Some(action);
        }
        let actions: Vec<&ModelAction> = self
            .model
            .state(here.state)
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
        let least = actions.iter().map(|action| action.visits).min()?;
        let least: Vec<&&ModelAction> = actions
            .iter()
            .filter(|action| action.visits == least)
            .collect();
        Some(least[rng.random_range(0..least.len())].id)
    }

    /// One of this state's actions that is not done often enough: never done first, then what stands for more widgets.
    fn unsaturated_action(&self, state: StateId, rng: &mut Rng) -> Option<ModelActionId> {
        let actions = self.model.state(state).actions.iter();
        let undone: Vec<&ModelAction> = actions
            .filter(|action| is_explorable(action) && !action.is_saturated())
            .collect();
        let best = undone.iter().map(|action| rank(action)).max()?;
        let best: Vec<&&ModelAction> = undone
            .iter()
            .filter(|action| rank(action) == best)
            .collect();
        Some(best[rng.random_range(0..best.len())].id)
    }

    /// One of the widgets that the action stands for.
    fn concrete_action(
        &self,
        here: &ModelScreen,
        action: ModelActionId,
        at: &WorkerView<'_>,
        rng: &mut Rng,
    ) -> Option<ChosenAction> {
        let mut listed = Vec::new();
        actions::list_candidate_actions(at.screen, &mut listed);
        let ways: Vec<usize> = self.model.gui_actions(here, action).collect();
        let way = *ways.get(rng.random_range(0..ways.len().max(1)))?;
        let possible = listed.get(way)?;
        Some(ChosenAction {
            action: possible.to_action(at.screen, rng),
            node: possible.node,
        })
    }

    fn observe_screen(&mut self, screen: &SharedScreen) -> (ModelScreen, bool) {
        let mut listed: Vec<CandidateAction> = Vec::new();
        actions::list_candidate_actions(screen, &mut listed);
        self.model.observe_screen(screen, &listed)
    }

    fn observe_step(&mut self, seen: &StepObservation<'_>) {
        let (RecordedEvent::Stepped { step, node, .. }, Some(before)) =
            (&seen.record.event, seen.before)
        else {
            return;
        };
        let node = *node;
        let from = self.workers.entry(seen.worker).or_default().screen.take();
        let what = actions::action_kind_of(&step.action, node, before);
        let Some(screen) = seen.screen.filter(|_| seen.in_app) else {
            self.observe_exit(seen.worker, from.as_ref(), node, before, what);
            return;
        };
        let (mut to, is_new) = self.observe_screen(screen);
        let mut changed = is_new;
        if let (Some(from), Some(what)) = (from, what) {
            let from = self.model.relocate(&from);
            let widget = widget_of(node, before);
            changed |= self.model.learn(&from, widget, what, &to);
            to = self.model.relocate(&to);
        }
        let walker = self.workers.entry(seen.worker).or_default();
        if let Some(expected) = walker
            .expected
            .take()
            .filter(|expected| *expected != to.state)
        {
            walker.plan.clear();
            if self.model.is_leaf(expected) {
                self.model.detach(expected);
            }
        }
        walker.events_unchanged = if changed {
            0
        } else {
            walker.events_unchanged + 1
        };
        walker.events_since_start += 1;
        walker.screen = Some(to);
    }

    /// The action led out of the app or into a problem: it has been done, and leads nowhere.
    fn observe_exit(
        &mut self,
        walker: usize,
        from: Option<&ModelScreen>,
        node: Option<usize>,
        before: &SharedScreen,
        what: Option<ActionKind>,
    ) {
        if let (Some(from), Some(what)) = (from, what) {
            let from = self.model.relocate(from);
            self.model.record_exit(&from, widget_of(node, before), what);
        }
        let walker = self.workers.entry(walker).or_default();
        walker.plan.clear();
        walker.expected = None;
        walker.events_since_start += 1;
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
        let here = match self
            .workers
            .get(&at.worker)
            .and_then(|walker| walker.screen.clone())
        {
            Some(here) => self.model.relocate(&here),
            None => self.observe_screen(at.screen).0,
        };
        let walker = self.workers.entry(at.worker).or_default();
        walker.screen = Some(here.clone());
        if walker.restart_after == 0 {
            walker.restart_after =
                rng.random_range(self.parameters.restart_after.0..=self.parameters.restart_after.1);
        }
        if walker.events_since_start >= walker.restart_after
            || walker.events_unchanged >= self.parameters.stagnation_limit
        {
            return Decision::Restart {
                clear_data: rng.random_bool(self.parameters.clear_data_probability),
            };
        }
        if walker.burst == 0
            && walker.plan.is_empty()
            && rng.random_bool(self.parameters.burst_probability)
        {
            walker.burst =
                rng.random_range(self.parameters.burst_length.0..=self.parameters.burst_length.1);
        }
        if walker.burst > 0 {
            walker.burst -= 1;
            return self.random.decide(at, rng);
        }
        let chosen = self.choose_action(at.worker, &here, rng);
        let choice = chosen.and_then(|action| self.concrete_action(&here, action, at, rng));
        choice.map_or_else(|| self.random.decide(at, rng), Decision::Act)
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        match seen.record.event {
            RecordedEvent::Stepped { .. } => self.observe_step(seen),
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotRestored { .. } => {
                let here = seen
                    .screen
                    .filter(|_| seen.in_app)
                    .map(|screen| self.observe_screen(screen).0);
                let walker = self.workers.entry(seen.worker).or_default();
                *walker = ApeWorkerState {
                    screen: here,
                    ..ApeWorkerState::default()
                };
            }
            // Once tried is enough, for what the phone cannot do.
            RecordedEvent::Refused => {
                let walker = self.workers.entry(seen.worker).or_default();
                walker.plan.clear();
                walker.events_since_start += 1;
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

/// Never done counts more than done once, and among these what more widgets hide behind.
fn rank(action: &ModelAction) -> (bool, u32) {
    (action.visits == 0, action.aliases.min(2))
}

/// Turning the display is for bursts.
fn is_explorable(action: &ModelAction) -> bool {
    action.aliases > 0 && action.id.kind != ActionKind::Rotate
}

fn widget_of(node: Option<usize>, before: &SharedScreen) -> Option<u32> {
    let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
    node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok())
}
