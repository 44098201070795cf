//! A pilot that goes through all that was seen to what is not covered yet: the nearest first; then what could only be reached
//! the way it was reached before, from the first screen on; and last through doors from which there is no way back.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use retap_shared::action::{Action, Key};
use retap_shared::trace::Trace;

use super::item_set::ItemSet;
use super::replay_tree::{ReplayPath, extend_key};
use super::replayer::{ReplayRecord, ReplayStep, StepSource, SuiteStepOrigin};
use super::symbol_table::SymbolTable;
use super::transition_graph::TransitionGraph;

/// So many steps may be made to get back to the first screen.
const MAX_RETURN_STEPS: usize = 24;
/// How often Back is pressed where no way is known to lead out.
const MAX_BACK_PRESSES: usize = 3;

pub(super) struct CoverageWalker {
    graph: TransitionGraph,
    originals: Arc<Vec<Trace>>,
    symbols: SymbolTable,
    /// What other ways cover, and what need not be covered.
    covered: ItemSet,
    /// Items, each with the beginning of a trace that reaches it. Where only that helps, it is repeated from the first screen on.
    repeats: Vec<(u32, ReplayPath)>,
    start: u32,
    /// Sequences of actions that cannot be proven any more.
    blocked: HashSet<u64>,
    max_steps: usize,
    /// A step that goes back, if there is one.
    back: Option<SuiteStepOrigin>,
    /// From a clean start each state is that far.
    start_distances: HashMap<u32, u32>,
    state: Mutex<WalkerState>,
}

/// What it is about to do. A run that begins anew finds it empty.
#[derive(Default)]
struct WalkerState {
    /// Steps that come next for as long as each leads to the state beside it, the next one last.
    script: Vec<(SuiteStepOrigin, u32)>,
    expected: Option<u32>,
    /// What is to be repeated as soon as the first screen is there, and after how many steps that is given up.
    pending_return: Option<(usize, usize)>,
    repeated: HashSet<usize>,
}

struct WalkProgress {
    /// Nobody has seen it before, if there is none.
    now: Option<u32>,
    covered: ItemSet,
    tried: HashSet<(u32, u32)>,
    /// What of that led elsewhere than hoped.
    diverged: HashSet<(u32, u32)>,
}

/// A transition worth going to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WalkGoal {
    distance: u32,
    gain: Reverse<u32>,
    state: u32,
    place: usize,
}

type ShortestPaths = HashMap<u32, (u32, Option<(u32, usize)>)>;

impl CoverageWalker {
    pub(super) fn new(
        graph: TransitionGraph,
        originals: Arc<Vec<Trace>>,
        lexicon: SymbolTable,
        covered: ItemSet,
        start: u32,
    ) -> CoverageWalker {
        let from_start = graph
            .distances(start, &HashSet::new())
            .into_iter()
            .map(|(state, (far, _))| (state, far))
            .collect();
        let back = back_step(&originals);
        let repeats = Vec::new();
        let longest = usize::MAX;
        let mind = Mutex::default();
        let blocked = HashSet::new();
        CoverageWalker {
            graph,
            originals,
            symbols: lexicon,
            covered,
            repeats,
            start,
            blocked,
            max_steps: longest,
            back,
            start_distances: from_start,
            state: mind,
        }
    }

    pub(super) fn with_max_steps(self, longest: usize) -> CoverageWalker {
        CoverageWalker {
            max_steps: longest,
            ..self
        }
    }

    pub(super) fn avoiding(self, blocked: HashSet<u64>) -> CoverageWalker {
        CoverageWalker { blocked, ..self }
    }

    pub(super) fn repeating(self, repeats: Vec<(u32, ReplayPath)>) -> CoverageWalker {
        CoverageWalker { repeats, ..self }
    }

    /// Begins with a way, whatever comes after.
    pub(super) fn beginning_with(self, way: &ReplayPath) -> CoverageWalker {
        let mind = WalkerState {
            script: scripted(way),
            ..WalkerState::default()
        };
        CoverageWalker {
            state: Mutex::new(mind),
            ..self
        }
    }

    fn step(&self, origin: SuiteStepOrigin) -> ReplayStep {
        let recorded = &self.originals[origin.trace as usize].steps[origin.step as usize];
        let step = self.symbols.replacement(origin).unwrap_or(recorded).clone();
        ReplayStep { origin, step }
    }

    fn progress(&self, run: &ReplayRecord) -> WalkProgress {
        let mut covered = self.covered.clone();
        covered.union_with(&self.symbols.covers(&run.start));
        let mut now = self.symbols.state(run.start.state);
        let mut tried = HashSet::new();
        let mut elsewhere = HashSet::new();
        let mut way = 0;
        for (origin, arrival) in &run.hops {
            let action = self.symbols.action(*origin);
            way = extend_key(way, action);
            covered.union_with(&self.symbols.covers(arrival));
            let to = self.symbols.state(arrival.state);
            let Some(from) = std::mem::replace(&mut now, to) else {
                continue;
            };
            tried.insert((from, action));
            let edges = self.graph.edges.get(&from);
            let edge = edges.and_then(|edges| edges.iter().find(|edge| edge.action == action));
            if edge.is_none_or(|edge| Some(edge.to[0].0) != to) {
                elsewhere.insert((from, action));
            }
        }
        if let Some((now, edges)) = now.and_then(|now| Some((now, self.graph.edges.get(&now)?))) {
            let cannot = edges
                .iter()
                .filter(|edge| self.blocked.contains(&extend_key(way, edge.action)));
            let cannot: Vec<(u32, u32)> = cannot.map(|edge| (now, edge.action)).collect();
            elsewhere.extend(&cannot);
            tried.extend(cannot);
        }
        WalkProgress {
            now,
            covered,
            tried,
            diverged: elsewhere,
        }
    }

    /// Goals from which there is a way back, and goals from which there is none.
    fn goals(
        &self,
        now: u32,
        so_far: &WalkProgress,
        ways: &ShortestPaths,
    ) -> (Vec<WalkGoal>, Vec<WalkGoal>) {
        let back = self.graph.predecessors(now);
        let mut around = Vec::new();
        let mut doors = Vec::new();
        for (&state, &(far, _)) in ways {
            for (place, edge) in self
                .graph
                .edges
                .get(&state)
                .into_iter()
                .flatten()
                .enumerate()
            {
                let gain = edge.covers.difference_count(&so_far.covered);
                if gain > 0 && edge.misses == 0 && !so_far.tried.contains(&(state, edge.action)) {
                    let goal = WalkGoal {
                        distance: far + 1,
                        gain: Reverse(gain),
                        state,
                        place,
                    };
                    let returns = back.contains(&edge.to[0].0);
                    (if returns { &mut around } else { &mut doors }).push(goal);
                }
            }
        }
        (around, doors)
    }

    fn step_towards(&self, goal: &WalkGoal, ways: &ShortestPaths) -> ReplayStep {
        let (state, place) = ways[&goal.state].1.unwrap_or((goal.state, goal.place));
        self.step(self.graph.edges[&state][place].origin)
    }

    /// The next step back to the first screen, or the first one of what is repeated there.
    fn step_home(
        &self,
        mind: &mut WalkerState,
        now: u32,
        ways: &ShortestPaths,
        done: usize,
    ) -> Option<ReplayStep> {
        let (repeat, until) = mind.pending_return?;
        if now == self.start {
            mind.pending_return = None;
            mind.script = scripted(&self.repeats[repeat].1);
            return self.next_scripted(mind);
        }
        let home = ways
            .get(&self.start)
            .and_then(|(_, first)| *first)
            .filter(|_| done < until);
        if home.is_none() {
            mind.pending_return = None;
        }
        home.map(|(state, place)| self.step(self.graph.edges[&state][place].origin))
    }

    /// Back, unless that has not helped so far.
    fn press_back(&self, run: &ReplayRecord) -> Option<ReplayStep> {
        let back = self.back?;
        let tried = run
            .hops
            .iter()
            .rev()
            .take_while(|(origin, _)| *origin == back)
            .count();
        (tried < MAX_BACK_PRESSES).then(|| self.step(back))
    }

    fn next_scripted(&self, mind: &mut WalkerState) -> Option<ReplayStep> {
        let (origin, to) = mind.script.pop()?;
        mind.expected = Some(to);
        Some(self.step(origin))
    }
}

impl StepSource for CoverageWalker {
    fn next(&self, run: &ReplayRecord) -> Option<ReplayStep> {
        let mut mind = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let done = run.hops.len();
        let state = self.symbols.state(run.last_observation().state);
        if mind
            .expected
            .take()
            .is_some_and(|expected| state != Some(expected))
        {
            mind.script.clear();
        }
        if let Some(next) = self.next_scripted(&mut mind) {
            return Some(next);
        }
        if done >= self.max_steps {
            return None;
        }
        let so_far = self.progress(run);
        let Some(now) = so_far.now else {
            return self.press_back(run);
        };
        let ways = self.graph.distances(now, &so_far.diverged);
        if let Some(next) = self.step_home(&mut mind, now, &ways, done) {
            return Some(next);
        }
        let (mut around, doors) = self.goals(now, &so_far, &ways);
        // Each door needs a walk of its own: what is nearer to the start is left to the next one.
        let others_come = doors.len() > 1;
        around.retain(|goal| {
            !others_come
                || self
                    .start_distances
                    .get(&goal.state)
                    .is_none_or(|&near| goal.distance <= near + 1)
        });
        if let Some(goal) = around.iter().min() {
            return Some(self.step_towards(goal, &ways));
        }
        let open = |(place, (item, _)): &(usize, &(u32, ReplayPath))| {
            !so_far.covered.contains(*item) && !mind.repeated.contains(place)
        };
        if let Some((place, _)) = self.repeats.iter().enumerate().find(open) {
            mind.repeated.insert(place);
            mind.pending_return = Some((place, done + MAX_RETURN_STEPS));
            if let Some(next) = self.step_home(&mut mind, now, &ways, done) {
                return Some(next);
            }
        }
        let door = doors
            .iter()
            .min()
            .map(|goal| self.step_towards(goal, &ways));
        door.or_else(|| {
            self.press_back(run)
                .filter(|_| !ways.contains_key(&self.start))
        })
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

fn scripted(way: &ReplayPath) -> Vec<(SuiteStepOrigin, u32)> {
    way.iter().rev().map(|hop| (hop.origin, hop.to)).collect()
}
