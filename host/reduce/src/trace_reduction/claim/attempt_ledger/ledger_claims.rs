//! Claims that the ledger supports: what is proven, on which phones, and how sure that is.

use std::collections::HashSet;

use super::super::confidence_sequence::RateInterval;
use super::super::fresh_starts::FreshStartTally;
use super::super::sequential_proof::ProofDecision;
use super::super::suspect_phones::find_suspects;
use super::super::{ClaimStanding, PhoneTally, ReproductionClaim, UPPER_ERROR};
use super::{AttemptLedger, Nomination};
use crate::oracle::{Candidate, CandidateKey};
use crate::policy::AttemptTally;

impl AttemptLedger {
    /// True if a candidate is proven on the phones that count, also by all attempts together.
    pub(in crate::trace_reduction) fn is_accepted(&self, candidate: CandidateKey) -> bool {
        self.nominations.get(&candidate).is_some_and(|nomination| {
            let tally = self.tally_without(candidate, &nomination.suspects);
            nomination.is_accepted(tally)
                && !self.fails_when_fresh(candidate, nomination.required_rate)
        })
    }

    /// Attempts of a candidate on freshly started phones and on others.
    pub(in crate::trace_reduction) fn fresh_starts(
        &self,
        candidate: CandidateKey,
    ) -> FreshStartTally {
        let mut tally = FreshStartTally::default();
        let attempts = self.records.get(&candidate).into_iter();
        for one in attempts.flat_map(|record| &record.attempts) {
            if one.fresh_phone {
                tally.fresh.count(one.reached);
            } else {
                tally.other.count(one.reached);
            }
        }
        tally
    }

    /// True if a candidate reproduces, and never on a freshly started phone.
    pub(in crate::trace_reduction) fn fails_when_fresh(
        &self,
        candidate: CandidateKey,
        required_rate: f64,
    ) -> bool {
        self.fresh_starts(candidate).fails_when_fresh(required_rate)
    }

    /// Shortest candidate that is proven on the phones that count.
    pub(in crate::trace_reduction) fn shortest_accepted(&self) -> Option<Candidate> {
        let accepted = self
            .nominations
            .keys()
            .filter(|key| self.is_accepted(**key));
        accepted
            .filter_map(|key| Some(&self.records.get(key)?.candidate))
            .min_by_key(|candidate| (candidate.len(), candidate.key()))
            .cloned()
    }

    /// Claim about a candidate, by everything that is known of it. `required_rate` is for candidates without a nomination.
    pub(in crate::trace_reduction) fn claim(
        &self,
        candidate: CandidateKey,
        required_rate: f64,
        as_published: bool,
    ) -> ReproductionClaim {
        let nomination = self.nominations.get(&candidate);
        let no_suspects = HashSet::new();
        let suspects = nomination.map_or(&no_suspects, |nomination| &nomination.suspects);
        let tally = self.tally_without(candidate, suspects);
        let found = find_suspects(&self.records, self.phones.len());
        let (suspect_phones, phones) = self
            .phone_tallies(candidate)
            .partition(|(index, _)| found.contains(index) || suspects.contains(index));
        let names = |tallies: Vec<(usize, PhoneTally)>| {
            let mut named: Vec<PhoneTally> = tallies.into_iter().map(|(_, phone)| phone).collect();
            named.sort_by(|one, other| one.phone.cmp(&other.phone));
            named
        };
        let required_rate = nomination.map_or(required_rate, |known| known.required_rate);
        let fails_when_fresh = self.fails_when_fresh(candidate, required_rate);
        ReproductionClaim {
            standing: match fails_when_fresh {
                true => ClaimStanding::Flaky,
                false => standing(nomination, tally),
            },
            tally,
            interval: interval(nomination, tally),
            required_rate,
            proof: nomination.map_or(AttemptTally::default(), |nomination| {
                nomination.proof.tally()
            }),
            fresh_starts: self.fresh_starts(candidate).fresh,
            fails_when_fresh,
            phones: names(phones),
            suspect_phones: names(suspect_phones),
            as_published,
        }
    }
}

/// Standing of a claim. It is about the phones that were not suspect when the candidate was nominated.
fn standing(nomination: Option<&Nomination>, tally: AttemptTally) -> ClaimStanding {
    match nomination {
        Some(nomination) if nomination.is_accepted(tally) => ClaimStanding::Proven,
        Some(nomination) if nomination.proof.decision().is_some() => ClaimStanding::Flaky,
        _ => ClaimStanding::Unproven,
    }
}

/// Interval by the attempts after the nomination: those before it are why the candidate was chosen. It contains the rate of all
/// attempts, and a bound that was once proven stays.
fn interval(nomination: Option<&Nomination>, tally: AttemptTally) -> RateInterval {
    let unknown = RateInterval {
        low: 0.0,
        high: 1.0,
    };
    let Some(nomination) = nomination else {
        return unknown;
    };
    let proof = &nomination.proof;
    let mut interval = RateInterval::of(
        proof.evidence(),
        proof.error(),
        UPPER_ERROR * nomination.share,
    );
    if proof.decision() == Some(ProofDecision::Proven) {
        interval.low = interval.low.max(nomination.required_rate);
    }
    if tally.runs() > 0 {
        interval = interval.with(tally.rate());
    }
    interval
}
