//! The explorer `random`: any widget that can be touched, preferring what it has done less often on the same
//! abstract screen, so that a session gets somewhere.

use std::collections::HashMap;

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction};
use retap_model::{abstract_screen, input_texts, mixed};
use retap_shared::action::Action;
use retap_shared::screen::Screen;

use crate::{ChosenAction, Decision, Explorer, WorkerView};

/// What has never been tried weighs this much, times its own weight.
const UNTRIED: u64 = 1 << 32;

#[derive(Debug, Default)]
pub struct RandomExplorer {
    /// How often something was done on an abstract screen.
    tries: HashMap<u64, u32>,
    /// These two are kept between choices for their memory alone.
    possible: Vec<CandidateAction>,
    weights: Vec<u64>,
}

impl Explorer for RandomExplorer {
    fn name(&self) -> &str {
        "random"
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        Decision::Act(self.choose_action(at.screen, rng))
    }
}

impl RandomExplorer {
    pub fn choose_action(&mut self, screen: &Screen, rng: &mut Rng) -> ChosenAction {
        let state = abstract_screen(screen);
        let mut possible = std::mem::take(&mut self.possible);
        actions::list_candidate_actions(screen, &mut possible);
        let rarely = possible
            .iter()
            .map(|possible| (mixed(state, possible.key), possible.kind.weight()));
        let chosen = possible[self.draw_least_tried(rarely, rng)];
        self.possible = possible;
        ChosenAction {
            action: self.action(&chosen, state, screen, rng),
            node: chosen.node,
        }
    }

    fn action(
        &mut self,
        chosen: &CandidateAction,
        state: u64,
        screen: &Screen,
        rng: &mut Rng,
    ) -> Action {
        match chosen.kind {
            ActionKind::Type => {
                let field = chosen.node.map(|node| &screen.nodes()[node]);
                let here = mixed(state, chosen.key);
                let rarely = input_texts::fit_weights(field)
                    .zip(1..)
                    .map(|(fit, text)| (mixed(here, text), fit));
                Action::Text {
                    at: chosen.area.center(),
                    text: input_texts::text_at(self.draw_least_tried(rarely, rng)),
                }
            }
            _ => chosen.to_action(screen, rng),
        }
    }
    /// Draws one of several, each by its weight divided by one more than the times it was drawn before, and counts
    /// it. There must be at least one.
    fn draw_least_tried(
        &mut self,
        from: impl Iterator<Item = (u64, u32)> + Clone,
        rng: &mut Rng,
    ) -> usize {
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
