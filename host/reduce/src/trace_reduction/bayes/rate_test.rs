//! A test whether a result reaches its target less often than the original.

use crate::policy::binomial;

/// Level of the test: one of four results with the same rate as the original is rejected.
const SIGNIFICANCE_LEVEL: f64 = 0.25;

/// Smallest number of successes of `runs` that is not significantly lower than `successes` of `runs`, by Fisher's exact test,
/// one-sided. At least 1.
pub(super) fn min_successes_not_lower(successes: u32, runs: u32) -> u32 {
    (1..=runs)
        .find(|&other| probability_of_at_most(other, successes, runs) >= SIGNIFICANCE_LEVEL)
        .unwrap_or(runs)
}

/// Probability, if both rates are equal, that at most `other` of all successes are the second's.
fn probability_of_at_most(other: u32, first: u32, runs: u32) -> f64 {
    let all = first + other;
    let arrangements = |second: u32| binomial(runs, second) * binomial(runs, all - second);
    let possible = all.saturating_sub(runs)..=all.min(runs);
    let sum: f64 = possible.clone().map(arrangements).sum();
    possible
        .filter(|second| *second <= other)
        .map(arrangements)
        .sum::<f64>()
        / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slightly_fewer_successes_are_accepted_and_many_fewer_are_not() {
        assert_eq!(min_successes_not_lower(20, 20), 19);
        assert_eq!(min_successes_not_lower(8, 20), 5);
        assert_eq!(min_successes_not_lower(1, 20), 1);
        for first in 1..=20 {
            assert!(
                (1..=first).contains(&min_successes_not_lower(first, 20)),
                "{first}"
            );
        }
    }
}
