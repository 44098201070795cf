//! Ranks the states as goals of a travel: those with much reward for few visits are the most promising.

use std::collections::HashMap;

use rand::RngExt;
use retap_device::seed::Rng;
use retap_model::ape::{ApeModel, StateId};
use retap_model::draw_weighted;

use super::other_workers::OtherWorkers;
use super::reward_statistics::RewardStatistics;

/// Number of the most promising states that a goal is drawn from. Retap's own figure.
const DRAWN_AMONG: usize = 8;
/// One in this number of travels is a mere clean start. Retap's own figure.
const CLEAN_START_RATIO: u32 = 5;
/// Value of an untried action, as a reward. Retap's own figure.
const UNTRIED_REWARD: f64 = 0.2;

#[derive(Debug, Default)]
pub(super) struct StateRanking {
    states: HashMap<StateId, StateReward>,
}

#[derive(Debug, Default)]
struct StateReward {
    /// Rewards of the arrivals in the state and of the events from it.
    reward: u32,
    /// Number of times that the state was drawn.
    draws: u32,
}

impl StateRanking {
    /// A worker arrived in a state, with a reward.
    pub(super) fn record_arrival(&mut self, state: StateId, reward: u32) {
        self.states.entry(state).or_default().reward += reward;
    }

    /// An event in a state had a reward.
    pub(super) fn record_reward(&mut self, state: StateId, reward: u32) {
        if let Some(known) = self.states.get_mut(&state) {
            known.reward += reward;
        }
    }

    /// Value of a state in thousandths, to rank snapshots by.
    pub(super) fn value(&self, state: StateId) -> u64 {
        self.states.get(&state).map_or(0, |known| {
            1_000 * u64::from(1 + known.reward) / u64::from(1 + 3 * known.draws)
        })
    }

    /// Draws one of the most promising states that no other worker travels to. `None` for a mere clean start.
    pub(super) fn draw_goal(
        &mut self,
        model: &ApeModel,
        rewards: &RewardStatistics,
        others: &OtherWorkers,
        rng: &mut Rng,
    ) -> Option<StateId> {
        if rng.random_ratio(1, CLEAN_START_RATIO) {
            return None;
        }
        self.states.retain(|state, _| model.is_leaf(*state));
        let mut scores: Vec<(f64, StateId)> = self
            .states
            .iter()
            .filter(|(state, _)| !others.travel_to(**state))
            .map(|(state, known)| (known.score(*state, model, rewards), *state))
            .collect();
        scores.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        scores.truncate(DRAWN_AMONG);
        let drawn = draw_weighted(scores.iter().map(|(score, _)| *score), rng);
        let (_, goal) = *drawn.map_or(scores.last(), |index| scores.get(index))?;
        self.states.get_mut(&goal)?.draws += 1;
        Some(goal)
    }
}

impl StateReward {
    fn score(&self, id: StateId, model: &ApeModel, rewards: &RewardStatistics) -> f64 {
        let state = model.state(id);
        let visits = f64::from(state.visits.max(1));
        let untried = state
            .actions
            .iter()
            .filter(|action| action.visits == 0)
            .count();
        // Some activities always show new states with untried actions, and without any reward.
        let share = rewards.relative_of_activity(&state.activity);
        let value = share * (1.0 + f64::from(self.reward) + UNTRIED_REWARD * untried as f64);
        value / (visits.sqrt() * f64::from(1 + self.draws))
    }
}
