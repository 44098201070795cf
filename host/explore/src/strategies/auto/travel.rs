//! When to go elsewhere, and how. A walker leaves as soon as more is to be expected elsewhere for the effort than here and than
//! events gave lately; one that has seen nothing new for a while travels to where much was found.

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::ape::{
    AttributePathId, ModelAction, ModelActionId, ModelScreen, ModelState, StateId, TransitionPath,
};

use super::action_weights::{MATTERS, action_weight};
use super::other_workers::OtherWorkers;
use super::reward_statistics::{RewardWindow, comes_from_outside};
use super::{ActionKind, AutoExplorer, Decision};

/// How far something to do is looked for, and how far a way to a goal, in states.
const MAX_SEARCHED_STATES: usize = 400;
pub(super) const MAX_PATH_SEARCH_STATES: usize = 20_000;
/// What is here counts so many times: it is certain to be reached.
const STAY_FACTOR: f64 = 1.5;
/// So often Back is tried where no way out is known, before the app is started anew.
const MAX_BACK_ATTEMPTS: u32 = 3;
const BACK_ACTION: ModelActionId = ModelActionId {
    path: AttributePathId::NONE,
    kind: ActionKind::Back,
};

impl AutoExplorer {
    /// The state that a clean start led to, as the model tells states apart now.
    pub(super) fn root(&mut self) -> Option<StateId> {
        let root = self.model.relocate(self.root.as_ref()?);
        let state = root.state;
        self.root = Some(root);
        Some(state)
    }

    /// The nearest way from a clean start to a state.
    pub(super) fn way_from_start(&mut self, to: StateId) -> Option<TransitionPath> {
        let root = self.root()?;
        self.model
            .nearest_path(root, MAX_PATH_SEARCH_STATES, |state, _| state == to)
    }

    /// Plans the way to where more is to be expected for the effort: on foot, or by a clean start, which is asked for. Who does
    /// not know the way out of here tries Back before that.
    pub(super) fn leave(
        &mut self,
        number: usize,
        here: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<Decision> {
        let others = OtherWorkers::of(&self.walkers, number);
        let sought = self.walkers.entry(number).or_default().sought.take();
        if let Some(goal) = sought.filter(|goal| *goal != here.state) {
            *self.missed.entry(goal).or_default() += 1;
        }
        let root = self.root();
        let gives = |id: StateId, state: &ModelState| {
            let is_taken = id != here.state && others.go_to(id);
            if is_taken {
                0.0
            } else {
                self.hope(id, state, &others)
            }
        };
        let stay =
            (STAY_FACTOR * gives(here.state, self.model.state(here.state))).max(self.yields.mean());
        let a_start = self.costs.replay_cost(0) as f64 / self.costs.step_cost().max(1) as f64;
        let on_foot = self
            .model
            .best_path(here.state, MAX_SEARCHED_STATES, 0.0, gives)
            .filter(|(_, way)| !way.is_empty());
        let anew = root.filter(|root| *root != here.state);
        let anew = anew.and_then(|root| {
            self.model
                .best_path(root, MAX_SEARCHED_STATES, a_start, gives)
        });
        let a_step =
            |best: &Option<(f64, TransitionPath)>| best.as_ref().map_or(0.0, |(a_step, _)| *a_step);
        if a_step(&on_foot).max(a_step(&anew)) <= stay {
            return None;
        }
        let is_anew = a_step(&anew) > a_step(&on_foot);
        if is_anew && self.tries_back(number, here) {
            return None;
        }
        let (_, mut way) = if is_anew { anew } else { on_foot }?;
        let goal = match way.last() {
            Some((state, action)) => self
                .model
                .state(*state)
                .action(*action)
                .and_then(ModelAction::reliable_target)?,
            None => root?,
        };
        way.extend(
            self.most_hopeful(goal, &others, rng)
                .map(|action| (goal, action)),
        );
        let walker = self.walkers.entry(number).or_default();
        (walker.goal, walker.sought, walker.backs) = (Some(goal), Some(goal), 0);
        if is_anew {
            walker.after_start = way.into();
            return Some(Decision::Restart { clear_data: true });
        }
        walker.plan = way.into();
        None
    }

    /// Back, where it was never tried, may lead out of here for less than a clean start.
    fn tries_back(&mut self, number: usize, here: &ModelScreen) -> bool {
        let is_undone = self
            .model
            .state(here.state)
            .action(BACK_ACTION)
            .is_some_and(|back| back.visits == 0);
        let walker = self.walkers.entry(number).or_default();
        let tries = is_undone && walker.backs < MAX_BACK_ATTEMPTS;
        if tries {
            walker.backs += 1;
            walker.plan = [(here.state, BACK_ACTION)].into();
        }
        tries
    }

    /// What is to be expected of the best of what was never done in a state. A state that was missed on the way to it is half
    /// as good each time, or one would set out for it again and again.
    pub(super) fn hope(&self, id: StateId, state: &ModelState, others: &OtherWorkers) -> f64 {
        let expected = self.firsts.expected(&state.activity);
        let best = self
            .undone(id, state, others)
            .map(|action| expected(action.kind))
            .fold(0.0, f64::max);
        best * 0.5_f64.powi(self.missed.get(&id).copied().unwrap_or(0))
    }

    fn most_hopeful(
        &self,
        id: StateId,
        others: &OtherWorkers,
        rng: &mut Rng,
    ) -> Option<ModelActionId> {
        let state = self.model.state(id);
        let expected = self.firsts.expected(&state.activity);
        let best = self
            .undone(id, state, others)
            .map(|action| expected(action.kind))
            .fold(0.0, f64::max);
        let actions: Vec<ModelActionId> = self
            .undone(id, state, others)
            .filter(|action| expected(action.kind) >= best)
            .collect();
        actions
            .get(rng.random_range(0..actions.len().max(1)))
            .copied()
    }

    /// What was never done in a state, and is a reason to go there.
    fn undone<'a>(
        &self,
        id: StateId,
        state: &'a ModelState,
        others: &'a OtherWorkers,
    ) -> impl Iterator<Item = ModelActionId> + 'a {
        let is_rich = self.yields.is_rich();
        let is_undone = move |action: &&ModelAction| {
            action.aliases > 0 && action.visits + others.doing(id, action.id) == 0
        };
        let matters = move |what: ActionKind| {
            !comes_from_outside(what) && action_weight(what, is_rich) >= MATTERS
        };
        state
            .actions
            .iter()
            .filter(is_undone)
            .map(|action| action.id)
            .filter(move |id| matters(id.kind))
    }

    /// Where to go when here nothing new has been seen for a while; nothing if it is gone to on foot, by the plan.
    pub(super) fn travel(
        &mut self,
        number: usize,
        here: &ModelScreen,
        rng: &mut Rng,
    ) -> Option<Decision> {
        let root = self.root();
        let others = OtherWorkers::of(&self.walkers, number);
        let walker = self.walkers.entry(number).or_default();
        (walker.dull, walker.stretch, walker.goal) = (0, RewardWindow::default(), None);
        walker.plan.clear();
        let Some(goal) = self.promise.best(&self.model, &self.yields, &others, rng) else {
            return Some(Decision::Restart { clear_data: true });
        };
        walker.goal = Some(goal);
        let start = self.costs.replay_cost(0);
        let way = |from: StateId| {
            self.model
                .nearest_path(from, MAX_PATH_SEARCH_STATES, |state, _| state == goal)
        };
        let cost = |way: &[(StateId, ModelActionId)]| self.costs.step_cost() * way.len() as u64;
        let on_foot = way(here.state);
        let anew = root.and_then(way);
        let snapshot = walker
            .saved
            .get(&goal)
            .filter(|saved| self.model.is_leaf(saved.resulting_state));
        let snapshot = snapshot.and_then(|saved| Some((saved.id, way(saved.resulting_state)?)));
        let snapshot_cost = snapshot
            .as_ref()
            .map_or(u64::MAX, |(_, rest)| self.costs.restore_cost() + cost(rest));
        let on_foot_cost = on_foot
            .as_deref()
            .map_or(u64::MAX, |way| cost(way) + cost(way) / 2);
        let anew_cost = anew.as_deref().map_or(u64::MAX, |way| start + cost(way));
        match snapshot {
            Some((id, rest)) if snapshot_cost < on_foot_cost.min(anew_cost) => {
                walker.after_start = rest.into();
                Some(Decision::RestoreSnapshot(id))
            }
            _ if on_foot_cost < anew_cost => {
                walker.plan = on_foot.unwrap_or_default().into();
                None
            }
            _ => {
                walker.after_start = anew.unwrap_or_default().into();
                Some(Decision::Restart { clear_data: true })
            }
        }
    }
}
