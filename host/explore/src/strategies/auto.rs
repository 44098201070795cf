//! Retap's own: time travel under APE's model, guided by what is new. Every phone works on the same model and goes to a part
//! of the app that no other one is at.
//!
//! What is done next in a state is in `choosing`. A walker that has seen nothing new for a while travels: to where
//! something new was seen for the least effort, over the model's transitions, by a clean start and the shortest recorded way,
//! or by a snapshot, whatever takes least.

mod action_weights;
mod expected_gain;
mod other_workers;
mod reward_statistics;
mod selection;
mod state_ranking;
mod travel;

use std::collections::{HashMap, HashSet, VecDeque};

use expected_gain::ExpectedGain;
use other_workers::OtherWorkers;
use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction, SYSTEM_EVENTS};
use retap_model::ape::{
    ApeModel, AttributePaths, DecisionTree, ModelActionId, ModelParameters, ModelScreen, StateId,
};
use retap_shared::Text;
use retap_shared::action::{Action, SystemEvent, SystemEventKinds};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::geometry::Rect;
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::SharedScreen;
use reward_statistics::{RewardStatistics, RewardWindow};
use state_ranking::StateRanking;

use super::ape::ApeParameters;
use super::travel_costs::{TravelCosts, TravelSnapshot};
use crate::journal::RecordedEvent;
use crate::{ChosenAction, Decision, Explorer, StepObservation, WorkerView};

const SETTLE: Settle = Settle {
    quiet: Micros::from_millis(200),
    limit: Micros::from_millis(1_000),
};
/// So many events without anything new, and a walker travels.
const PATIENCE: u32 = 60;
/// So many events later the network comes back, if it went, and the phone wakes up, if it dozes.
const OFFLINE: u32 = 8;
/// A plan that failed counts as so many events without anything new: where plans fail, one may go round in circles.
const LOST: u32 = 4;
/// What is to be expected in a new state counts so much for what led there.
const PROSPECT: f64 = 0.5;
/// What a problem that nobody has seen is worth, beside branches (2), screens (1) and activities (4).
const NEW_PROBLEM: u32 = 6;
/// A state costs so many bytes of snapshots at most, all together.
const BYTES: u64 = 8 << 30;

#[derive(Debug)]
pub struct AutoExplorer {
    model: ApeModel,
    walkers: HashMap<usize, AutoWorkerState>,
    costs: TravelCosts,
    promise: StateRanking,
    /// How often something ended in a problem, since it last did not. It may not have been the cause: some come late.
    crashes: HashMap<(StateId, ModelActionId), u32>,
    /// How often the system's part was played in each activity.
    outside: HashMap<(Text, ActionKind), u32>,
    known: HashSet<Fingerprint>,
    yields: RewardStatistics,
    firsts: ExpectedGain,
    /// How often a walker set out for a state and did not get there, since one last did.
    missed: HashMap<StateId, i32>,
    /// System events are done only where they are allowed.
    system_events: bool,
    /// What each walker's phone can do of them. Walkers of an earlier time, whose phones nobody knows, are taken for simulated.
    can: HashMap<usize, SystemEventKinds>,
    /// What a clean start led to the last time.
    root: Option<ModelScreen>,
}

#[derive(Debug, Default)]
struct AutoWorkerState {
    here: Option<ModelScreen>,
    plan: VecDeque<(StateId, ModelActionId)>,
    expected: Option<StateId>,
    /// What it does at this moment: nobody knows yet what comes of it.
    doing: Option<(StateId, ModelActionId)>,
    /// The plan for after the clean start that was asked for.
    after_start: VecDeque<(StateId, ModelActionId)>,
    /// Events until the network is brought back, or the phone is woken up.
    mend: Option<(u32, SystemEvent)>,
    /// Events since something new was seen, or since the last travel.
    dull: u32,
    /// What came of the last events, up to a number of them.
    stretch: RewardWindow,
    /// Where its plan leads to.
    goal: Option<StateId>,
    saved: HashMap<StateId, TravelSnapshot<StateId>>,
    /// So many steps from a clean start something new was seen: it may be worth a snapshot.
    wants_to_save: Option<usize>,
    asked_to_save: bool,
    cannot_save: bool,
    /// Where it set out for, for what is to be expected there, until it gets there.
    sought: Option<StateId>,
    /// How often it has tried Back since then.
    backs: u32,
}

impl AutoExplorer {
    pub fn new(
        rules: ApeParameters,
        tree: DecisionTree,
        paths: AttributePaths,
        system: bool,
    ) -> AutoExplorer {
        AutoExplorer {
            model: ApeModel::new(
                ModelParameters {
                    text_first: true,
                    ..rules.model
                },
                tree,
                paths,
            ),
            walkers: HashMap::new(),
            costs: TravelCosts::default(),
            promise: StateRanking::default(),
            crashes: HashMap::new(),
            outside: HashMap::new(),
            known: HashSet::new(),
            yields: RewardStatistics::default(),
            firsts: ExpectedGain::default(),
            missed: HashMap::new(),
            system_events: system,
            can: HashMap::new(),
            root: None,
        }
    }

    fn can(&self, number: usize) -> SystemEventKinds {
        let known = self
            .can
            .get(&number)
            .copied()
            .unwrap_or(SystemEventKinds::SIMULATED);
        if self.system_events {
            known
        } else {
            SystemEventKinds::default()
        }
    }

    fn list(&self, number: usize, screen: &SharedScreen) -> Vec<CandidateAction> {
        let mut listed = Vec::new();
        actions::list_candidate_actions(screen, &mut listed);
        let can = self.can(number);
        let events = (0..SYSTEM_EVENTS.len())
            .filter_map(|event| u8::try_from(event).ok())
            .map(ActionKind::System);
        let possible = events.filter(|event| event.is_supported_by(can));
        listed.extend(
            possible.map(|event| actions::candidate_action(event, None, Rect::default(), 0)),
        );
        listed
    }

    fn see(&mut self, number: usize, screen: &SharedScreen) -> ModelScreen {
        let listed = self.list(number, screen);
        self.model.observe_screen(screen, &listed).0
    }

    fn stepped(&mut self, seen: &StepObservation<'_>) {
        let (RecordedEvent::Stepped { step, node, .. }, Some(before)) =
            (&seen.record.event, seen.before)
        else {
            return;
        };
        let node = *node;
        let from = self.walkers.entry(seen.worker).or_default().here.take();
        let from = from.map(|from| self.model.relocate(&from));
        let what = actions::action_kind_of(&step.action, node, before);
        let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
        let widget = node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok());
        let action = from
            .as_ref()
            .zip(what)
            .and_then(|(from, what)| self.model.action_of(from, widget, what));
        let is_first = from.as_ref().zip(action).is_some_and(|(from, action)| {
            self.model
                .state(from.state)
                .action(action)
                .is_none_or(|known| known.visits == 0)
        });
        let first = what.filter(|_| is_first);
        let new = self.yields.weigh(seen.gain, before.activity());
        if let Some(from) = &from {
            self.promise.gained(from.state, new);
        }
        if let Some(what) = what {
            let has_failed = seen
                .findings
                .iter()
                .any(|problem| !self.known.contains(problem));
            let gain = new + NEW_PROBLEM * u32::from(has_failed);
            self.yields.note(what, before.activity(), gain);
            self.model
                .allow_extra_states(before.activity(), self.yields.states(before.activity()));
        }
        let is_dull = new == 0 || f64::from(new) < self.yields.mean() / 2.0;
        let walker = self.walkers.entry(seen.worker).or_default();
        walker.dull = if is_dull { walker.dull + 1 } else { 0 };
        walker.stretch.note(new);
        if walker.stretch.is_long() && self.yields.is_poor(std::mem::take(&mut walker.stretch)) {
            walker.dull = PATIENCE;
            walker.plan.clear();
        }
        let Some(screen) = seen.screen.filter(|_| seen.in_app) else {
            walker.plan.clear();
            walker.expected = None;
            if let (Some(from), Some(what)) = (&from, what) {
                self.model.record_exit(from, widget, what);
            }
            if let (false, Some(from), Some(action)) = (seen.findings.is_empty(), &from, action) {
                self.crashed(from.state, action, seen.findings);
            }
            if let Some(what) = first {
                self.firsts.record(before.activity(), what, f64::from(new));
            }
            return;
        };
        let mut to = self.see(seen.worker, screen);
        if let (Some(from), Some(action)) = (&from, action) {
            self.crashes.remove(&(from.state, action));
        }
        if let Some(what @ (ActionKind::System(_) | ActionKind::Rotate)) = what {
            *self
                .outside
                .entry((before.activity().clone(), what))
                .or_default() += 1;
        }
        if let (Some(from), Some(what)) = (&from, what) {
            self.model.learn(from, widget, what, &to);
            to = self.model.relocate(&to);
        }
        if let Some(what) = first {
            self.firsts.record(
                before.activity(),
                what,
                f64::from(new) + self.in_prospect(to.state),
            );
        }
        self.promise.reached(to.state, new);
        self.arrived(seen.worker, to.state);
        let walker = self.walkers.entry(seen.worker).or_default();
        if let Some(expected) = walker
            .expected
            .take()
            .filter(|expected| *expected != to.state)
        {
            walker.plan.clear();
            walker.dull += LOST;
            if self.model.is_leaf(expected) {
                self.model.detach(expected);
            }
        }
        match step.action {
            Action::System(SystemEvent::Offline) => {
                walker.mend = Some((OFFLINE, SystemEvent::Online));
            }
            Action::System(SystemEvent::Doze) => walker.mend = Some((OFFLINE, SystemEvent::Wake)),
            _ => {}
        }
        if new > 0 && !walker.cannot_save {
            let way = self.way_from_start(to.state);
            let steps = way
                .map_or(seen.path.len(), |way| way.len())
                .min(PATIENCE as usize);
            self.walkers.entry(seen.worker).or_default().wants_to_save = Some(steps);
        }
        self.walkers.entry(seen.worker).or_default().here = Some(to);
    }

    /// What leads to a state that nobody has seen is worth a part of what is to be expected there.
    fn in_prospect(&self, to: StateId) -> f64 {
        let state = self.model.state(to);
        if state.visits > 1 {
            0.0
        } else {
            PROSPECT * self.hope(to, state, &OtherWorkers::default())
        }
    }

    fn arrived(&mut self, number: usize, at: StateId) {
        let walker = self.walkers.entry(number).or_default();
        walker.goal.take_if(|goal| *goal == at);
        if walker.sought.take_if(|sought| *sought == at).is_some() {
            self.missed.remove(&at);
        }
    }

    /// The app has begun, or begun anew.
    fn begun(&mut self, seen: &StepObservation<'_>) {
        let here = seen
            .screen
            .filter(|_| seen.in_app)
            .map(|screen| self.see(seen.worker, screen));
        if let Some(here) = &here {
            self.promise.reached(here.state, 0);
            self.arrived(seen.worker, here.state);
            if matches!(seen.record.event, RecordedEvent::Started { clean: true }) {
                self.root = Some(here.clone());
            }
        }
        let walker = self.walkers.entry(seen.worker).or_default();
        walker.here = here;
        walker.plan = std::mem::take(&mut walker.after_start);
        (walker.expected, walker.dull, walker.mend) = (None, 0, None);
    }

    fn crashed(&mut self, state: StateId, action: ModelActionId, problems: &[Fingerprint]) {
        let new = problems
            .iter()
            .filter(|problem| self.known.insert(**problem))
            .count();
        // What has never been seen before is looked at closer: more of its kind may be near.
        self.promise
            .gained(state, NEW_PROBLEM * u32::try_from(new).unwrap_or(0));
        *self.crashes.entry((state, action)).or_default() += 1;
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

    fn set_worker_capabilities(&mut self, walker: usize, can: SystemEventKinds) {
        self.can.insert(walker, can);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let here = match self
            .walkers
            .get(&at.worker)
            .and_then(|walker| walker.here.clone())
        {
            Some(here) => self.model.relocate(&here),
            None => self.see(at.worker, at.screen),
        };
        let walker = self.walkers.entry(at.worker).or_default();
        walker.here = Some(here.clone());
        if let Some(steps) = walker.wants_to_save.take()
            && self
                .costs
                .is_snapshot_worthwhile(steps, if at.capabilities.snapshots { 0 } else { steps })
        {
            walker.asked_to_save = true;
            return Decision::TakeSnapshot;
        }
        if let Some((left, _)) = &mut walker.mend {
            *left = left.saturating_sub(1);
        }
        if let Some((_, mended)) = walker.mend.take_if(|(left, _)| *left == 0) {
            return Decision::Act(ChosenAction {
                action: Action::System(mended),
                node: None,
            });
        }
        let bytes: u64 = walker.saved.values().map(|saved| saved.bytes).sum();
        if bytes > BYTES
            && let Some((_, least)) = walker
                .saved
                .iter()
                .min_by_key(|(state, _)| self.promise.of(**state))
        {
            return Decision::DiscardSnapshot(least.id);
        }
        if walker.dull >= PATIENCE
            && walker.plan.is_empty()
            && let Some(travel) = self.travel(at.worker, &here, rng)
        {
            return travel;
        }
        if self
            .walkers
            .get(&at.worker)
            .is_some_and(|walker| walker.plan.is_empty())
            && let Some(travel) = self.leave(at.worker, &here, rng)
        {
            return travel;
        }
        let chosen = self.choose_action(at.worker, &here, rng);
        self.walkers.entry(at.worker).or_default().doing =
            chosen.map(|action| (here.state, action));
        let choice = chosen.and_then(|action| self.choice(&here, action, at, rng));
        choice.map_or(Decision::Restart { clear_data: true }, Decision::Act)
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        self.costs.observe(seen);
        self.walkers.entry(seen.worker).or_default().doing = None;
        match seen.record.event {
            RecordedEvent::Stepped { .. } => self.stepped(seen),
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotRestored { .. } => {
                self.begun(seen);
            }
            RecordedEvent::SnapshotTaken {
                id,
                bytes,
                whole_phone: whole,
            } => {
                let walker = self.walkers.entry(seen.worker).or_default();
                walker.asked_to_save = false;
                let state = walker.here.as_ref().map(|here| here.state);
                if !whole {
                    self.begun(seen);
                }
                let walker = self.walkers.entry(seen.worker).or_default();
                if let (Some(state), Some(lands)) =
                    (state, walker.here.as_ref().map(|here| here.state))
                {
                    walker.saved.insert(
                        state,
                        TravelSnapshot {
                            id,
                            bytes,
                            resulting_state: lands,
                        },
                    );
                    if !whole {
                        let back = self.model.nearest_path(
                            lands,
                            travel::MAX_PATH_SEARCH_STATES,
                            |id, _| id == state,
                        );
                        walker.plan = back.unwrap_or_default().into();
                    }
                }
            }
            RecordedEvent::SnapshotDiscarded { id } => {
                let walker = self.walkers.entry(seen.worker).or_default();
                walker.saved.retain(|_, saved| saved.id != id);
            }
            RecordedEvent::Refused => {
                let walker = self.walkers.entry(seen.worker).or_default();
                walker.cannot_save |= std::mem::take(&mut walker.asked_to_save);
                walker.plan.clear();
                walker.dull += 1;
            }
            RecordedEvent::SnapshotsLost => {
                self.walkers.insert(seen.worker, AutoWorkerState::default());
            }
        }
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        vec![("abstraction.txt", self.model.abstraction())]
    }
}
