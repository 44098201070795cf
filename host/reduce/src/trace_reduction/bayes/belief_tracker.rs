//! Progress of the beliefs as run events: how many steps are certainly needed or not needed, and how many attempts are left.

use std::ops::Range;

use retap_device::run_event::RunEvent;

use super::super::entropy::entropy;
use super::{EXCLUDED_BELOW, NEEDED_ABOVE};

/// Number of observations per event.
const REPORT_INTERVAL: u32 = 8;
/// Maximum number of digits of a strip.
const STRIP_WIDTH: usize = 120;

/// Groups of steps in order, each with the probability that it contains a needed step.
pub(super) type GroupBeliefs = [(Range<u32>, f64)];

/// Measures how fast entropy falls.
#[derive(Debug, Default)]
pub(super) struct BeliefTracker {
    /// Entropy before the first observation, in bits.
    initial_entropy: Option<f64>,
    observations: u32,
}

impl BeliefTracker {
    /// Event after an observation, every `REPORT_INTERVAL` of them. `check_runs` is the number of attempts of the final check.
    pub(super) fn after_observation(
        &mut self,
        groups: &GroupBeliefs,
        pending: usize,
        check_runs: u32,
    ) -> Option<RunEvent> {
        self.observations += 1;
        (self.observations % REPORT_INTERVAL == 1).then(|| self.event(groups, pending, check_runs))
    }

    pub(super) fn event(
        &mut self,
        groups: &GroupBeliefs,
        pending: usize,
        check_runs: u32,
    ) -> RunEvent {
        let entropy = open_entropy(groups);
        let initial = *self.initial_entropy.get_or_insert(entropy);
        let gain_per_attempt = (initial - entropy) / f64::from(self.observations.max(1));
        // Without any gain so far there is no estimate: as many attempts again.
        let more = if gain_per_attempt > 0.0 {
            entropy / gain_per_attempt
        } else {
            f64::from(self.observations)
        };
        let count_steps = |is_counted: &dyn Fn(f64, usize) -> bool| {
            let counted = groups
                .iter()
                .filter(|(group, needed)| is_counted(*needed, group.len()));
            counted.map(|(group, _)| group.end - group.start).sum()
        };
        RunEvent::Believed {
            needed: count_steps(&|needed, size| size == 1 && needed >= NEEDED_ABOVE),
            not_needed: count_steps(&|needed, _| needed < EXCLUDED_BELOW),
            under_way: u32::try_from(pending).unwrap_or(u32::MAX),
            runs_left: check_runs.saturating_add(more.min(1e6) as u32),
            strip: belief_strip(groups),
        }
    }
}

/// Probability of each single step.
pub(super) fn step_probabilities(groups: &GroupBeliefs) -> Vec<f32> {
    let probability = |(group, needed): &(Range<u32>, f64)| (needed / group.len() as f64) as f32;
    groups
        .iter()
        .flat_map(|group| std::iter::repeat_n(probability(group), group.0.len()))
        .collect()
}

/// Entropy of the beliefs: whether each group contains a needed step, and which of its steps that is.
fn open_entropy(groups: &GroupBeliefs) -> f64 {
    groups
        .iter()
        .map(|(group, needed)| entropy(*needed) + needed * (group.len() as f64).log2())
        .sum()
}

/// One digit per step: its probability in tenths. In long traces a digit stands for several steps, by their maximum.
fn belief_strip(groups: &GroupBeliefs) -> String {
    let steps = groups.last().map_or(0, |(last, _)| last.end as usize);
    let columns = steps.min(STRIP_WIDTH);
    let column = |number: usize| {
        let from = (steps * number / columns) as u32;
        let to = (steps * (number + 1) / columns) as u32;
        let first = groups.partition_point(|(group, _)| group.end <= from);
        let covered = groups[first..]
            .iter()
            .take_while(|(group, _)| group.start < to);
        let highest = covered.map(|(_, needed)| *needed).fold(0.0, f64::max);
        char::from(b'0' + ((highest * 10.0) as u8).min(9))
    };
    (0..columns).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_shows_every_step_or_the_maximum_of_several() {
        assert_eq!(
            belief_strip(&[(0..2, 0.001), (2..3, 0.99), (3..4, 0.5)]),
            "0095"
        );
        let strip = belief_strip(&[(0..999, 0.0), (999..1000, 1.0)]);
        assert_eq!(
            (
                strip.len(),
                strip.ends_with('9'),
                strip.matches('9').count()
            ),
            (STRIP_WIDTH, true, 1)
        );
    }

    #[test]
    fn fewer_attempts_are_left_as_entropy_falls() {
        let mut tracker = BeliefTracker {
            initial_entropy: None,
            observations: 40,
        };
        let mut left = |needed: f64| match tracker.event(&[(0..1, needed), (1..2, needed)], 3, 20) {
            RunEvent::Believed { runs_left, .. } => runs_left,
            _ => 0,
        };
        let first = left(0.5);
        let second = left(0.2);
        let last = left(0.0);
        assert!(
            first > 20 && second > last && last == 20,
            "{first} {second} {last}"
        );
    }
}
