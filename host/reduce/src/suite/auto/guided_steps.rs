//! Step source of a guided replay: each step leads through the transition graph towards something that is not covered yet. The
//! nearest goal comes first; then what could only be reached by repeating a recorded prefix from the first screen on; last
//! come goals without a path back.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use retap_shared::action::{Action, Key};
use retap_shared::trace::Trace;

use super::transition_graph::{ShortestPath, ShortestPaths, TransitionGraph};
use crate::suite::item_set::ItemSet;
use crate::suite::replay_path::{ReplayPath, extend_key};
use crate::suite::replayer::{ReplayRecord, ReplayStep, StepSource, SuiteStepOrigin};
use crate::suite::symbol_table::SymbolTable;

/// Maximum number of steps back to the first screen.
const MAX_RETURN_STEPS: usize = 24;
/// Maximum number of presses of Back in a row where no path leads on.
const MAX_BACK_PRESSES: usize = 3;

/// Steps towards everything that is not covered yet.
pub(super) struct GuidedSteps {
    graph: TransitionGraph,
    originals: Arc<Vec<Trace>>,
    symbols: SymbolTable,
    /// Items that other paths cover, and items that need not be covered.
    covered: ItemSet,
    /// Items, each with a recorded prefix that covers it. Where nothing else helps, the prefix is repeated from the first screen on.
    repeats: Vec<(u32, ReplayPath)>,
    start: u32,
    /// Keys of action sequences that cannot be proven any more.
    unprovable: HashSet<u64>,
    max_steps: usize,
    /// A recorded step that presses Back, if there is one.
    back: Option<SuiteStepOrigin>,
    /// Distance of each state from a clean start.
    start_distances: HashMap<u32, u32>,
    state: Mutex<GuideState>,
}

/// Intentions that last longer than one step.
#[derive(Default)]
struct GuideState {
    /// Next steps, each with the state it must lead to, the first one last.
    script: Vec<(SuiteStepOrigin, u32)>,
    /// State that the latest step of the script must lead to.
    expected: Option<u32>,
    /// Index of the prefix to repeat from the first screen on, and number of steps after which the return is given up.
    pending_return: Option<(usize, usize)>,
    /// Indices of the prefixes that were repeated.
    repeated: HashSet<usize>,
}

/// The replay so far.
struct GuideProgress {
    /// Current state; none if it was never observed before.
    current: Option<u32>,
    covered: ItemSet,
    /// Actions in states that were tried.
    tried: HashSet<(u32, u32)>,
    /// Those of them that led to another state than predicted.
    diverged: HashSet<(u32, u32)>,
}

/// An edge worth going to. The order of the fields is the order of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CoverageGoal {
    distance: u32,
    gain: Reverse<u32>,
    state: u32,
    edge: usize,
}

impl GuidedSteps {
    pub(super) fn new(
        graph: TransitionGraph,
        originals: Arc<Vec<Trace>>,
        symbols: SymbolTable,
        covered: ItemSet,
        start: u32,
    ) -> GuidedSteps {
        let start_distances = graph
            .shortest_paths(start, &HashSet::new())
            .into_iter()
            .map(|(state, path)| (state, path.distance))
            .collect();
        let back = back_step(&originals);
        GuidedSteps {
            graph,
            originals,
            symbols,
            covered,
            repeats: Vec::new(),
            start,
            unprovable: HashSet::new(),
            max_steps: usize::MAX,
            back,
            start_distances,
            state: Mutex::default(),
        }
    }

    /// Ends the replay after this number of steps.
    pub(super) fn with_max_steps(self, max_steps: usize) -> GuidedSteps {
        GuidedSteps { max_steps, ..self }
    }

    /// Avoids action sequences that cannot be proven.
    pub(super) fn avoiding(self, unprovable: HashSet<u64>) -> GuidedSteps {
        GuidedSteps { unprovable, ..self }
    }

    /// Repeats prefixes from the first screen on where nothing else helps.
    pub(super) fn repeating(self, repeats: Vec<(u32, ReplayPath)>) -> GuidedSteps {
        GuidedSteps { repeats, ..self }
    }

    /// Begins with a path.
    pub(super) fn beginning_with(self, prefix: &ReplayPath) -> GuidedSteps {
        let state = GuideState {
            script: script(prefix),
            ..GuideState::default()
        };
        GuidedSteps {
            state: Mutex::new(state),
            ..self
        }
    }

    /// Step towards the best goal that is left, if any.
    fn step_to_goal(
        &self,
        state: &mut GuideState,
        record: &ReplayRecord,
        current: u32,
        progress: &GuideProgress,
        paths: &ShortestPaths,
    ) -> Option<ReplayStep> {
        let (returning, one_way) = self.goals(current, progress, paths);
        // Each goal without a path back needs a replay of its own: goals nearer to the start are left to the next one.
        let others_follow = one_way.len() > 1;
        let is_due = |goal: &&CoverageGoal| {
            let from_start = self.start_distances.get(&goal.state);
            !others_follow || from_start.is_none_or(|&distance| goal.distance <= distance + 1)
        };
        if let Some(goal) = returning.iter().filter(is_due).min() {
            return Some(self.step_towards(goal, paths));
        }
        let is_open = |(index, (item, _)): &(usize, &(u32, ReplayPath))| {
            !progress.covered.contains(*item) && !state.repeated.contains(index)
        };
        if let Some((index, _)) = self.repeats.iter().enumerate().find(is_open) {
            state.repeated.insert(index);
            let played = record.hops.len();
            state.pending_return = Some((index, played + MAX_RETURN_STEPS));
            if let Some(step) = self.step_home(state, current, paths, played) {
                return Some(step);
            }
        }
        match one_way.iter().min() {
            Some(goal) => Some(self.step_towards(goal, paths)),
            None if paths.contains_key(&self.start) => None,
            None => self.press_back(record),
        }
    }

    /// Goals from which a path leads back, and goals from which none does.
    fn goals(
        &self,
        current: u32,
        progress: &GuideProgress,
        paths: &ShortestPaths,
    ) -> (Vec<CoverageGoal>, Vec<CoverageGoal>) {
        let predecessors = self.graph.predecessors(current);
        let mut returning = Vec::new();
        let mut one_way = Vec::new();
        for (&state, path) in paths {
            for (index, edge) in self.graph.edges(state).iter().enumerate() {
                let gain = edge.covers.difference_count(&progress.covered);
                let is_tried = progress.tried.contains(&(state, edge.action));
                if gain == 0 || edge.misses > 0 || is_tried {
                    continue;
                }
                let goal = CoverageGoal {
                    distance: path.distance + 1,
                    gain: Reverse(gain),
                    state,
                    edge: index,
                };
                if predecessors.contains(&edge.to()) {
                    returning.push(goal);
                } else {
                    one_way.push(goal);
                }
            }
        }
        (returning, one_way)
    }

    fn step_towards(&self, goal: &CoverageGoal, paths: &ShortestPaths) -> ReplayStep {
        let first_edge = paths[&goal.state].first_edge;
        self.edge_step(first_edge.unwrap_or((goal.state, goal.edge)))
    }

    /// Next step back to the first screen, or the first step of the prefix to repeat from there on.
    fn step_home(
        &self,
        state: &mut GuideState,
        current: u32,
        paths: &ShortestPaths,
        played: usize,
    ) -> Option<ReplayStep> {
        let (repeat, until) = state.pending_return?;
        if current == self.start {
            state.pending_return = None;
            state.script = script(&self.repeats[repeat].1);
            return self.next_scripted(state);
        }
        let home = paths
            .get(&self.start)
            .and_then(|path: &ShortestPath| path.first_edge)
            .filter(|_| played < until);
        if home.is_none() {
            state.pending_return = None;
        }
        home.map(|edge| self.edge_step(edge))
    }

    /// Back, unless the latest presses did not help.
    fn press_back(&self, record: &ReplayRecord) -> Option<ReplayStep> {
        let back = self.back?;
        let presses = record
            .hops
            .iter()
            .rev()
            .take_while(|(origin, _)| *origin == back)
            .count();
        (presses < MAX_BACK_PRESSES).then(|| self.step(back))
    }

    fn next_scripted(&self, state: &mut GuideState) -> Option<ReplayStep> {
        let (origin, to) = state.script.pop()?;
        state.expected = Some(to);
        Some(self.step(origin))
    }

    fn edge_step(&self, (state, index): (u32, usize)) -> ReplayStep {
        self.step(self.graph.edges(state)[index].origin)
    }

    fn step(&self, origin: SuiteStepOrigin) -> ReplayStep {
        let step = self.symbols.step(&self.originals, origin).clone();
        ReplayStep { origin, step }
    }

    fn progress(&self, record: &ReplayRecord) -> GuideProgress {
        let mut covered = self.covered.clone();
        covered.union_with(&self.symbols.coverage(&record.start));
        let mut current = self.symbols.state_id(record.start.state);
        let mut tried = HashSet::new();
        let mut diverged = HashSet::new();
        let mut key = 0;
        for (origin, observation) in &record.hops {
            let action = self.symbols.action(*origin);
            key = extend_key(key, action);
            covered.union_with(&self.symbols.coverage(observation));
            let to = self.symbols.state_id(observation.state);
            let Some(from) = std::mem::replace(&mut current, to) else {
                continue;
            };
            tried.insert((from, action));
            let mut edges = self.graph.edges(from).iter();
            let edge = edges.find(|edge| edge.action == action);
            if edge.is_none_or(|edge| Some(edge.to()) != to) {
                diverged.insert((from, action));
            }
        }
        if let Some(state) = current {
            for edge in self.graph.edges(state) {
                if self.unprovable.contains(&extend_key(key, edge.action)) {
                    tried.insert((state, edge.action));
                    diverged.insert((state, edge.action));
                }
            }
        }
        GuideProgress {
            current,
            covered,
            tried,
            diverged,
        }
    }
}

impl StepSource for GuidedSteps {
    fn next(&self, record: &ReplayRecord) -> Option<ReplayStep> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let played = record.hops.len();
        let reached = self.symbols.state_id(record.last_observation().state);
        let expected = state.expected.take();
        if expected.is_some_and(|expected| reached != Some(expected)) {
            state.script.clear();
        }
        if let Some(step) = self.next_scripted(&mut state) {
            return Some(step);
        }
        if played >= self.max_steps {
            return None;
        }
        let progress = self.progress(record);
        let Some(current) = progress.current else {
            return self.press_back(record);
        };
        let paths = self.graph.shortest_paths(current, &progress.diverged);
        if let Some(step) = self.step_home(&mut state, current, &paths, played) {
            return Some(step);
        }
        self.step_to_goal(&mut state, record, current, &progress, &paths)
    }
}

fn back_step(originals: &[Trace]) -> Option<SuiteStepOrigin> {
    (0..).zip(originals).find_map(|(trace, original)| {
        let mut steps = (0..).zip(&original.steps);
        steps
            .find(|(_, step)| step.action == Action::Key(Key::Back))
            .map(|(step, _)| SuiteStepOrigin::new(trace, step))
    })
}

/// Steps of a path with the states they lead to, the first one last.
fn script(path: &ReplayPath) -> Vec<(SuiteStepOrigin, u32)> {
    path.iter()
        .rev()
        .map(|transition| (transition.origin, transition.to))
        .collect()
}
