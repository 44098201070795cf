//! TimeMachine's `isStuck`: a sliding window over the states of a worker shows whether it still makes progress.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

/// Parameters of `isStuck`. The defaults are the published ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuckParameters {
    /// l: number of states in the window.
    pub window: usize,
    /// Maximum number of events without a change of state; more are a dead end.
    pub dead_end_events: u32,
    /// Share of all states, the most visited first, that counts as frequent.
    pub frequent_share: f64,
    /// Maximum share of easy states in a full window; more are a loop. A state is easy if it occurs in the window more than once or
    /// is frequent. To any other state a lucky transition leads.
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

/// Sliding window over the states of one worker.
#[derive(Clone, Debug, Default)]
pub struct StuckDetector {
    window: VecDeque<u64>,
    /// Number of events since the state last changed.
    unchanged: u32,
}

impl StuckDetector {
    /// Records a state; true if the worker is stuck. `visits` are the numbers of visits of all states, this one included. A state
    /// enters the window only after a change. Loops are detected only in a full window.
    pub fn record_state(
        &mut self,
        state: u64,
        visits: &HashMap<u64, u32>,
        parameters: &StuckParameters,
    ) -> bool {
        if self.is_at(state) {
            self.unchanged += 1;
        } else {
            self.window.push_back(state);
            self.unchanged = 0;
        }
        while self.window.len() > parameters.window {
            self.window.pop_front();
        }
        self.unchanged > parameters.dead_end_events
            || (self.window.len() == parameters.window
                && self.unchanged == 0
                && self.is_loop(visits, parameters))
    }

    /// True if this state was recorded last.
    pub fn is_at(&self, state: u64) -> bool {
        self.window.back() == Some(&state)
    }

    /// Empties the window, after a restart or a travel.
    pub fn clear(&mut self) {
        self.window.clear();
        self.unchanged = 0;
    }

    fn is_loop(&self, visits: &HashMap<u64, u32>, parameters: &StuckParameters) -> bool {
        let is_repeated =
            |state: &u64| self.window.iter().filter(|other| *other == state).count() > 1;
        let last = last_frequent(visits, parameters.frequent_share);
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
        easy as f64 / parameters.window as f64 > parameters.loop_share
    }
}

/// Last of the frequent states, by visits and then by hash: of many states with one visit each, only those within the share are
/// frequent.
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
        detector: StuckDetector,
        visits: HashMap<u64, u32>,
    }

    impl VisitedStates {
        fn visit(&mut self, state: u64) -> bool {
            *self.visits.entry(state).or_default() += 1;
            self.detector
                .record_state(state, &self.visits, &StuckParameters::default())
        }
    }

    #[test]
    fn more_than_two_hundred_events_in_one_state_are_a_dead_end() {
        let mut states = VisitedStates::default();
        assert!((0..201).all(|_| !states.visit(1)));
        assert!(states.visit(1));
        states.detector.clear();
        assert!(!states.visit(1));
    }

    #[test]
    fn alternating_between_two_states_is_a_loop_once_the_window_is_full() {
        let mut states = VisitedStates::default();
        (100..140).for_each(|state| assert!(!states.visit(state), "{state}"));
        states.detector.clear();
        let stuck: Vec<bool> = (0..10).map(|event| states.visit(event % 2)).collect();
        assert_eq!(stuck.iter().position(|stuck| *stuck), Some(9));
    }

    #[test]
    fn a_circle_of_five_infrequent_states_is_a_loop() {
        let mut states = VisitedStates::default();
        // These are frequent, and none of the five is.
        (100..110).for_each(|state| states.visits.extend([(state, 50)]));
        let stuck: Vec<bool> = (0..10).map(|event| states.visit(event % 5)).collect();
        assert_eq!(stuck.iter().position(|stuck| *stuck), Some(9));
        // Eight easy states of ten do not exceed the share of 0.8.
        let mut states = VisitedStates::default();
        (100..110).for_each(|state| states.visits.extend([(state, 50)]));
        assert!((0..10).all(|event| !states.visit(if event < 8 { event % 4 } else { event })));
    }

    #[test]
    fn always_new_states_are_progress() {
        let mut states = VisitedStates::default();
        (0..3).for_each(|_| assert!(!states.visit(1_000) && !states.visit(1_001)));
        assert!((0..200).all(|state| !states.visit(state)));
    }
}
