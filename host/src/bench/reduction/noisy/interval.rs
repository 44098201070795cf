//! Exact confidence intervals of shares.

/// Probability that is left out at each end of an interval.
const TAIL: f64 = 0.025;
/// Halvings of the range: beyond the digits of a double.
const HALVINGS: u32 = 60;

/// Share of successes, with its 95 % interval by Clopper and Pearson.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareInterval {
    pub low: f64,
    pub high: f64,
}

impl ShareInterval {
    /// Interval of `count` of `of`; all shares without samples.
    pub fn exact(count: u64, of: u64) -> ShareInterval {
        let at_least = |rate: f64| 1.0 - at_most(count.saturating_sub(1), of, rate);
        ShareInterval {
            low: if count == 0 {
                0.0
            } else {
                crossing(|rate| at_least(rate) < TAIL)
            },
            high: if count == of {
                1.0
            } else {
                crossing(|rate| at_most(count, of, rate) > TAIL)
            },
        }
    }
}

/// Largest rate for which the condition still holds; it holds below that rate and not above.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let mut low = 0.0;
    let mut high = 1.0;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Probability of at most `count` successes of `of` attempts. By logarithms, so that thousands of attempts do not underflow.
fn at_most(count: u64, of: u64, rate: f64) -> f64 {
    if rate <= 0.0 {
        return 1.0;
    }
    if rate >= 1.0 {
        return if count >= of { 1.0 } else { 0.0 };
    }
    let mut log_term = of as f64 * (-rate).ln_1p();
    let log_odds = rate.ln() - (-rate).ln_1p();
    let mut sum = log_term.exp();
    for successes in 1..=count {
        log_term += ((of - successes + 1) as f64 / successes as f64).ln() + log_odds;
        sum += log_term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_published_tables() {
        for (count, of, low, high) in [
            (0, 100, 0.0, 0.036_2),
            (5, 100, 0.016_4, 0.112_8),
            (18, 20, 0.683_0, 0.987_7),
            (20, 20, 0.831_6, 1.0),
        ] {
            let interval = ShareInterval::exact(count, of);
            assert!(
                (interval.low - low).abs() < 1e-4 && (interval.high - high).abs() < 1e-4,
                "{count} of {of}: {interval:?}"
            );
        }
    }

    #[test]
    fn nothing_is_known_without_samples() {
        assert_eq!(
            ShareInterval::exact(0, 0),
            ShareInterval {
                low: 0.0,
                high: 1.0
            }
        );
    }
}
