//! What is believed at one moment, for whoever watches: which steps are surely needed and which surely not, and how many
//! more runs it will take.

use std::ops::Range;

use retap_device::run_event::RunEvent;

/// A step whose chance is above the one or below the other is done with.
const NEEDED_ABOVE: f64 = 0.98;
const NOT_NEEDED_BELOW: f64 = 0.01;
/// Between two tellings so many answers pass.
const REPORT_INTERVAL: u32 = 8;
/// A strip has no more digits than this.
const STRIP_WIDTH: usize = 120;

/// Steps that are believed of as one, in order, each group with the chance that it has a needed one.
pub(super) type GroupBeliefs = [(Range<u32>, f64)];

/// Keeps count of how fast things become clear.
#[derive(Debug, Default)]
pub(super) struct BeliefTracker {
    /// What was open before the first answer, in bits.
    initial_entropy: Option<f64>,
    observations: u32,
}

impl BeliefTracker {
    /// After an answer; every few of them are worth telling. `proof` is how many runs the last check takes.
    pub(super) fn after_observation(
        &mut self,
        groups: &GroupBeliefs,
        under_way: usize,
        proof: u32,
    ) -> Option<RunEvent> {
        self.observations += 1;
        (self.observations % REPORT_INTERVAL == 1).then(|| self.event(groups, under_way, proof))
    }

    pub(super) fn event(
        &mut self,
        groups: &GroupBeliefs,
        under_way: usize,
        proof: u32,
    ) -> RunEvent {
        let left = open_entropy(groups);
        let open = *self.initial_entropy.get_or_insert(left);
        let learned = (open - left) / f64::from(self.observations.max(1));
        // As long as nothing has become clear, nobody can say: as many again.
        let more = if learned > 0.0 {
            left / learned
        } else {
            f64::from(self.observations)
        };
        let count = |is: &dyn Fn(f64, usize) -> bool| {
            let those = groups
                .iter()
                .filter(|(group, needed)| is(*needed, group.len()));
            those.map(|(group, _)| group.end - group.start).sum()
        };
        RunEvent::Believed {
            needed: count(&|needed, size| size == 1 && needed >= NEEDED_ABOVE),
            not_needed: count(&|needed, _| needed < NOT_NEEDED_BELOW),
            under_way: u32::try_from(under_way).unwrap_or(u32::MAX),
            runs_left: proof.saturating_add(more.min(1e6) as u32),
            strip: belief_strip(groups),
        }
    }
}

/// The chance of each step by itself.
pub(super) fn step_probabilities(groups: &GroupBeliefs) -> Vec<f32> {
    let chance = |(group, needed): &(Range<u32>, f64)| (needed / group.len() as f64) as f32;
    groups
        .iter()
        .flat_map(|group| std::iter::repeat_n(chance(group), group.0.len()))
        .collect()
}

/// What is not known yet: whether each group has a needed step, and where in it.
fn open_entropy(groups: &GroupBeliefs) -> f64 {
    groups
        .iter()
        .map(|(group, needed)| {
            let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
            part(*needed) + part(1.0 - needed) + needed * (group.len() as f64).log2()
        })
        .sum()
}

fn belief_strip(groups: &GroupBeliefs) -> String {
    let steps = groups.last().map_or(0, |(last, _)| last.end as usize);
    let columns = steps.min(STRIP_WIDTH);
    let column = |number: usize| {
        let from = (steps * number / columns) as u32;
        let to = (steps * (number + 1) / columns) as u32;
        let first = groups.partition_point(|(group, _)| group.end <= from);
        let within = groups[first..]
            .iter()
            .take_while(|(group, _)| group.start < to);
        let most = within.map(|(_, needed)| *needed).fold(0.0, f64::max);
        char::from(b'0' + ((most * 10.0) as u8).min(9))
    };
    (0..columns).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_shows_every_step_or_the_likeliest_of_a_few() {
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
    fn the_clearer_it_is_the_fewer_runs_are_left() {
        let mut outlook = BeliefTracker {
            initial_entropy: None,
            observations: 40,
        };
        let mut left = |needed: f64| match outlook.event(&[(0..1, needed), (1..2, needed)], 3, 20) {
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
