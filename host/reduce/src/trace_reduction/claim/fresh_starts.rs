//! Attempts on freshly started phones, beside those on phones that have played other candidates before. A result that
//! reproduces only there may need what earlier runs have left.

use crate::policy::AttemptTally;

/// Probability that a candidate with the required rate fails on every freshly started phone.
const BAD_LUCK: f64 = 0.01;
/// Maximum number of fresh starts for one candidate: each takes long on a phone that is no simulated one.
const MAX_FRESH_STARTS: u32 = 10;

/// Attempts of one candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::trace_reduction) struct FreshStartTally {
    /// Attempts on freshly started phones.
    pub(in crate::trace_reduction) fresh: AttemptTally,
    /// All other attempts.
    pub(super) other: AttemptTally,
}

impl FreshStartTally {
    /// True if fresh starts have failed so far, and too few of them to tell that from bad luck.
    pub(in crate::trace_reduction) fn is_open(&self, required_rate: f64) -> bool {
        let runs = self.fresh.runs();
        runs > 0 && self.fresh.successes == 0 && runs < enough_failures(required_rate)
    }

    /// True if the candidate reproduces, and never on a freshly started phone.
    pub(super) fn fails_when_fresh(&self, required_rate: f64) -> bool {
        self.other.successes > 0
            && self.fresh.successes == 0
            && self.fresh.failures >= enough_failures(required_rate)
    }
}

/// Number of failures without a success that are no bad luck any more.
fn enough_failures(required_rate: f64) -> u32 {
    let failing = (1.0 - required_rate).clamp(1e-6, 1.0 - 1e-6);
    let failures = (BAD_LUCK.ln() / failing.ln()).ceil();
    (failures as u32).clamp(1, MAX_FRESH_STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(fresh: (u32, u32), other: (u32, u32)) -> FreshStartTally {
        let of = |(successes, failures)| AttemptTally {
            successes,
            failures,
        };
        FreshStartTally {
            fresh: of(fresh),
            other: of(other),
        }
    }

    #[test]
    fn failures_on_fresh_phones_count_once_they_are_no_bad_luck() {
        assert!(!tally((0, 0), (40, 0)).is_open(0.9));
        assert!(tally((0, 1), (40, 0)).is_open(0.9));
        assert!(!tally((0, 1), (40, 0)).fails_when_fresh(0.9));
        let failing = tally((0, 2), (40, 0));
        assert!(!failing.is_open(0.9) && failing.fails_when_fresh(0.9));
        assert!(failing.is_open(0.85), "a lower rate fails twice more often");
        assert!(!tally((1, 2), (40, 0)).fails_when_fresh(0.9));
        assert!(!tally((0, 9), (0, 40)).fails_when_fresh(0.9));
        assert_eq!(enough_failures(0.05), MAX_FRESH_STARTS);
        assert_eq!(enough_failures(1.0), 1);
    }
}
