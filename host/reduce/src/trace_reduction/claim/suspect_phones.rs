//! Phones that never, or hardly ever, reproduce what others do. Such a phone is broken or different, and its attempts are no
//! noise of the target.

use std::collections::{HashMap, HashSet};

use super::attempt_ledger::CandidateRecord;
use crate::oracle::CandidateKey;

/// Probability, for all phones together, that a phone like the others has so few successes by bad luck.
const SIGNIFICANCE_LEVEL: f64 = 0.001;
/// Share of the expected successes up to which a phone hardly ever reproduces what others do.
pub(super) const MAX_SUCCESS_SHARE: f64 = 0.25;
/// Number of phones for each one whose attempts do not count.
const MIN_PHONES_PER_EXCLUDED: usize = 10;

/// Attempts of one phone at candidates that reproduce.
#[derive(Clone, Copy, Debug, Default)]
struct PhoneHistory {
    runs: f64,
    successes: f64,
    /// Number of successes that is expected if the successes of each candidate fall on its attempts by chance.
    expected: f64,
}

/// Suspect phones whose attempts do not count. At most one phone of ten: a phone that is bad for an hour looks the same as one
/// that is broken, and a claim must not rest on leaving out several of those.
pub(super) fn excluded_phones(
    records: &HashMap<CandidateKey, CandidateRecord>,
    phones: usize,
) -> HashSet<usize> {
    let suspects = find_suspects(records, phones);
    if suspects.len() * MIN_PHONES_PER_EXCLUDED <= phones {
        suspects
    } else {
        HashSet::new()
    }
}

/// Indices of the phones with hardly any success whose failures are no bad luck. At most a minority of the phones.
pub(super) fn find_suspects(
    records: &HashMap<CandidateKey, CandidateRecord>,
    phones: usize,
) -> HashSet<usize> {
    if phones < 2 {
        return HashSet::new();
    }
    let mut histories = vec![PhoneHistory::default(); phones];
    for record in records.values() {
        add_candidate(record, &mut histories);
    }
    let level = SIGNIFICANCE_LEVEL / phones as f64;
    let suspects: HashSet<usize> = histories
        .iter()
        .enumerate()
        .filter(|(_, history)| history.hardly_reproduces() && history.log_chance() < level.ln())
        .map(|(phone, _)| phone)
        .collect();
    if suspects.len() * 2 < phones {
        suspects
    } else {
        HashSet::new()
    }
}

fn add_candidate(record: &CandidateRecord, histories: &mut [PhoneHistory]) {
    let attempts = record.attempts();
    let successes = attempts.iter().filter(|one| one.reached).count();
    if successes == 0 {
        return;
    }
    let rate = successes as f64 / attempts.len() as f64;
    for one in attempts {
        let history = &mut histories[one.phone];
        history.runs += 1.0;
        history.expected += rate;
        history.successes += f64::from(u8::from(one.reached));
    }
}

impl PhoneHistory {
    fn hardly_reproduces(&self) -> bool {
        self.successes <= MAX_SUCCESS_SHARE * self.expected
    }

    /// Upper bound of the logarithm of the probability of so few successes, if the phone is like the others (Chernoff and
    /// Hoeffding; it holds for draws without putting back).
    fn log_chance(&self) -> f64 {
        if self.successes >= self.expected {
            return 0.0;
        }
        let failures = self.runs - self.successes;
        let term = |count: f64, expected: f64| {
            if count > 0.0 {
                count * (expected / count).ln()
            } else {
                0.0
            }
        };
        term(self.successes, self.expected) + term(failures, self.runs - self.expected)
    }
}
