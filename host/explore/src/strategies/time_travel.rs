//! TimeMachine: over any explorer, goes back to the most promising state when that one is stuck. A state is gone back to on
//! foot from where the walker is, by its snapshot, or by a clean start and its shortest recorded way, whichever takes least;
//! interesting states are saved where that is likely to spare more than it takes.

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

use super::stuck_detector::{StuckDetector, StuckParameters};
use super::travel_costs::{TravelCosts, TravelSnapshot};
use crate::journal::RecordedEvent;
use crate::{Decision, Explorer, StepObservation, WorkerView};

/// The published figures by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeTravelParameters {
    pub stuck: StuckParameters,
    /// What an interesting state found from a state adds to its fitness, and what any other visit takes.
    pub reward: f64,
    pub penalty: f64,
    /// How much fitter an interesting state is to begin with.
    pub interesting_fitness: f64,
    /// How many transitions a neighbourhood reaches.
    pub neighbourhood_radius: u32,
    /// What all snapshots of a phone may take; the least fit ones are dropped.
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

pub struct TimeTravelExplorer {
    inner: Box<dyn Explorer>,
    parameters: TimeTravelParameters,
    graph: StateGraph,
    costs: TravelCosts,
    workers: HashMap<usize, TimeTravelWorkerState>,
    /// The phone tells which code ran. Where it does not, new screens and activities stand for new code.
    reports_branches: bool,
}

#[derive(Default)]
struct TimeTravelWorkerState {
    state: Option<u64>,
    stuck_detector: StuckDetector,
    is_stuck: bool,
    /// The state it is in is interesting, and so many steps from a clean start: it may be worth a snapshot.
    snapshot_candidate: Option<usize>,
    /// The phone was asked once and could not.
    snapshots_refused: bool,
    snapshots: HashMap<u64, TravelSnapshot<u64>>,
    /// The rest of a recorded way, and where it leads.
    replay_steps: VecDeque<Step>,
    goal: Option<u64>,
    snapshot_requested: bool,
}

impl TimeTravelExplorer {
    pub fn over(inner: Box<dyn Explorer>, rules: TimeTravelParameters) -> TimeTravelExplorer {
        let graph = StateGraph::default();
        let costs = TravelCosts::default();
        TimeTravelExplorer {
            inner,
            parameters: rules,
            graph,
            costs,
            workers: HashMap::new(),
            reports_branches: false,
        }
    }

    /// The way back to the fittest of the states that this walker can go back to.
    fn travel(&mut self, number: usize) -> Option<Decision> {
        let walker = self.workers.entry(number).or_default();
        let from_snapshot = |state: u64| {
            let saved = walker.snapshots.get(&state)?;
            Some((
                saved.id,
                self.graph.path_between(saved.resulting_state, state)?,
            ))
        };
        let target = self
            .graph
            .fittest(&self.parameters, |state| from_snapshot(state).is_some())?;
        // Who is there already and stuck does not go back by staying.
        let here = walker
            .state
            .filter(|at| *at != target)
            .and_then(|at| self.graph.path_between(at, target));
        let restoring =
            |rest: &[Step]| self.costs.restore_cost() + self.costs.transitions_cost(rest.len());
        let ways = [
            here.map(|way| (self.costs.transitions_cost(way.len()), None, way)),
            self.graph.path_from_start(target).map(|way| {
                (
                    self.costs.replay_cost(way.len()),
                    Some(Decision::Restart { clear_data: true }),
                    way,
                )
            }),
            from_snapshot(target)
                .map(|(id, rest)| (restoring(&rest), Some(Decision::RestoreSnapshot(id)), rest)),
        ];
        let (_, first, way) = ways
            .into_iter()
            .flatten()
            .min_by_key(|(takes, ..)| *takes)?;
        walker.is_stuck = false;
        walker.stuck_detector.clear();
        walker.follow(way, target);
        first.or_else(|| walker.replay_steps.pop_front().map(Decision::RepeatStep))
    }

    /// A snapshot to give up, if they take too much together: the least fit one.
    fn snapshot_to_discard(&self, walker: &TimeTravelWorkerState) -> Option<SnapshotId> {
        let bytes: u64 = walker.snapshots.values().map(|saved| saved.bytes).sum();
        if bytes <= self.parameters.snapshot_bytes_limit {
            return None;
        }
        let fitness = |state: &u64| self.graph.fitness(*state, &self.parameters);
        let least = walker.snapshots.iter().min_by(|(one, a), (other, b)| {
            fitness(one)
                .total_cmp(&fitness(other))
                .then(a.id.cmp(&b.id))
        });
        least.map(|(_, saved)| saved.id)
    }

    fn observe_step(&mut self, seen: &StepObservation<'_>) {
        let RecordedEvent::Stepped { step, .. } = &seen.record.event else {
            return;
        };
        self.reports_branches |= !seen.record.branches.is_empty();
        let walker = self.workers.entry(seen.worker).or_default();
        let from = walker.state.take();
        walker.snapshot_candidate = None;
        let Some(screen) = seen.screen.filter(|_| seen.in_app) else {
            if !seen.findings.is_empty() {
                // A clean start comes next, from which the rest leads elsewhere.
                walker.replay_steps.clear();
            }
            if walker.replay_steps.is_empty()
                && let Some(goal) = walker.goal.take()
            {
                self.graph.record_arrival(goal, false);
            }
            return;
        };
        let state = widget_tree(screen);
        walker.state = Some(state);
        let new = self.is_new(seen);
        let leads_through = self
            .workers
            .get(&seen.worker)
            .is_some_and(|walker| !walker.replay_steps.is_empty());
        let interesting =
            self.graph
                .visit(from.map(|from| (from, step)), state, new, leads_through);
        let walker = self.workers.entry(seen.worker).or_default();
        if interesting && !walker.snapshots_refused {
            let steps = self
                .graph
                .path_from_start(state)
                .map_or(seen.path.len(), |way| way.len());
            walker.snapshot_candidate = Some(steps);
        }
        if walker.replay_steps.is_empty() {
            if let Some(goal) = walker.goal.take() {
                self.graph.record_arrival(goal, goal == state);
            }
            walker.is_stuck |= walker.stuck_detector.record_state(
                state,
                self.graph.visits(),
                &self.parameters.stuck,
            );
        }
    }

    /// The app has begun, or begun anew.
    fn observe_start(&mut self, seen: &StepObservation<'_>) {
        let new = self.is_new(seen);
        let walker = self.workers.entry(seen.worker).or_default();
        (walker.is_stuck, walker.snapshot_candidate) = (false, None);
        walker.stuck_detector.clear();
        walker.state = None;
        if !seen.findings.is_empty() {
            walker.replay_steps.clear();
            return;
        }
        if let Some(screen) = seen.screen.filter(|_| seen.in_app) {
            let state = widget_tree(screen);
            walker.state = Some(state);
            let leads_through = !walker.replay_steps.is_empty();
            self.graph.visit(None, state, new, leads_through);
            if matches!(seen.record.event, RecordedEvent::Started { clean: true }) {
                self.graph.set_root(state);
            }
        }
    }

    fn is_new(&self, seen: &StepObservation<'_>) -> bool {
        if self.reports_branches {
            seen.gain.branches > 0
        } else {
            !seen.gain.is_empty()
        }
    }
}

impl TimeTravelWorkerState {
    /// A way that is empty leads nowhere that it is not.
    fn follow(&mut self, way: Vec<Step>, goal: u64) {
        self.goal = (!way.is_empty()).then_some(goal);
        self.replay_steps = way.into();
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

    fn set_worker_capabilities(&mut self, walker: usize, can: SystemEventKinds) {
        self.inner.set_worker_capabilities(walker, can);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        let walker = self.workers.entry(at.worker).or_default();
        if let Some(steps) = walker.snapshot_candidate.take()
            && self
                .costs
                .is_snapshot_worthwhile(steps, if at.capabilities.snapshots { 0 } else { steps })
        {
            walker.snapshot_requested = true;
            return Decision::TakeSnapshot;
        }
        if let Some(step) = walker.replay_steps.pop_front() {
            return Decision::RepeatStep(step);
        }
        let walker = &self.workers[&at.worker];
        if let Some(id) = self.snapshot_to_discard(walker) {
            return Decision::DiscardSnapshot(id);
        }
        if walker.is_stuck
            && let Some(travel) = self.travel(at.worker)
        {
            return travel;
        }
        self.inner.decide(at, rng)
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        self.costs.observe(seen);
        self.inner.observe(seen);
        match seen.record.event {
            RecordedEvent::Stepped { .. } => self.observe_step(seen),
            RecordedEvent::Started { .. } | RecordedEvent::SnapshotRestored { .. } => {
                self.observe_start(seen);
            }
            RecordedEvent::SnapshotTaken {
                id,
                bytes,
                whole_phone: whole,
            } => {
                let walker = self.workers.entry(seen.worker).or_default();
                walker.snapshot_requested = false;
                let state = walker.state;
                if !whole {
                    self.observe_start(seen);
                }
                let walker = self.workers.entry(seen.worker).or_default();
                if let (Some(state), Some(lands)) = (state, walker.state) {
                    walker.snapshots.insert(
                        state,
                        TravelSnapshot {
                            id,
                            bytes,
                            resulting_state: lands,
                        },
                    );
                    if let Some(way) = self
                        .graph
                        .path_between(lands, state)
                        .filter(|way| !way.is_empty())
                    {
                        walker.follow(way, state);
                    }
                }
            }
            RecordedEvent::SnapshotDiscarded { id } => {
                let walker = self.workers.entry(seen.worker).or_default();
                walker.snapshots.retain(|_, saved| saved.id != id);
            }
            RecordedEvent::Refused => {
                let walker = self.workers.entry(seen.worker).or_default();
                walker.snapshots_refused |= std::mem::take(&mut walker.snapshot_requested);
            }
            RecordedEvent::SnapshotsLost => {
                self.workers
                    .insert(seen.worker, TimeTravelWorkerState::default());
            }
        }
    }

    fn learned_files(&self) -> Vec<(&'static str, String)> {
        self.inner.learned_files()
    }
}

impl std::fmt::Debug for TimeTravelExplorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeTravel")
            .field("over", &self.inner.name())
            .finish_non_exhaustive()
    }
}
