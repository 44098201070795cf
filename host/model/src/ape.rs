//! APE's model (Gu et al., ICSE 2019): a state machine whose abstraction changes while it is learned. A state that is too
//! coarse is refined: it is split by a finer decision tree and becomes the parent of its parts. A state with too many parts is
//! coarsened again.
//!
//! Screens and steps come in through `observe_screen` and `learn`. `refine` decides about refinements and coarsenings,
//! `rebuild` carries them out.

mod abstraction_file;
mod attribute_path;
mod attribute_reducer;
mod decision_tree;
mod gui_tree;
mod learned_abstraction;
mod model_state;
mod path_search;
mod rebuild;
mod refine;

use std::collections::HashMap;
use std::sync::Arc;

pub use abstraction_file::AbstractionError;
pub use attribute_path::{AttributePathId, AttributePaths};
pub use attribute_reducer::{AttributeReducer, AttributeReducerError};
pub use decision_tree::DecisionTree;
use decision_tree::SharedDecisionTree;
use gui_tree::GuiTree;
pub use learned_abstraction::{FrozenAbstraction, LearnedAbstraction};
pub use model_state::{ActionTarget, ModelAction, ModelActionId, ModelState, StateId};
pub use path_search::TransitionPath;
use retap_shared::Text;
use retap_shared::screen::{ScreenHash, SharedScreen};

use crate::actions::{ActionKind, CandidateAction};

/// Maximum number of GUI trees that are kept of a state, for its refinement. Of further ones only the visits count. Retap's own
/// figure.
const KEPT_GUIS: usize = 24;
/// Maximum number of GUI transitions that are kept of a model transition. Retap's own figure.
const KEPT_TRANSITIONS: usize = 6;

/// Limits of the model. The defaults are the published ones: α and β are in the paper, the next three in the published code only;
/// `text_first` is Retap's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelParameters {
    /// α: maximum number of GUI actions of one screen that a model action may stand for before it is refined.
    pub alpha: usize,
    /// β: maximum number of states that a state may be split into before it is coarsened.
    pub beta: usize,
    /// Number of states of an activity above which its states are not refined any more.
    pub states_an_activity: usize,
    /// Number of targets of an action above which its state is not refined for it any more.
    pub targets: usize,
    /// Ignores widgets without actions in the states.
    pub interactive_only: bool,
    /// Prefers reducers with text among those that refine an action equally well.
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

/// The model: states, their actions and transitions, and the abstraction of each state.
#[derive(Debug)]
pub struct ApeModel {
    /// Limits of the model.
    pub parameters: ModelParameters,
    paths: AttributePaths,
    trees: Vec<SharedDecisionTree>,
    states: Vec<ModelState>,
    /// States by parent and key. The parent is `None` under the first decision tree.
    state_ids: HashMap<(Option<StateId>, u64), StateId>,
    guis: Vec<KeptGuiTree>,
    by_screen: HashMap<ScreenHash, u32>,
    transitions: Vec<GuiTreeTransition>,
    /// Number of leaf states of each activity.
    states_per_activity: HashMap<Text, usize>,
    /// Number of states of an activity that are allowed beyond the parameters.
    extra_states: HashMap<Text, usize>,
}

/// A screen under the model's current abstraction.
#[derive(Clone, Debug)]
pub struct ModelScreen {
    /// State of the screen.
    pub state: StateId,
    gui: Arc<GuiTree>,
    names: WidgetNames,
    /// Index of the GUI tree, if it was kept.
    kept: Option<u32>,
}

/// Attribute path of each widget of a GUI tree, and the node of the decision tree that named it.
type WidgetNames = Arc<[(AttributePathId, usize)]>;

#[derive(Debug)]
struct KeptGuiTree {
    gui: Arc<GuiTree>,
    state: StateId,
    names: WidgetNames,
}

#[derive(Clone, Copy, Debug)]
struct GuiTreeTransition {
    from: u32,
    widget: Option<u32>,
    kind: ActionKind,
    to: u32,
    times: u32,
}

impl ApeModel {
    /// An empty model. `tree`, with its `paths`, is the abstraction to start from.
    pub fn new(parameters: ModelParameters, tree: DecisionTree, paths: AttributePaths) -> ApeModel {
        ApeModel {
            parameters,
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

    /// Counts a visit of a screen's state, which is added if there is none. Returns true with a new state.
    pub fn observe_screen(
        &mut self,
        screen: &SharedScreen,
        candidates: &[CandidateAction],
    ) -> (ModelScreen, bool) {
        let states_before = self.states.len();
        let observed = match self.by_screen.get(&screen.hash()) {
            Some(&kept) => self.kept_screen(kept),
            None => {
                let gui = Arc::new(GuiTree::of(screen, candidates, &mut self.paths));
                let (state, names) = self.locate(&gui);
                let mut observed = ModelScreen {
                    state,
                    gui,
                    names,
                    kept: None,
                };
                self.keep(screen.hash(), &mut observed);
                self.add_actions(&observed);
                observed
            }
        };
        let state = &mut self.states[observed.state.0 as usize];
        state.visits += 1;
        state.detached = false;
        (observed, self.states.len() > states_before)
    }

    /// Places a screen in the model as it is now, without counting a visit.
    pub fn relocate(&mut self, screen: &ModelScreen) -> ModelScreen {
        if self.is_leaf(screen.state) {
            return screen.clone();
        }
        match screen.kept {
            Some(kept) => self.kept_screen(kept),
            None => {
                let (state, names) = self.locate(&screen.gui);
                let screen = ModelScreen {
                    state,
                    names,
                    ..screen.clone()
                };
                self.add_actions(&screen);
                screen
            }
        }
    }

    /// Model action of a GUI action. `widget` is counted from the first node of the touchable window.
    pub fn action_of(
        &self,
        screen: &ModelScreen,
        widget: Option<u32>,
        kind: ActionKind,
    ) -> Option<ModelActionId> {
        let path = match widget {
            Some(widget) => screen.names.get(widget as usize)?.0,
            None => AttributePathId::NONE,
        };
        Some(ModelActionId { path, kind })
    }

    /// Indices, among the candidate actions of the screen, of those that a model action stands for.
    pub fn gui_actions(
        &self,
        screen: &ModelScreen,
        action: ModelActionId,
    ) -> impl Iterator<Item = usize> {
        let is_case = move |(widget, kind): &(Option<u32>, ActionKind)| {
            *kind == action.kind && self.action_of(screen, *widget, *kind) == Some(action)
        };
        screen
            .gui
            .actions
            .iter()
            .enumerate()
            .filter(move |(_, gui_action)| is_case(gui_action))
            .map(|(index, _)| index)
    }

    /// Adds the transition of a GUI action, then refines and coarsens the model by it. True if states have changed.
    pub fn learn(
        &mut self,
        from: &ModelScreen,
        widget: Option<u32>,
        kind: ActionKind,
        to: &ModelScreen,
    ) -> bool {
        let Some(action) = self.action_of(from, widget, kind) else {
            return false;
        };
        let kept = from
            .kept
            .zip(to.kept)
            .map(|(from, to)| self.add_gui_transition(from, widget, kind, to));
        self.add_transition(from.state, action, to.state, kept, 1);
        self.optimise(from, action, to)
    }

    /// Counts a GUI action that led out of the app: a visit without a target.
    pub fn record_exit(&mut self, from: &ModelScreen, widget: Option<u32>, kind: ActionKind) {
        if let Some(action) = self.action_of(from, widget, kind) {
            self.states[from.state.0 as usize].action_mut(action).visits += 1;
        }
    }

    /// State with this number.
    pub fn state(&self, state: StateId) -> &ModelState {
        &self.states[state.0 as usize]
    }

    /// Excludes a state from transition paths until it is visited again.
    pub fn detach(&mut self, state: StateId) {
        self.states[state.0 as usize].detached = true;
    }

    /// The state exists under the current abstraction: it was neither split nor coarsened away.
    pub fn is_leaf(&self, state: StateId) -> bool {
        self.states[state.0 as usize].is_leaf
    }

    /// All states under the current abstraction, in the order of their creation.
    pub fn leaf_states(&self) -> impl Iterator<Item = (StateId, &ModelState)> {
        (0..)
            .map(StateId)
            .zip(&self.states)
            .filter(|(_, state)| state.is_leaf)
    }

    fn kept_screen(&self, kept: u32) -> ModelScreen {
        let KeptGuiTree { gui, state, names } = &self.guis[kept as usize];
        ModelScreen {
            state: *state,
            gui: Arc::clone(gui),
            names: Arc::clone(names),
            kept: Some(kept),
        }
    }

    /// State of a GUI tree: by the first decision tree, and then by that of each refined state on the path to a leaf.
    fn locate(&mut self, gui: &GuiTree) -> (StateId, WidgetNames) {
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
        self.states
            .push(ModelState::new(parent, tree, key, gui.activity.clone()));
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

    fn keep(&mut self, hash: ScreenHash, screen: &mut ModelScreen) {
        let state = &mut self.states[screen.state.0 as usize];
        if state.guis.len() < KEPT_GUIS {
            let kept = u32::try_from(self.guis.len()).unwrap_or(u32::MAX);
            state.guis.push(kept);
            self.guis.push(KeptGuiTree {
                gui: Arc::clone(&screen.gui),
                state: screen.state,
                names: Arc::clone(&screen.names),
            });
            self.by_screen.insert(hash, kept);
            screen.kept = Some(kept);
        }
    }

    /// Adds the actions of a screen to its state.
    fn add_actions(&mut self, screen: &ModelScreen) {
        let gui_actions = &screen.gui.actions;
        let mut aliases: Vec<(ModelActionId, u32)> = Vec::with_capacity(gui_actions.len());
        let mut indices: HashMap<ModelActionId, usize> = HashMap::with_capacity(gui_actions.len());
        for (widget, kind) in gui_actions {
            let Some(action) = self.action_of(screen, *widget, *kind) else {
                continue;
            };
            let index = *indices.entry(action).or_insert_with(|| {
                aliases.push((action, 0));
                aliases.len() - 1
            });
            aliases[index].1 += 1;
        }
        let state = &mut self.states[screen.state.0 as usize];
        for (action, aliases) in aliases {
            let action = state.action_mut(action);
            action.aliases = action.aliases.max(aliases);
        }
    }

    fn add_gui_transition(
        &mut self,
        from: u32,
        widget: Option<u32>,
        kind: ActionKind,
        to: u32,
    ) -> u32 {
        self.transitions.push(GuiTreeTransition {
            from,
            widget,
            kind,
            to,
            times: 1,
        });
        u32::try_from(self.transitions.len() - 1).unwrap_or(u32::MAX)
    }

    /// Counts a transition. Its GUI transition is kept as long as there is room, and then counted with the last one.
    fn add_transition(
        &mut self,
        from: StateId,
        action: ModelActionId,
        to: StateId,
        gui_transition: Option<u32>,
        times: u32,
    ) {
        let known = self.states[from.0 as usize].action_mut(action);
        known.visits += times;
        let target = known.target_mut(to);
        target.times += times;
        if let Some(gui_transition) = gui_transition {
            if target.kept.len() < KEPT_TRANSITIONS {
                target.kept.push(gui_transition);
            } else if let Some(last) = target.kept.last() {
                self.transitions[*last as usize].times += times;
            }
        }
        self.states[to.0 as usize].incoming.insert((from, action));
    }
}
