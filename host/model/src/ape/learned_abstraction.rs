//! The abstraction that a model has learned, frozen: it changes no more and can be stored. A screen is abstracted by the
//! top-level decision tree first, and by finer ones where that was refined.

use std::collections::{BTreeMap, HashMap};

use retap_shared::screen::Screen;
use serde::{Deserialize, Serialize};

use super::abstraction_file::AbstractionError;
use super::attribute_path::AttributePaths;
use super::gui_tree::GuiTree;
use super::{ApeModel, AttributeReducer, DecisionTree, ModelParameters, StateId};
use crate::actions;
use crate::hash_mix::mixed;

/// A learned abstraction in its stored form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedAbstraction {
    /// Decision tree as in an abstraction file.
    pub rules: String,
    /// Finer abstractions of the states that were refined, by the key of the state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub finer: BTreeMap<u64, LearnedAbstraction>,
}

impl LearnedAbstraction {
    /// Abstraction of a file, without refinements.
    pub fn from_rules(text: &str) -> Result<LearnedAbstraction, AbstractionError> {
        let mut paths = AttributePaths::default();
        let rules = DecisionTree::parse(text, &mut paths)?.to_text(&paths);
        Ok(LearnedAbstraction {
            rules,
            finer: BTreeMap::new(),
        })
    }

    /// Empty model that starts from this decision tree.
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
    /// Abstraction that the model has learned so far.
    pub fn learned(&self) -> LearnedAbstraction {
        self.learned_below(None, 0)
    }

    fn learned_below(&self, parent: Option<StateId>, tree: usize) -> LearnedAbstraction {
        let refined = |(&(above, key), state): (&(Option<StateId>, u64), &StateId)| {
            let (finer, _) = self.states[state.0 as usize]
                .refined
                .filter(|_| above == parent)?;
            Some((key, self.learned_below(Some(*state), finer)))
        };
        LearnedAbstraction {
            rules: self.trees[tree].to_text(&self.paths),
            finer: self.state_ids.iter().filter_map(refined).collect(),
        }
    }
}

/// A learned abstraction in the form that computes states.
#[derive(Debug)]
pub struct FrozenAbstraction {
    paths: AttributePaths,
    levels: Vec<AbstractionLevel>,
}

/// A decision tree, and the level of each of its states that was refined.
#[derive(Debug)]
struct AbstractionLevel {
    tree: DecisionTree,
    finer: HashMap<u64, usize>,
}

impl FrozenAbstraction {
    /// Parses the decision trees.
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
        let level = self.levels.len();
        self.levels.push(AbstractionLevel {
            tree,
            finer: HashMap::new(),
        });
        for (key, finer) in &learned.finer {
            let finer = self.add(finer)?;
            self.levels[level].finer.insert(*key, finer);
        }
        Ok(level)
    }

    /// State of a screen.
    pub fn state(&mut self, screen: &Screen) -> u64 {
        let mut candidates = Vec::new();
        actions::list_candidate_actions(screen, &mut candidates);
        let gui = GuiTree::of(screen, &candidates, &mut self.paths);
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
                // Parts of two states are two states, even if their keys are equal.
                Some(&finer) => (level, above) = (finer, mixed(above, key)),
                None => return mixed(above, key),
            }
        }
    }
}
