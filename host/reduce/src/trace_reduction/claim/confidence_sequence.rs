//! Bounds of a rate that hold at every moment of a series of attempts at once (a confidence sequence), by betting against each
//! rate. The bet is a likelihood ratio, averaged over higher rates: if the true rate is not above the one it bets against,
//! whatever happened before, it is a supermartingale and exceeds 1/error at any time with a probability of at most `error`.

use crate::policy::AttemptTally;

/// Rates that the lower bound bets on. Each is given by its failures, as a share of the failures of the rate it bets against;
/// then its weight. The first is for targets that are always reached.
const LOWER_BETS: [(f64, f64); 5] = [
    (0.01, 0.4),
    (0.12, 0.15),
    (0.3, 0.2),
    (0.5, 0.15),
    (0.7, 0.1),
];
/// Rates of failure that the upper bound bets on, in the same form: its failures are the successes of the lower bound.
const UPPER_BETS: [(f64, f64); 5] = [
    (0.4, 0.2),
    (0.7, 0.2),
    (0.88, 0.2),
    (0.95, 0.2),
    (0.98, 0.2),
];
/// Accuracy of the bounds.
const BISECTIONS: u32 = 30;

/// Both ends of an interval of rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl RateInterval {
    /// Interval that is wrong at its lower and at its upper end with at most these probabilities, at any time.
    pub(super) fn of(evidence: RateEvidence, lower_error: f64, upper_error: f64) -> RateInterval {
        let failures = RateEvidence {
            successes: evidence.failures,
            failures: evidence.successes,
        };
        RateInterval {
            low: highest_refuted(evidence, lower_error, &LOWER_BETS),
            high: 1.0 - highest_refuted(failures, upper_error, &UPPER_BETS),
        }
    }

    /// Smallest interval that contains this one and a rate.
    pub(super) fn with(self, rate: f64) -> RateInterval {
        RateInterval {
            low: self.low.min(rate),
            high: self.high.max(rate),
        }
    }
}

/// Attempts as evidence of a rate. Attempts that fail together, on one phone, count for less than one each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RateEvidence {
    pub(super) successes: f64,
    pub(super) failures: f64,
}

impl RateEvidence {
    /// Evidence of attempts whose variance is larger than that of independent ones by this factor.
    pub(super) fn dispersed(tally: AttemptTally, dispersion: f64) -> RateEvidence {
        RateEvidence {
            successes: f64::from(tally.successes) / dispersion,
            failures: f64::from(tally.failures) / dispersion,
        }
    }

    fn rate(self) -> f64 {
        self.successes / (self.successes + self.failures).max(f64::MIN_POSITIVE)
    }

    /// True if it refutes that the rate is at most `rate`.
    pub(super) fn is_above(self, rate: f64, error: f64) -> bool {
        self.log_evidence(rate, &LOWER_BETS) >= -error.ln()
    }

    /// Number of further successes, without any failure, after which the rate is above `rate`; at most `limit`.
    pub(super) fn missing_successes(mut self, rate: f64, error: f64, limit: u32) -> u32 {
        let mut more = 0;
        while more < limit && !self.is_above(rate, error) {
            self.successes += 1.0;
            more += 1;
        }
        more
    }

    /// Logarithm of the averaged likelihood ratio: the bets against `rate`.
    fn log_evidence(self, rate: f64, bets: &[(f64, f64)]) -> f64 {
        let log_ratio = |&(share, weight): &(f64, f64)| {
            let bet = 1.0 - (1.0 - rate) * share;
            weight.ln() + self.successes * (bet / rate).ln() + self.failures * share.ln()
        };
        let highest = bets.iter().map(log_ratio).fold(f64::MIN, f64::max);
        let sum: f64 = bets
            .iter()
            .map(|bet| (log_ratio(bet) - highest).exp())
            .sum();
        highest + sum.ln()
    }
}

/// Highest rate that the attempts refute as an upper bound of the true one; 0 if there is none.
fn highest_refuted(evidence: RateEvidence, error: f64, bets: &[(f64, f64)]) -> f64 {
    let mut refuted = 0.0;
    let mut open = evidence.rate();
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(refuted, open);
        if evidence.log_evidence(middle, bets) >= -error.ln() {
            refuted = middle;
        } else {
            open = middle;
        }
    }
    refuted
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use retap_device::seed::Seed;

    use super::*;

    fn evidence(successes: u32, failures: u32) -> RateEvidence {
        let tally = AttemptTally {
            successes,
            failures,
        };
        RateEvidence::dispersed(tally, 1.0)
    }

    #[test]
    fn the_bounds_agree_with_the_test_and_narrow_with_more_attempts() {
        for (successes, failures) in [(20, 0), (18, 2), (30, 10), (1, 9), (0, 20), (0, 0), (95, 5)]
        {
            let evidence = evidence(successes, failures);
            let interval = RateInterval::of(evidence, 0.02, 0.005);
            assert!(interval.low <= evidence.rate() && evidence.rate() <= interval.high);
            assert!(interval.low < 1e-6 || evidence.is_above(interval.low - 1e-6, 0.02));
            assert!(!evidence.is_above(interval.low + 1e-6, 0.02));
        }
        let wide = RateInterval::of(evidence(19, 1), 0.02, 0.005);
        let narrow = RateInterval::of(evidence(190, 10), 0.02, 0.005);
        assert!(wide.low < narrow.low && narrow.high < wide.high);
        assert!((RateInterval::of(evidence(0, 0), 0.02, 0.005).high - 1.0).abs() < 1e-9);
    }

    #[test]
    fn without_failures_28_attempts_prove_85_percent_and_43_prove_90() {
        assert_eq!(evidence(0, 0).missing_successes(0.85, 0.02, 300), 28);
        assert_eq!(evidence(0, 0).missing_successes(0.9, 0.02, 300), 43);
        assert!(evidence(28, 0).is_above(0.85, 0.02) && !evidence(27, 0).is_above(0.85, 0.02));
        assert!(evidence(10, 1).missing_successes(0.85, 0.02, 300) > 18);
    }

    /// The interval is looked at after every attempt, and once outside is outside.
    #[test]
    fn at_no_time_the_rate_is_outside_more_often_than_stated() {
        for rate in [0.3, 0.75, 0.85, 0.95] {
            let mut outside = [0; 2];
            for seed in 0..400 {
                let mut rng = Seed(seed).rng();
                let mut evidence = evidence(0, 0);
                let mut missed = [false; 2];
                for _ in 0..300 {
                    if rng.random::<f64>() < rate {
                        evidence.successes += 1.0;
                    } else {
                        evidence.failures += 1.0;
                    }
                    let failures = RateEvidence {
                        successes: evidence.failures,
                        failures: evidence.successes,
                    };
                    missed[0] |= evidence.log_evidence(rate, &LOWER_BETS) >= 20_f64.ln();
                    missed[1] |= failures.log_evidence(1.0 - rate, &UPPER_BETS) >= 20_f64.ln();
                }
                outside[0] += u32::from(missed[0]);
                outside[1] += u32::from(missed[1]);
            }
            assert!(
                outside.iter().all(|count| *count <= 30),
                "{rate}: {outside:?} of 400 at 5 %"
            );
        }
    }
}
