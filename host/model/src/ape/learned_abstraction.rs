//! What a model has learned, frozen: an abstraction that changes no more and can be written down. A screen is first told by
//! the rules at the top, and where these turned out too coarse by the finer ones below.

use std::collections::{BTreeMap, HashMap};

use retap_shared::screen::Screen;
use serde::{Deserialize, Serialize};

use super::abstraction_file::AbstractionError;
use super::attribute_path::AttributePaths;
use super::gui_tree::GuiTree;
use super::{ApeModel, AttributeReducer, DecisionTree, ModelParameters, StateId};
use crate::{actions, mixed};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedAbstraction {
    /// As a file of rules has them.
    pub rules: String,
    /// Which states of these rules are told apart further.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub finer: BTreeMap<u64, LearnedAbstraction>,
}

impl LearnedAbstraction {
    /// Rules that nothing has been learned on top of.
    pub fn from_rules(text: &str) -> Result<LearnedAbstraction, AbstractionError> {
        let mut paths = AttributePaths::default();
        let rules = DecisionTree::parse(text, &mut paths)?.to_text(&paths);
        Ok(LearnedAbstraction {
            rules,
            finer: BTreeMap::new(),
        })
    }

    /// A model that starts from these rules.
    pub fn model(&self) -> Result<ApeModel, AbstractionError> {
        let mut paths = AttributePaths::default();
        let tree = DecisionTree::parse(&self.rules, &mut paths)?;
        Ok(ApeModel::new(ModelParameters::default(), tree, paths))
    }
}

impl Default for LearnedAbstraction {
    fn default() -> LearnedAbstraction {
        LearnedAbstraction {
            rules: format!("{}\n", AttributeReducer::TYPE),
            finer: BTreeMap::new(),
        }
    }
}

impl ApeModel {
    pub fn learned(&self) -> LearnedAbstraction {
        self.learned_below(None, 0)
    }

    fn learned_below(&self, parent: Option<StateId>, tree: usize) -> LearnedAbstraction {
        let split = |(&(above, key), state): (&(Option<StateId>, u64), &StateId)| {
            let (finer, _) = self.states[state.0 as usize]
                .refined
                .filter(|_| above == parent)?;
            Some((key, self.learned_below(Some(*state), finer)))
        };
        LearnedAbstraction {
            rules: self.trees[tree].to_text(&self.paths),
            finer: self.state_ids.iter().filter_map(split).collect(),
        }
    }
}

/// The same, ready to be asked.
#[derive(Debug)]
pub struct FrozenAbstraction {
    paths: AttributePaths,
    levels: Vec<AbstractionLevel>,
}

#[derive(Debug)]
struct AbstractionLevel {
    tree: DecisionTree,
    finer: HashMap<u64, usize>,
}

impl FrozenAbstraction {
    pub fn new(learned: &LearnedAbstraction) -> Result<FrozenAbstraction, AbstractionError> {
        let mut frozen = FrozenAbstraction {
            paths: AttributePaths::default(),
            levels: Vec::new(),
        };
        frozen.add(learned)?;
        Ok(frozen)
    }

    fn add(&mut self, learned: &LearnedAbstraction) -> Result<usize, AbstractionError> {
        let tree = DecisionTree::parse(&learned.rules, &mut self.paths)?;
        let place = self.levels.len();
        self.levels.push(AbstractionLevel {
            tree,
            finer: HashMap::new(),
        });
        for (key, finer) in &learned.finer {
            let below = self.add(finer)?;
            self.levels[place].finer.insert(*key, below);
        }
        Ok(place)
    }

    pub fn state(&mut self, screen: &Screen) -> u64 {
        let mut possible = Vec::new();
        actions::list_candidate_actions(screen, &mut possible);
        let gui = GuiTree::of(screen, &possible, &mut self.paths);
        let mut level = 0;
        let mut above = 0;
        loop {
            let names = self.levels[level].tree.widget_names(&gui, &mut self.paths);
            let key = gui.key(
                &names,
                &self.paths,
                ModelParameters::default().interactive_only,
            );
            match self.levels[level].finer.get(&key) {
                // Parts of two states are never the same one, whatever they are called.
                Some(&finer) => (level, above) = (finer, mixed(above, key)),
                None => return mixed(above, key),
            }
        }
    }
}
