//! APE's model: a state machine whose states change with what is learned. A state that turns out too coarse is split by an
//! abstraction of its own and becomes the parent of its parts; one that was split into too many takes them back.
//!
//! Steps and screens come in through `see` and `learn`; how states are split and put together is in `refine`, and how the
//! rest of the model follows in `rebuild`.

mod abstraction_file;
mod attribute_path;
mod attribute_reducer;
mod decision_tree;
mod gui_tree;
mod learned_abstraction;
mod path_search;
mod rebuild;
mod refine;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub use abstraction_file::AbstractionError;
pub use attribute_path::{AttributePathId, AttributePaths};
pub use attribute_reducer::AttributeReducer;
pub use decision_tree::{DecisionTree, SharedDecisionTree};
pub use gui_tree::GuiTree;
pub use learned_abstraction::{FrozenAbstraction, LearnedAbstraction};
pub use path_search::TransitionPath;
use retap_shared::Text;
use retap_shared::screen::{ScreenHash, SharedScreen};

use crate::actions::{ActionKind, CandidateAction};

/// So many GUI trees of a state are kept, to be looked at again when it is split. Of those beyond, only counts are.
const KEPT_GUIS: usize = 24;
/// So many GUI transitions of a model transition.
const KEPT_TRANSITIONS: usize = 6;

/// The published figures by default; the third to fifth are of the published code and not of the paper, the last is Retap's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelParameters {
    /// A model action that stands for more GUI actions on one screen is split.
    pub alpha: usize,
    /// A state that was split into more states takes them back.
    pub beta: usize,
    /// An activity that has more states gets no finer ones.
    pub states_an_activity: usize,
    /// An action that leads to more states than this is given up: it is what it is.
    pub targets: usize,
    /// Widgets that nothing can be done to are no part of a state.
    pub interactive_only: bool,
    /// Where a text tells widgets apart as well as their place does, it is preferred.
    pub text_first: bool,
}

impl Default for ModelParameters {
    fn default() -> ModelParameters {
        ModelParameters {
            alpha: 3,
            beta: 8,
            states_an_activity: 10,
            targets: 3,
            interactive_only: false,
            text_first: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A model action: what is done, and to widgets of which name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelActionId {
    pub path: AttributePathId,
    pub what: ActionKind,
}

#[derive(Debug)]
pub struct ModelState {
    tree: usize,
    key: u64,
    parent: Option<StateId>,
    children: Vec<StateId>,
    /// What its parts are told apart by, and the change that made it.
    refined: Option<(usize, RefinementChange)>,
    pub activity: Text,
    guis: Vec<u32>,
    pub visits: u32,
    pub actions: Vec<ModelAction>,
    action_indices: HashMap<ModelActionId, usize>,
    /// Which actions of which states lead here.
    incoming: BTreeSet<(StateId, ModelActionId)>,
    black_list: Vec<RefinementChange>,
    /// How much was known when an action was last looked at in vain.
    futile_refinements: HashMap<ModelActionId, usize>,
    /// A way here failed, and nobody has been here since.
    pub detached: bool,
    is_leaf: bool,
}

type RefinementChange = (AttributePathId, AttributeReducer);

#[derive(Clone, Debug)]
pub struct ModelAction {
    pub id: ModelActionId,
    /// To how many widgets of one screen it can be done.
    pub aliases: u32,
    pub visits: u32,
    pub targets: Vec<ActionTarget>,
}

/// Where an action led.
#[derive(Clone, Debug)]
pub struct ActionTarget {
    pub state: StateId,
    pub times: u32,
    kept: Vec<u32>,
}

#[derive(Debug)]
struct KeptGuiTree {
    gui: Arc<GuiTree>,
    state: StateId,
    names: Arc<[(AttributePathId, usize)]>,
}

#[derive(Clone, Copy, Debug)]
struct GuiTreeTransition {
    from: u32,
    widget: Option<u32>,
    kind: ActionKind,
    to: u32,
    times: u32,
}

/// A screen in the model.
#[derive(Clone, Debug)]
pub struct ModelScreen {
    pub state: StateId,
    gui: Arc<GuiTree>,
    names: Arc<[(AttributePathId, usize)]>,
    kept: Option<u32>,
}

#[derive(Debug)]
pub struct ApeModel {
    pub parameters: ModelParameters,
    paths: AttributePaths,
    trees: Vec<SharedDecisionTree>,
    states: Vec<ModelState>,
    /// By parent, or none for the first abstraction, and key.
    state_ids: HashMap<(Option<StateId>, u64), StateId>,
    guis: Vec<KeptGuiTree>,
    by_screen: HashMap<ScreenHash, u32>,
    transitions: Vec<GuiTreeTransition>,
    /// Living states of each activity.
    states_per_activity: HashMap<Text, usize>,
    /// So many states more than the rules say may be in an activity, and in what one state was split into.
    extra_states: HashMap<Text, usize>,
}

impl ApeModel {
    /// `tree` and its `paths` are the user's rules.
    pub fn new(rules: ModelParameters, tree: DecisionTree, paths: AttributePaths) -> ApeModel {
        ApeModel {
            parameters: rules,
            paths,
            trees: vec![Arc::new(tree)],
            states: Vec::new(),
            state_ids: HashMap::new(),
            guis: Vec::new(),
            by_screen: HashMap::new(),
            transitions: Vec::new(),
            states_per_activity: HashMap::new(),
            extra_states: HashMap::new(),
        }
    }

    /// Where a screen is in the model; a new state if there is none for it yet. True for a new one.
    pub fn see(
        &mut self,
        screen: &SharedScreen,
        possible: &[CandidateAction],
    ) -> (ModelScreen, bool) {
        let before = self.states.len();
        let spot = match self.by_screen.get(&screen.hash()) {
            Some(&kept) => self.spot(kept),
            None => {
                let gui = Arc::new(GuiTree::of(screen, possible, &mut self.paths));
                let (state, names) = self.abstracted(&gui);
                let mut spot = ModelScreen {
                    state,
                    gui,
                    names,
                    kept: None,
                };
                self.keep(screen.hash(), &mut spot);
                self.add_actions(&spot);
                spot
            }
        };
        let state = &mut self.states[spot.state.0 as usize];
        state.visits += 1;
        state.detached = false;
        (spot, self.states.len() > before)
    }

    /// The same screen after the model has changed.
    pub fn again(&mut self, spot: &ModelScreen) -> ModelScreen {
        if self.is_alive(spot.state) {
            return spot.clone();
        }
        match spot.kept {
            Some(kept) => self.spot(kept),
            None => {
                let (state, names) = self.abstracted(&spot.gui);
                let spot = ModelScreen {
                    state,
                    names,
                    ..spot.clone()
                };
                self.add_actions(&spot);
                spot
            }
        }
    }

    /// The model action that doing this to a widget (counted from the window's first) is a case of.
    pub fn action_of(
        &self,
        spot: &ModelScreen,
        widget: Option<u32>,
        what: ActionKind,
    ) -> Option<ModelActionId> {
        let path = match widget {
            Some(widget) => spot.names.get(widget as usize)?.0,
            None => AttributePathId::NONE,
        };
        Some(ModelActionId { path, what })
    }

    /// All ways to do a model action on this screen.
    pub fn gui_actions(
        &self,
        spot: &ModelScreen,
        action: ModelActionId,
    ) -> impl Iterator<Item = usize> {
        let named = move |(widget, what): &(Option<u32>, ActionKind)| {
            *what == action.what && self.action_of(spot, *widget, *what) == Some(action)
        };
        spot.gui
            .actions
            .iter()
            .enumerate()
            .filter(move |(_, one)| named(one))
            .map(|(number, _)| number)
    }

    /// Notes what a GUI action led to, and makes the model better by it. True if states have changed.
    pub fn learn(
        &mut self,
        from: &ModelScreen,
        widget: Option<u32>,
        what: ActionKind,
        to: &ModelScreen,
    ) -> bool {
        let Some(action) = self.action_of(from, widget, what) else {
            return false;
        };
        let kept = from
            .kept
            .zip(to.kept)
            .map(|(from, to)| self.add_gui_transition(from, widget, what, to));
        self.add_transition(from.state, action, to.state, kept, 1);
        self.optimise(from, action, to)
    }

    /// Notes that a GUI action was done and led to no state of the app.
    pub fn done(&mut self, from: &ModelScreen, widget: Option<u32>, what: ActionKind) {
        if let Some(action) = self.action_of(from, widget, what) {
            self.states[from.state.0 as usize].action_mut(action).visits += 1;
        }
    }

    pub fn state(&self, state: StateId) -> &ModelState {
        &self.states[state.0 as usize]
    }

    pub fn detach(&mut self, state: StateId) {
        self.states[state.0 as usize].detached = true;
    }

    pub fn is_alive(&self, state: StateId) -> bool {
        self.states[state.0 as usize].is_leaf
    }

    /// All that are no parents of others, in the order in which they were made.
    pub fn alive(&self) -> impl Iterator<Item = (StateId, &ModelState)> {
        (0..)
            .map(StateId)
            .zip(&self.states)
            .filter(|(_, state)| state.is_leaf)
    }

    fn spot(&self, kept: u32) -> ModelScreen {
        let KeptGuiTree { gui, state, names } = &self.guis[kept as usize];
        ModelScreen {
            state: *state,
            gui: Arc::clone(gui),
            names: Arc::clone(names),
            kept: Some(kept),
        }
    }

    /// The state of a GUI tree: by the first abstraction, and then by that of each state that was split.
    fn abstracted(&mut self, gui: &GuiTree) -> (StateId, Arc<[(AttributePathId, usize)]>) {
        let mut parent = None;
        let mut tree = 0;
        loop {
            let names = Arc::clone(&self.trees[tree]).widget_names(gui, &mut self.paths);
            let key = gui.key(&names, &self.paths, self.parameters.interactive_only);
            let state = self.state_of(parent, tree, key, gui);
            match self.states[state.0 as usize].refined {
                Some((finer, _)) => (parent, tree) = (Some(state), finer),
                None => return (state, names.into()),
            }
        }
    }

    fn state_of(
        &mut self,
        parent: Option<StateId>,
        tree: usize,
        key: u64,
        gui: &GuiTree,
    ) -> StateId {
        if let Some(state) = self.state_ids.get(&(parent, key)) {
            return *state;
        }
        let state = StateId(u32::try_from(self.states.len()).unwrap_or(u32::MAX));
        self.states.push(ModelState {
            tree,
            key,
            parent,
            children: Vec::new(),
            refined: None,
            activity: gui.activity.clone(),
            guis: Vec::new(),
            visits: 0,
            actions: Vec::new(),
            action_indices: HashMap::new(),
            incoming: BTreeSet::new(),
            black_list: Vec::new(),
            futile_refinements: HashMap::new(),
            detached: false,
            is_leaf: true,
        });
        self.state_ids.insert((parent, key), state);
        if let Some(parent) = parent {
            self.states[parent.0 as usize].children.push(state);
        }
        *self
            .states_per_activity
            .entry(gui.activity.clone())
            .or_default() += 1;
        state
    }

    fn keep(&mut self, screen: ScreenHash, spot: &mut ModelScreen) {
        let state = &mut self.states[spot.state.0 as usize];
        if state.guis.len() < KEPT_GUIS {
            let kept = u32::try_from(self.guis.len()).unwrap_or(u32::MAX);
            state.guis.push(kept);
            let gui = Arc::clone(&spot.gui);
            let names = Arc::clone(&spot.names);
            self.guis.push(KeptGuiTree {
                gui,
                state: spot.state,
                names,
            });
            self.by_screen.insert(screen, kept);
            spot.kept = Some(kept);
        }
    }

    /// What can be done on this screen becomes what can be done in its state.
    fn add_actions(&mut self, spot: &ModelScreen) {
        let mut aliases: Vec<(ModelActionId, u32)> = Vec::with_capacity(spot.gui.actions.len());
        let mut places: HashMap<ModelActionId, usize> =
            HashMap::with_capacity(spot.gui.actions.len());
        for (widget, what) in &spot.gui.actions {
            let Some(action) = self.action_of(spot, *widget, *what) else {
                continue;
            };
            let place = *places.entry(action).or_insert_with(|| {
                aliases.push((action, 0));
                aliases.len() - 1
            });
            aliases[place].1 += 1;
        }
        let state = &mut self.states[spot.state.0 as usize];
        for (action, aliases) in aliases {
            let action = state.action_mut(action);
            action.aliases = action.aliases.max(aliases);
        }
    }

    fn add_gui_transition(
        &mut self,
        from: u32,
        widget: Option<u32>,
        what: ActionKind,
        to: u32,
    ) -> u32 {
        self.transitions.push(GuiTreeTransition {
            from,
            widget,
            kind: what,
            to,
            times: 1,
        });
        u32::try_from(self.transitions.len() - 1).unwrap_or(u32::MAX)
    }

    fn add_transition(
        &mut self,
        from: StateId,
        action: ModelActionId,
        to: StateId,
        kept: Option<u32>,
        times: u32,
    ) {
        let action_of = self.states[from.0 as usize].action_mut(action);
        action_of.visits += times;
        let place = action_of
            .targets
            .iter()
            .position(|target| target.state == to);
        let place = place.unwrap_or_else(|| {
            action_of.targets.push(ActionTarget {
                state: to,
                times: 0,
                kept: Vec::new(),
            });
            action_of.targets.len() - 1
        });
        let target = &mut action_of.targets[place];
        target.times += times;
        if let Some(kept) = kept {
            if target.kept.len() < KEPT_TRANSITIONS {
                target.kept.push(kept);
            } else if let Some(last) = target.kept.last() {
                self.transitions[*last as usize].times += times;
            }
        }
        self.states[to.0 as usize].incoming.insert((from, action));
    }
}

impl ModelState {
    pub fn known(&self, action: ModelActionId) -> Option<&ModelAction> {
        self.action_indices
            .get(&action)
            .map(|place| &self.actions[*place])
    }

    fn action_mut(&mut self, id: ModelActionId) -> &mut ModelAction {
        let place = *self.action_indices.entry(id).or_insert_with(|| {
            self.actions.push(ModelAction {
                id,
                aliases: 0,
                visits: 0,
                targets: Vec::new(),
            });
            self.actions.len() - 1
        });
        &mut self.actions[place]
    }
}

impl ModelAction {
    /// Visited as often as it is worth: once, or twice if it stands for several widgets.
    pub fn is_saturated(&self) -> bool {
        self.visits >= self.aliases.clamp(1, 2)
    }

    /// Where it leads to, if that can be relied on.
    pub fn reliable(&self) -> Option<StateId> {
        match &self.targets[..] {
            [only] => Some(only.state),
            [] => None,
            several => {
                let most = several.iter().max_by_key(|target| target.times)?;
                let all: u32 = several.iter().map(|target| target.times).sum();
                (most.times * 4 >= all * 3).then_some(most.state)
            }
        }
    }
}
