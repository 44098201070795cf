//! How often a result must reach the target so that nobody can say it does so less often than the original.

use crate::policy::binomial;

/// A share as low as this comes by chance in one of four checks of an equally good result.
const SIGNIFICANCE_LEVEL: f64 = 0.25;

/// The fewest successes of `runs` that are no sign of a lower rate than `successes` of `runs`: Fisher's exact test, one-sided.
/// At least one.
pub(super) fn min_successes_not_lower(successes: u32, runs: u32) -> u32 {
    (1..=runs)
        .find(|&other| chance_of_at_most(other, successes, runs) >= SIGNIFICANCE_LEVEL)
        .unwrap_or(runs)
}

/// If both have the same rate: the chance that of all their successes at most `other` fall to the second.
fn chance_of_at_most(other: u32, first: u32, runs: u32) -> f64 {
    let all = first + other;
    let ways = |second: u32| binomial(runs, second) * binomial(runs, all - second);
    let possible = all.saturating_sub(runs)..=all.min(runs);
    let sum: f64 = possible.clone().map(ways).sum();
    possible
        .filter(|second| *second <= other)
        .map(ways)
        .sum::<f64>()
        / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_fewer_are_chance_and_many_fewer_are_not() {
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
