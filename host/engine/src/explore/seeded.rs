//! Recorded traces as seeds: they are played first, each from a clean start, and the explorer learns from them as from
//! anything else.

use std::collections::{HashMap, VecDeque};

use retap_shared::action::SystemKinds;
use retap_shared::protocol::Settle;
use retap_shared::trace::Step;

use super::{At, Explorer, Move, Seen};
use crate::seed::Rng;

pub struct Seeded {
    inner: Box<dyn Explorer>,
    traces: VecDeque<Vec<Step>>,
    /// What is left of the trace that each walker plays.
    playing: HashMap<usize, VecDeque<Step>>,
}

impl Seeded {
    pub fn new(inner: Box<dyn Explorer>, traces: Vec<Vec<Step>>) -> Seeded {
        Seeded { inner, traces: traces.into(), playing: HashMap::new() }
    }
}

impl Explorer for Seeded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn meet(&mut self, walker: usize, can: SystemKinds) {
        self.inner.meet(walker, can);
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        if let Some(step) = self.playing.get_mut(&at.walker).and_then(VecDeque::pop_front) {
            return Move::Again(step);
        }
        match self.traces.pop_front() {
            Some(trace) => {
                self.playing.insert(at.walker, trace.into());
                Move::Restart { clear: true }
            }
            None => self.inner.choose(at, rng),
        }
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        if !seen.problems.is_empty() {
            self.playing.remove(&seen.walker);
        }
        self.inner.observe(seen);
    }

    fn learned(&self) -> Vec<(&'static str, String)> {
        self.inner.learned()
    }
}

impl std::fmt::Debug for Seeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seeded").field("inner", &self.inner.name()).finish_non_exhaustive()
    }
}
