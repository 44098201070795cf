//! The strategy `timetravel` (TimeMachine; Dong et al., ICSE 2020): travels back to the most promising state when the strategy
//! under it is stuck: by recorded transitions, by a snapshot, or by a clean start and the shortest recorded path, whichever
//! costs least. Snapshots of interesting states are taken where they are likely to save more time than they cost.

mod state_graph;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use retap_device::seed::Rng;
use retap_model::widget_tree;
use retap_shared::action::SystemEventKinds;
use retap_shared::protocol::{Settle, SnapshotId};
use retap_shared::trace::Step;
use state_graph::StateGraph;

use super::snapshot_keeper::{SnapshotKeeper, TakenSnapshot};
use super::stuck_detector::{StuckDetector, StuckParameters};
use super::travel_costs::TravelCosts;
use crate::journal::RecordedEvent;
use crate::{Decision, Explorer, StepObservation, WorkerView};

/// Parameters of `timetravel`. The defaults are the published ones; the limit of the snapshots is Retap's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeTravelParameters {
    /// Parameters of `isStuck`.
    pub stuck: StuckParameters,
    /// r: relative increase of a state's fitness for each interesting state that was found from it.
    pub reward: f64,
    /// p: relative decrease of a state's fitness for each other visit.
    pub penalty: f64,
    /// Initial fitness of an interesting state. That of any other state is 1.
    pub interesting_fitness: f64,
    /// Number of transitions that a neighbourhood reaches.
    pub neighbourhood_radius: u32,
    /// Maximum size of all snapshots of a phone, in bytes. Above it the least fit are discarded.
    pub snapshot_bytes_limit: u64,
}

impl Default for TimeTravelParameters {
    fn default() -> TimeTravelParameters {
        TimeTravelParameters {
            stuck: StuckParameters::default(),
            reward: 0.1,
            penalty: 0.1,
            interesting_fitness: 6.0,
            neighbourhood_radius: 3,
            snapshot_bytes_limit: 8 << 30,
        }
    }
}

/// The strategy `timetravel`, over another one.
pub struct TimeTravelExplorer {
    inner: Box<dyn Explorer>,
    parameters: TimeTravelParameters,
    graph: StateGraph,
    costs: TravelCosts,
    workers: HashMap<usize, TimeTravelWorkerState>,
    /// A phone has reported branches. Otherwise new screens and activities stand for new code.
    reports_branches: bool,
}

#[derive(Default)]
struct TimeTravelWorkerState {
    state: Option<u64>,
    stuck_detector: StuckDetector,
    is_stuck: bool,
    snapshots: SnapshotKeeper<u64>,
    /// Rest of the recorded steps that lead to the goal.
    replay_steps: VecDeque<Step>,
    goal: Option<u64>,
}

/// A possible travel: its cost in microseconds, its decision before the steps if any, and its steps.
type Travel = (u64, Option<Decision>, Vec<Step>);

impl TimeTravelExplorer {
    /// Travels over the decisions of another strategy.
    pub fn over(inner: Box<dyn Explorer>, parameters: TimeTravelParameters) -> TimeTravelExplorer {
        TimeTravelExplorer {
            inner,
            parameters,
            graph: StateGraph::default(),
            costs: TravelCosts::default(),
            workers: HashMap::new(),
            reports_branches: false,
        }
    }

    /// Begins the cheapest travel to the most promising state that this worker can return to.
    fn travel(&mut self, number: usize) -> Option<Decision> {
        let worker = &self.workers[&number];
        let goal = self.graph.most_promising(&self.parameters, |state| {
            self.path_from_snapshot(worker, state).is_some()
        })?;
        let (_, first, steps) = self
            .travels(worker, goal)
            .into_iter()
            .flatten()
            .min_by_key(|(cost, ..)| *cost)?;
        let worker = self.workers.entry(number).or_default();
        worker.is_stuck = false;
        worker.stuck_detector.clear();
        worker.follow(steps, goal);
        first.or_else(|| worker.replay_steps.pop_front().map(Decision::RepeatStep))
    }

    /// Travels to a state by transitions, by a clean start and by a snapshot.
    fn travels(&self, worker: &TimeTravelWorkerState, goal: u64) -> [Option<Travel>; 3] {
        // A worker that is stuck in the goal itself must leave it.
        let by_transitions = worker
            .state
            .filter(|state| *state != goal)
            .and_then(|state| self.graph.path_between(state, goal))
            .map(|steps| (self.costs.transitions_cost(steps.len()), None, steps));
        let by_start = self.graph.path_from_start(goal).map(|steps| {
            let start = Decision::Restart { clear_data: true };
            (self.costs.replay_cost(steps.len()), Some(start), steps)
        });
        let by_restore = self.path_from_snapshot(worker, goal).map(|(id, steps)| {
            let cost = self.costs.restore_cost() + self.costs.transitions_cost(steps.len());
            (cost, Some(Decision::RestoreSnapshot(id)), steps)
        });
        [by_transitions, by_start, by_restore]
    }

    /// Snapshot of a state, and the recorded steps from its restore to the state.
    fn path_from_snapshot(
        &self,
        worker: &TimeTravelWorkerState,
        state: u64,
    ) -> Option<(SnapshotId, Vec<Step>)> {
        let snapshot = worker.snapshots.get(state)?;
        let path = self.graph.path_between(snapshot.resulting_state, state)?;
        Some((snapshot.id, path))
    }

    /// The least fit snapshot, if all together are too large.
    fn snapshot_to_discard(&self, worker: &TimeTravelWorkerState) -> Option<SnapshotId> {
        let fitness = |state: u64| self.graph.fitness(state, &self.parameters);
        worker
            .snapshots
            .to_discard(self.parameters.snapshot_bytes_limit, |one, other| {
                fitness(one).total_cmp(&fitness(other))
            })
    }

    fn observe_step(&mut self, observation: &StepObservation<'_>) {
        let RecordedEvent::Stepped { step, .. } = &observation.record.event else {
            return;
        };
        self.reports_branches |= !observation.record.branches.is_empty();
        let has_gain = self.has_gain(observation);
        let worker = self.workers.entry(observation.worker).or_default();
        let from = worker.state.take();
        worker.snapshots.withdraw();
        let Some(screen) = observation.screen.filter(|_| observation.in_app) else {
            self.observe_exit(observation);
            return;
        };
        let state = widget_tree(screen);
        worker.state = Some(state);
        let is_passing = !worker.replay_steps.is_empty();
        let transition = from.map(|from| (from, step));
        let is_interesting = self.graph.visit(transition, state, has_gain, is_passing);
        if is_interesting && worker.snapshots.is_supported() {
            let path = self.graph.path_from_start(state);
            let steps = path.map_or(observation.path.len(), |path| path.len());
            worker.snapshots.propose(steps);
        }
        if !is_passing {
            if let Some(goal) = worker.goal.take() {
                self.graph.record_arrival(goal, goal == state);
            }
            worker.is_stuck |= worker.stuck_detector.record_state(
                state,
                self.graph.visits(),
                &self.parameters.stuck,
            );
        }
    }

    /// The step led out of the app or to a finding.
    fn observe_exit(&mut self, observation: &StepObservation<'_>) {
        let worker = self.workers.entry(observation.worker).or_default();
        if !observation.findings.is_empty() {
            // A clean start comes next; from there the steps would lead elsewhere.
            worker.replay_steps.clear();
        }
        if worker.replay_steps.is_empty()
            && let Some(goal) = worker.goal.take()
        {
            self.graph.record_arrival(goal, false);
        }
    }

    /// The app was started, restarted or restored.
    fn observe_start(&mut self, observation: &StepObservation<'_>) {
        let has_gain = self.has_gain(observation);
        let worker = self.workers.entry(observation.worker).or_default();
        worker.is_stuck = false;
        worker.snapshots.withdraw();
        worker.stuck_detector.clear();
        worker.state = None;
        if !observation.findings.is_empty() {
            worker.replay_steps.clear();
            return;
        }
        if let Some(screen) = observation.screen.filter(|_| observation.in_app) {
            let state = widget_tree(screen);
            worker.state = Some(state);
            let is_passing = !worker.replay_steps.is_empty();
            self.graph.visit(None, state, has_gain, is_passing);
            if matches!(
                observation.record.event,
                RecordedEvent::Started { clean: true }
            ) {
                self.graph.set_root(state);
            }
        }
    }

    /// A snapshot was taken. If it is of the app's data only, the app was restarted for it: recorded steps lead back to the saved
    /// state.
    fn observe_snapshot(&mut self, observation: &StepObservation<'_>, taken: TakenSnapshot) {
        let worker = self.workers.entry(observation.worker).or_default();
        worker.snapshots.end_request();
        let saved = worker.state;
        if !taken.whole_phone {
            self.observe_start(observation);
        }
        let worker = self.workers.entry(observation.worker).or_default();
        let (Some(saved), Some(resulting_state)) = (saved, worker.state) else {
            return;
        };
        worker
            .snapshots
            .insert(saved, taken.leading_to(resulting_state));
        if let Some(path) = self
            .graph
            .path_between(resulting_state, saved)
            .filter(|path| !path.is_empty())
        {
            worker.follow(path, saved);
        }
    }

    /// The step covered new code or, if no phone reports branches, anything new.
    fn has_gain(&self, observation: &StepObservation<'_>) -> bool {
        if self.reports_branches {
            observation.gain.branches > 0
        } else {
            !observation.gain.is_empty()
        }
    }
}

impl TimeTravelWorkerState {
    /// Replays steps to a goal. Without steps the worker is there already.
    fn follow(&mut self, steps: Vec<Step>, goal: u64) {
        self.goal = (!steps.is_empty()).then_some(goal);
        self.replay_steps = steps.into();
    }
}

impl Explorer for TimeTravelExplorer {
    fn name(&self) -> &str {
        "timetravel"
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn set_worker_capabilities(&mut self, worker: usize, supported: SystemEventKinds) {
        self.inner.set_worker_capabilities(worker, supported);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let worker = self.workers.entry(at.worker).or_default();
        if worker.snapshots.take_request(&self.costs, at.capabilities) {
            return Decision::TakeSnapshot;
        }
        if let Some(step) = worker.replay_steps.pop_front() {
            return Decision::RepeatStep(step);
        }
        let worker = &self.workers[&at.worker];
        if let Some(id) = self.snapshot_to_discard(worker) {
            return Decision::DiscardSnapshot(id);
        }
        if worker.is_stuck
            && let Some(travel) = self.travel(at.worker)
        {
            return travel;
        }
        self.inner.decide(at, rng)
    }

    fn observe(&mut self, observation: &StepObservation<'_>) {
        self.costs.observe(observation);
        self.inner.observe(observation);
        let worker = self.workers.entry(observation.worker).or_default();
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
            RecordedEvent::Refused => worker.snapshots.record_refusal(),
            RecordedEvent::SnapshotsLost => *worker = TimeTravelWorkerState::default(),
        }
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        self.inner.learned_files()
    }
}

impl std::fmt::Debug for TimeTravelExplorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeTravelExplorer")
            .field("over", &self.inner.name())
            .finish_non_exhaustive()
    }
}
