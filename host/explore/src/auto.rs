//! Retap's own: time travel under APE's model, guided by what is new. Every phone works on the same model and goes to a part
//! of the app that no other one is at.
//!
//! What is done next in a state is in `choosing`. A walker that has seen nothing new for a while travels: to where
//! something new was seen for the least effort, over the model's transitions, by a clean start and the shortest recorded way,
//! or by a snapshot, whatever takes least.

mod choosing;
mod firsts;
mod leaving;
mod others;
mod promise;
mod weights;
mod yields;

use std::collections::{HashMap, HashSet, VecDeque};

use firsts::Firsts;
use others::Others;
use promise::Promise;
use retap_device::seed::Rng;
use retap_model::actions::{self, Possible, SYSTEM, What};
use retap_model::ape::{ActionId, DecisionTree, Model, ModelRules, Paths, Spot, StateId};
use retap_shared::Text;
use retap_shared::action::{Action, System, SystemKinds};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::{Rect, SharedScreen};
use yields::{Stretch, Yields};

use super::timetravel::{Costs, Snapshot};
use super::{ApeRules, At, Choice, Did, Explorer, Move, Seen};

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
pub struct Auto {
    model: Model,
    walkers: HashMap<usize, Walker>,
    costs: Costs,
    promise: Promise,
    /// How often something ended in a problem, since it last did not. It may not have been the cause: some come late.
    crashes: HashMap<(StateId, ActionId), u32>,
    /// How often the system's part was played in each activity.
    outside: HashMap<(Text, What), u32>,
    known: HashSet<Fingerprint>,
    yields: Yields,
    firsts: Firsts,
    /// How often a walker set out for a state and did not get there, since one last did.
    missed: HashMap<StateId, i32>,
    /// System events are done only where they are allowed.
    system: bool,
    /// What each walker's phone can do of them. Walkers of an earlier time, whose phones nobody knows, are taken for simulated.
    can: HashMap<usize, SystemKinds>,
    /// What a clean start led to the last time.
    root: Option<Spot>,
}

#[derive(Debug, Default)]
struct Walker {
    here: Option<Spot>,
    plan: VecDeque<(StateId, ActionId)>,
    expected: Option<StateId>,
    /// What it does at this moment: nobody knows yet what comes of it.
    doing: Option<(StateId, ActionId)>,
    /// The plan for after the clean start that was asked for.
    after_start: VecDeque<(StateId, ActionId)>,
    /// Events until the network is brought back, or the phone is woken up.
    mend: Option<(u32, System)>,
    /// Events since something new was seen, or since the last travel.
    dull: u32,
    /// What came of the last events, up to a number of them.
    stretch: Stretch,
    /// Where its plan leads to.
    goal: Option<StateId>,
    saved: HashMap<StateId, Snapshot<StateId>>,
    /// So many steps from a clean start something new was seen: it may be worth a snapshot.
    wants_to_save: Option<usize>,
    asked_to_save: bool,
    cannot_save: bool,
    /// Where it set out for, for what is to be expected there, until it gets there.
    sought: Option<StateId>,
    /// How often it has tried Back since then.
    backs: u32,
}

impl Auto {
    pub fn new(rules: ApeRules, tree: DecisionTree, paths: Paths, system: bool) -> Auto {
        Auto {
            model: Model::new(
                ModelRules {
                    text_first: true,
                    ..rules.model
                },
                tree,
                paths,
            ),
            walkers: HashMap::new(),
            costs: Costs::default(),
            promise: Promise::default(),
            crashes: HashMap::new(),
            outside: HashMap::new(),
            known: HashSet::new(),
            yields: Yields::default(),
            firsts: Firsts::default(),
            missed: HashMap::new(),
            system,
            can: HashMap::new(),
            root: None,
        }
    }

    fn can(&self, number: usize) -> SystemKinds {
        let known = self
            .can
            .get(&number)
            .copied()
            .unwrap_or(SystemKinds::SIMULATED);
        if self.system {
            known
        } else {
            SystemKinds::default()
        }
    }

    fn list(&self, number: usize, screen: &SharedScreen) -> Vec<Possible> {
        let mut listed = Vec::new();
        actions::list(screen, &mut listed);
        let can = self.can(number);
        let events = (0..SYSTEM.len())
            .filter_map(|event| u8::try_from(event).ok())
            .map(What::System);
        let possible = events.filter(|event| event.is_within(can));
        listed.extend(possible.map(|event| actions::possible(event, None, Rect::default(), 0)));
        listed
    }

    fn see(&mut self, number: usize, screen: &SharedScreen) -> Spot {
        let listed = self.list(number, screen);
        self.model.see(screen, &listed).0
    }

    fn stepped(&mut self, seen: &Seen<'_>) {
        let Did::Stepped {
            step, node, before, ..
        } = seen.did
        else {
            return;
        };
        let from = self.walkers.entry(seen.walker).or_default().here.take();
        let from = from.map(|from| self.model.again(&from));
        let what = actions::recognised(&step.action, node, before);
        let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
        let widget = node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok());
        let action = from
            .as_ref()
            .zip(what)
            .and_then(|(from, what)| self.model.action_of(from, widget, what));
        let is_first = from.as_ref().zip(action).is_some_and(|(from, action)| {
            self.model
                .state(from.state)
                .known(action)
                .is_none_or(|known| known.visits == 0)
        });
        let first = what.filter(|_| is_first);
        let new = self.yields.weigh(seen.new, before.activity());
        if let Some(from) = &from {
            self.promise.gained(from.state, new);
        }
        if let Some(what) = what {
            let has_failed = seen
                .problems
                .iter()
                .any(|problem| !self.known.contains(problem));
            let gain = new + NEW_PROBLEM * u32::from(has_failed);
            self.yields.note(what, before.activity(), gain);
            self.model
                .allow(before.activity(), self.yields.states(before.activity()));
        }
        let is_dull = new == 0 || f64::from(new) < self.yields.mean() / 2.0;
        let walker = self.walkers.entry(seen.walker).or_default();
        walker.dull = if is_dull { walker.dull + 1 } else { 0 };
        walker.stretch.note(new);
        if walker.stretch.is_long() && self.yields.is_poor(std::mem::take(&mut walker.stretch)) {
            walker.dull = PATIENCE;
            walker.plan.clear();
        }
        let Some(screen) = seen.screen.filter(|_| seen.inside) else {
            walker.plan.clear();
            walker.expected = None;
            if let (Some(from), Some(what)) = (&from, what) {
                self.model.done(from, widget, what);
            }
            if let (false, Some(from), Some(action)) = (seen.problems.is_empty(), &from, action) {
                self.crashed(from.state, action, seen.problems);
            }
            if let Some(what) = first {
                self.firsts.note(before.activity(), what, f64::from(new));
            }
            return;
        };
        let mut to = self.see(seen.walker, screen);
        if let (Some(from), Some(action)) = (&from, action) {
            self.crashes.remove(&(from.state, action));
        }
        if let Some(what @ (What::System(_) | What::Rotate)) = what {
            *self
                .outside
                .entry((before.activity().clone(), what))
                .or_default() += 1;
        }
        if let (Some(from), Some(what)) = (&from, what) {
            self.model.learn(from, widget, what, &to);
            to = self.model.again(&to);
        }
        if let Some(what) = first {
            self.firsts.note(
                before.activity(),
                what,
                f64::from(new) + self.in_prospect(to.state),
            );
        }
        self.promise.reached(to.state, new);
        self.arrived(seen.walker, to.state);
        let walker = self.walkers.entry(seen.walker).or_default();
        if let Some(expected) = walker
            .expected
            .take()
            .filter(|expected| *expected != to.state)
        {
            walker.plan.clear();
            walker.dull += LOST;
            if self.model.is_alive(expected) {
                self.model.detach(expected);
            }
        }
        match step.action {
            Action::System(System::Offline) => walker.mend = Some((OFFLINE, System::Online)),
            Action::System(System::Doze) => walker.mend = Some((OFFLINE, System::Wake)),
            _ => {}
        }
        if new > 0 && !walker.cannot_save {
            let way = self.way_from_start(to.state);
            let steps = way
                .map_or(seen.way.len(), |way| way.len())
                .min(PATIENCE as usize);
            self.walkers.entry(seen.walker).or_default().wants_to_save = Some(steps);
        }
        self.walkers.entry(seen.walker).or_default().here = Some(to);
    }

    /// What leads to a state that nobody has seen is worth a part of what is to be expected there.
    fn in_prospect(&self, to: StateId) -> f64 {
        let state = self.model.state(to);
        if state.visits > 1 {
            0.0
        } else {
            PROSPECT * self.hope(to, state, &Others::default())
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
    fn begun(&mut self, seen: &Seen<'_>) {
        let here = seen
            .screen
            .filter(|_| seen.inside)
            .map(|screen| self.see(seen.walker, screen));
        if let Some(here) = &here {
            self.promise.reached(here.state, 0);
            self.arrived(seen.walker, here.state);
            if matches!(seen.did, Did::Started { clean: true }) {
                self.root = Some(here.clone());
            }
        }
        let walker = self.walkers.entry(seen.walker).or_default();
        walker.here = here;
        walker.plan = std::mem::take(&mut walker.after_start);
        (walker.expected, walker.dull, walker.mend) = (None, 0, None);
    }

    fn crashed(&mut self, state: StateId, action: ActionId, problems: &[Fingerprint]) {
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

impl Explorer for Auto {
    fn name(&self) -> &str {
        "auto"
    }

    fn settle(&self) -> Option<Settle> {
        Some(SETTLE)
    }

    fn wants_system_events(&self) -> bool {
        self.system
    }

    fn meet(&mut self, walker: usize, can: SystemKinds) {
        self.can.insert(walker, can);
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        let here = match self
            .walkers
            .get(&at.walker)
            .and_then(|walker| walker.here.clone())
        {
            Some(here) => self.model.again(&here),
            None => self.see(at.walker, at.screen),
        };
        let walker = self.walkers.entry(at.walker).or_default();
        walker.here = Some(here.clone());
        if let Some(steps) = walker.wants_to_save.take()
            && self
                .costs
                .is_worth_saving(steps, if at.can.checkpoints { 0 } else { steps })
        {
            walker.asked_to_save = true;
            return Move::Save;
        }
        if let Some((left, _)) = &mut walker.mend {
            *left = left.saturating_sub(1);
        }
        if let Some((_, mended)) = walker.mend.take_if(|(left, _)| *left == 0) {
            return Move::Act(Choice {
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
            return Move::Drop(least.id);
        }
        if walker.dull >= PATIENCE
            && walker.plan.is_empty()
            && let Some(travel) = self.travel(at.walker, &here, rng)
        {
            return travel;
        }
        if self
            .walkers
            .get(&at.walker)
            .is_some_and(|walker| walker.plan.is_empty())
            && let Some(travel) = self.leave(at.walker, &here, rng)
        {
            return travel;
        }
        let chosen = self.choose_action(at.walker, &here, rng);
        self.walkers.entry(at.walker).or_default().doing =
            chosen.map(|action| (here.state, action));
        let choice = chosen.and_then(|action| self.choice(&here, action, at, rng));
        choice.map_or(Move::Restart { clear: true }, Move::Act)
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        self.costs.note(seen);
        self.walkers.entry(seen.walker).or_default().doing = None;
        match seen.did {
            Did::Stepped { .. } => self.stepped(seen),
            Did::Started { .. } | Did::Restored { .. } => self.begun(seen),
            Did::Saved { id, bytes, whole } => {
                let walker = self.walkers.entry(seen.walker).or_default();
                walker.asked_to_save = false;
                let state = walker.here.as_ref().map(|here| here.state);
                if !whole {
                    self.begun(seen);
                }
                let walker = self.walkers.entry(seen.walker).or_default();
                if let (Some(state), Some(lands)) =
                    (state, walker.here.as_ref().map(|here| here.state))
                {
                    walker.saved.insert(state, Snapshot { id, bytes, lands });
                    if !whole {
                        let back = self.model.nearest(lands, leaving::FAR, |id, _| id == state);
                        walker.plan = back.unwrap_or_default().into();
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
                walker.plan.clear();
                walker.dull += 1;
            }
            Did::Forgotten => {
                self.walkers.insert(seen.walker, Walker::default());
            }
        }
    }

    fn learned(&self) -> Vec<(&'static str, String)> {
        vec![("abstraction.txt", self.model.abstraction())]
    }
}
