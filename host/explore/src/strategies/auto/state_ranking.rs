//! Which states are worth going back to: where something new was seen, the more of it and the fewer visits it took.

use std::collections::HashMap;

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::ape::{ApeModel, StateId};

use super::{OtherWorkers, RewardStatistics};

/// How many of the best are drawn from.
const DRAWN_AMONG: usize = 8;
/// Of all travels, one in so many just starts clean.
const CLEAN_START_RATIO: u32 = 5;

#[derive(Debug, Default)]
pub(super) struct StateRanking {
    states: HashMap<StateId, StateGain>,
}

#[derive(Debug, Default)]
struct StateGain {
    /// What was new when it was reached, and in events from it.
    gains: u32,
    picks: u32,
}

impl StateRanking {
    pub(super) fn reached(&mut self, state: StateId, new: u32) {
        self.states.entry(state).or_default().gains += new;
    }

    pub(super) fn gained(&mut self, state: StateId, new: u32) {
        if let Some(known) = self.states.get_mut(&state) {
            known.gains += new;
        }
    }

    /// In thousandths.
    pub(super) fn of(&self, state: StateId) -> u64 {
        self.states.get(&state).map_or(0, |known| {
            1_000 * u64::from(1 + known.gains) / u64::from(1 + 3 * known.picks)
        })
    }

    /// One of the most promising.
    pub(super) fn best(
        &mut self,
        model: &ApeModel,
        yields: &RewardStatistics,
        others: &OtherWorkers,
        rng: &mut Rng,
    ) -> Option<StateId> {
        if rng.random_ratio(1, CLEAN_START_RATIO) {
            return None;
        }
        self.states.retain(|state, _| model.is_leaf(*state));
        let score = |(state, known): (&StateId, &StateGain)| {
            let visits = f64::from(model.state(*state).visits.max(1));
            let undone = model
                .state(*state)
                .actions
                .iter()
                .filter(|action| action.visits == 0)
                .count();
            // There are activities that show ever new states with much undone, and nothing comes of it.
            let part = yields.of_activity(&model.state(*state).activity);
            let promise = part * (1.0 + f64::from(known.gains) + 0.2 * undone as f64);
            (
                promise / (visits.sqrt() * f64::from(1 + known.picks)),
                *state,
            )
        };
        let mut scores: Vec<(f64, StateId)> = self
            .states
            .iter()
            .filter(|(state, _)| !others.go_to(**state))
            .map(score)
            .collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        scores.truncate(DRAWN_AMONG);
        let sum: f64 = scores.iter().map(|(score, _)| score).sum();
        let mut left = rng.random::<f64>() * sum;
        let mut chosen = scores.first()?.1;
        for (score, state) in &scores {
            chosen = *state;
            if left < *score {
                break;
            }
            left -= score;
        }
        let known = self.states.get_mut(&chosen)?;
        known.picks += 1;
        Some(chosen)
    }
}
