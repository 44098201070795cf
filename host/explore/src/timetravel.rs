//! TimeMachine: over any explorer, goes back to the most promising state when that one is stuck. A state is gone back to on
//! foot from where the walker is, by its snapshot, or by a clean start and its shortest recorded way, whichever takes least;
//! interesting states are saved where that is likely to spare more than it takes.

mod costs;
mod graph;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

pub(super) use costs::{Costs, Snapshot};
use graph::Graph;
use retap_device::seed::Rng;
use retap_model::widget_tree;
use retap_shared::action::SystemKinds;
use retap_shared::protocol::{CheckpointId, Settle};
use retap_shared::trace::Step;

use super::stuck::{Stuck, StuckRules};
use super::{At, Did, Explorer, Move, Seen};

/// The published figures by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TravelRules {
    pub stuck: StuckRules,
    /// What an interesting state found from a state adds to its fitness, and what any other visit takes.
    pub reward: f64,
    pub penalty: f64,
    /// How much fitter an interesting state is to begin with.
    pub interesting: f64,
    /// How many transitions a neighbourhood reaches.
    pub neighbourhood: u32,
    /// What all snapshots of a phone may take; the least fit ones are dropped.
    pub bytes: u64,
}

impl Default for TravelRules {
    fn default() -> TravelRules {
        TravelRules {
            stuck: StuckRules::default(),
            reward: 0.1,
            penalty: 0.1,
            interesting: 6.0,
            neighbourhood: 3,
            bytes: 8 << 30,
        }
    }
}

pub struct TimeTravel {
    inner: Box<dyn Explorer>,
    rules: TravelRules,
    graph: Graph,
    costs: Costs,
    walkers: HashMap<usize, Walker>,
    /// The phone tells which code ran. Where it does not, new screens and activities stand for new code.
    knows_code: bool,
}

#[derive(Default)]
struct Walker {
    at: Option<u64>,
    stuck: Stuck,
    is_stuck: bool,
    /// The state it is in is interesting, and so many steps from a clean start: it may be worth a snapshot.
    wants_to_save: Option<usize>,
    /// The phone was asked once and could not.
    cannot_save: bool,
    saved: HashMap<u64, Snapshot<u64>>,
    /// The rest of a recorded way, and where it leads.
    replay: VecDeque<Step>,
    goal: Option<u64>,
    asked_to_save: bool,
}

impl TimeTravel {
    pub fn over(inner: Box<dyn Explorer>, rules: TravelRules) -> TimeTravel {
        let graph = Graph::default();
        let costs = Costs::default();
        TimeTravel {
            inner,
            rules,
            graph,
            costs,
            walkers: HashMap::new(),
            knows_code: false,
        }
    }

    /// The way back to the fittest of the states that this walker can go back to.
    fn travel(&mut self, number: usize) -> Option<Move> {
        let walker = self.walkers.entry(number).or_default();
        let from_snapshot = |state: u64| {
            let saved = walker.saved.get(&state)?;
            Some((saved.id, self.graph.way_from(saved.lands, state)?))
        };
        let target = self
            .graph
            .fittest(&self.rules, |state| from_snapshot(state).is_some())?;
        // Who is there already and stuck does not go back by staying.
        let here = walker
            .at
            .filter(|at| *at != target)
            .and_then(|at| self.graph.way_from(at, target));
        let restoring = |rest: &[Step]| self.costs.restore() + self.costs.on_foot(rest.len());
        let ways = [
            here.map(|way| (self.costs.on_foot(way.len()), None, way)),
            self.graph.way(target).map(|way| {
                (
                    self.costs.replay(way.len()),
                    Some(Move::Restart { clear: true }),
                    way,
                )
            }),
            from_snapshot(target)
                .map(|(id, rest)| (restoring(&rest), Some(Move::Restore(id)), rest)),
        ];
        let (_, first, way) = ways
            .into_iter()
            .flatten()
            .min_by_key(|(takes, ..)| *takes)?;
        walker.is_stuck = false;
        walker.stuck.clear();
        walker.on_its_way(way, target);
        first.or_else(|| walker.replay.pop_front().map(Move::Again))
    }

    /// A snapshot to give up, if they take too much together: the least fit one.
    fn to_drop(&self, walker: &Walker) -> Option<CheckpointId> {
        let bytes: u64 = walker.saved.values().map(|saved| saved.bytes).sum();
        if bytes <= self.rules.bytes {
            return None;
        }
        let fitness = |state: &u64| self.graph.fitness(*state, &self.rules);
        let least = walker.saved.iter().min_by(|(one, a), (other, b)| {
            fitness(one)
                .total_cmp(&fitness(other))
                .then(a.id.cmp(&b.id))
        });
        least.map(|(_, saved)| saved.id)
    }

    fn stepped(&mut self, seen: &Seen<'_>) {
        let Did::Stepped { step, branches, .. } = seen.did else {
            return;
        };
        self.knows_code |= !branches.is_empty();
        let walker = self.walkers.entry(seen.walker).or_default();
        let from = walker.at.take();
        walker.wants_to_save = None;
        let Some(screen) = seen.screen.filter(|_| seen.inside) else {
            if !seen.problems.is_empty() {
                // A clean start comes next, from which the rest leads elsewhere.
                walker.replay.clear();
            }
            if walker.replay.is_empty()
                && let Some(goal) = walker.goal.take()
            {
                self.graph.arrived(goal, false);
            }
            return;
        };
        let state = widget_tree(screen);
        walker.at = Some(state);
        let new = self.is_new(seen);
        let leads_through = self
            .walkers
            .get(&seen.walker)
            .is_some_and(|walker| !walker.replay.is_empty());
        let interesting =
            self.graph
                .visit(from.map(|from| (from, step)), state, new, leads_through);
        let walker = self.walkers.entry(seen.walker).or_default();
        if interesting && !walker.cannot_save {
            let steps = self
                .graph
                .way(state)
                .map_or(seen.way.len(), |way| way.len());
            walker.wants_to_save = Some(steps);
        }
        if walker.replay.is_empty() {
            if let Some(goal) = walker.goal.take() {
                self.graph.arrived(goal, goal == state);
            }
            walker.is_stuck |= walker
                .stuck
                .note(state, self.graph.visits(), &self.rules.stuck);
        }
    }

    /// The app has begun, or begun anew.
    fn begun(&mut self, seen: &Seen<'_>) {
        let new = self.is_new(seen);
        let walker = self.walkers.entry(seen.walker).or_default();
        (walker.is_stuck, walker.wants_to_save) = (false, None);
        walker.stuck.clear();
        walker.at = None;
        if !seen.problems.is_empty() {
            walker.replay.clear();
            return;
        }
        if let Some(screen) = seen.screen.filter(|_| seen.inside) {
            let state = widget_tree(screen);
            walker.at = Some(state);
            let leads_through = !walker.replay.is_empty();
            self.graph.visit(None, state, new, leads_through);
            if matches!(seen.did, Did::Started { clean: true }) {
                self.graph.started(state);
            }
        }
    }

    fn is_new(&self, seen: &Seen<'_>) -> bool {
        if self.knows_code {
            seen.new.branches > 0
        } else {
            !seen.new.is_nothing()
        }
    }
}

impl Walker {
    /// A way that is empty leads nowhere that it is not.
    fn on_its_way(&mut self, way: Vec<Step>, goal: u64) {
        self.goal = (!way.is_empty()).then_some(goal);
        self.replay = way.into();
    }
}

impl Explorer for TimeTravel {
    fn name(&self) -> &str {
        "timetravel"
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
        let walker = self.walkers.entry(at.walker).or_default();
        if let Some(steps) = walker.wants_to_save.take()
            && self
                .costs
                .is_worth_saving(steps, if at.can.checkpoints { 0 } else { steps })
        {
            walker.asked_to_save = true;
            return Move::Save;
        }
        if let Some(step) = walker.replay.pop_front() {
            return Move::Again(step);
        }
        let walker = &self.walkers[&at.walker];
        if let Some(id) = self.to_drop(walker) {
            return Move::Drop(id);
        }
        if walker.is_stuck
            && let Some(travel) = self.travel(at.walker)
        {
            return travel;
        }
        self.inner.choose(at, rng)
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        self.costs.note(seen);
        self.inner.observe(seen);
        match seen.did {
            Did::Stepped { .. } => self.stepped(seen),
            Did::Started { .. } | Did::Restored { .. } => self.begun(seen),
            Did::Saved { id, bytes, whole } => {
                let walker = self.walkers.entry(seen.walker).or_default();
                walker.asked_to_save = false;
                let state = walker.at;
                if !whole {
                    self.begun(seen);
                }
                let walker = self.walkers.entry(seen.walker).or_default();
                if let (Some(state), Some(lands)) = (state, walker.at) {
                    walker.saved.insert(state, Snapshot { id, bytes, lands });
                    if let Some(way) = self
                        .graph
                        .way_from(lands, state)
                        .filter(|way| !way.is_empty())
                    {
                        walker.on_its_way(way, state);
                    }
                }
            }
            Did::Dropped { id } => {
                let walker = self.walkers.entry(seen.walker).or_default();
                walker.saved.retain(|_, saved| saved.id != id);
            }
            Did::Refused => {
                let walker = self.walkers.entry(seen.walker).or_default();
                walker.cannot_save |= std::mem::take(&mut walker.asked_to_save);
            }
            Did::Forgotten => {
                self.walkers.insert(seen.walker, Walker::default());
            }
        }
    }

    fn learned(&self) -> Vec<(&'static str, String)> {
        self.inner.learned()
    }
}

impl std::fmt::Debug for TimeTravel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeTravel")
            .field("over", &self.inner.name())
            .finish_non_exhaustive()
    }
}
