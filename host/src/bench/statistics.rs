//! Statistics of samples.

/// Percentile of the samples, which are sorted; NaN without samples.
pub(super) fn percentile(samples: &mut [f64], percent: usize) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    samples
        .get(samples.len().saturating_sub(1) * percent / 100)
        .copied()
        .unwrap_or(f64::NAN)
}
