//! All attempts of a reduction by exact candidate, with the phone of each, and the nominations: the candidates that were to be
//! proven, in order. Each nomination may be wrong with a smaller probability than the one before, so that all of them together
//! stay below 5 %.

mod ledger_claims;

use std::collections::{HashMap, HashSet};

use retap_shared::verdict::Verdict;

use super::phone_dependence::PhoneWindows;
use super::sequential_proof::{ProofDecision, SequentialProof};
use super::suspect_phones::{MAX_SUCCESS_SHARE, excluded_phones};
use super::{HIGHEST_REQUIRED_RATE, LOWER_ERROR, PhoneTally};
use crate::oracle::{Candidate, CandidateKey, Observation};
use crate::policy::AttemptTally;

/// Attempts and nominations of one reduction.
#[derive(Debug, Default)]
pub(in crate::trace_reduction) struct AttemptLedger {
    records: HashMap<CandidateKey, CandidateRecord>,
    phones: Vec<String>,
    nominations: HashMap<CandidateKey, Nomination>,
    nomination_count: u32,
    attempts: u64,
    successes: u64,
}

/// Attempts of one candidate.
#[derive(Debug)]
pub(super) struct CandidateRecord {
    candidate: Candidate,
    attempts: Vec<LedgerAttempt>,
    /// True once it has reached the target of the trace.
    reproduces: bool,
    failure: Option<Verdict>,
    /// Number of steps after which its first success reached the target.
    reached_after: Option<u32>,
}

/// One attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedgerAttempt {
    /// Its place among all attempts of the reduction.
    order: u64,
    pub(super) attempt: u32,
    pub(super) reached: bool,
    /// Index of the phone.
    pub(super) phone: usize,
    fresh_phone: bool,
}

/// A candidate that is to be proven.
#[derive(Clone, Debug)]
pub(in crate::trace_reduction) struct Nomination {
    pub(in crate::trace_reduction) proof: SequentialProof,
    required_rate: f64,
    /// Phones that did not count when the candidate was nominated. The claim is about the others.
    suspects: HashSet<usize>,
    /// Attempts on these phones since then.
    suspect_tally: AttemptTally,
    /// True if a candidate with at least its steps had failed before.
    failed_before: bool,
    /// Its share of the probability of an error.
    share: f64,
}

impl AttemptLedger {
    /// Counts an observation. An attempt that was recalled under the same number counts once.
    pub(in crate::trace_reduction) fn record(
        &mut self,
        candidate: &Candidate,
        attempt: u32,
        observation: &Observation,
    ) {
        let phone = self.phone_index(&observation.phone);
        let record = self
            .records
            .entry(candidate.key())
            .or_insert_with(|| CandidateRecord::new(candidate.clone()));
        if record.attempts.iter().any(|one| one.attempt == attempt) {
            return;
        }
        let reached = observation.reached;
        self.attempts += 1;
        record.attempts.push(LedgerAttempt {
            order: self.attempts,
            attempt,
            reached,
            phone,
            fresh_phone: observation.fresh_phone,
        });
        if !reached {
            record.failure.get_or_insert(observation.verdict.clone());
        } else if candidate.local_target().is_none() {
            self.successes += 1;
            record.reached_after = record.reached_after.or(observation.reached_after);
            record.reproduces = true;
        }
    }

    /// True if any candidate has ever reached the target of the trace.
    pub(in crate::trace_reduction) fn has_reproduced(&self) -> bool {
        self.successes > 0
    }

    /// All attempts of a candidate.
    pub(in crate::trace_reduction) fn tally(&self, candidate: CandidateKey) -> AttemptTally {
        self.tally_without(candidate, &HashSet::new())
    }

    /// Verdict of the first attempt of a candidate that did not reach the target.
    pub(in crate::trace_reduction) fn failure(&self, candidate: CandidateKey) -> Option<&Verdict> {
        self.records.get(&candidate)?.failure.as_ref()
    }

    /// Number of steps after which a candidate reached the target for the first time.
    pub(in crate::trace_reduction) fn reached_after(&self, candidate: CandidateKey) -> Option<u32> {
        self.records.get(&candidate)?.reached_after
    }

    /// First number that no attempt of a candidate has.
    pub(in crate::trace_reduction) fn next_attempt(&self, candidate: CandidateKey) -> u32 {
        let attempts = self.records.get(&candidate).map(|record| &record.attempts);
        let last = attempts.and_then(|attempts| attempts.iter().map(|one| one.attempt).max());
        last.map_or(0, |last| last + 1)
    }

    /// Candidates that have reached the target, each with its tally.
    pub(in crate::trace_reduction) fn reproducing(
        &self,
    ) -> impl Iterator<Item = (&Candidate, AttemptTally)> {
        self.records
            .values()
            .filter(|record| record.reproduces)
            .map(|record| (&record.candidate, self.tally(record.candidate.key())))
    }

    /// Nominates a candidate: a proof that begins now. A nomination under the same conditions is continued, and a proof of a
    /// higher rate counts.
    pub(in crate::trace_reduction) fn nominate(
        &mut self,
        candidate: &Candidate,
        required_rate: f64,
        max_runs: u32,
    ) -> &mut Nomination {
        let key = candidate.key();
        let suspects = excluded_phones(&self.records, self.phones.len());
        let known = self.nominations.get(&key).is_some_and(|known| {
            let is_proven = known.proof.decision() == Some(ProofDecision::Proven);
            known.suspects == suspects
                && ((known.required_rate - required_rate).abs() < 1e-9
                    || is_proven && known.required_rate > required_rate)
        });
        if !known {
            self.nomination_count += 1;
            let number = f64::from(self.nomination_count);
            let share = 1.0 / (number * (number + 1.0));
            let earlier = self.windows_containing(candidate, &suspects);
            let error = LOWER_ERROR * share;
            let nomination = Nomination {
                proof: SequentialProof::new(required_rate, error, max_runs, earlier.pairs()),
                required_rate,
                suspects,
                suspect_tally: AttemptTally::default(),
                failed_before: earlier.has_failures(),
                share,
            };
            self.nominations.insert(key, nomination);
        }
        self.nominations
            .get_mut(&key)
            .expect("a nomination has been inserted")
    }

    /// True if a nominated candidate need not succeed every time, or if it, or one with at least its steps, has failed on the
    /// phones that count.
    pub(in crate::trace_reduction) fn is_noisy(&self, candidate: CandidateKey) -> bool {
        let nomination = self.nominations.get(&candidate);
        nomination.is_some_and(|nomination| {
            nomination.required_rate < HIGHEST_REQUIRED_RATE
                || nomination.failed_before
                || nomination.proof.tally().failures > 0
        })
    }

    /// True if phones that do not count in the proof of a candidate have reproduced it after all.
    pub(in crate::trace_reduction) fn has_recovered_phones(&self, candidate: CandidateKey) -> bool {
        let nomination = self.nominations.get(&candidate);
        nomination.is_some_and(Nomination::has_recovered_phones)
    }

    /// Names of the phones that do not count in the proof of a candidate.
    pub(in crate::trace_reduction) fn suspects(&self, candidate: CandidateKey) -> Vec<&str> {
        let nomination = self.nominations.get(&candidate).into_iter();
        let suspects = nomination.flat_map(|nomination| &nomination.suspects);
        suspects.map(|phone| self.phones[*phone].as_str()).collect()
    }

    pub(in crate::trace_reduction) fn is_nominated(&self, candidate: CandidateKey) -> bool {
        self.nominations.contains_key(&candidate)
    }

    pub(in crate::trace_reduction) fn nomination(
        &mut self,
        candidate: CandidateKey,
    ) -> Option<&mut Nomination> {
        self.nominations.get_mut(&candidate)
    }

    /// True if a phone has become suspect since the candidate was nominated.
    pub(in crate::trace_reduction) fn has_new_suspects(&self, candidate: CandidateKey) -> bool {
        let suspects = excluded_phones(&self.records, self.phones.len());
        self.nominations
            .get(&candidate)
            .is_some_and(|nomination| nomination.suspects != suspects)
    }

    /// Counts the next attempt of a proof, in the order of their starts; not on a phone that is suspect.
    pub(in crate::trace_reduction) fn count_proof(
        &mut self,
        candidate: CandidateKey,
        phone: &str,
        reached: bool,
    ) {
        let phone = self.phone_index(phone);
        match self.nominations.get_mut(&candidate) {
            Some(nomination) if nomination.suspects.contains(&phone) => {
                nomination.suspect_tally.count(reached);
            }
            Some(nomination) => nomination.proof.count(phone, reached),
            None => {}
        }
    }

    /// Attempts so far of all candidates that have at least the steps of this one, in order: if the target is reached with
    /// these, and only some phones fail, those have a bad phase.
    fn windows_containing(&self, candidate: &Candidate, suspects: &HashSet<usize>) -> PhoneWindows {
        let containing = self
            .records
            .values()
            .filter(|record| record.contains(candidate));
        let mut attempts: Vec<&LedgerAttempt> = containing
            .flat_map(|record| &record.attempts)
            .filter(|one| !suspects.contains(&one.phone))
            .collect();
        attempts.sort_unstable_by_key(|one| one.order);
        let mut windows = PhoneWindows::default();
        for one in attempts {
            windows.count(one.phone, one.reached);
        }
        windows
    }

    fn tally_without(&self, candidate: CandidateKey, suspects: &HashSet<usize>) -> AttemptTally {
        let mut tally = AttemptTally::default();
        let attempts = self.records.get(&candidate).into_iter();
        attempts
            .flat_map(|record| &record.attempts)
            .filter(|one| !suspects.contains(&one.phone))
            .for_each(|one| tally.count(one.reached));
        tally
    }

    fn phone_tallies(&self, candidate: CandidateKey) -> impl Iterator<Item = (usize, PhoneTally)> {
        let record = self.records.get(&candidate);
        let attempts = record.map_or(&[][..], |record| &record.attempts);
        self.phones
            .iter()
            .enumerate()
            .filter_map(move |(index, name)| {
                let mut tally = AttemptTally::default();
                attempts
                    .iter()
                    .filter(|one| one.phone == index)
                    .for_each(|one| tally.count(one.reached));
                let phone = name.clone();
                (tally.runs() > 0).then_some((index, PhoneTally { phone, tally }))
            })
    }

    fn phone_index(&mut self, name: &str) -> usize {
        let known = self.phones.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.phones.push(name.to_owned());
            self.phones.len() - 1
        })
    }
}

impl CandidateRecord {
    fn new(candidate: Candidate) -> CandidateRecord {
        CandidateRecord {
            candidate,
            attempts: Vec::new(),
            reproduces: false,
            failure: None,
            reached_after: None,
        }
    }

    /// True if it has all steps of another candidate, and the target of the trace.
    fn contains(&self, other: &Candidate) -> bool {
        let mut own = self.candidate.kept().iter();
        self.candidate.local_target().is_none()
            && other.kept().iter().all(|step| own.any(|kept| kept == step))
    }

    pub(super) fn attempts(&self) -> &[LedgerAttempt] {
        &self.attempts
    }
}

impl Nomination {
    /// A proof counts only if all attempts together do not contradict it.
    fn is_accepted(&self, tally: AttemptTally) -> bool {
        self.proof.decision() == Some(ProofDecision::Proven)
            && tally.rate() >= self.required_rate
            && !self.has_recovered_phones()
    }

    /// A suspect phone that reproduces after all had a bad phase, and so may others.
    fn has_recovered_phones(&self) -> bool {
        self.suspect_tally.rate() > MAX_SUCCESS_SHARE
    }
}
