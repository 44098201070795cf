//! What might be run next: the candidates among which a plan chooses.

use std::ops::Range;

use rand::RngExt;

use super::super::super::step_spans::StepSpans;
use super::{BayesianPlanner, EXCLUDED_BELOW};

/// A step that is needed with this chance is only looked at alone.
const LIKELY_NEEDED: f64 = 0.9;
/// Stretches of steps that are compared before one is chosen.
const WINDOW_SAMPLES: usize = 12;
/// As parts of what is open: windows that are tried alone.
const WINDOW_DIVISORS: [usize; 4] = [2, 3, 5, 8];

/// Steps that no run has separated, and how much each of them adds to the chance that one of them is needed.
struct OpenGroup {
    steps: Range<u32>,
    hazard_per_step: f64,
}

impl BayesianPlanner {
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
            let adds = -(1.0 - needed).max(1e-4).ln() / group.len() as f64;
            open.push(group.clone());
            open_groups.push(OpenGroup {
                steps: group.clone(),
                hazard_per_step: adds,
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
            let stretch = self.random_window(&open_groups, count);
            let rest = open.difference(&open.slice(stretch));
            options.push(all_likely.union(&rest));
        }
        options
    }

    /// Open steps in a row that are about as likely to have a needed one as not.
    fn random_window(&mut self, open: &[OpenGroup], count: usize) -> Range<usize> {
        let wanted = self.rng.random_range(0.15..1.25);
        let start = self.rng.random_range(0..count);
        let mut sum = 0.0;
        let mut end = start;
        let mut before = 0;
        for group in open {
            let behind = before + group.steps.len();
            if end < behind && (sum < wanted || end == start) {
                let steps = ((wanted - sum) / group.hazard_per_step)
                    .ceil()
                    .max(1.0)
                    .min((behind - end) as f64);
                sum += steps * group.hazard_per_step;
                end += steps as usize;
            }
            before = behind;
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
