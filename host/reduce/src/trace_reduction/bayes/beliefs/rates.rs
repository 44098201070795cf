//! Rates from successes and failures, and how much more likely they are if a candidate is incomplete.

use super::messages::{MAX_PRODUCT, clamp_to};

/// Bound of the likelihood ratio of one factor, e¹², whatever its number of attempts.
const MAX_LIKELIHOOD_RATIO: f64 = 162_755.0;

pub(super) fn success_rate([successes, failures]: [f64; 2]) -> f64 {
    successes / (successes + failures)
}

/// Lower bound of a rate after these successes and failures: two standard deviations below the mean.
pub(super) fn rate_lower_bound(counts: [f64; 2]) -> f64 {
    let mean = success_rate(counts);
    let all = counts[0] + counts[1];
    mean - 2.0 * (mean * (1.0 - mean) / (all + 1.0)).sqrt()
}

/// Likelihood ratio, incomplete to complete, of successes and then failures. The rate of an incomplete candidate is uncertain:
/// each observation updates its successes and failures `prior`. A complete one succeeds with `complete_rate`.
pub(super) fn likelihood_ratio(prior: [f64; 2], observed: [f64; 2], complete_rate: f64) -> f64 {
    let mut ratio = 1.0;
    let mut all = prior[0] + prior[1];
    for (prior, count, if_complete) in [
        (prior[0], observed[0], complete_rate),
        (prior[1], observed[1], 1.0 - complete_rate),
    ] {
        for number in 0..count as u32 {
            ratio = clamp_to(
                ratio * (prior + f64::from(number)) / (all * if_complete),
                MAX_PRODUCT,
            );
            all += 1.0;
        }
    }
    clamp_to(ratio, MAX_LIKELIHOOD_RATIO)
}
