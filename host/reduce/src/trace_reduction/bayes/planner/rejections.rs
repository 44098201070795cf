//! Decision after a nominated candidate could not be proven: the search continues, a larger candidate is nominated, or the
//! best of the rejected ones is the result.

use super::super::super::step_spans::StepSpans;
use super::super::rate_test::is_significantly_lower;
use super::{ACCEPTED_ABOVE, BayesianPlanner, PlannerDecision, PlannerStage};
use crate::policy::AttemptTally;

/// Passes of propagation after a failed proof.
const FINAL_PROPAGATION_PASSES: usize = 12;
/// Maximum number of nominations after which the search continues.
const MAX_REJECTIONS: usize = 6;
/// Maximum number of larger candidates that are nominated after a failed proof.
const MAX_FALLBACKS: usize = 6;
/// Ratio of lengths between a rejected candidate and the next larger one that is nominated.
const FALLBACK_GROWTH: f64 = 1.5;

/// A candidate that could not be proven, and all its attempts.
#[derive(Clone, Debug)]
pub(super) struct RejectedResult {
    kept: StepSpans,
    tally: AttemptTally,
}

impl BayesianPlanner {
    /// Takes note that the nominated candidate could not be proven: by `proof`, its attempts since it was nominated, of `all`.
    /// Either the beliefs change and the search continues, or the rate of the original shows whether more can be expected.
    pub(in super::super) fn reject(&mut self, proof: AttemptTally, all: AttemptTally) {
        let stage = std::mem::replace(&mut self.stage, PlannerStage::Searching);
        let PlannerStage::Decided(PlannerDecision::Nominated(kept)) = stage else {
            return;
        };
        self.learn(&kept, proof);
        self.beliefs.propagate(FINAL_PROPAGATION_PASSES);
        self.refresh_groups();
        if kept.len() == self.steps {
            self.first_attempts.original.runs += proof.runs();
            self.first_attempts.original.tally.add(proof);
        }
        self.rejected.push(RejectedResult {
            kept: kept.clone(),
            tally: all,
        });
        self.accepted
            .retain(|accepted| accepted.len() > kept.len() || accepted.len() == self.steps);
        if self.first_attempts.original.tally.runs() < self.criterion.runs {
            // Whether more can be expected depends on how often the whole trace succeeds.
            self.stage = PlannerStage::Comparing;
        } else {
            self.search_on();
        }
    }

    /// Continues the search if the last rejected candidate seems incomplete, now that the rate of the original is known.
    pub(super) fn search_on(&mut self) {
        let is_doubtful = self
            .rejected
            .last()
            .is_some_and(|rejected| self.beliefs.completeness(&rejected.kept) < ACCEPTED_ABOVE);
        if is_doubtful && !self.is_budget_spent() && self.rejected.len() < MAX_REJECTIONS {
            self.stage = PlannerStage::Searching;
        } else {
            self.fall_back();
        }
    }

    /// True if a candidate with these steps could not be proven.
    pub(super) fn is_rejected(&self, kept: &StepSpans) -> bool {
        self.rejected.iter().any(|one| one.kept == *kept)
    }

    /// Nominates a larger accepted candidate, or settles for the best one so far.
    pub(super) fn fall_back(&mut self) {
        let original = self.first_attempts.original.tally;
        let rejected = best_of(self.rejected.clone());
        // One larger candidate is always worth a try: the rate of the whole trace may be low because it is long.
        let is_worth_trying = self.fallbacks == 0
            || rejected.is_some_and(|best| is_significantly_lower(best.tally, original));
        let longest = self.rejected.last().map_or(0, |one| one.kept.len());
        let min_length = FALLBACK_GROWTH * longest as f64;
        let larger = self.accepted.iter().rev().find(|accepted| {
            accepted.len() as f64 >= min_length
                && accepted.len() < self.steps
                && !self.is_rejected(accepted)
        });
        match larger.cloned() {
            Some(larger) if is_worth_trying && self.fallbacks < MAX_FALLBACKS => {
                self.fallbacks += 1;
                self.nominate(larger);
            }
            _ => {
                let whole = StepSpans::prefix(self.steps);
                let mut rated = self.rejected.clone();
                rated.push(RejectedResult {
                    kept: whole.clone(),
                    tally: original,
                });
                let settled = best_of(rated).map_or(whole, |best| best.kept);
                self.stage = PlannerStage::Decided(PlannerDecision::Settled(settled));
            }
        }
    }
}

/// Shortest candidate that no other one clearly surpasses.
fn best_of(mut rated: Vec<RejectedResult>) -> Option<RejectedResult> {
    rated.sort_by_key(|one| one.kept.len());
    let is_surpassed = |one: &RejectedResult| {
        let is_better = |other: &RejectedResult| is_significantly_lower(one.tally, other.tally);
        rated.iter().any(is_better)
    };
    let best = rated
        .iter()
        .find(|one| one.tally.successes > 0 && !is_surpassed(one));
    best.or(rated.last()).cloned()
}
