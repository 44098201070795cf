//! The explorer `random`: any widget that can be touched, preferring what it has done less often on the same
//! abstract screen, so that a session gets somewhere.

use std::collections::HashMap;

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::{self, Possible, What};
use retap_model::{abstract_screen, mixed, texts};
use retap_shared::action::Action;
use retap_shared::screen::Screen;

use super::{At, Choice, Explorer, Move};

/// What has never been tried weighs this much, times its own weight.
const UNTRIED: u64 = 1 << 32;

#[derive(Debug, Default)]
pub struct Random {
    /// How often something was done on an abstract screen.
    tries: HashMap<u64, u32>,
    /// These two are kept between choices for their memory alone.
    possible: Vec<Possible>,
    weights: Vec<u64>,
}

impl Explorer for Random {
    fn name(&self) -> &str {
        "random"
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        Move::Act(self.on(at.screen, rng))
    }
}

impl Random {
    pub fn on(&mut self, screen: &Screen, rng: &mut Rng) -> Choice {
        let state = abstract_screen(screen);
        let mut possible = std::mem::take(&mut self.possible);
        actions::list(screen, &mut possible);
        let rarely = possible
            .iter()
            .map(|possible| (mixed(state, possible.key), possible.what.weight()));
        let chosen = possible[self.pick(rarely, rng)];
        self.possible = possible;
        Choice {
            action: self.action(&chosen, state, screen, rng),
            node: chosen.node,
        }
    }

    fn action(&mut self, chosen: &Possible, state: u64, screen: &Screen, rng: &mut Rng) -> Action {
        match chosen.what {
            What::Type => {
                let field = chosen.node.map(|node| &screen.nodes()[node]);
                let here = mixed(state, chosen.key);
                let rarely = texts::fitting(field)
                    .zip(1..)
                    .map(|(fit, text)| (mixed(here, text), fit));
                Action::Text {
                    at: chosen.area.center(),
                    text: texts::text(self.pick(rarely, rng)),
                }
            }
            _ => chosen.action(screen, rng),
        }
    }
    /// Draws one of several, each by its weight divided by one more than the times it was drawn before, and counts
    /// it. There must be at least one.
    fn pick(&mut self, from: impl Iterator<Item = (u64, u32)> + Clone, rng: &mut Rng) -> usize {
        self.weights.clear();
        for (key, weight) in from.clone() {
            let tries = self.tries.get(&key).copied().unwrap_or(0);
            self.weights
                .push(UNTRIED * u64::from(weight) / (u64::from(tries) + 1));
        }
        let mut left = rng.random_range(0..self.weights.iter().sum::<u64>().max(1));
        let mut last = 0;
        for (number, &weight) in self.weights.iter().enumerate() {
            last = number;
            if left < weight {
                break;
            }
            left -= weight;
        }
        if let Some((key, _)) = from.into_iter().nth(last) {
            *self.tries.entry(key).or_insert(0) += 1;
        }
        last
    }
}
