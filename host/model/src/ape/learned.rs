//! What a model has learned, frozen: an abstraction that changes no more and can be written down. A screen is first told by
//! the rules at the top, and where these turned out too coarse by the finer ones below.

use std::collections::{BTreeMap, HashMap};

use retap_shared::screen::Screen;
use serde::{Deserialize, Serialize};

use super::file::AbstractionError;
use super::gui::Gui;
use super::path::Paths;
use super::{DecisionTree, Model, ModelRules, Reducer, StateId};
use crate::{actions, mixed};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// As a file of rules has them.
    pub rules: String,
    /// Which states of these rules are told apart further.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub finer: BTreeMap<u64, Learned>,
}

impl Learned {
    /// Rules that nothing has been learned on top of.
    pub fn from_rules(text: &str) -> Result<Learned, AbstractionError> {
        let mut paths = Paths::default();
        let rules = DecisionTree::parse(text, &mut paths)?.to_text(&paths);
        Ok(Learned {
            rules,
            finer: BTreeMap::new(),
        })
    }

    /// A model that starts from these rules.
    pub fn model(&self) -> Result<Model, AbstractionError> {
        let mut paths = Paths::default();
        let tree = DecisionTree::parse(&self.rules, &mut paths)?;
        Ok(Model::new(ModelRules::default(), tree, paths))
    }
}

impl Default for Learned {
    fn default() -> Learned {
        Learned {
            rules: format!("{}\n", Reducer::TYPE),
            finer: BTreeMap::new(),
        }
    }
}

impl Model {
    pub fn learned(&self) -> Learned {
        self.learned_below(None, 0)
    }

    fn learned_below(&self, parent: Option<StateId>, tree: usize) -> Learned {
        let split = |(&(above, key), state): (&(Option<StateId>, u64), &StateId)| {
            let (finer, _) = self.states[state.0 as usize]
                .refined
                .filter(|_| above == parent)?;
            Some((key, self.learned_below(Some(*state), finer)))
        };
        Learned {
            rules: self.trees[tree].to_text(&self.paths),
            finer: self.known.iter().filter_map(split).collect(),
        }
    }
}

/// The same, ready to be asked.
#[derive(Debug)]
pub struct Frozen {
    paths: Paths,
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    tree: DecisionTree,
    finer: HashMap<u64, usize>,
}

impl Frozen {
    pub fn new(learned: &Learned) -> Result<Frozen, AbstractionError> {
        let mut frozen = Frozen {
            paths: Paths::default(),
            levels: Vec::new(),
        };
        frozen.add(learned)?;
        Ok(frozen)
    }

    fn add(&mut self, learned: &Learned) -> Result<usize, AbstractionError> {
        let tree = DecisionTree::parse(&learned.rules, &mut self.paths)?;
        let place = self.levels.len();
        self.levels.push(Level {
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
        actions::list(screen, &mut possible);
        let gui = Gui::of(screen, &possible, &mut self.paths);
        let mut level = 0;
        let mut above = 0;
        loop {
            let names = self.levels[level].tree.names(&gui, &mut self.paths);
            let key = gui.key(&names, &self.paths, ModelRules::default().interactive_only);
            match self.levels[level].finer.get(&key) {
                // Parts of two states are never the same one, whatever they are called.
                Some(&finer) => (level, above) = (finer, mixed(above, key)),
                None => return mixed(above, key),
            }
        }
    }
}
