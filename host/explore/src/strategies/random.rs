//! Random choices for `random` and for the bursts of `ape`: draws a candidate action of the screen, with a preference for those that
//! were tried less often on the same abstract screen.

use std::collections::HashMap;

use retap_device::seed::Rng;
use retap_model::actions::{self, ActionKind, CandidateAction};
use retap_model::{abstract_screen, draw_weighted, input_texts, mixed};
use retap_shared::action::Action;
use retap_shared::screen::Screen;

use crate::{ChosenAction, Decision, Explorer, WorkerView};

/// Factor of the weight of an untried action: large, so that divided weights differ as integers.
const UNTRIED_WEIGHT: u64 = 1 << 32;

/// Random choices, with a memory of what was tried.
#[derive(Debug, Default)]
pub struct RandomExplorer {
    /// Number of times that an action was tried on an abstract screen, by a hash of both.
    tries: HashMap<u64, u32>,
    /// Kept between choices to reuse its allocation.
    candidates: Vec<CandidateAction>,
    /// Kept between choices to reuse its allocation.
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
    /// Draws an action of a screen.
    pub fn choose_action(&mut self, screen: &Screen, rng: &mut Rng) -> ChosenAction {
        let state = abstract_screen(screen);
        let mut candidates = std::mem::take(&mut self.candidates);
        actions::list_candidate_actions(screen, &mut candidates);
        let weighted = candidates
            .iter()
            .map(|candidate| (mixed(state, candidate.key), candidate.kind.weight()));
        let chosen = candidates[self.draw_least_tried(weighted, rng)];
        self.candidates = candidates;
        ChosenAction {
            action: self.detailed_action(&chosen, state, screen, rng),
            node: chosen.node,
        }
    }

    fn detailed_action(
        &mut self,
        chosen: &CandidateAction,
        state: u64,
        screen: &Screen,
        rng: &mut Rng,
    ) -> Action {
        match chosen.kind {
            ActionKind::Type => {
                let field = chosen.node.map(|node| &screen.nodes()[node]);
                let key = mixed(state, chosen.key);
                let weighted = input_texts::fit_weights(field)
                    .zip(1..)
                    .map(|(weight, text)| (mixed(key, text), weight));
                Action::Text {
                    at: chosen.area.center(),
                    text: input_texts::text_at(self.draw_least_tried(weighted, rng)),
                }
            }
            _ => chosen.to_action(screen, rng),
        }
    }

    /// Draws an index and counts it as tried. Each weight is divided by one more than the number of earlier tries. There must be at
    /// least one item of key and weight.
    fn draw_least_tried(
        &mut self,
        items: impl Iterator<Item = (u64, u32)> + Clone,
        rng: &mut Rng,
    ) -> usize {
        self.weights.clear();
        for (key, weight) in items.clone() {
            let tries = self.tries.get(&key).copied().unwrap_or(0);
            self.weights
                .push(UNTRIED_WEIGHT * u64::from(weight) / (u64::from(tries) + 1));
        }
        let last = self.weights.len().saturating_sub(1);
        let drawn = draw_weighted(self.weights.iter().copied(), rng).unwrap_or(last);
        if let Some((key, _)) = items.into_iter().nth(drawn) {
            *self.tries.entry(key).or_insert(0) += 1;
        }
        drawn
    }
}
