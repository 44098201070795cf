//! Learns from what a step or a start led to: the model, the rewards, the expected gains and the ranking of states.

use retap_model::actions::{self, ActionKind};
use retap_model::ape::{ModelActionId, ModelScreen, StateId};
use retap_shared::Text;
use retap_shared::action::{Action, SystemEvent};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::screen::SharedScreen;

use super::other_workers::OtherWorkers;
use super::reward_statistics::is_system_event;
use super::{AutoExplorer, STAGNATION_LIMIT};
use crate::StepObservation;
use crate::journal::RecordedEvent;

/// Number of events after which the network is switched on again, or a dozing phone is woken. Retap's own figure.
const RECOVERY_EVENTS: u32 = 8;
/// Number of events without reward that a failed plan counts as: where plans fail, a worker may run in a circle. Retap's own
/// figure.
const FAILED_PLAN_STAGNATION: u32 = 4;
/// Share of the expected gain of a new state that is credited to the action that led there. Retap's own figure.
const NEW_STATE_CREDIT: f64 = 0.5;
/// Reward of a finding that is new in this run, beside those of branches (2), screens (1) and activities (4). Retap's own figure.
const NEW_FINDING_REWARD: u32 = 6;

/// An action that was done, as the model knows it.
struct DoneAction<'a> {
    /// Screen that it was done on, if the worker was in the app.
    from: Option<ModelScreen>,
    widget: Option<u32>,
    kind: Option<ActionKind>,
    action: Option<ModelActionId>,
    /// The action was untried in its state.
    is_first: bool,
    activity: &'a Text,
}

impl DoneAction<'_> {
    fn source_state(&self) -> Option<StateId> {
        self.from.as_ref().map(|from| from.state)
    }

    /// State and action, if both are known.
    fn transition(&self) -> Option<(StateId, ModelActionId)> {
        self.source_state().zip(self.action)
    }

    /// Kind, if the action was untried.
    fn first_kind(&self) -> Option<ActionKind> {
        self.kind.filter(|_| self.is_first)
    }
}

impl AutoExplorer {
    pub(super) fn observe_step(&mut self, observation: &StepObservation<'_>) {
        let (RecordedEvent::Stepped { step, node, .. }, Some(before)) =
            (&observation.record.event, observation.before)
        else {
            return;
        };
        let done = self.identify_action(observation.worker, &step.action, *node, before);
        let reward = self.record_reward(&done, observation);
        self.record_stagnation(observation.worker, reward);
        match observation.screen.filter(|_| observation.in_app) {
            Some(screen) => {
                let to = self.learn_transition(observation.worker, &done, reward, screen);
                self.observe_arrival(observation, &step.action, &to, reward);
                self.workers.entry(observation.worker).or_default().screen = Some(to);
            }
            None => self.observe_exit(observation, &done, reward),
        }
    }

    /// The app was started, restarted or restored.
    pub(super) fn observe_start(&mut self, observation: &StepObservation<'_>) {
        let worker = observation.worker;
        let screen = observation
            .screen
            .filter(|_| observation.in_app)
            .map(|screen| self.observe_screen(worker, screen));
        if let Some(screen) = &screen {
            self.ranking.record_arrival(screen.state, 0);
            self.reach_goals(worker, screen.state);
            if matches!(
                observation.record.event,
                RecordedEvent::Started { clean: true }
            ) {
                self.root = Some(screen.clone());
            }
        }
        let state = self.workers.entry(worker).or_default();
        state.screen = screen;
        state.plan.reset();
        state
            .plan
            .set_plan(std::mem::take(&mut state.plan_after_start));
        state.stagnation = 0;
        state.recovery = None;
    }

    fn identify_action<'a>(
        &mut self,
        worker: usize,
        action: &Action,
        node: Option<usize>,
        before: &'a SharedScreen,
    ) -> DoneAction<'a> {
        let from = self.workers.entry(worker).or_default().screen.take();
        let from = from.map(|from| self.model.relocate(&from));
        let kind = actions::action_kind_of(action, node, before);
        let widget = actions::touchable_widget(before, node);
        let action = from
            .as_ref()
            .zip(kind)
            .and_then(|(from, kind)| self.model.action_of(from, widget, kind));
        let is_first = from.as_ref().zip(action).is_some_and(|(from, action)| {
            let known = self.model.state(from.state).action(action);
            known.is_none_or(|known| known.visits == 0)
        });
        DoneAction {
            from,
            widget,
            kind,
            action,
            is_first,
            activity: before.activity(),
        }
    }

    /// Records the reward of a step, and returns it without that of findings.
    fn record_reward(&mut self, done: &DoneAction<'_>, observation: &StepObservation<'_>) -> u32 {
        let activity = done.activity;
        let reward = self.rewards.reward(observation.gain, activity);
        if let Some(state) = done.source_state() {
            self.ranking.record_reward(state, reward);
        }
        if let Some(kind) = done.kind {
            let has_new_finding = observation
                .findings
                .iter()
                .any(|finding| !self.known_findings.contains(finding));
            let total = reward + NEW_FINDING_REWARD * u32::from(has_new_finding);
            self.rewards.record(kind, activity, total);
            let extra_states = self.rewards.extra_states(activity);
            self.model.allow_extra_states(activity, extra_states);
        }
        reward
    }

    fn record_stagnation(&mut self, worker: usize, reward: u32) {
        let is_low = reward == 0 || f64::from(reward) < self.rewards.mean() / 2.0;
        let state = self.workers.entry(worker).or_default();
        state.stagnation = if is_low { state.stagnation + 1 } else { 0 };
        state.window.record(reward);
        if state.window.is_full()
            && self
                .rewards
                .is_stagnating(std::mem::take(&mut state.window))
        {
            state.stagnation = STAGNATION_LIMIT;
            state.plan.drop_plan();
        }
    }

    /// The action led out of the app or to a finding: it counts as done, and has no target.
    fn observe_exit(
        &mut self,
        observation: &StepObservation<'_>,
        done: &DoneAction<'_>,
        reward: u32,
    ) {
        let worker = self.workers.entry(observation.worker).or_default();
        worker.plan.reset();
        if let (Some(from), Some(kind)) = (&done.from, done.kind) {
            self.model.record_exit(from, done.widget, kind);
        }
        if let Some((state, action)) = done.transition()
            && !observation.findings.is_empty()
        {
            self.record_findings(state, action, observation.findings);
        }
        if let Some(kind) = done.first_kind() {
            self.expected_gain
                .record(done.activity, kind, f64::from(reward));
        }
    }

    fn record_findings(&mut self, state: StateId, action: ModelActionId, findings: &[Fingerprint]) {
        let new = findings
            .iter()
            .filter(|finding| self.known_findings.insert(**finding))
            .count();
        // Where a new finding is, further ones are likely.
        let reward = NEW_FINDING_REWARD * u32::try_from(new).unwrap_or(0);
        self.ranking.record_reward(state, reward);
        *self.crash_counts.entry((state, action)).or_default() += 1;
    }

    /// Adds the transition to the model, and returns the screen that it led to.
    fn learn_transition(
        &mut self,
        worker: usize,
        done: &DoneAction<'_>,
        reward: u32,
        screen: &SharedScreen,
    ) -> ModelScreen {
        let mut to = self.observe_screen(worker, screen);
        if let Some(transition) = done.transition() {
            self.crash_counts.remove(&transition);
        }
        if let Some(kind) = done.kind.filter(|kind| is_system_event(*kind)) {
            let key = (done.activity.clone(), kind);
            *self.system_event_counts.entry(key).or_default() += 1;
        }
        if let (Some(from), Some(kind)) = (&done.from, done.kind) {
            self.model.learn(from, done.widget, kind, &to);
            to = self.model.relocate(&to);
        }
        if let Some(kind) = done.first_kind() {
            let gain = f64::from(reward) + self.new_state_credit(to.state);
            self.expected_gain.record(done.activity, kind, gain);
        }
        to
    }

    /// Part of the expected gain of a state that is credited to the action that found it.
    fn new_state_credit(&self, state: StateId) -> f64 {
        let known = self.model.state(state);
        if known.visits > 1 {
            0.0
        } else {
            NEW_STATE_CREDIT * self.expected_gain_in(state, known, &OtherWorkers::default())
        }
    }

    fn observe_arrival(
        &mut self,
        observation: &StepObservation<'_>,
        action: &Action,
        to: &ModelScreen,
        reward: u32,
    ) {
        self.ranking.record_arrival(to.state, reward);
        self.reach_goals(observation.worker, to.state);
        let worker = self.workers.entry(observation.worker).or_default();
        if !worker.plan.check_arrival(to.state, &mut self.model) {
            worker.stagnation += FAILED_PLAN_STAGNATION;
        }
        match action {
            Action::System(SystemEvent::Offline) => {
                worker.recovery = Some((RECOVERY_EVENTS, SystemEvent::Online));
            }
            Action::System(SystemEvent::Doze) => {
                worker.recovery = Some((RECOVERY_EVENTS, SystemEvent::Wake));
            }
            _ => {}
        }
        if reward > 0 && worker.snapshots.is_supported() {
            let steps = self
                .path_from_start(to.state)
                .map_or(observation.path.len(), |path| path.len())
                .min(STAGNATION_LIMIT as usize);
            let worker = self.workers.entry(observation.worker).or_default();
            worker.snapshots.propose(steps);
        }
    }

    /// Ends the goals of a worker that are reached in a state.
    fn reach_goals(&mut self, worker: usize, state: StateId) {
        let worker = self.workers.entry(worker).or_default();
        worker.plan_goal.take_if(|goal| *goal == state);
        if worker.gain_goal.take_if(|goal| *goal == state).is_some() {
            self.missed_arrivals.remove(&state);
        }
    }
}
