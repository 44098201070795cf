//! Phones that never reproduce what others do. Such a phone is broken or different, and its attempts are no noise of the target.

use std::collections::{HashMap, HashSet};

use super::attempt_ledger::CandidateRecord;
use crate::oracle::CandidateKey;

/// Probability, for all phones together, that a phone like the others has only failures by bad luck.
const SIGNIFICANCE_LEVEL: f64 = 0.001;

/// Number of phones for each one whose attempts do not count.
const MIN_PHONES_PER_EXCLUDED: usize = 10;

/// Attempts of one phone at candidates that other phones have reproduced.
#[derive(Clone, Copy, Debug)]
struct PhoneHistory {
    reproduces: bool,
    /// Probability of all its failures if the failures of each candidate fall on its attempts at random.
    chance: f64,
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

/// Indices of the phones without any success whose failures are no bad luck. At most a minority of the phones.
pub(super) fn find_suspects(
    records: &HashMap<CandidateKey, CandidateRecord>,
    phones: usize,
) -> HashSet<usize> {
    if phones < 2 {
        return HashSet::new();
    }
    let mut histories = vec![
        PhoneHistory {
            reproduces: false,
            chance: 1.0
        };
        phones
    ];
    for record in records.values() {
        add_candidate(record, &mut histories);
    }
    let level = SIGNIFICANCE_LEVEL / phones as f64;
    let suspects: HashSet<usize> = histories
        .iter()
        .enumerate()
        .filter(|(_, history)| !history.reproduces && history.chance < level)
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
    let all = attempts.len();
    let failures = attempts.iter().filter(|one| !one.reached).count();
    for one in attempts.iter().filter(|one| one.reached) {
        histories[one.phone].reproduces = true;
    }
    if failures == 0 || failures == all {
        return;
    }
    // Attempts of a phone are drawn from all of the candidate, one after the other, without putting them back.
    let mut drawn = vec![0_usize; histories.len()];
    for one in attempts {
        let before = drawn[one.phone];
        drawn[one.phone] += 1;
        histories[one.phone].chance *=
            failures.saturating_sub(before) as f64 / (all - before) as f64;
    }
}
