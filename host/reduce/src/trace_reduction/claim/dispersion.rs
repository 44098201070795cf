//! How much failures gather on some phones: a phone that is bad for a while fails many times, and that is one event and not many.

use crate::policy::{AttemptTally, binomial};

/// Probability of such a gathering by chance below which it counts.
const SIGNIFICANCE_LEVEL: f64 = 0.1;

/// Factor by which the variance of the tallies of phones exceeds that of independent attempts. 1 unless failures significantly
/// gather on one phone.
pub(super) fn dispersion(phones: &[AttemptTally]) -> f64 {
    let used: Vec<&AttemptTally> = phones.iter().filter(|tally| tally.runs() > 0).collect();
    let failures: u32 = used.iter().map(|tally| tally.failures).sum();
    let runs: u32 = used.iter().map(|tally| tally.runs()).sum();
    let most = used.iter().map(|tally| tally.failures).max().unwrap_or(0);
    if used.len() < 2 || failures < 2 || failures == runs {
        return 1.0;
    }
    let by_chance = used.len() as f64 * gather_probability(failures, most, used.len());
    if by_chance >= SIGNIFICANCE_LEVEL {
        return 1.0;
    }
    let rate = f64::from(failures) / f64::from(runs);
    let chi_square: f64 = used
        .iter()
        .map(|tally| {
            let expected = f64::from(tally.runs()) * rate;
            (f64::from(tally.failures) - expected).powi(2) / (expected * (1.0 - rate))
        })
        .sum();
    (chi_square / (used.len() - 1) as f64).max(1.0)
}

/// Probability that at least `count` of `failures` fall on one of `phones` phones.
fn gather_probability(failures: u32, count: u32, phones: usize) -> f64 {
    // Many failures are no matter of single phones; the sum would not be exact.
    if failures > 200 {
        return 1.0;
    }
    let share = 1.0 / phones as f64;
    (count..=failures)
        .map(|own| {
            binomial(failures, own)
                * share.powi(own.cast_signed())
                * (1.0 - share).powi((failures - own).cast_signed())
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(successes: u32, failures: u32) -> AttemptTally {
        AttemptTally {
            successes,
            failures,
        }
    }

    #[test]
    fn only_failures_that_gather_count_for_less() {
        let spread = [tally(9, 1); 15];
        let mut gathered = [tally(10, 0); 15];
        gathered[3] = tally(0, 10);
        assert!((dispersion(&spread) - 1.0).abs() < 1e-9);
        assert!(
            (9.0..12.0).contains(&dispersion(&gathered)),
            "{}",
            dispersion(&gathered)
        );
        assert!(
            (dispersion(&gathered[3..4]) - 1.0).abs() < 1e-9,
            "one phone"
        );
        gathered[3] = tally(9, 1);
        gathered[4] = tally(9, 1);
        assert!(
            (dispersion(&gathered) - 1.0).abs() < 1e-9,
            "two failures of two phones"
        );
    }
}
