//! The plan of a Bayesian reduction: the next attempt while beliefs leave anything open, then the nomination of the result. It
//! knows no phones and no clock; it is asked for an attempt whenever a phone is free, and receives every observation.

mod candidate_options;
mod first_attempts;
mod rejections;

use std::collections::BTreeMap;
use std::ops::Range;

use first_attempts::FirstAttempts;
use rejections::RejectedResult;
use retap_device::seed::Rng;

use super::super::PassCriterion;
use super::super::step_spans::StepSpans;
use super::belief_tracker::GroupBeliefs;
use super::beliefs::StepBeliefs;
use super::{EXCLUDED_BELOW, NEEDED_ABOVE, rate_test};
use crate::policy::AttemptTally;

/// Probability of being complete above which the remaining steps are nominated.
const NOMINATED_ABOVE: f64 = 0.95;
/// Probability of being complete above which a smaller candidate is accepted as a fallback.
const ACCEPTED_ABOVE: f64 = 0.9;
/// Fixed cost of an attempt, in steps: the start of the app, and a phone that is not free for others.
const ATTEMPT_OVERHEAD: f64 = 110.0;
/// Expected information, in bits, below which an attempt is not worth waiting for.
const MIN_INFORMATION: f64 = 0.01;
/// Length, relative to current candidates, above which an attempt is not worth waiting for.
const MAX_LENGTH_RATIO: f64 = 4.0;
/// Passes of propagation after an observation.
const PROPAGATION_PASSES: usize = 3;
/// Maximum number of observations of the search, as a multiple of the attempts of a check.
const SEARCH_BUDGET_FACTOR: u32 = 150;

/// Criterion for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AcceptanceCriterion {
    pub(super) runs: u32,
    pub(super) successes: u32,
    /// The original is measured, and no result may reach the target less often.
    pub(super) keep_rate: bool,
}

/// Chooses attempts by beliefs, and decides when the search ends.
#[derive(Debug)]
pub(super) struct BayesianPlanner {
    steps: usize,
    criterion: AcceptanceCriterion,
    rng: Rng,
    beliefs: StepBeliefs,
    /// Groups of steps in order, each with the probability that it contains a needed step.
    groups: Vec<(Range<u32>, f64)>,
    /// Steps of the pending attempts, by number.
    pending: BTreeMap<usize, StepSpans>,
    next_number: usize,
    observations: u32,
    first_attempts: FirstAttempts,
    /// Accepted candidates, the smallest last.
    accepted: Vec<StepSpans>,
    /// Nominated candidates that could not be proven.
    rejected: Vec<RejectedResult>,
    /// Number of larger candidates that were nominated because smaller ones could not be proven.
    fallbacks: usize,
    stage: PlannerStage,
}

#[derive(Debug)]
enum PlannerStage {
    /// Measures the rate of the original, because it is to be kept.
    Measuring,
    Searching,
    /// Measures the rate of the original, to compare it with that of a rejected result.
    Comparing,
    Decided(PlannerDecision),
}

/// Decision of a planner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlannerDecision {
    /// No attempt has reached the target, and enough have been made.
    DoesNotReproduce,
    /// Steps of a candidate to be proven.
    Nominated(StepSpans),
    /// No candidate can be proven. These steps reach the target as often as any, and are the fewest of those.
    Settled(StepSpans),
}

impl BayesianPlanner {
    pub(super) fn new(steps: usize, criterion: AcceptanceCriterion, rng: Rng) -> BayesianPlanner {
        let min_rate = 0.88 * f64::from(criterion.successes) / f64::from(criterion.runs);
        let mut planner = BayesianPlanner {
            steps,
            criterion,
            rng,
            beliefs: StepBeliefs::new(steps, min_rate),
            groups: Vec::new(),
            pending: BTreeMap::new(),
            next_number: 0,
            observations: 0,
            first_attempts: FirstAttempts::new(steps, criterion.runs),
            accepted: vec![StepSpans::prefix(steps)],
            rejected: Vec::new(),
            fallbacks: 0,
            stage: if criterion.keep_rate {
                PlannerStage::Measuring
            } else {
                PlannerStage::Searching
            },
        };
        planner.refresh_groups();
        planner
    }

    /// Counts attempts of the original that were made before.
    pub(super) fn learn_original(&mut self, tally: AttemptTally) {
        self.learn(&StepSpans::prefix(self.steps), tally);
        self.first_attempts.original.runs += tally.runs();
        self.first_attempts.original.tally.add(tally);
        self.first_attempts.has_reached |= tally.successes > 0;
        self.evaluate_original();
    }

    /// Next attempt: its number and the steps it keeps. `None` if pending attempts must be waited for.
    pub(super) fn next_attempt(&mut self) -> Option<(usize, StepSpans)> {
        let kept = match &self.stage {
            PlannerStage::Decided(_) => return None,
            PlannerStage::Measuring | PlannerStage::Comparing => {
                self.first_attempts.next_of_original(self.criterion.runs)?
            }
            PlannerStage::Searching => {
                let has_reduced = self.smallest().len() < self.steps;
                match self.first_attempts.next_attempt(has_reduced) {
                    Some(kept) => kept,
                    None if self.first_attempts.has_reached => self.most_informative_attempt()?,
                    None => return None,
                }
            }
        };
        let number = self.next_number;
        self.next_number += 1;
        self.pending.insert(number, kept.clone());
        Some((number, kept))
    }

    /// Counts an observation, updates the beliefs and decides whether the search continues. An attempt that reached the target
    /// before its last step was one of the steps until then.
    pub(super) fn observe(&mut self, number: usize, reached: bool, reached_after: Option<u32>) {
        let Some(mut kept) = self.pending.remove(&number) else {
            return;
        };
        self.observations += 1;
        self.first_attempts.observe(&kept, reached);
        let end = reached_after.map_or(kept.len(), |steps| steps as usize);
        if reached && end < kept.len() {
            kept = kept.slice(0..end);
        }
        self.beliefs.observe(&kept, reached);
        self.beliefs.propagate(PROPAGATION_PASSES);
        self.refresh_groups();
        self.evaluate_original();
        if matches!(self.stage, PlannerStage::Searching) {
            self.decide();
        }
    }

    pub(super) fn cancel(&mut self, number: usize) {
        if let Some(kept) = self.pending.remove(&number) {
            self.first_attempts.cancel(&kept);
        }
    }

    /// True if the observation of a pending attempt could still change a decision.
    pub(super) fn is_relevant(&self, number: usize) -> bool {
        let Some(kept) = self.pending.get(&number) else {
            return false;
        };
        match &self.stage {
            PlannerStage::Measuring => true,
            PlannerStage::Decided(_) => false,
            PlannerStage::Comparing => kept.len() == self.steps,
            PlannerStage::Searching => {
                // The empty candidate shows the background rate, the original whether the target is reached at all.
                if kept.is_empty() || !self.first_attempts.has_reached {
                    return true;
                }
                if kept.len() == self.steps && self.smallest().len() == self.steps {
                    return true;
                }
                let is_short = kept.len() as f64
                    <= MAX_LENGTH_RATIO * (self.smallest().len() as f64 + ATTEMPT_OVERHEAD);
                is_short
                    && self
                        .beliefs
                        .information_gain(self.beliefs.completeness(kept))
                        > MIN_INFORMATION
            }
        }
    }

    pub(super) fn decision(&self) -> Option<&PlannerDecision> {
        match &self.stage {
            PlannerStage::Decided(decision) => Some(decision),
            PlannerStage::Measuring | PlannerStage::Searching | PlannerStage::Comparing => None,
        }
    }

    /// Smallest accepted candidate.
    pub(super) fn smallest(&self) -> &StepSpans {
        &self.accepted[self.accepted.len() - 1]
    }

    /// Criterion that results must meet.
    pub(super) fn criterion(&self) -> PassCriterion {
        PassCriterion {
            runs: self.criterion.runs,
            successes: self.criterion.successes,
        }
    }

    /// Groups in order, each with the probability that it contains a needed step.
    pub(super) fn groups(&self) -> &GroupBeliefs {
        &self.groups
    }

    fn refresh_groups(&mut self) {
        self.groups.clear();
        self.groups.extend(self.beliefs.groups());
    }

    fn learn(&mut self, kept: &StepSpans, tally: AttemptTally) {
        for number in 0..tally.runs() {
            self.beliefs.observe(kept, number < tally.successes);
        }
        self.beliefs.propagate(PROPAGATION_PASSES);
        self.refresh_groups();
    }

    /// Learns from the rate of the original: how often a complete candidate can be expected to succeed, and how often a result
    /// must succeed if the rate is to be kept.
    fn evaluate_original(&mut self) {
        let tally = self.first_attempts.original.tally;
        let is_measured = tally.runs() >= self.criterion.runs;
        match self.stage {
            PlannerStage::Measuring if is_measured => {
                self.stage = PlannerStage::Searching;
                let runs = self.criterion.runs;
                let successes = (tally.rate() * f64::from(runs)).round() as u32;
                self.criterion.successes = rate_test::min_successes_not_lower(successes, runs);
                self.beliefs.expect_rate(tally.rate());
            }
            PlannerStage::Comparing if is_measured => self.search_on(),
            PlannerStage::Searching if self.first_attempts.is_original_flaky() => {
                self.beliefs.expect_flaky_original(tally.rate());
            }
            _ => {}
        }
    }

    /// Steps that are not excluded.
    fn remaining_steps(&self) -> StepSpans {
        let mut base = StepSpans::default();
        let kept = self
            .groups
            .iter()
            .filter(|(_, needed)| *needed >= EXCLUDED_BELOW);
        kept.for_each(|(group, _)| base.push(group.clone()));
        base
    }

    /// Candidate with the highest expected information per cost, discounted by its similarity to pending ones. `None` while
    /// others are pending and no candidate has any information.
    fn most_informative_attempt(&mut self) -> Option<StepSpans> {
        let base = self.remaining_steps();
        let pending_left_out: Vec<StepSpans> = self
            .pending
            .values()
            .map(|kept| base.difference(kept))
            .collect();
        let mut best_value = f64::MIN;
        let mut best = StepSpans::default();
        let mut most_information = 0.0_f64;
        for kept in self.candidate_options(&base) {
            let left_out = base.difference(&kept);
            let similarity: f64 = pending_left_out
                .iter()
                .map(|other| left_out.jaccard_index(other))
                .sum();
            let information = self
                .beliefs
                .information_gain(self.beliefs.completeness(&kept));
            most_information = most_information.max(information);
            let value = information / (kept.len() as f64 + ATTEMPT_OVERHEAD) / (1.0 + similarity);
            if value > best_value {
                best_value = value;
                best = kept;
            }
        }
        (most_information > MIN_INFORMATION || self.pending.is_empty()).then_some(best)
    }

    /// Accepts smaller candidates, and nominates one once nothing is open or the budget is spent.
    fn decide(&mut self) {
        if !self.first_attempts.has_reached {
            if self.first_attempts.is_exhausted() && self.pending.is_empty() {
                self.stage = PlannerStage::Decided(PlannerDecision::DoesNotReproduce);
            }
            return;
        }
        let base = self.remaining_steps();
        let complete = self.beliefs.completeness(&base);
        if base.len() < self.smallest().len() && complete > ACCEPTED_ABOVE {
            self.accepted.push(base.clone());
        }
        let is_open = self.groups.iter().any(|(group, needed)| {
            *needed >= EXCLUDED_BELOW && (group.len() > 1 || *needed < NEEDED_ABOVE)
        });
        let is_decided = !is_open && complete > NOMINATED_ABOVE;
        if is_decided || self.is_budget_spent() {
            if self.is_rejected(&base) {
                // The beliefs lead to the rejected candidate again.
                self.fall_back();
                return;
            }
            if *self.smallest() != base {
                self.accepted.push(base.clone());
            }
            self.nominate(base);
        }
    }

    fn nominate(&mut self, kept: StepSpans) {
        self.stage = PlannerStage::Decided(PlannerDecision::Nominated(kept));
    }

    fn is_budget_spent(&self) -> bool {
        self.observations > SEARCH_BUDGET_FACTOR * self.criterion.runs
    }
}
