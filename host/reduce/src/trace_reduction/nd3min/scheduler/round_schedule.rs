//! A round that is being filled: which candidates get its attempts, up to the number of phones and of attempts per candidate.

use super::RoundLimits;
use crate::policy::AttemptTally;

/// Share of successes from which a candidate counts as good.
const GOOD_SHARE: f64 = 0.8;

/// Attempts of one round, per candidate.
pub(super) struct RoundSchedule<'a> {
    candidates: &'a [AttemptTally],
    limits: &'a RoundLimits,
    pub(super) runs: Vec<u32>,
    /// Number of attempts that still fit into the round.
    free: u32,
}

impl<'a> RoundSchedule<'a> {
    pub(super) fn new(
        candidates: &'a [AttemptTally],
        limits: &'a RoundLimits,
    ) -> RoundSchedule<'a> {
        RoundSchedule {
            candidates,
            limits,
            runs: vec![0; candidates.len()],
            free: limits.parallel,
        }
    }

    pub(super) fn all(&self) -> Vec<usize> {
        (0..self.candidates.len()).collect()
    }

    fn attempts_left(&self, index: usize) -> u32 {
        self.limits
            .runs
            .saturating_sub(self.candidates[index].runs() + self.runs[index])
    }

    pub(super) fn add(&mut self, index: usize, runs: u32) {
        let runs = runs.min(self.attempts_left(index)).min(self.free);
        self.runs[index] += runs;
        self.free -= runs;
    }

    /// Adds one attempt each until the round is full or no candidate may have more.
    pub(super) fn round_robin(&mut self, indices: &[usize]) {
        while self.free > 0 && indices.iter().any(|&index| self.attempts_left(index) > 0) {
            indices.iter().for_each(|&index| self.add(index, 1));
        }
    }

    /// Figure 3: proves good candidates first, then refutes bad ones, then one attempt each.
    pub(super) fn by_success_rate(&mut self, mut indices: Vec<usize>) {
        let share = |index: usize| {
            let tally = self.candidates[index];
            f64::from(tally.successes) / f64::from(tally.runs())
        };
        let successes = |index: usize| self.candidates[index].successes;
        indices.sort_by(|&one, &other| {
            share(other)
                .total_cmp(&share(one))
                .then(successes(other).cmp(&successes(one)))
        });
        let good = indices.partition_point(|&index| share(index) >= GOOD_SHARE);
        let shares: Vec<f64> = indices.iter().map(|&index| share(index)).collect();
        let mut deferred = Vec::new();
        for (&index, &share) in indices[..good].iter().zip(&shares) {
            let wanted = self.until_passed(index, share);
            if wanted > self.free && wanted <= self.limits.parallel {
                deferred.push(index);
            } else {
                self.add(index, wanted);
            }
        }
        self.round_robin(&deferred);
        for (&index, &share) in indices[good..].iter().zip(&shares[good..]) {
            self.add(index, self.until_dead(index, share));
        }
        self.round_robin(&indices);
    }

    /// Expected number of attempts until the candidate passes.
    fn until_passed(&self, index: usize, share: f64) -> u32 {
        let missing = self.limits.successes - self.candidates[index].successes;
        self.attempts_left(index)
            .min((f64::from(missing) / share).ceil() as u32)
    }

    /// Expected number of attempts until the candidate is dead.
    fn until_dead(&self, index: usize, share: f64) -> u32 {
        let missing =
            self.limits.runs - self.limits.successes + 1 - self.candidates[index].failures;
        self.attempts_left(index)
            .min((f64::from(missing) / (1.0 - share)).ceil() as u32)
    }
}
