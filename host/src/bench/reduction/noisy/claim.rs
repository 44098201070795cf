//! Claims of reductions, as the benchmark judges them.

use retap_reduce::trace_reduction::{ClaimStanding, RateInterval, Reduction, ReproductionClaim};

use super::planted_target::{FALSE_BELOW, RATE_TOLERANCE};

/// Share of the runs in the check from which a published algorithm calls its result good: 18 of 20.
const PUBLISHED_SHARE: f64 = 0.9;

/// Claim of a reduction about its result, as a user reads it.
#[derive(Clone, Copy, Debug)]
pub struct ClaimReading {
    pub verdict: ClaimVerdict,
    /// Rate that the result is said to have at least, if it is called proven.
    pub claimed_rate: Option<f64>,
    /// Interval that is reported with the rate. Published algorithms report none.
    pub interval: Option<RateInterval>,
    /// Reported runs of the result, and how many reached the target.
    pub successes: u32,
    pub runs: u32,
}

/// The short form of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// The result reaches the target as often as was asked.
    Proven,
    /// There is a result, and it is said to reach the target less often, or not provably as often.
    Unproven,
    /// The trace is said not to reproduce.
    Refused,
}

impl ClaimReading {
    /// Reads the claim of a reduction.
    pub fn of(reduction: &Reduction) -> ClaimReading {
        match (&reduction.claim, &reduction.result) {
            (Some(claim), Some(check)) if claim.as_published => {
                let is_good = f64::from(check.successes) >= PUBLISHED_SHARE * f64::from(check.runs);
                ClaimReading {
                    interval: None,
                    successes: check.successes,
                    runs: check.runs,
                    ..ClaimReading::with(is_good.then_some(FALSE_BELOW))
                }
            }
            (Some(claim), _) => ClaimReading::of_claim(claim),
            (None, _) => ClaimReading {
                verdict: ClaimVerdict::Refused,
                ..ClaimReading::with(None)
            },
        }
    }

    fn of_claim(claim: &ReproductionClaim) -> ClaimReading {
        let is_proven = claim.standing == ClaimStanding::Proven;
        ClaimReading {
            interval: Some(claim.interval),
            successes: claim.tally.successes,
            runs: claim.tally.runs(),
            ..ClaimReading::with(is_proven.then_some(claim.required_rate))
        }
    }

    fn with(claimed_rate: Option<f64>) -> ClaimReading {
        let is_good = claimed_rate.is_some_and(|rate| rate >= FALSE_BELOW - RATE_TOLERANCE);
        ClaimReading {
            verdict: if is_good {
                ClaimVerdict::Proven
            } else {
                ClaimVerdict::Unproven
            },
            claimed_rate,
            interval: None,
            successes: 0,
            runs: 0,
        }
    }

    /// True if the result is said to have a rate, and has a lower one. Up to 0.85 the claim counts, not beyond.
    pub fn is_false(&self, true_rate: f64) -> bool {
        self.claimed_rate
            .is_some_and(|rate| true_rate < rate.min(FALSE_BELOW) - RATE_TOLERANCE)
    }

    /// True if the true rate is outside the reported interval.
    pub fn misses(&self, true_rate: f64) -> bool {
        self.interval.is_some_and(|interval| {
            !(interval.low - RATE_TOLERANCE..=interval.high + RATE_TOLERANCE).contains(&true_rate)
        })
    }
}

impl ClaimVerdict {
    pub fn name(self) -> &'static str {
        match self {
            ClaimVerdict::Proven => "proven",
            ClaimVerdict::Unproven => "unproven",
            ClaimVerdict::Refused => "refused",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_false_below_what_it_says() {
        let claim = ClaimReading::with(Some(0.9));
        assert!(!claim.is_false(0.86));
        assert!(claim.is_false(0.84));
        let modest = ClaimReading::with(Some(0.5));
        assert_eq!(modest.verdict, ClaimVerdict::Unproven);
        assert!(!modest.is_false(0.6));
        assert!(modest.is_false(0.4));
        assert!(!ClaimReading::with(None).is_false(0.0));
    }

    #[test]
    fn an_interval_misses_a_rate_outside_of_it() {
        let claim = ClaimReading {
            interval: Some(RateInterval {
                low: 0.5,
                high: 0.8,
            }),
            ..ClaimReading::with(None)
        };
        assert!(!claim.misses(0.5) && !claim.misses(0.8));
        assert!(claim.misses(0.49) && claim.misses(0.81));
    }
}
