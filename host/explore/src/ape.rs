//! APE: explores by a model that changes its mind. Local first: what has not been done in this state, then in the nearest
//! state of the same connected part; now and then a burst of random events, now and then a restart.

mod rules;

use std::collections::{HashMap, VecDeque};

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::{self, Possible, What};
use retap_model::ape::{ActionId, DecisionTree, Model, ModelAction, Paths, Spot, StateId};
use retap_shared::micros::Micros;
use retap_shared::protocol::Settle;
use retap_shared::screen::SharedScreen;
pub use rules::{ApeRules, UnknownRule};

use super::{At, Choice, Did, Explorer, Move, Random, Seen};

/// A screen that never rests is not waited for as long as others wait.
const SETTLE: Settle = Settle {
    quiet: Micros::from_millis(200),
    limit: Micros::from_millis(1_000),
};
/// How far a search for something to do goes, in states.
const SEARCH: usize = 2_000;

#[derive(Debug)]
pub struct Ape {
    rules: ApeRules,
    pub(super) model: Model,
    walkers: HashMap<usize, Walker>,
    /// For bursts.
    random: Random,
}

#[derive(Debug, Default)]
struct Walker {
    here: Option<Spot>,
    /// What to do where, one after the other.
    plan: VecDeque<(StateId, ActionId)>,
    /// Where the last action of a plan should have led.
    expected: Option<StateId>,
    burst: u32,
    since_start: u32,
    restart_after: u32,
    unchanged: u32,
}

impl Ape {
    pub fn new(rules: ApeRules, tree: DecisionTree, paths: Paths) -> Ape {
        let model = Model::new(rules.model, tree, paths);
        Ape {
            rules,
            model,
            walkers: HashMap::new(),
            random: Random::default(),
        }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What to do in this state: buffered, then what is not done yet, here or nearby, then what was done least.
    fn choose_action(&mut self, walker: usize, here: &Spot, rng: &mut Rng) -> Option<ActionId> {
        let held = self.walkers.entry(walker).or_default();
        match held.plan.pop_front() {
            Some((state, action)) if state == here.state => {
                let known = self.model.state(state).known(action);
                held.expected = known.and_then(ModelAction::reliable);
                return Some(action);
            }
            Some(_) => held.plan.clear(),
            None => {}
        }
        held.expected = None;
        if let Some(action) = self.undone(here.state, rng) {
            return Some(action);
        }
        let undone = |_, state: &retap_model::ape::State| {
            state
                .actions
                .iter()
                .any(|action| is_worth(action) && !action.is_saturated())
        };
        if let Some(way) = self.model.nearest(here.state, SEARCH, undone) {
            let held = self.walkers.entry(walker).or_default();
            held.plan = way.into();
            let (_, action) = held.plan.pop_front()?;
            let known = self.model.state(here.state).known(action);
            held.expected = known.and_then(ModelAction::reliable);
            return Some(action);
        }
        let actions: Vec<&ModelAction> = self
            .model
            .state(here.state)
            .actions
            .iter()
            .filter(|action| action.aliases > 0)
            .collect();
        if actions.is_empty() {
            return None;
        }
        if rng.random_bool(self.rules.epsilon) {
            return Some(actions[rng.random_range(0..actions.len())].id);
        }
        let least = actions.iter().map(|action| action.visits).min()?;
        let least: Vec<&&ModelAction> = actions
            .iter()
            .filter(|action| action.visits == least)
            .collect();
        Some(least[rng.random_range(0..least.len())].id)
    }

    /// One of this state's actions that is not done often enough: never done first, then what stands for more widgets.
    fn undone(&self, state: StateId, rng: &mut Rng) -> Option<ActionId> {
        let actions = self.model.state(state).actions.iter();
        let undone: Vec<&ModelAction> = actions
            .filter(|action| is_worth(action) && !action.is_saturated())
            .collect();
        let best = undone.iter().map(|action| rank(action)).max()?;
        let best: Vec<&&ModelAction> = undone
            .iter()
            .filter(|action| rank(action) == best)
            .collect();
        Some(best[rng.random_range(0..best.len())].id)
    }

    /// One of the widgets that the action stands for.
    fn choice(&self, here: &Spot, action: ActionId, at: &At<'_>, rng: &mut Rng) -> Option<Choice> {
        let mut listed = Vec::new();
        actions::list(at.screen, &mut listed);
        let ways: Vec<usize> = self.model.gui_actions(here, action).collect();
        let way = *ways.get(rng.random_range(0..ways.len().max(1)))?;
        let possible = listed.get(way)?;
        Some(Choice {
            action: possible.action(at.screen, rng),
            node: possible.node,
        })
    }

    fn see(&mut self, screen: &SharedScreen) -> (Spot, bool) {
        let mut listed: Vec<Possible> = Vec::new();
        actions::list(screen, &mut listed);
        self.model.see(screen, &listed)
    }

    fn stepped(&mut self, seen: &Seen<'_>) {
        let Did::Stepped {
            step, node, before, ..
        } = seen.did
        else {
            return;
        };
        let from = self.walkers.entry(seen.walker).or_default().here.take();
        let what = actions::recognised(&step.action, node, before);
        let Some(screen) = seen.screen.filter(|_| seen.inside) else {
            self.left(seen.walker, from.as_ref(), node, before, what);
            return;
        };
        let (mut to, is_new) = self.see(screen);
        let mut changed = is_new;
        if let (Some(from), Some(what)) = (from, what) {
            let from = self.model.again(&from);
            let widget = widget_of(node, before);
            changed |= self.model.learn(&from, widget, what, &to);
            to = self.model.again(&to);
        }
        let walker = self.walkers.entry(seen.walker).or_default();
        if let Some(expected) = walker
            .expected
            .take()
            .filter(|expected| *expected != to.state)
        {
            walker.plan.clear();
            if self.model.is_alive(expected) {
                self.model.detach(expected);
            }
        }
        walker.unchanged = if changed { 0 } else { walker.unchanged + 1 };
        walker.since_start += 1;
        walker.here = Some(to);
    }

    /// The action led out of the app or into a problem: it has been done, and leads nowhere.
    fn left(
        &mut self,
        walker: usize,
        from: Option<&Spot>,
        node: Option<usize>,
        before: &SharedScreen,
        what: Option<What>,
    ) {
        if let (Some(from), Some(what)) = (from, what) {
            let from = self.model.again(from);
            self.model.done(&from, widget_of(node, before), what);
        }
        let walker = self.walkers.entry(walker).or_default();
        walker.plan.clear();
        walker.expected = None;
        walker.since_start += 1;
    }
}

impl Explorer for Ape {
    fn name(&self) -> &str {
        "ape"
    }

    fn settle(&self) -> Option<Settle> {
        Some(SETTLE)
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        let here = match self
            .walkers
            .get(&at.walker)
            .and_then(|walker| walker.here.clone())
        {
            Some(here) => self.model.again(&here),
            None => self.see(at.screen).0,
        };
        let walker = self.walkers.entry(at.walker).or_default();
        walker.here = Some(here.clone());
        if walker.restart_after == 0 {
            walker.restart_after = rng.random_range(self.rules.restart.0..=self.rules.restart.1);
        }
        if walker.since_start >= walker.restart_after || walker.unchanged >= self.rules.unchanged {
            return Move::Restart {
                clear: rng.random_bool(self.rules.clear),
            };
        }
        if walker.burst == 0 && walker.plan.is_empty() && rng.random_bool(self.rules.fuzz) {
            walker.burst = rng.random_range(self.rules.burst.0..=self.rules.burst.1);
        }
        if walker.burst > 0 {
            walker.burst -= 1;
            return self.random.choose(at, rng);
        }
        let chosen = self.choose_action(at.walker, &here, rng);
        let choice = chosen.and_then(|action| self.choice(&here, action, at, rng));
        choice.map_or_else(|| self.random.choose(at, rng), Move::Act)
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        match seen.did {
            Did::Stepped { .. } => self.stepped(seen),
            Did::Started { .. } | Did::Restored { .. } => {
                let here = seen
                    .screen
                    .filter(|_| seen.inside)
                    .map(|screen| self.see(screen).0);
                let walker = self.walkers.entry(seen.walker).or_default();
                *walker = Walker {
                    here,
                    ..Walker::default()
                };
            }
            // Once tried is enough, for what the phone cannot do.
            Did::Refused => {
                let walker = self.walkers.entry(seen.walker).or_default();
                walker.plan.clear();
                walker.since_start += 1;
            }
            Did::Saved { .. } | Did::Dropped { .. } | Did::Forgotten => {}
        }
    }

    fn learned(&self) -> Vec<(&'static str, String)> {
        vec![("abstraction.txt", self.model.abstraction())]
    }
}

/// Never done counts more than done once, and among these what more widgets hide behind.
fn rank(action: &ModelAction) -> (bool, u32) {
    (action.visits == 0, action.aliases.min(2))
}

/// Turning the display is for bursts.
fn is_worth(action: &ModelAction) -> bool {
    action.aliases > 0 && action.id.what != What::Rotate
}

fn widget_of(node: Option<usize>, before: &SharedScreen) -> Option<u32> {
    let first = actions::touchable_window(before).map_or(0, |(_, first, _)| first);
    node.and_then(|node| u32::try_from(node.checked_sub(first)?).ok())
}
