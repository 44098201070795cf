//! A test whether one candidate reaches the target less often than another.

use crate::policy::{AttemptTally, binomial};

/// Level at which a result must not be lower than the original where the rate is to be kept: one of four results with the same
/// rate is rejected.
const KEEP_RATE_LEVEL: f64 = 0.25;
/// Level at which a candidate counts as lower than another.
const LOWER_LEVEL: f64 = 0.1;
/// Tallies are scaled down to this many attempts: binomial coefficients of more are not exact.
const MAX_RUNS: u32 = 100;

/// Smallest number of successes of `runs` that is not significantly lower than `successes` of `runs`, by Fisher's exact test,
/// one-sided. At least 1.
pub(super) fn min_successes_not_lower(successes: u32, runs: u32) -> u32 {
    let tally = |successes: u32| AttemptTally {
        successes,
        failures: runs - successes,
    };
    (1..=runs)
        .find(|&other| lower_by_chance(tally(other), tally(successes)) >= KEEP_RATE_LEVEL)
        .unwrap_or(runs)
}

/// True if `tally` shows a lower rate than `other` by more than chance.
pub(in crate::trace_reduction) fn is_significantly_lower(
    tally: AttemptTally,
    other: AttemptTally,
) -> bool {
    lower_by_chance(scaled(tally), scaled(other)) < LOWER_LEVEL
}

/// Probability, if both rates are equal, that at most as many of all successes are the first's.
fn lower_by_chance(first: AttemptTally, second: AttemptTally) -> f64 {
    let all = first.successes + second.successes;
    let arrangements = |own: u32| binomial(first.runs(), own) * binomial(second.runs(), all - own);
    let possible = all.saturating_sub(second.runs())..=all.min(first.runs());
    let sum: f64 = possible.clone().map(arrangements).sum();
    possible
        .filter(|own| *own <= first.successes)
        .map(arrangements)
        .sum::<f64>()
        / sum
}

fn scaled(tally: AttemptTally) -> AttemptTally {
    let runs = tally.runs();
    if runs <= MAX_RUNS {
        return tally;
    }
    let successes = (f64::from(tally.successes) * f64::from(MAX_RUNS) / f64::from(runs)) as u32;
    AttemptTally {
        successes,
        failures: MAX_RUNS - successes,
    }
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

    #[test]
    fn rates_are_compared_whatever_the_number_of_attempts() {
        let is_lower = |first: (u32, u32), second: (u32, u32)| {
            let tally = |(successes, failures)| AttemptTally {
                successes,
                failures,
            };
            is_significantly_lower(tally(first), tally(second))
        };
        assert!(is_lower((10, 10), (19, 1)) && !is_lower((19, 1), (10, 10)));
        assert!(!is_lower((15, 5), (30, 10)) && !is_lower((2, 1), (20, 0)));
        assert!(is_lower((150, 150), (280, 20)) && !is_lower((0, 0), (5, 0)));
    }
}
