//! The candidates among which the planner chooses its next attempt.

use std::ops::Range;

use rand::RngExt;

use super::super::super::step_spans::StepSpans;
use super::super::EXCLUDED_BELOW;
use super::BayesianPlanner;

/// Probability from which a step is likely to be needed and is left out only by itself.
const LIKELY_NEEDED: f64 = 0.9;
/// Number of random windows that are left out of one candidate each.
const WINDOW_SAMPLES: usize = 12;
/// Divisors of the open steps: one part of each division is tried alone.
const WINDOW_DIVISORS: [usize; 4] = [2, 3, 5, 8];

/// A group that is neither excluded nor likely, with the hazard that each of its steps adds.
struct OpenGroup {
    steps: Range<u32>,
    hazard_per_step: f64,
}

impl BayesianPlanner {
    /// Candidates within `base`: all of it, the likely steps with and without some of the open ones, and all but one likely
    /// step.
    pub(super) fn candidate_options(&mut self, base: &StepSpans) -> Vec<StepSpans> {
        let mut likely: Vec<(u32, f64)> = Vec::new();
        let mut open = StepSpans::default();
        let mut open_groups = Vec::new();
        for (group, needed) in self
            .groups
            .iter()
            .filter(|(_, needed)| *needed >= EXCLUDED_BELOW)
        {
            if group.len() == 1 && *needed >= LIKELY_NEEDED {
                likely.push((group.start, *needed));
                continue;
            }
            let hazard_per_step = -(1.0 - needed).max(1e-4).ln() / group.len() as f64;
            open.push(group.clone());
            open_groups.push(OpenGroup {
                steps: group.clone(),
                hazard_per_step,
            });
        }
        let mut options = vec![base.clone()];
        let all_likely = single_steps(likely.iter().map(|(step, _)| *step));
        if let Some(&(weakest, _)) = likely.iter().min_by(|one, other| one.1.total_cmp(&other.1)) {
            let (any, _) = likely[self.rng.random_range(0..likely.len())];
            options.push(all_likely.difference(&single_steps([weakest])));
            options.push(base.difference(&single_steps([weakest])));
            options.push(base.difference(&single_steps([any])));
        }
        if open.is_empty() {
            return options;
        }
        options.push(all_likely.clone());
        let count = open.len();
        for parts in WINDOW_DIVISORS {
            let part = self.rng.random_range(0..parts);
            let window = open.slice(count * part / parts..count * (part + 1) / parts);
            if !window.is_empty() {
                options.push(all_likely.union(&window));
            }
        }
        for _ in 0..WINDOW_SAMPLES {
            let window = self.random_window(&open_groups, count);
            let others = open.difference(&open.slice(window));
            options.push(all_likely.union(&others));
        }
        options
    }

    /// Window of open steps that contains a needed one about as likely as not.
    fn random_window(&mut self, open: &[OpenGroup], count: usize) -> Range<usize> {
        let wanted_hazard = self.rng.random_range(0.15..1.25);
        let start = self.rng.random_range(0..count);
        let mut sum = 0.0;
        let mut end = start;
        let mut group_start = 0;
        for group in open {
            let group_end = group_start + group.steps.len();
            if end < group_end && (sum < wanted_hazard || end == start) {
                let steps = ((wanted_hazard - sum) / group.hazard_per_step)
                    .ceil()
                    .max(1.0)
                    .min((group_end - end) as f64);
                sum += steps * group.hazard_per_step;
                end += steps as usize;
            }
            group_start = group_end;
        }
        start..end
    }
}

fn single_steps(steps: impl IntoIterator<Item = u32>) -> StepSpans {
    let mut spans = StepSpans::default();
    steps
        .into_iter()
        .for_each(|step| spans.push(step..step + 1));
    spans
}
