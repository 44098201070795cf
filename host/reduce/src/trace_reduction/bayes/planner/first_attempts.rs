//! The first attempts of a Bayesian reduction, which need no beliefs: of the empty trace, of the whole trace, and, while nothing
//! has reached the target, of parts. A long trace may fail only because it is long.

use super::super::super::step_spans::StepSpans;
use crate::policy::AttemptTally;

/// First attempts of the empty candidate: many targets need no step.
const EMPTY_RUNS: u32 = 2;
/// Attempts of the empty candidate once it has succeeded, to measure its rate.
const MORE_EMPTY_RUNS: u32 = 8;
/// First attempts of the original.
const ORIGINAL_RUNS: u32 = 4;
/// Further attempts of the original per failure.
const MORE_ORIGINAL_RUNS: u32 = 5;
/// Attempts of each part while nothing has reached the target.
const PART_RUNS: u32 = 4;
/// Factor for attempts of the original while nothing has reached the target: one in 20 may.
const NOTHING_REACHED_FACTOR: u32 = 3;
/// Rate below which the original is flaky, and the number of standard deviations by which it must be lower.
const RELIABLE_RATE: f64 = 0.88;
const RELIABLE_DEVIATIONS: f64 = 1.5;

/// Started attempts of one candidate, and the tally of those with an observation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AttemptCount {
    pub(super) runs: u32,
    pub(super) tally: AttemptTally,
}

/// Attempts that are made in any case.
#[derive(Debug)]
pub(super) struct FirstAttempts {
    steps: usize,
    /// Maximum number of attempts of the original.
    max_original_runs: u32,
    pub(super) original: AttemptCount,
    empty: AttemptCount,
    /// Parts of the trace, each with the number of its started attempts.
    parts: Vec<(StepSpans, u32)>,
    /// True once any attempt has reached the target.
    pub(super) has_reached: bool,
}

impl FirstAttempts {
    pub(super) fn new(steps: usize, max_original_runs: u32) -> FirstAttempts {
        let count = steps as u32;
        let mut parts: Vec<(StepSpans, u32)> = Vec::new();
        for range in [
            count / 2..count,
            count - count / 4..count,
            count - count / 8..count,
            count - count / 16..count,
            0..count / 2,
        ] {
            let mut part = StepSpans::default();
            part.push(range);
            let is_new = parts.iter().all(|(known, _)| *known != part);
            if is_new && !part.is_empty() && part.len() < steps {
                parts.push((part, 0));
            }
        }
        FirstAttempts {
            steps,
            max_original_runs,
            original: AttemptCount::default(),
            empty: AttemptCount::default(),
            parts,
            has_reached: false,
        }
    }

    /// Next attempt; `None` if no more are needed.
    pub(super) fn next_attempt(&mut self, has_reduced: bool) -> Option<StepSpans> {
        let wanted_empty = if self.empty.tally.successes > 0 {
            MORE_EMPTY_RUNS
        } else {
            EMPTY_RUNS
        };
        if self.empty.runs < wanted_empty {
            self.empty.runs += 1;
            return Some(StepSpans::default());
        }
        let failures = self.original.tally.failures;
        let wanted = if self.has_reached {
            ORIGINAL_RUNS + MORE_ORIGINAL_RUNS * failures
        } else {
            // While nothing succeeds, parts take turns with the original.
            let tried: u32 = self.parts.iter().map(|(_, runs)| *runs).sum();
            ORIGINAL_RUNS.max(tried * NOTHING_REACHED_FACTOR)
        };
        let limit = if self.has_reached {
            self.max_original_runs
        } else {
            self.max_original_runs * NOTHING_REACHED_FACTOR
        };
        if !has_reduced {
            let next = self.next_of_original(wanted.min(limit));
            if next.is_some() {
                return next;
            }
        }
        self.next_part()
    }

    /// Next attempt of the original, up to this number.
    pub(super) fn next_of_original(&mut self, runs: u32) -> Option<StepSpans> {
        if self.original.runs >= runs {
            return None;
        }
        self.original.runs += 1;
        Some(StepSpans::prefix(self.steps))
    }

    /// Part with the fewest attempts, once the original has failed.
    fn next_part(&mut self) -> Option<StepSpans> {
        if self.has_reached || self.original.tally.failures == 0 {
            return None;
        }
        let (part, runs) = self
            .parts
            .iter_mut()
            .filter(|(_, runs)| *runs < PART_RUNS)
            .min_by_key(|(_, runs)| *runs)?;
        *runs += 1;
        Some(part.clone())
    }

    pub(super) fn observe(&mut self, kept: &StepSpans, reached: bool) {
        self.has_reached |= reached;
        if kept.len() == self.steps {
            self.original.tally.count(reached);
        } else if kept.is_empty() {
            self.empty.tally.count(reached);
        }
    }

    pub(super) fn cancel(&mut self, kept: &StepSpans) {
        if kept.len() == self.steps {
            self.original.runs = self.original.runs.saturating_sub(1);
        }
    }

    /// True if nothing is left to try where nothing has reached the target.
    pub(super) fn is_exhausted(&self) -> bool {
        let is_tried = |(_, runs): &(StepSpans, u32)| *runs >= PART_RUNS;
        let tried: u32 = self.parts.iter().map(|(_, runs)| *runs).sum();
        let wanted = ORIGINAL_RUNS.max(tried * NOTHING_REACHED_FACTOR);
        let limit = self.max_original_runs * NOTHING_REACHED_FACTOR;
        self.parts.iter().all(is_tried) && self.original.runs >= wanted.min(limit)
    }

    /// True if the original clearly fails more often than a reliable target does.
    pub(super) fn is_original_flaky(&self) -> bool {
        let runs = f64::from(self.original.tally.runs());
        let mean = (f64::from(self.original.tally.successes) + 1.0) / (runs + 2.0);
        let deviation = (mean * (1.0 - mean) / (runs + 3.0)).sqrt();
        mean + RELIABLE_DEVIATIONS * deviation < RELIABLE_RATE
    }
}
