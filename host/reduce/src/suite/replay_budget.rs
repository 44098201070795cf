//! The budget of a suite reduction in replays and phone time. A part of it is kept for the check of the result.

use retap_shared::micros::Micros;

use super::SuiteSettings;
use super::reduction::SuiteCost;

/// Share of the budget, as a divisor, that the search leaves to the check at most.
const MAX_RESERVED_SHARE: u64 = 4;

/// Replays and phone time that a reduction can spend.
#[derive(Debug)]
pub(super) struct ReplayBudget {
    max_runs: Option<u64>,
    /// Phone time of all phones together.
    max_took: Option<u64>,
    reserved_runs: u64,
    reserved_took: u64,
}

impl ReplayBudget {
    pub(super) fn new(settings: &SuiteSettings, phones: usize) -> ReplayBudget {
        let of_all_phones = |limit: Micros| limit.0.saturating_mul(phones.max(1) as u64);
        ReplayBudget {
            max_runs: settings.max_runs,
            max_took: settings.max_phone_time.map(of_all_phones),
            reserved_runs: 0,
            reserved_took: 0,
        }
    }

    /// Keeps what the check of the best suite so far needs, up to a share of the budget.
    pub(super) fn reserve(&mut self, runs: u64, took: u64) {
        let share = |max: Option<u64>| max.map_or(0, |max| max / MAX_RESERVED_SHARE);
        self.reserved_runs = runs.min(share(self.max_runs));
        self.reserved_took = took.min(share(self.max_took));
    }

    /// True if no further replay can be started.
    pub(super) fn is_spent(&self, cost: &SuiteCost, under_way: usize) -> bool {
        let runs = cost.runs + under_way as u64 + self.reserved_runs;
        let took = cost.took.0.saturating_add(self.reserved_took);
        self.max_runs.is_some_and(|max| runs >= max) || self.max_took.is_some_and(|max| took >= max)
    }
}
