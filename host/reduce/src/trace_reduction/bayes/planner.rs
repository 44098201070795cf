//! The plan of a Bayesian reduction: the next attempt while beliefs leave anything open, then the check of the result. It knows
//! no phones and no clock; it is asked for an attempt whenever a phone is free, and receives every observation.

mod candidate_options;

use std::collections::BTreeMap;
use std::ops::Range;

use retap_device::seed::Rng;

use super::super::step_spans::StepSpans;
use super::belief_tracker::GroupBeliefs;
use super::beliefs::StepBeliefs;
use super::{EXCLUDED_BELOW, NEEDED_ABOVE, rate_test};
use crate::policy::AttemptTally;

/// Probability of being complete above which the remaining steps are checked.
const CHECKED_ABOVE: f64 = 0.95;
/// Probability of being complete above which a smaller candidate is accepted as a fallback.
const ACCEPTED_ABOVE: f64 = 0.9;
/// First attempts of the empty candidate: many targets need no step.
const EMPTY_RUNS: u32 = 2;
/// Attempts of the empty candidate once it has succeeded, to measure its rate.
const MORE_EMPTY_RUNS: u32 = 8;
/// First attempts of the original.
const ORIGINAL_RUNS: u32 = 4;
/// Further attempts of the original per failure.
const MORE_ORIGINAL_RUNS: u32 = 5;
/// Fixed cost of an attempt, in steps: the start of the app, and a phone that is not free for others.
const ATTEMPT_OVERHEAD: f64 = 110.0;
/// Expected information, in bits, below which an attempt is not worth waiting for.
const MIN_INFORMATION: f64 = 0.01;
/// Length, relative to current candidates, above which an attempt is not worth waiting for.
const MAX_LENGTH_RATIO: f64 = 4.0;
/// Passes of propagation after an observation.
const PROPAGATION_PASSES: usize = 3;
/// Passes of propagation after a failed check.
const FINAL_PROPAGATION_PASSES: usize = 12;
/// Maximum number of observations of the search, as a multiple of the attempts of a check.
const SEARCH_BUDGET_FACTOR: u32 = 150;
/// Maximum number of larger results that are checked after a failed check.
const MAX_FALLBACKS: usize = 6;

/// Criterion for results and for the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AcceptanceCriterion {
    pub(super) runs: u32,
    pub(super) successes: u32,
    /// Successes that the original needs; fewer than a result.
    pub(super) original_successes: u32,
    /// The original is checked like a result, and no result may reach the target less often.
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
    original: AttemptCount,
    /// Attempts of the original that are made in any case, and waited for.
    original_required: u32,
    empty: AttemptCount,
    /// Accepted candidates, the smallest last.
    accepted: Vec<StepSpans>,
    stage: PlannerStage,
}

/// Started attempts of one candidate, and the tally of those with an observation.
#[derive(Clone, Copy, Debug, Default)]
struct AttemptCount {
    runs: u32,
    tally: AttemptTally,
}

#[derive(Debug)]
enum PlannerStage {
    /// Measures the success rate of the original.
    Measuring,
    Searching,
    Checking(ResultCheck),
    Ended(PlannerEnd),
}

/// Fresh attempts of a result.
#[derive(Debug)]
struct ResultCheck {
    kept: StepSpans,
    /// Number of smaller results whose checks have failed.
    fallbacks: usize,
    /// True if the first check of this result failed narrowly.
    is_retry: bool,
    /// Numbers of its attempts.
    attempts: Vec<usize>,
    tally: AttemptTally,
}

/// End of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlannerEnd {
    DoesNotReproduce,
    /// Steps of the result, and the tally of its check.
    Checked(StepSpans, AttemptTally),
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
            original: AttemptCount::default(),
            original_required: 0,
            empty: AttemptCount::default(),
            accepted: vec![StepSpans::prefix(steps)],
            stage: if criterion.keep_rate {
                PlannerStage::Measuring
            } else {
                PlannerStage::Searching
            },
        };
        planner.refresh_groups();
        planner
    }

    /// Next attempt: its number and the steps it keeps. `None` if pending attempts must be waited for.
    pub(super) fn next_attempt(&mut self) -> Option<(usize, StepSpans)> {
        let number = self.next_number;
        let kept = match &mut self.stage {
            PlannerStage::Ended(_) => return None,
            PlannerStage::Checking(check)
                if check.attempts.len() < self.criterion.runs as usize =>
            {
                check.attempts.push(number);
                check.kept.clone()
            }
            PlannerStage::Checking(_) => return None,
            PlannerStage::Measuring if self.original.runs < self.criterion.runs => {
                self.original.runs += 1;
                StepSpans::prefix(self.steps)
            }
            PlannerStage::Measuring => return None,
            PlannerStage::Searching => self
                .initial_attempt()
                .or_else(|| self.most_informative_attempt())?,
        };
        self.next_number += 1;
        self.pending.insert(number, kept.clone());
        Some((number, kept))
    }

    /// Counts an observation, updates the beliefs and decides whether the search continues.
    pub(super) fn observe(&mut self, number: usize, reached: bool) {
        let Some(kept) = self.pending.remove(&number) else {
            return;
        };
        self.observations += 1;
        if kept.len() == self.steps {
            self.original.tally.count(reached);
        } else if kept.is_empty() {
            self.empty.tally.count(reached);
        }
        self.beliefs.observe(&kept, reached);
        self.beliefs.propagate(PROPAGATION_PASSES);
        self.refresh_groups();
        self.evaluate_original();
        match &mut self.stage {
            PlannerStage::Searching => self.decide(),
            PlannerStage::Checking(check) if check.attempts.contains(&number) => {
                check.tally.count(reached);
                if check.tally.runs() == self.criterion.runs {
                    self.finish_check();
                }
            }
            PlannerStage::Measuring | PlannerStage::Checking(_) | PlannerStage::Ended(_) => {}
        }
    }

    pub(super) fn cancel(&mut self, number: usize) {
        let kept = self.pending.remove(&number);
        if kept.is_some_and(|kept| kept.len() == self.steps) {
            self.original.runs = self.original.runs.saturating_sub(1);
        }
    }

    /// True if the observation of a pending attempt could still change a decision.
    pub(super) fn is_relevant(&self, number: usize) -> bool {
        let Some(kept) = self.pending.get(&number) else {
            return false;
        };
        match &self.stage {
            PlannerStage::Measuring => true,
            PlannerStage::Ended(_) => false,
            PlannerStage::Checking(check) => check.attempts.contains(&number),
            PlannerStage::Searching => {
                // The empty candidate shows the background rate, the original whether the target is reached at all.
                if kept.is_empty() {
                    return true;
                }
                if kept.len() == self.steps
                    && (self.smallest().len() == self.steps || self.awaits_original())
                {
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

    pub(super) fn end(&self) -> Option<&PlannerEnd> {
        match &self.stage {
            PlannerStage::Ended(end) => Some(end),
            PlannerStage::Measuring | PlannerStage::Searching | PlannerStage::Checking(_) => None,
        }
    }

    /// Smallest accepted candidate.
    pub(super) fn smallest(&self) -> &StepSpans {
        &self.accepted[self.accepted.len() - 1]
    }

    /// Steps of a pending attempt.
    pub(super) fn kept(&self, number: usize) -> Option<&StepSpans> {
        self.pending.get(&number)
    }

    /// True for attempts of the current check.
    pub(super) fn is_check(&self, number: usize) -> bool {
        matches!(&self.stage, PlannerStage::Checking(check) if check.attempts.contains(&number))
    }

    /// Number of successes that a check needs.
    pub(super) fn successes(&self) -> u32 {
        self.criterion.successes
    }

    /// Groups in order, each with the probability that it contains a needed step.
    pub(super) fn groups(&self) -> &GroupBeliefs {
        &self.groups
    }

    pub(super) fn original_tally(&self) -> AttemptTally {
        self.original.tally
    }

    fn refresh_groups(&mut self) {
        self.groups.clear();
        self.groups.extend(self.beliefs.groups());
    }

    /// Decides whether the original reproduces, and how often a result must succeed if the rate is to be kept.
    fn evaluate_original(&mut self) {
        let AttemptTally {
            successes,
            failures,
        } = self.original.tally;
        if !self.criterion.keep_rate {
            if failures > self.criterion.runs - self.criterion.original_successes {
                self.stage = PlannerStage::Ended(PlannerEnd::DoesNotReproduce);
            } else if failures > 1
                && failures * self.criterion.runs
                    > (successes + failures)
                        * (self.criterion.runs - self.criterion.original_successes)
            {
                // The original seems not to reproduce: that is decided before the search continues.
                self.original_required = self.criterion.runs;
            }
        } else if successes + failures == self.criterion.runs
            && matches!(self.stage, PlannerStage::Measuring)
        {
            self.stage = PlannerStage::Searching;
            if successes == 0 {
                self.stage = PlannerStage::Ended(PlannerEnd::DoesNotReproduce);
            }
            self.criterion.successes =
                rate_test::min_successes_not_lower(successes, self.criterion.runs);
            self.criterion.original_successes = 1;
            self.beliefs
                .expect_rate(f64::from(successes) / f64::from(self.criterion.runs));
        }
    }

    /// First attempts, which need no beliefs.
    fn initial_attempt(&mut self) -> Option<StepSpans> {
        let wanted_empty = if self.empty.tally.successes > 0 {
            MORE_EMPTY_RUNS
        } else {
            EMPTY_RUNS
        };
        if self.empty.runs < wanted_empty {
            self.empty.runs += 1;
            return Some(StepSpans::default());
        }
        let wanted = (ORIGINAL_RUNS + MORE_ORIGINAL_RUNS * self.original.tally.failures)
            .min(self.criterion.runs);
        let has_reduced = self.smallest().len() < self.steps;
        if self.original.runs < wanted && !has_reduced
            || self.original.runs < self.original_required
        {
            self.original.runs += 1;
            return Some(StepSpans::prefix(self.steps));
        }
        None
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

    /// Accepts smaller candidates, and starts the check once nothing is open or the budget is spent.
    fn decide(&mut self) {
        let base = self.remaining_steps();
        let complete = self.beliefs.completeness(&base);
        if base.len() < self.smallest().len() && complete > ACCEPTED_ABOVE {
            self.accepted.push(base.clone());
        }
        let is_open = self.groups.iter().any(|(group, needed)| {
            *needed >= EXCLUDED_BELOW && (group.len() > 1 || *needed < NEEDED_ABOVE)
        });
        let is_decided = !is_open && complete > CHECKED_ABOVE && !self.awaits_original();
        if is_decided || self.is_budget_spent() {
            if *self.smallest() != base {
                self.accepted.push(base.clone());
            }
            self.start_check(base, 0, false);
        }
    }

    fn is_budget_spent(&self) -> bool {
        self.observations > SEARCH_BUDGET_FACTOR * self.criterion.runs
    }

    /// True if required attempts of the original are missing.
    fn awaits_original(&self) -> bool {
        self.original.tally.runs() < self.original_required
    }

    fn start_check(&mut self, kept: StepSpans, fallbacks: usize, is_retry: bool) {
        self.stage = PlannerStage::Checking(ResultCheck {
            kept,
            fallbacks,
            is_retry,
            attempts: Vec::new(),
            tally: AttemptTally::default(),
        });
    }

    /// Decides after all attempts of a check. If it failed, either the beliefs were wrong and the search continues, or a larger
    /// accepted candidate is checked.
    fn finish_check(&mut self) {
        let PlannerStage::Checking(check) =
            std::mem::replace(&mut self.stage, PlannerStage::Searching)
        else {
            return;
        };
        if check.tally.successes >= self.criterion.successes {
            self.stage = PlannerStage::Ended(PlannerEnd::Checked(check.kept, check.tally));
            return;
        }
        self.beliefs.propagate(FINAL_PROPAGATION_PASSES);
        self.refresh_groups();
        if !self.is_budget_spent() {
            if self.beliefs.completeness(&check.kept) < ACCEPTED_ABOVE {
                self.accepted
                    .retain(|accepted| accepted.len() > check.kept.len());
                return;
            }
            // A check that would do for the original may be bad luck: one in six good results meets it.
            if !check.is_retry
                && !self.criterion.keep_rate
                && check.tally.successes >= self.criterion.original_successes
            {
                self.start_check(check.kept, check.fallbacks, true);
                return;
            }
        }
        self.accepted.pop_if(|smallest| *smallest == check.kept);
        let others = self.observations - self.beliefs.attempts_of(&check.kept);
        if !self.is_budget_spent()
            && others < self.criterion.runs
            && self.original.tally.runs() < self.criterion.runs
        {
            // The beliefs trust a failing result because too little is known of the original's rate: measure it.
            self.original_required = self.criterion.runs;
            return;
        }
        self.fall_back(check);
    }

    /// Checks a larger accepted candidate instead, and the original at last.
    fn fall_back(&mut self, failed: ResultCheck) {
        let ResultCheck {
            kept,
            fallbacks,
            tally,
            ..
        } = failed;
        match self.accepted.last() {
            Some(larger) if fallbacks < MAX_FALLBACKS => {
                self.start_check(larger.clone(), fallbacks + 1, false);
            }
            _ if kept.len() < self.steps => {
                self.start_check(StepSpans::prefix(self.steps), fallbacks + 1, false);
            }
            // The original needs fewer successes than a result. With fewer than those it does not reproduce.
            _ if tally.successes < self.criterion.original_successes => {
                self.stage = PlannerStage::Ended(PlannerEnd::DoesNotReproduce);
            }
            _ => self.stage = PlannerStage::Ended(PlannerEnd::Checked(kept, tally)),
        }
    }
}
