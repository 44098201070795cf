//! The strategy `auto`, Retap's own: time travel under APE's model, guided by rewards. All phones share one model, and each
//! works on a part of the app that no other one is at.
//!
//! `selection` chooses the next action of a state. `travel` decides when a worker leaves for another state, and how: by
//! transitions, by a clean start and the shortest known path, or by a snapshot. `learning` learns from what a step led to.

mod action_weights;
mod expected_gain;
mod learning;
mod other_workers;
mod reward_statistics;
mod selection;
mod state_ranking;
mod travel;

use std::collections::{HashMap, HashSet};

use expected_gain::ExpectedGain;
use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction, SYSTEM_EVENTS};
use retap_model::ape::{
    ApeModel, AttributePaths, DecisionTree, ModelActionId, ModelParameters, ModelScreen, StateId,
    TransitionPath,
};
use retap_shared::Text;
use retap_shared::action::{Action, SystemEvent, SystemEventKinds};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::Rect;
use retap_shared::protocol::Settle;
use retap_shared::screen::SharedScreen;
use reward_statistics::{RewardStatistics, RewardWindow};
use state_ranking::StateRanking;

use super::ape::{ApeParameters, SETTLE};
use super::model_actions::concrete_action;
use super::plan_follower::PlanFollower;
use super::snapshot_keeper::{SnapshotKeeper, TakenSnapshot};
use super::travel_costs::TravelCosts;
use crate::journal::RecordedEvent;
use crate::{ChosenAction, Decision, Explorer, StepObservation, WorkerView};

/// Number of events without enough reward after which a worker travels. Retap's own figure.
const STAGNATION_LIMIT: u32 = 60;
/// Maximum size of all snapshots of a phone, in bytes. Retap's own figure, as for `timetravel`.
const SNAPSHOT_BYTES_LIMIT: u64 = 8 << 30;

/// The strategy `auto`.
#[derive(Debug)]
pub struct AutoExplorer {
    model: ApeModel,
    workers: HashMap<usize, AutoWorkerState>,
    costs: TravelCosts,
    ranking: StateRanking,
    /// Number of times that an action ended in a finding since it last did not. It need not be the cause: some findings are late.
    crash_counts: HashMap<(StateId, ModelActionId), u32>,
    /// Number of times that a system event or a rotation was done in an activity.
    system_event_counts: HashMap<(Text, ActionKind), u32>,
    known_findings: HashSet<Fingerprint>,
    rewards: RewardStatistics,
    expected_gain: ExpectedGain,
    /// Number of times that a worker left for a state and did not arrive, since one last did.
    missed_arrivals: HashMap<StateId, i32>,
    /// System events are allowed.
    system_events: bool,
    /// System events that each worker's phone supports. Workers of a resumed run, whose phones are unknown, count as simulated.
    supported_events: HashMap<usize, SystemEventKinds>,
    /// Screen after the last clean start.
    root: Option<ModelScreen>,
}

#[derive(Debug, Default)]
struct AutoWorkerState {
    screen: Option<ModelScreen>,
    plan: PlanFollower,
    /// Action that has begun, and whose result is not known yet.
    current_action: Option<(StateId, ModelActionId)>,
    /// Plan for the time after the start or restore that was decided on.
    plan_after_start: TransitionPath,
    /// Event that ends the effect of a system event, and the number of events until it is due.
    recovery: Option<(u32, SystemEvent)>,
    /// Number of events without enough reward, since the last travel.
    stagnation: u32,
    /// Rewards of the last events.
    window: RewardWindow,
    /// State that the plan leads to.
    plan_goal: Option<StateId>,
    snapshots: SnapshotKeeper<StateId>,
    /// State that the worker left for because of its expected gain, until it arrives.
    gain_goal: Option<StateId>,
    /// Number of times that Back was tried since the worker last left.
    back_attempts: u32,
}

impl AutoExplorer {
    /// An explorer with an empty model. `tree`, with its `paths`, is the abstraction to start from.
    pub fn new(
        parameters: ApeParameters,
        tree: DecisionTree,
        paths: AttributePaths,
        system_events: bool,
    ) -> AutoExplorer {
        let model_parameters = ModelParameters {
            text_first: true,
            ..parameters.model
        };
        AutoExplorer {
            model: ApeModel::new(model_parameters, tree, paths),
            workers: HashMap::new(),
            costs: TravelCosts::default(),
            ranking: StateRanking::default(),
            crash_counts: HashMap::new(),
            system_event_counts: HashMap::new(),
            known_findings: HashSet::new(),
            rewards: RewardStatistics::default(),
            expected_gain: ExpectedGain::default(),
            missed_arrivals: HashMap::new(),
            system_events,
            supported_events: HashMap::new(),
            root: None,
        }
    }

    /// System events that a worker may do.
    fn allowed_events(&self, worker: usize) -> SystemEventKinds {
        if !self.system_events {
            return SystemEventKinds::default();
        }
        self.supported_events
            .get(&worker)
            .copied()
            .unwrap_or(SystemEventKinds::SIMULATED)
    }

    fn candidate_actions(&self, worker: usize, screen: &SharedScreen) -> Vec<CandidateAction> {
        let mut candidates = Vec::new();
        actions::list_candidate_actions(screen, &mut candidates);
        let allowed = self.allowed_events(worker);
        let system_events = (0..SYSTEM_EVENTS.len())
            .filter_map(|index| u8::try_from(index).ok())
            .map(ActionKind::System)
            .filter(|kind| kind.is_supported_by(allowed));
        candidates.extend(
            system_events.map(|kind| actions::candidate_action(kind, None, Rect::default(), 0)),
        );
        candidates
    }

    fn observe_screen(&mut self, worker: usize, screen: &SharedScreen) -> ModelScreen {
        let candidates = self.candidate_actions(worker, screen);
        self.model.observe_screen(screen, &candidates).0
    }

    /// Screen of a worker in the model as it is now.
    fn current_screen(&mut self, view: &WorkerView<'_>) -> ModelScreen {
        let known = self.workers.entry(view.worker).or_default().screen.clone();
        let screen = match known {
            Some(screen) => self.model.relocate(&screen),
            None => self.observe_screen(view.worker, view.screen),
        };
        self.workers.entry(view.worker).or_default().screen = Some(screen.clone());
        screen
    }

    /// Decision that does not depend on the screen: a snapshot to take or discard, or a recovery that is due.
    fn decide_upkeep(&mut self, view: &WorkerView<'_>) -> Option<Decision> {
        let worker = self.workers.entry(view.worker).or_default();
        if worker
            .snapshots
            .take_request(&self.costs, view.capabilities)
        {
            return Some(Decision::TakeSnapshot);
        }
        if let Some((events_left, _)) = &mut worker.recovery {
            *events_left = events_left.saturating_sub(1);
        }
        if let Some((_, event)) = worker
            .recovery
            .take_if(|(events_left, _)| *events_left == 0)
        {
            return Some(Decision::Act(ChosenAction {
                action: Action::System(event),
                node: None,
            }));
        }
        let value = |state: StateId| self.ranking.value(state);
        worker
            .snapshots
            .to_discard(SNAPSHOT_BYTES_LIMIT, |one, other| {
                value(one).cmp(&value(other))
            })
            .map(Decision::DiscardSnapshot)
    }

    /// Travels if the worker stagnates, and leaves if the expected gain is higher elsewhere. `None` if the next action is
    /// done here, possibly by a new plan.
    fn decide_departure(
        &mut self,
        worker: usize,
        screen: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<Decision> {
        let state = self.workers.entry(worker).or_default();
        if !state.plan.is_empty() {
            return None;
        }
        if state.stagnation >= STAGNATION_LIMIT
            && let Some(travel) = self.travel(worker, screen, rng)
        {
            return Some(travel);
        }
        let has_plan = !self.workers.entry(worker).or_default().plan.is_empty();
        if has_plan {
            None
        } else {
            self.leave(worker, screen, rng)
        }
    }

    fn concrete_action(
        &self,
        screen: &ModelScreen,
        action: ModelActionId,
        view: &WorkerView<'_>,
        rng: &mut Rng,
    ) -> Option<ChosenAction> {
        let candidates = self.candidate_actions(view.worker, view.screen);
        concrete_action(&self.model, screen, action, &candidates, view.screen, rng)
    }

    /// A snapshot was taken. If it is of the app's data only, the app was restarted for it: the plan leads back to the saved state.
    fn observe_snapshot(&mut self, observation: &StepObservation<'_>, taken: TakenSnapshot) {
        let worker = self.workers.entry(observation.worker).or_default();
        worker.snapshots.end_request();
        let saved = worker.screen.as_ref().map(|screen| screen.state);
        if !taken.whole_phone {
            self.observe_start(observation);
        }
        let worker = self.workers.entry(observation.worker).or_default();
        let resulting = worker.screen.as_ref().map(|screen| screen.state);
        let (Some(saved), Some(resulting_state)) = (saved, resulting) else {
            return;
        };
        worker
            .snapshots
            .insert(saved, taken.leading_to(resulting_state));
        if !taken.whole_phone {
            let path = travel::path_between(&self.model, resulting_state, saved);
            worker.plan.set_plan(path.unwrap_or_default());
        }
    }
}

impl Explorer for AutoExplorer {
    fn name(&self) -> &str {
        "auto"
    }

    fn settle(&self) -> Option<Settle> {
        Some(SETTLE)
    }

    fn wants_system_events(&self) -> bool {
        self.system_events
    }

    fn set_worker_capabilities(&mut self, worker: usize, supported: SystemEventKinds) {
        self.supported_events.insert(worker, supported);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let screen = self.current_screen(at);
        if let Some(decision) = self
            .decide_upkeep(at)
            .or_else(|| self.decide_departure(at.worker, &screen, rng))
        {
            return decision;
        }
        let action = self.choose_action(at.worker, screen.state, rng);
        self.workers.entry(at.worker).or_default().current_action =
            action.map(|action| (screen.state, action));
        action
            .and_then(|action| self.concrete_action(&screen, action, at, rng))
            .map_or(Decision::Restart { clear_data: true }, Decision::Act)
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        self.costs.observe(observation);
        let worker = self.workers.entry(observation.worker).or_default();
        worker.current_action = None;
        match observation.record.event {
            RecordedEvent::Stepped { .. } => self.observe_step(observation),
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotRestored { .. } => {
                self.observe_start(observation);
            }
            RecordedEvent::SnapshotTaken {
                id,
                bytes,
                whole_phone,
            } => {
                let taken = TakenSnapshot {
                    id,
                    bytes,
                    whole_phone,
                };
                self.observe_snapshot(observation, taken);
            }
            RecordedEvent::SnapshotDiscarded { id } => worker.snapshots.remove(id),
            RecordedEvent::Refused => {
                worker.snapshots.record_refusal();
                worker.plan.drop_plan();
                worker.stagnation += 1;
            }
            RecordedEvent::SnapshotsLost => *worker = AutoWorkerState::default(),
        }
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        vec![("abstraction.txt", self.model.abstraction())]
    }
}
