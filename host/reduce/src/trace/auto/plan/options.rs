//! What might be run next: the candidates among which a plan chooses.

use std::ops::Range;

use rand::RngExt;

use super::super::super::spans::Spans;
use super::{LEFT_OUT, Plan};

/// A step that is needed with this chance is only looked at alone.
const LIKELY: f64 = 0.9;
/// Stretches of steps that are compared before one is chosen.
const STRETCHES: usize = 12;
/// As parts of what is open: windows that are tried alone.
const WINDOWS: [usize; 4] = [2, 3, 5, 8];

/// Steps that no run has separated, and how much each of them adds to the chance that one of them is needed.
struct Open {
    steps: Range<u32>,
    adds: f64,
}

impl Plan {
    pub(super) fn options(&mut self, base: &Spans) -> Vec<Spans> {
        let mut likely: Vec<(u32, f64)> = Vec::new();
        let mut open = Spans::default();
        let mut open_groups = Vec::new();
        for (group, needed) in self.groups.iter().filter(|(_, needed)| *needed >= LEFT_OUT) {
            if group.len() == 1 && *needed >= LIKELY {
                likely.push((group.start, *needed));
                continue;
            }
            let adds = -(1.0 - needed).max(1e-4).ln() / group.len() as f64;
            open.push(group.clone());
            open_groups.push(Open {
                steps: group.clone(),
                adds,
            });
        }
        let mut options = vec![base.clone()];
        let all_likely = single(likely.iter().map(|(step, _)| *step));
        if let Some(&(weakest, _)) = likely.iter().min_by(|one, other| one.1.total_cmp(&other.1)) {
            let (any, _) = likely[self.rng.random_range(0..likely.len())];
            options.push(all_likely.minus(&single([weakest])));
            options.push(base.minus(&single([weakest])));
            options.push(base.minus(&single([any])));
        }
        if open.is_empty() {
            return options;
        }
        options.push(all_likely.clone());
        let count = open.len();
        for parts in WINDOWS {
            let part = self.rng.random_range(0..parts);
            let window = open.between(count * part / parts..count * (part + 1) / parts);
            if !window.is_empty() {
                options.push(all_likely.and(&window));
            }
        }
        for _ in 0..STRETCHES {
            let stretch = self.stretch(&open_groups, count);
            let rest = open.minus(&open.between(stretch));
            options.push(all_likely.and(&rest));
        }
        options
    }

    /// Open steps in a row that are about as likely to have a needed one as not.
    fn stretch(&mut self, open: &[Open], count: usize) -> Range<usize> {
        let wanted = self.rng.random_range(0.15..1.25);
        let start = self.rng.random_range(0..count);
        let mut sum = 0.0;
        let mut end = start;
        let mut before = 0;
        for group in open {
            let behind = before + group.steps.len();
            if end < behind && (sum < wanted || end == start) {
                let steps = ((wanted - sum) / group.adds)
                    .ceil()
                    .max(1.0)
                    .min((behind - end) as f64);
                sum += steps * group.adds;
                end += steps as usize;
            }
            before = behind;
        }
        start..end
    }
}

fn single(steps: impl IntoIterator<Item = u32>) -> Spans {
    let mut spans = Spans::default();
    steps
        .into_iter()
        .for_each(|step| spans.push(step..step + 1));
    spans
}
