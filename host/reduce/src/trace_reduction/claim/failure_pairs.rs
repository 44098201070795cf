//! Pairs of failures in the same group of attempts, against what chance would give: they show how much the attempts of a group
//! depend on each other. A group is what may be bad for a while: a phone, or a moment.

use crate::policy::AttemptTally;

/// Pairs of attempts in the same group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FailurePairs {
    /// Pairs of two failures.
    failed: f64,
    /// Number of these that is expected if failures fall on groups by chance.
    expected: f64,
    /// Number of pairs by which two failures would be more than expected if attempts of one group were all alike.
    at_most: f64,
}

impl FailurePairs {
    /// Pairs among attempts that are compared with each other, by group.
    pub(super) fn of(groups: &[AttemptTally]) -> FailurePairs {
        let count = |of: fn(&AttemptTally) -> u32| groups.iter().map(of).sum::<u32>();
        let sum_pairs =
            |of: fn(&AttemptTally) -> u32| groups.iter().map(|tally| pairs(of(tally))).sum::<f64>();
        let runs = count(|tally| tally.runs());
        let failures = count(|tally| tally.failures);
        let same_group = sum_pairs(|tally| tally.runs());
        let share = same_group / pairs(runs).max(1.0);
        FailurePairs {
            failed: sum_pairs(|tally| tally.failures),
            expected: share * pairs(failures),
            at_most: share * f64::from(failures) * f64::from(runs - failures) / 2.0,
        }
    }

    pub(super) fn plus(self, other: FailurePairs) -> FailurePairs {
        FailurePairs {
            failed: self.failed + other.failed,
            expected: self.expected + other.expected,
            at_most: self.at_most + other.at_most,
        }
    }

    /// Correlation of attempts in the same group; 0 unless failures gather by more than chance at this level.
    pub(super) fn correlation(self, level: f64) -> f64 {
        if at_least_by_chance(self.failed, self.expected) >= level {
            return 0.0;
        }
        ((self.failed - self.expected) / self.at_most.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

fn pairs(of: u32) -> f64 {
    f64::from(of) * f64::from(of.saturating_sub(1)) / 2.0
}

/// Probability of at least so many rare events where this number is expected (Poisson).
fn at_least_by_chance(count: f64, expected: f64) -> f64 {
    if expected <= 0.0 {
        return if count > 0.0 { 0.0 } else { 1.0 };
    }
    let mut log_term = -expected;
    let mut fewer = 0.0;
    for number in 0..count as u32 {
        fewer += log_term.exp();
        log_term += expected.ln() - f64::from(number + 1).ln();
    }
    1.0 - fewer
}
