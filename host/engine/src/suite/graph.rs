//! Every transition that was ever seen, as a graph of states, and a walker that goes through it to what is not covered yet.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use retap_shared::trace::Trace;

use super::bits::Bits;
use super::known::{Hop, Known, Lexicon};
use super::replayer::{Next, Origin, Pilot, Run};

/// An action that has led to several states is a detour of so many transitions: what it does depends on what is not seen.
const DETOUR: u32 = 4;

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    edges: HashMap<u32, Vec<Edge>>,
    /// States of an app that has failed.
    ends: HashSet<u32>,
}

/// One action in one state.
#[derive(Clone, Debug)]
struct Edge {
    action: u32,
    origin: Origin,
    /// Where it has led, the most frequent first.
    to: Vec<(u32, u32)>,
    /// All that it was ever seen to cover.
    covers: Bits,
    /// How often it did not cover what was hoped for.
    failed: u32,
}

impl Graph {
    /// Takes in transitions that were seen one after the other.
    pub(super) fn add(&mut self, start: u32, way: &[Hop], known: &Known) {
        let mut state = start;
        for hop in way {
            if known.is_problem(hop) {
                self.ends.insert(hop.to);
            }
            let edges = self.edges.entry(state).or_default();
            let place = edges.iter().position(|edge| edge.action == hop.action).unwrap_or_else(|| {
                let (action, origin, covers) = (hop.action, hop.origin, Bits::default());
                edges.push(Edge { action, origin, to: Vec::new(), covers, failed: 0 });
                edges.len() - 1
            });
            edges[place].saw(hop);
            state = hop.to;
        }
    }

    /// What a walk hoped for and did not get is not hoped for again.
    pub(super) fn learn(&mut self, start: u32, way: &[Hop], covered: &Bits) {
        let mut state = start;
        for hop in way {
            let edge = self
                .edges
                .get_mut(&state)
                .and_then(|edges| edges.iter_mut().find(|edge| edge.action == hop.action));
            if let Some(edge) = edge
                && edge.covers.beyond_both(covered, &hop.covers) > 0
            {
                edge.failed += 1;
            }
            state = hop.to;
        }
    }

    /// The states from which there is a way to another.
    fn leading_to(&self, to: u32) -> HashSet<u32> {
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        for (&state, edges) in self.edges.iter().filter(|(state, _)| !self.ends.contains(state)) {
            edges.iter().for_each(|edge| before.entry(edge.to[0].0).or_default().push(state));
        }
        let (mut found, mut open) = (HashSet::from([to]), vec![to]);
        while let Some(state) = open.pop() {
            for &earlier in before.get(&state).into_iter().flatten() {
                if found.insert(earlier) {
                    open.push(earlier);
                }
            }
        }
        found
    }

    /// How far each state is from another, and with which transition the way to it begins.
    fn distances(&self, from: u32, avoid: &HashSet<(u32, u32)>) -> HashMap<u32, (u32, Option<(u32, usize)>)> {
        let mut found: HashMap<u32, (u32, Option<(u32, usize)>)> = HashMap::from([(from, (0, None))]);
        let mut heap = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((distance, state))) = heap.pop() {
            if found[&state].0 < distance || self.ends.contains(&state) {
                continue;
            }
            let first = found[&state].1;
            for (place, edge) in self.edges.get(&state).into_iter().flatten().enumerate() {
                if avoid.contains(&(state, edge.action)) {
                    continue;
                }
                let longer = distance + edge.cost();
                let to = edge.to[0].0;
                if found.get(&to).is_none_or(|(known, _)| longer < *known) {
                    found.insert(to, (longer, first.or(Some((state, place)))));
                    heap.push(Reverse((longer, to)));
                }
            }
        }
        found
    }
}

impl Edge {
    fn saw(&mut self, hop: &Hop) {
        self.covers.add(&hop.covers);
        match self.to.iter_mut().find(|(to, _)| *to == hop.to) {
            Some((_, times)) => *times += 1,
            None => self.to.push((hop.to, 1)),
        }
        self.to.sort_by_key(|&(to, times)| (Reverse(times), to));
    }

    fn cost(&self) -> u32 {
        if self.to.len() == 1 { 1 } else { 1 + DETOUR }
    }
}

/// Goes to the nearest transition that is hoped to cover something, again and again.
pub(super) struct Walker {
    pub(super) graph: Graph,
    pub(super) originals: Arc<Vec<Trace>>,
    pub(super) lexicon: Lexicon,
    /// What other ways cover, and what need not be covered.
    pub(super) covered: Bits,
    /// How the walk begins.
    pub(super) forced: Vec<Hop>,
    pub(super) longest: usize,
    /// From a clean start each state is that far.
    pub(super) from_start: HashMap<u32, u32>,
}

impl Walker {
    pub(super) fn distances_from(graph: &Graph, start: u32) -> HashMap<u32, u32> {
        graph.distances(start, &HashSet::new()).into_iter().map(|(state, (far, _))| (state, far)).collect()
    }

    fn step(&self, origin: Origin) -> Next {
        let step = self.originals[origin.trace as usize].steps[origin.step as usize].clone();
        Next { origin, step }
    }

    /// Where the run is, what is covered by now, what it has tried, and which of that led elsewhere.
    fn so_far(&self, run: &Run) -> Option<SoFar> {
        let mut covered = self.covered.clone();
        covered.add(&self.lexicon.covers(&run.start));
        let mut now = self.lexicon.state(run.start.state)?;
        let (mut tried, mut elsewhere) = (HashSet::new(), HashSet::new());
        for (origin, arrival) in &run.hops {
            let action = self.lexicon.action(*origin);
            tried.insert((now, action));
            covered.add(&self.lexicon.covers(arrival));
            let to = self.lexicon.state(arrival.state);
            let edge =
                self.graph.edges.get(&now).and_then(|edges| edges.iter().find(|edge| edge.action == action));
            if edge.is_none_or(|edge| Some(edge.to[0].0) != to) {
                elsewhere.insert((now, action));
            }
            now = to?;
        }
        Some(SoFar { now, covered, tried, elsewhere })
    }
}

struct SoFar {
    now: u32,
    covered: Bits,
    tried: HashSet<(u32, u32)>,
    elsewhere: HashSet<(u32, u32)>,
}

/// A transition worth going to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Goal {
    far: u32,
    gain: Reverse<u32>,
    state: u32,
    place: usize,
}

impl Pilot for Walker {
    fn next(&self, run: &Run) -> Option<Next> {
        let done = run.hops.len();
        let on_it = done == 0
            || self
                .forced
                .get(done - 1)
                .is_some_and(|hop| self.lexicon.state(run.now().state) == Some(hop.to));
        if let Some(hop) = self.forced.get(done).filter(|_| on_it) {
            return Some(self.step(hop.origin));
        }
        if done >= self.longest.max(self.forced.len()) {
            return None;
        }
        let SoFar { now, covered, tried, elsewhere } = self.so_far(run)?;
        let ways = self.graph.distances(now, &elsewhere);
        let back = self.graph.leading_to(now);
        let (mut around, mut doors) = (Vec::new(), Vec::new());
        for (&state, &(far, _)) in &ways {
            for (place, edge) in self.graph.edges.get(&state).into_iter().flatten().enumerate() {
                let gain = edge.covers.beyond(&covered);
                if gain > 0 && edge.failed == 0 && !tried.contains(&(state, edge.action)) {
                    let goal = Goal { far: far + 1, gain: Reverse(gain), state, place };
                    let returns = back.contains(&edge.to[0].0);
                    (if returns { &mut around } else { &mut doors }).push(goal);
                }
            }
        }
        // From where there is no way back, as from a crash, one goes last; and as each such door needs a walk of its own, what
        // is nearer to the start is left to the next walk.
        let others_come = doors.len() > 1;
        around.retain(|goal| {
            !others_come || self.from_start.get(&goal.state).is_none_or(|&near| goal.far <= near + 1)
        });
        let goal = around.iter().min().or_else(|| doors.iter().min())?;
        let (state, place) = ways[&goal.state].1.unwrap_or((goal.state, goal.place));
        Some(self.step(self.graph.edges[&state][place].origin))
    }
}
