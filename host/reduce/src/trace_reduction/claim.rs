//! The claim that a reduction makes about its result: how often it reproduces, by all attempts of it, and how far that is
//! established. Docs: `docs/how-it-works/reduction.md`.

mod attempt_ledger;
mod confidence_sequence;
mod fresh_starts;
mod phone_dependence;
mod sequential_proof;
mod suspect_phones;

pub(super) use attempt_ledger::AttemptLedger;
pub use confidence_sequence::RateInterval;
use retap_device::run_event::RunEvent;
pub use retap_shared::trace::ClaimStanding;
use retap_shared::trace::{RunShare, RunTally, TraceClaim};
pub(super) use sequential_proof::ProofDecision;

use super::PassCriterion;
use crate::policy::{AttemptTally, GOOD_SUCCESS_RATE};

/// Probability of a false claim over a whole reduction: 4 % for the lower end of the interval, on which the claim rests, and
/// 1 % for the upper end.
pub(super) const LOWER_ERROR: f64 = 0.04;
pub(super) const UPPER_ERROR: f64 = 0.01;
/// Highest rate that a claim is about. Where every run must succeed, the proof continues until 1 differs from this rate.
const HIGHEST_REQUIRED_RATE: f64 = 0.9;

/// Claim about the rate of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ReproductionClaim {
    /// How far it is established that the rate is at least the required one.
    pub standing: ClaimStanding,
    /// All attempts of exactly this result, wherever they were made; without those on suspect phones.
    pub tally: AttemptTally,
    /// Time-uniform 95 % interval of the rate. It holds although the attempts ended when their outcome was known, and
    /// although the result was chosen among others.
    pub interval: RateInterval,
    /// Rate that was to be proven.
    pub required_rate: f64,
    /// Attempts after the result was chosen: the proof rests on these alone.
    pub proof: AttemptTally,
    /// Attempts on freshly started phones; they are among all attempts.
    pub fresh_starts: AttemptTally,
    /// It reproduces, and never on a freshly started phone. Then it is flaky, whatever the proof says.
    pub fails_when_fresh: bool,
    /// Attempts by phone, by name; suspect phones are not among them.
    pub phones: Vec<PhoneTally>,
    /// Phones that never, or hardly ever, reproduced what others did. The claim is about the others.
    pub suspect_phones: Vec<PhoneTally>,
    /// The result was accepted by a published rule (`nd3min`) and not by the proof.
    pub as_published: bool,
}

/// Attempts of one candidate on one phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneTally {
    /// Name of the phone; empty if the oracle has no phones.
    pub phone: String,
    /// Its attempts.
    pub tally: AttemptTally,
}

impl ReproductionClaim {
    /// Share of the attempts that reached the target; 0 without attempts.
    pub fn rate(&self) -> f64 {
        self.tally.rate()
    }

    /// Counts a run of the result that was made after the reduction.
    pub fn count_later_run(&mut self, reached: bool) {
        self.tally.count(reached);
        self.interval = self.interval.with(self.tally.rate());
    }

    pub(super) fn to_event(&self) -> RunEvent {
        RunEvent::Claimed {
            standing: self.standing,
            successes: self.tally.successes,
            runs: self.tally.runs(),
            low: self.interval.low,
            high: self.interval.high,
            required: self.required_rate,
            phones: u32::try_from(self.phones.len()).unwrap_or(u32::MAX),
            fresh_starts: self.fresh_starts.runs(),
            suspect_phones: self
                .suspect_phones
                .iter()
                .map(|suspect| suspect.phone.clone())
                .collect(),
        }
    }
}

impl From<&ReproductionClaim> for TraceClaim {
    fn from(claim: &ReproductionClaim) -> TraceClaim {
        let tally = |tally: AttemptTally| RunTally {
            successes: tally.successes,
            runs: tally.runs(),
        };
        // Oracles without phones leave the name empty.
        let named = claim.phones.iter().filter(|one| !one.phone.is_empty());
        TraceClaim {
            standing: claim.standing,
            tally: tally(claim.tally),
            interval: [
                RunShare::at_most(claim.interval.low),
                RunShare::at_least(claim.interval.high),
            ],
            required_rate: RunShare::nearest(claim.required_rate),
            phones: u32::try_from(named.count()).unwrap_or(u32::MAX),
            fresh_starts: tally(claim.fresh_starts),
            as_published: claim.as_published,
        }
    }
}

/// Rate that a result must be proven to have. 18 of 20 stands for 0.85, as published for ND3MIN; other criteria in proportion,
/// and at most 0.9.
pub(super) fn required_rate(criterion: PassCriterion) -> f64 {
    let asked = f64::from(criterion.successes) / f64::from(criterion.runs.max(1));
    (asked * GOOD_SUCCESS_RATE / 0.9).min(HIGHEST_REQUIRED_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_required_rate_follows_what_was_asked() {
        let required = |successes, runs| required_rate(PassCriterion { runs, successes });
        assert!((required(18, 20) - 0.85).abs() < 1e-12);
        assert!((required(9, 10) - 0.85).abs() < 1e-12);
        assert!((required(1, 1) - 0.9).abs() < 1e-12);
        assert!((required(20, 20) - 0.9).abs() < 1e-12);
        assert!((required(10, 20) - 0.4722).abs() < 1e-4);
    }
}
