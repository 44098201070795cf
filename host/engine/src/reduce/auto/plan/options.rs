//! What might be run next: the candidates among which a plan chooses.

use rand::RngExt;

use super::Plan;

/// A step that is needed with this chance is only looked at alone.
const LIKELY: f64 = 0.9;
/// Stretches of steps that are compared before one is chosen.
const STRETCHES: usize = 12;
/// As parts of what is open: windows that are tried alone.
const WINDOWS: [usize; 4] = [2, 3, 5, 8];

impl Plan {
    pub(super) fn options(&mut self, base: &[u32]) -> Vec<Vec<u32>> {
        let (likely, open): (Vec<u32>, Vec<u32>) =
            base.iter().partition(|&&step| self.is_needed(step, LIKELY));
        let mut options = vec![base.to_vec()];
        let chance = |step: &&u32| self.groups[**step as usize].0;
        if let Some(&weakest) = likely.iter().min_by(|one, other| chance(one).total_cmp(&chance(other))) {
            let any = likely[self.rng.random_range(0..likely.len())];
            options.push(without(&likely, weakest..=weakest));
            options.push(without(base, weakest..=weakest));
            options.push(without(base, any..=any));
        }
        if open.is_empty() {
            return options;
        }
        let merged = |some: &[u32]| {
            let mut both = [likely.as_slice(), some].concat();
            both.sort_unstable();
            both
        };
        options.push(likely.clone());
        for parts in WINDOWS {
            let part = self.rng.random_range(0..parts);
            let window = &open[open.len() * part / parts..open.len() * (part + 1) / parts];
            if !window.is_empty() {
                options.push(merged(window));
            }
        }
        for _ in 0..STRETCHES {
            let stretch = self.stretch(&open);
            options.push(merged(&[&open[..stretch.start], &open[stretch.end..]].concat()));
        }
        options
    }

    /// Open steps in a row that are about as likely to have a needed one as not.
    fn stretch(&mut self, open: &[u32]) -> std::ops::Range<usize> {
        let wanted = self.rng.random_range(0.15..1.25);
        let start = self.rng.random_range(0..open.len());
        let (mut sum, mut end) = (0.0, start);
        while end < open.len() && (sum < wanted || end == start) {
            let (needed, size) = self.groups[open[end] as usize];
            sum -= (1.0 - needed).max(1e-4).ln() / size as f64;
            end += 1;
        }
        start..end
    }
}

fn without(steps: &[u32], left_out: std::ops::RangeInclusive<u32>) -> Vec<u32> {
    steps.iter().copied().filter(|step| !left_out.contains(step)).collect()
}
