//! Whether a walker makes no progress any more: TimeMachine's `isStuck`, a sliding window over the states it was in.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

/// The published figures by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuckParameters {
    /// How many states the window holds.
    pub window: usize,
    /// More events than this in one state are a dead end.
    pub dead_end_events: u32,
    /// Which share of all states counts as frequent.
    pub frequent_share: f64,
    /// A window of which more than this is easy is a loop: states that are in it more than once, and frequent ones.
    pub loop_share: f64,
}

impl Default for StuckParameters {
    fn default() -> StuckParameters {
        StuckParameters {
            window: 10,
            dead_end_events: 200,
            frequent_share: 0.2,
            loop_share: 0.8,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct StuckDetector {
    window: VecDeque<u64>,
    unchanged: u32,
}

impl StuckDetector {
    /// Notes a state; true if the walker is stuck. `visits` tells how often each state was come to, this time included.
    /// A state is new to the window only when it changed; loops are looked for only when the window is full.
    pub fn record_state(
        &mut self,
        state: u64,
        visits: &HashMap<u64, u32>,
        rules: &StuckParameters,
    ) -> bool {
        if self.is_at(state) {
            self.unchanged += 1;
        } else {
            self.window.push_back(state);
            self.unchanged = 0;
        }
        while self.window.len() > rules.window {
            self.window.pop_front();
        }
        self.unchanged > rules.dead_end_events
            || (self.window.len() == rules.window
                && self.unchanged == 0
                && self.is_loop(visits, rules))
    }

    /// Whether this was the last state that was noted.
    pub fn is_at(&self, state: u64) -> bool {
        self.window.back() == Some(&state)
    }

    /// After a restart or a travel.
    pub fn clear(&mut self) {
        self.window.clear();
        self.unchanged = 0;
    }

    fn is_loop(&self, visits: &HashMap<u64, u32>, rules: &StuckParameters) -> bool {
        let is_repeated =
            |state: &u64| self.window.iter().filter(|other| *other == state).count() > 1;
        let last = last_frequent(visits, rules.frequent_share);
        let is_frequent = |state: &u64| {
            visits
                .get(state)
                .zip(last)
                .is_some_and(|(visits, last)| (Reverse(*visits), *state) <= last)
        };
        let easy = self
            .window
            .iter()
            .filter(|state| is_repeated(state) || is_frequent(state))
            .count();
        easy as f64 / rules.window as f64 > rules.loop_share
    }
}

/// The last of the frequent states, by visits and then by name: among many states with one visit each, only so many are
/// frequent as belong to the share.
fn last_frequent(visits: &HashMap<u64, u32>, share: f64) -> Option<(Reverse<u32>, u64)> {
    let mut states: Vec<(Reverse<u32>, u64)> = visits
        .iter()
        .map(|(state, visits)| (Reverse(*visits), *state))
        .collect();
    let frequent = ((states.len() as f64 * share) as usize).clamp(1, states.len().max(1));
    (!states.is_empty()).then(|| *states.select_nth_unstable(frequent - 1).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct VisitedStates {
        stuck: StuckDetector,
        visits: HashMap<u64, u32>,
    }

    impl VisitedStates {
        fn to(&mut self, state: u64) -> bool {
            *self.visits.entry(state).or_default() += 1;
            self.stuck
                .record_state(state, &self.visits, &StuckParameters::default())
        }
    }

    #[test]
    fn two_hundred_events_in_one_state_are_not_a_dead_end_and_one_more_is() {
        let mut walk = VisitedStates::default();
        assert!((0..201).all(|_| !walk.to(1)));
        assert!(walk.to(1));
        walk.stuck.clear();
        assert!(!walk.to(1));
    }

    #[test]
    fn going_to_and_fro_is_a_loop_only_once_the_window_is_full() {
        let mut walk = VisitedStates::default();
        (100..140).for_each(|state| assert!(!walk.to(state), "{state}"));
        walk.stuck.clear();
        let stuck: Vec<bool> = (0..10).map(|event| walk.to(event % 2)).collect();
        assert_eq!(stuck.iter().position(|stuck| *stuck), Some(9));
    }

    #[test]
    fn going_round_five_seldom_states_is_a_loop() {
        let mut walk = VisitedStates::default();
        // So that none of the five is frequent.
        (100..110).for_each(|state| walk.visits.extend([(state, 50)]));
        let stuck: Vec<bool> = (0..10).map(|event| walk.to(event % 5)).collect();
        assert_eq!(stuck.iter().position(|stuck| *stuck), Some(9));
        // Eight of ten are not more than 0.8 of them.
        let mut walk = VisitedStates::default();
        (100..110).for_each(|state| walk.visits.extend([(state, 50)]));
        assert!((0..10).all(|event| !walk.to(if event < 8 { event % 4 } else { event })));
    }

    #[test]
    fn always_new_states_are_progress() {
        let mut walk = VisitedStates::default();
        (0..3).for_each(|_| assert!(!walk.to(1_000) && !walk.to(1_001)));
        assert!((0..200).all(|state| !walk.to(state)));
    }
}
