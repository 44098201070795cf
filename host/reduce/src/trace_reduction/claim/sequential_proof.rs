//! A proof that a rate is at least the required one, attempt by attempt: when it is reached, when it is given up, and how many
//! attempts are worth starting at once. It sees attempts in the order in which they were started: attempts that fail take
//! longer, and by order of arrival the first ones would look too good.

use super::confidence_sequence::RateEvidence;
use super::phone_dependence::{PhonePairs, PhoneWindows, dispersion};
use crate::policy::AttemptTally;

/// Rates between which giving up is decided (Wald's test): halfway from the required rate to 1, and a little below it.
const HOPELESS_MARGIN: f64 = 0.02;
/// Odds for the lower of these rates at which the proof is given up.
const HOPELESS_ODDS: f64 = 20.0;
/// Attempts of each phone before anything is proven, and their maximum over all phones.
const MIN_RUNS_PER_PHONE: u32 = 8;
const MAX_MIN_RUNS: u32 = 120;
/// Share of the attempts after which a proof ends whose failures gather on some phones.
const CLUSTERED_DIVISOR: u32 = 2;

/// State of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trace_reduction) enum ProofDecision {
    /// The rate is at least the required one.
    Proven,
    /// The rate is probably below the required one.
    Hopeless,
    /// The attempts of a proof are spent.
    Undecided,
}

/// A proof under way.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::trace_reduction) struct SequentialProof {
    required_rate: f64,
    error: f64,
    max_runs: u32,
    tally: AttemptTally,
    /// Attempts of each phone, by index.
    phones: Vec<AttemptTally>,
    /// The same in windows of time.
    windows: PhoneWindows,
    /// Pairs of attempts before the proof that show how much those of one phone depend on each other.
    earlier: PhonePairs,
    decision: Option<ProofDecision>,
}

impl SequentialProof {
    pub(super) fn new(
        required_rate: f64,
        error: f64,
        max_runs: u32,
        earlier: PhonePairs,
    ) -> SequentialProof {
        SequentialProof {
            required_rate,
            error,
            max_runs,
            tally: AttemptTally::default(),
            phones: Vec::new(),
            windows: PhoneWindows::default(),
            earlier,
            decision: None,
        }
    }

    /// Counts the next attempt in order, with the index of its phone.
    pub(in crate::trace_reduction) fn count(&mut self, phone: usize, reached: bool) {
        self.tally.count(reached);
        if self.phones.len() <= phone {
            self.phones.resize(phone + 1, AttemptTally::default());
        }
        self.phones[phone].count(reached);
        self.windows.count(phone, reached);
        if self.decision.is_none() {
            self.decide();
        }
    }

    fn decide(&mut self) {
        let evidence = self.evidence();
        let is_clustered = evidence.successes + 1e-9 < f64::from(self.tally.successes);
        // Attempts that fail together on some phones say little more, however many they are.
        let max_runs = if is_clustered {
            self.max_runs.div_ceil(CLUSTERED_DIVISOR)
        } else {
            self.max_runs
        };
        let has_enough_runs = self.tally.runs() >= self.min_runs();
        self.decision = if has_enough_runs && evidence.is_above(self.required_rate, self.error) {
            Some(ProofDecision::Proven)
        } else if self.log_odds(evidence) <= -HOPELESS_ODDS.ln() {
            Some(ProofDecision::Hopeless)
        } else {
            (self.tally.runs() >= max_runs).then_some(ProofDecision::Undecided)
        };
    }

    /// Attempts before which nothing is proven: with many phones the first ones are all made within a minute, and phones that
    /// are bad for a while would not show.
    fn min_runs(&self) -> u32 {
        let used = self.phones.iter().filter(|tally| tally.runs() > 0).count();
        let runs = MIN_RUNS_PER_PHONE * u32::try_from(used).unwrap_or(u32::MAX);
        runs.min(MAX_MIN_RUNS).min(self.max_runs)
    }

    /// Attempts as evidence: less than they are if failures gather on some phones, in the proof or in all attempts.
    pub(super) fn evidence(&self) -> RateEvidence {
        let own = self.windows.pairs();
        let all = self.earlier.plus(own);
        let correlation = own.correlation().max(all.correlation());
        RateEvidence::dispersed(self.tally, dispersion(&self.phones, correlation))
    }

    /// Logarithm of the odds for a good rate against a bad one.
    fn log_odds(&self, evidence: RateEvidence) -> f64 {
        let good = f64::midpoint(self.required_rate, 1.0);
        let bad = (self.required_rate - HOPELESS_MARGIN).max(0.9 * self.required_rate);
        evidence.successes * (good / bad).ln()
            + evidence.failures * ((1.0 - good) / (1.0 - bad)).ln()
    }

    pub(in crate::trace_reduction) fn decision(&self) -> Option<ProofDecision> {
        self.decision
    }

    pub(in crate::trace_reduction) fn tally(&self) -> AttemptTally {
        self.tally
    }

    pub(super) fn error(&self) -> f64 {
        self.error
    }

    /// Number of attempts that are certainly needed before a decision for the claim.
    pub(in crate::trace_reduction) fn missing_runs(&self) -> u32 {
        let left = self.max_runs.saturating_sub(self.tally.runs());
        let evidence = self.evidence();
        let successes = evidence.missing_successes(self.required_rate, self.error, left);
        successes
            .max(self.min_runs().saturating_sub(self.tally.runs()))
            .min(left)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use retap_device::seed::Seed;

    use super::*;

    fn decide(rate: f64, seed: u64) -> (ProofDecision, u32) {
        let mut rng = Seed(seed).rng();
        let mut proof = SequentialProof::new(0.85, 0.02, 300, PhonePairs::default());
        while proof.decision().is_none() {
            assert!(proof.missing_runs() > 0);
            proof.count(0, rng.random::<f64>() < rate);
        }
        (proof.decision().unwrap(), proof.tally().runs())
    }

    fn share(rate: f64, decision: ProofDecision) -> f64 {
        let count = (0..500)
            .filter(|seed| decide(rate, *seed).0 == decision)
            .count();
        count as f64 / 500.0
    }

    #[test]
    fn high_rates_are_proven_and_low_ones_are_given_up_soon() {
        assert!(share(0.95, ProofDecision::Proven) > 0.98);
        assert!(share(1.0, ProofDecision::Proven) > 0.999);
        assert!(share(0.75, ProofDecision::Hopeless) > 0.98);
        assert!(share(0.84, ProofDecision::Proven) < 0.03);
        let runs: u32 = (0..100).map(|seed| decide(0.5, seed).1).sum();
        assert!(runs < 1500, "{runs} attempts for 100 proofs at one half");
    }

    /// One phone of ten always fails, in 30 rounds: that is one failure of ten phones and not 30 of 300 attempts.
    #[test]
    fn failures_of_one_phone_do_not_add_up_to_a_proof() {
        let mut proof = SequentialProof::new(0.85, 0.02, 300, PhonePairs::default());
        for attempt in 0..300 {
            if proof.decision().is_none() {
                proof.count(attempt % 10, attempt % 10 > 0);
            }
        }
        assert_eq!(proof.decision(), Some(ProofDecision::Undecided));
    }
}
