//! How much attempts at about the same time depend on each other, whatever their phones: a server that is down for a minute
//! fails on all phones at once, and that is one event and not many.

use super::failure_pairs::FailurePairs;
use crate::policy::AttemptTally;

/// Probability of so many pairs by chance below which they count; for each length of blocks.
const SIGNIFICANCE_LEVEL: f64 = 0.002;
/// Lengths of the blocks that are looked at, in attempts of each phone.
const BLOCK_LENGTHS: [usize; 4] = [1, 2, 4, 8];
/// Number of blocks from which on a length is looked at.
const MIN_BLOCKS: usize = 3;
/// Attempts of the shortest block on few phones.
const MIN_BLOCK: usize = 4;

/// Attempts in the order of their starts, on all phones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AttemptSequence {
    phones: usize,
    reached: Vec<bool>,
    known_dispersion: f64,
    dispersion: f64,
}

impl AttemptSequence {
    /// An empty sequence. Its dispersion is at least the one that is known from before.
    pub(super) fn new(phones: usize, known_dispersion: f64) -> AttemptSequence {
        AttemptSequence {
            phones: phones.max(MIN_BLOCK),
            reached: Vec::new(),
            known_dispersion,
            dispersion: known_dispersion,
        }
    }

    /// Counts the next attempt in order.
    pub(super) fn count(&mut self, reached: bool) {
        self.reached.push(reached);
        self.dispersion = self.known_dispersion.max(self.measure());
    }

    /// Factor by which the variance of these attempts exceeds that of independent ones.
    pub(super) fn dispersion(&self) -> f64 {
        self.dispersion
    }

    fn measure(&self) -> f64 {
        let lengths = BLOCK_LENGTHS.map(|length| length * self.phones);
        let long_enough = lengths
            .into_iter()
            .filter(|runs| MIN_BLOCKS * runs <= self.reached.len());
        long_enough
            .map(|runs| self.dispersion_of_blocks(runs))
            .fold(1.0, f64::max)
    }

    fn dispersion_of_blocks(&self, runs: usize) -> f64 {
        let blocks: Vec<AttemptTally> = self.reached.chunks(runs).map(tally).collect();
        let correlation = FailurePairs::of(&blocks).correlation(SIGNIFICANCE_LEVEL);
        1.0 + (runs as f64 - 1.0) * correlation
    }
}

fn tally(reached: &[bool]) -> AttemptTally {
    let mut tally = AttemptTally::default();
    reached.iter().for_each(|reached| tally.count(*reached));
    tally
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use retap_device::seed::Seed;

    use super::*;

    fn dispersion(mut reached: impl FnMut(usize) -> bool) -> f64 {
        let mut sequence = AttemptSequence::new(15, 1.0);
        (0..240).for_each(|attempt| sequence.count(reached(attempt)));
        sequence.dispersion()
    }

    #[test]
    fn failures_at_the_same_time_are_one_event() {
        let outages = dispersion(|attempt| !(30..45).contains(&(attempt % 120)));
        assert!(outages > 14.0, "{outages}");
    }

    #[test]
    fn failures_that_are_spread_are_not_gathered() {
        assert!((dispersion(|attempt| attempt % 7 != 0) - 1.0).abs() < 1e-9);
        assert!((dispersion(|_| true) - 1.0).abs() < 1e-9);
        assert!((dispersion(|_| false) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn independent_attempts_seldom_seem_to_depend() {
        for rate in [0.5, 0.8, 0.9, 0.95] {
            let gathered = (0..400).filter(|seed| {
                let mut rng = Seed(*seed).rng();
                dispersion(|_| rng.random::<f64>() < rate) > 1.0
            });
            let count = gathered.count();
            assert!(count <= 12, "{rate}: {count} of 400 at four times 0.2 %");
        }
    }
}
