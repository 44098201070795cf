//! A pilot that goes through all that was seen to what is not covered yet: the nearest first; then what could only be reached
//! the way it was reached before, from the first screen on; and last through doors from which there is no way back.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use retap_shared::action::{Action, Key};
use retap_shared::trace::Trace;

use super::bits::Bits;
use super::graph::Graph;
use super::known::{Way, on_with};
use super::lexicon::Lexicon;
use super::replayer::{Next, Origin, Pilot, Run};

/// So many steps may be made to get back to the first screen.
const HOMEWARD: usize = 24;
/// How often Back is pressed where no way is known to lead out.
const ESCAPES: usize = 3;

pub(super) struct Walker {
    graph: Graph,
    originals: Arc<Vec<Trace>>,
    lexicon: Lexicon,
    /// What other ways cover, and what need not be covered.
    covered: Bits,
    /// Items, each with the beginning of a trace that reaches it. Where only that helps, it is repeated from the first screen on.
    repeats: Vec<(u32, Way)>,
    start: u32,
    /// Sequences of actions that cannot be proven any more.
    blocked: HashSet<u64>,
    longest: usize,
    /// A step that goes back, if there is one.
    back: Option<Origin>,
    /// From a clean start each state is that far.
    from_start: HashMap<u32, u32>,
    mind: Mutex<Mind>,
}

/// What it is about to do. A run that begins anew finds it empty.
#[derive(Default)]
struct Mind {
    /// Steps that come next for as long as each leads to the state beside it, the next one last.
    script: Vec<(Origin, u32)>,
    expected: Option<u32>,
    /// What is to be repeated as soon as the first screen is there, and after how many steps that is given up.
    homeward: Option<(usize, usize)>,
    repeated: HashSet<usize>,
}

struct SoFar {
    /// Nobody has seen it before, if there is none.
    now: Option<u32>,
    covered: Bits,
    tried: HashSet<(u32, u32)>,
    /// What of that led elsewhere than hoped.
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

type Ways = HashMap<u32, (u32, Option<(u32, usize)>)>;

impl Walker {
    pub(super) fn new(
        graph: Graph,
        originals: Arc<Vec<Trace>>,
        lexicon: Lexicon,
        covered: Bits,
        start: u32,
    ) -> Walker {
        let from_start = graph
            .distances(start, &HashSet::new())
            .into_iter()
            .map(|(state, (far, _))| (state, far))
            .collect();
        let back = back_in(&originals);
        let repeats = Vec::new();
        let longest = usize::MAX;
        let mind = Mutex::default();
        let blocked = HashSet::new();
        Walker {
            graph,
            originals,
            lexicon,
            covered,
            repeats,
            start,
            blocked,
            longest,
            back,
            from_start,
            mind,
        }
    }

    pub(super) fn at_most(self, longest: usize) -> Walker {
        Walker { longest, ..self }
    }

    pub(super) fn avoiding(self, blocked: HashSet<u64>) -> Walker {
        Walker { blocked, ..self }
    }

    pub(super) fn repeating(self, repeats: Vec<(u32, Way)>) -> Walker {
        Walker { repeats, ..self }
    }

    /// Begins with a way, whatever comes after.
    pub(super) fn beginning_with(self, way: &Way) -> Walker {
        let mind = Mind {
            script: scripted(way),
            ..Mind::default()
        };
        Walker {
            mind: Mutex::new(mind),
            ..self
        }
    }

    fn step(&self, origin: Origin) -> Next {
        let recorded = &self.originals[origin.trace as usize].steps[origin.step as usize];
        let step = self.lexicon.made(origin).unwrap_or(recorded).clone();
        Next { origin, step }
    }

    fn so_far(&self, run: &Run) -> SoFar {
        let mut covered = self.covered.clone();
        covered.add(&self.lexicon.covers(&run.start));
        let mut now = self.lexicon.state(run.start.state);
        let mut tried = HashSet::new();
        let mut elsewhere = HashSet::new();
        let mut way = 0;
        for (origin, arrival) in &run.hops {
            let action = self.lexicon.action(*origin);
            way = on_with(way, action);
            covered.add(&self.lexicon.covers(arrival));
            let to = self.lexicon.state(arrival.state);
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
                .filter(|edge| self.blocked.contains(&on_with(way, edge.action)));
            let cannot: Vec<(u32, u32)> = cannot.map(|edge| (now, edge.action)).collect();
            elsewhere.extend(&cannot);
            tried.extend(cannot);
        }
        SoFar {
            now,
            covered,
            tried,
            elsewhere,
        }
    }

    /// Goals from which there is a way back, and goals from which there is none.
    fn goals(&self, now: u32, so_far: &SoFar, ways: &Ways) -> (Vec<Goal>, Vec<Goal>) {
        let back = self.graph.leading_to(now);
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
                let gain = edge.covers.beyond(&so_far.covered);
                if gain > 0 && edge.failed == 0 && !so_far.tried.contains(&(state, edge.action)) {
                    let goal = Goal {
                        far: far + 1,
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

    fn towards(&self, goal: &Goal, ways: &Ways) -> Next {
        let (state, place) = ways[&goal.state].1.unwrap_or((goal.state, goal.place));
        self.step(self.graph.edges[&state][place].origin)
    }

    /// The next step back to the first screen, or the first one of what is repeated there.
    fn homeward(&self, mind: &mut Mind, now: u32, ways: &Ways, done: usize) -> Option<Next> {
        let (repeat, until) = mind.homeward?;
        if now == self.start {
            mind.homeward = None;
            mind.script = scripted(&self.repeats[repeat].1);
            return self.by_script(mind);
        }
        let home = ways
            .get(&self.start)
            .and_then(|(_, first)| *first)
            .filter(|_| done < until);
        if home.is_none() {
            mind.homeward = None;
        }
        home.map(|(state, place)| self.step(self.graph.edges[&state][place].origin))
    }

    /// Back, unless that has not helped so far.
    fn escape(&self, run: &Run) -> Option<Next> {
        let back = self.back?;
        let tried = run
            .hops
            .iter()
            .rev()
            .take_while(|(origin, _)| *origin == back)
            .count();
        (tried < ESCAPES).then(|| self.step(back))
    }

    fn by_script(&self, mind: &mut Mind) -> Option<Next> {
        let (origin, to) = mind.script.pop()?;
        mind.expected = Some(to);
        Some(self.step(origin))
    }
}

impl Pilot for Walker {
    fn next(&self, run: &Run) -> Option<Next> {
        let mut mind = self.mind.lock().unwrap_or_else(PoisonError::into_inner);
        let done = run.hops.len();
        let state = self.lexicon.state(run.now().state);
        if mind
            .expected
            .take()
            .is_some_and(|expected| state != Some(expected))
        {
            mind.script.clear();
        }
        if let Some(next) = self.by_script(&mut mind) {
            return Some(next);
        }
        if done >= self.longest {
            return None;
        }
        let so_far = self.so_far(run);
        let Some(now) = so_far.now else {
            return self.escape(run);
        };
        let ways = self.graph.distances(now, &so_far.elsewhere);
        if let Some(next) = self.homeward(&mut mind, now, &ways, done) {
            return Some(next);
        }
        let (mut around, doors) = self.goals(now, &so_far, &ways);
        // Each door needs a walk of its own: what is nearer to the start is left to the next one.
        let others_come = doors.len() > 1;
        around.retain(|goal| {
            !others_come
                || self
                    .from_start
                    .get(&goal.state)
                    .is_none_or(|&near| goal.far <= near + 1)
        });
        if let Some(goal) = around.iter().min() {
            return Some(self.towards(goal, &ways));
        }
        let open = |(place, (item, _)): &(usize, &(u32, Way))| {
            !so_far.covered.contains(*item) && !mind.repeated.contains(place)
        };
        if let Some((place, _)) = self.repeats.iter().enumerate().find(open) {
            mind.repeated.insert(place);
            mind.homeward = Some((place, done + HOMEWARD));
            if let Some(next) = self.homeward(&mut mind, now, &ways, done) {
                return Some(next);
            }
        }
        let door = doors.iter().min().map(|goal| self.towards(goal, &ways));
        door.or_else(|| self.escape(run).filter(|_| !ways.contains_key(&self.start)))
    }
}

fn back_in(originals: &[Trace]) -> Option<Origin> {
    (0..).zip(originals).find_map(|(trace, original)| {
        let mut steps = (0..).zip(&original.steps);
        steps
            .find(|(_, step)| step.action == Action::Key(Key::Back))
            .map(|(step, _)| Origin::new(trace, step))
    })
}

fn scripted(way: &Way) -> Vec<(Origin, u32)> {
    way.iter().rev().map(|hop| (hop.origin, hop.to)).collect()
}
