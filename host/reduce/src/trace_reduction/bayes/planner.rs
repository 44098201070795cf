//! Which run to make next, as long as beliefs leave anything open; then the runs that prove the result. It knows no phones
//! and no clock: it is asked for a run whenever a phone is free, and told what each has shown.

mod candidate_options;

use std::collections::BTreeMap;
use std::ops::Range;

use retap_device::seed::Rng;

use super::super::step_spans::StepSpans;
use super::belief_tracker::GroupBeliefs;
use super::beliefs::StepBeliefs;
use super::rate_test;
use crate::policy::AttemptTally;

/// A group of steps that is needed with a lower chance than this is left out of every further run.
const EXCLUDED_BELOW: f64 = 0.01;
/// A step that is needed with this chance is done with.
const NEEDED_ABOVE: f64 = 0.98;
/// What is left is checked once it has all that is needed with this chance.
const CHECKED_ABOVE: f64 = 0.95;
/// A smaller trace with this chance is one to step back to.
const ACCEPTED_ABOVE: f64 = 0.9;
/// The first runs: of nothing, which many targets need, and of everything. If nothing is enough sometimes, more of the former
/// show how often; each failure of the latter asks for more of them.
const EMPTY_RUNS: u32 = 2;
const MORE_EMPTY_RUNS: u32 = 8;
const WHOLE_RUNS: u32 = 4;
const MORE_WHOLE_RUNS: u32 = 5;
/// What a run costs beside its steps: the start, and a phone that is not free for others. In steps.
const ATTEMPT_OVERHEAD: f64 = 110.0;
/// An answer worth less than this is not waited for.
const MIN_INFORMATION: f64 = 0.01;
/// A run so much longer than those that are made now is not waited for either.
const MAX_LENGTH_RATIO: f64 = 4.0;
/// Passes of belief after an answer, and before a decision.
const PROPAGATION_PASSES: usize = 3;
const FINAL_PROPAGATION_PASSES: usize = 12;
/// Searching ends after so many times the runs of a check, whatever is still open.
const SEARCH_BUDGET_FACTOR: u32 = 150;
/// Results that are checked before the last one is taken as it is.
const MAX_FALLBACKS: usize = 6;

/// When something passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AcceptanceCriterion {
    pub(super) runs: u32,
    pub(super) successes: u32,
    /// Of the whole trace less is asked.
    pub(super) whole_successes: u32,
    /// The whole trace is run as often as a result, and then no result may do it less often.
    pub(super) keep_rate: bool,
}

#[derive(Debug)]
pub(super) struct BayesianPlanner {
    steps: usize,
    criterion: AcceptanceCriterion,
    rng: Rng,
    belief: StepBeliefs,
    /// Steps that are believed of as one, in order, each group with the chance that it has a needed one.
    groups: Vec<(Range<u32>, f64)>,
    pending: BTreeMap<usize, StepSpans>,
    next_number: usize,
    observations: u32,
    whole: AttemptCount,
    /// Runs of the whole trace that are made in any case, and waited for.
    whole_required: u32,
    empty: AttemptCount,
    /// Every accepted trace, the smallest last.
    accepted: Vec<StepSpans>,
    stage: PlannerStage,
}

#[derive(Clone, Copy, Debug, Default)]
struct AttemptCount {
    runs: u32,
    tally: AttemptTally,
}

#[derive(Debug)]
enum PlannerStage {
    /// How often the whole trace does it.
    Measuring,
    Searching,
    Checking(ResultCheck),
    Ended(PlannerEnd),
}

#[derive(Debug)]
struct ResultCheck {
    kept: StepSpans,
    /// How many accepted results were given up for this one.
    fallbacks: usize,
    /// Whether it had failed narrowly before.
    is_retry: bool,
    runs: Vec<usize>,
    tally: AttemptTally,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlannerEnd {
    DoesNotReproduce,
    /// What is left, and what its fresh runs showed.
    Checked(StepSpans, AttemptTally),
}

impl BayesianPlanner {
    pub(super) fn new(steps: usize, pass: AcceptanceCriterion, rng: Rng) -> BayesianPlanner {
        let floor = 0.88 * f64::from(pass.successes) / f64::from(pass.runs);
        let mut plan = BayesianPlanner {
            steps,
            criterion: pass,
            rng,
            belief: StepBeliefs::new(steps, floor),
            groups: Vec::new(),
            pending: BTreeMap::new(),
            next_number: 0,
            observations: 0,
            whole: AttemptCount::default(),
            whole_required: 0,
            empty: AttemptCount::default(),
            accepted: vec![StepSpans::prefix(steps)],
            stage: if pass.keep_rate {
                PlannerStage::Measuring
            } else {
                PlannerStage::Searching
            },
        };
        plan.refresh_groups();
        plan
    }

    /// The next run: its number and the steps it keeps. `None` if there is nothing to do but wait.
    pub(super) fn next_attempt(&mut self) -> Option<(usize, StepSpans)> {
        let number = self.next_number;
        let kept = match &mut self.stage {
            PlannerStage::Ended(_) => return None,
            PlannerStage::Checking(check) if check.runs.len() < self.criterion.runs as usize => {
                check.runs.push(number);
                check.kept.clone()
            }
            PlannerStage::Checking(_) => return None,
            PlannerStage::Measuring if self.whole.runs < self.criterion.runs => {
                self.whole.runs += 1;
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

    /// Counts an answer, and decides what follows from it.
    pub(super) fn observe(&mut self, number: usize, reached: bool) {
        let Some(kept) = self.pending.remove(&number) else {
            return;
        };
        self.observations += 1;
        if kept.len() == self.steps {
            self.whole.tally.count(reached);
        } else if kept.is_empty() {
            self.empty.tally.count(reached);
        }
        self.belief.observe(&kept, reached);
        self.belief.propagate(PROPAGATION_PASSES);
        self.refresh_groups();
        self.evaluate_whole();
        match &mut self.stage {
            PlannerStage::Searching => self.decide(),
            PlannerStage::Checking(check) if check.runs.contains(&number) => {
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
            self.whole.runs = self.whole.runs.saturating_sub(1);
        }
    }

    /// Whether the answer to a run that is under way could still change anything.
    pub(super) fn is_relevant(&self, number: usize) -> bool {
        let Some(kept) = self.pending.get(&number) else {
            return false;
        };
        match &self.stage {
            PlannerStage::Measuring => true,
            PlannerStage::Ended(_) => false,
            PlannerStage::Checking(check) => check.runs.contains(&number),
            PlannerStage::Searching => {
                // Nothing shows how often it comes by itself, everything whether it comes at all.
                if kept.is_empty() {
                    return true;
                }
                if kept.len() == self.steps
                    && (self.smallest().len() == self.steps || self.awaits_whole())
                {
                    return true;
                }
                let short = kept.len() as f64
                    <= MAX_LENGTH_RATIO * (self.smallest().len() as f64 + ATTEMPT_OVERHEAD);
                short
                    && self.belief.information_gain(self.belief.completeness(kept))
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

    /// The smallest trace that is held to have all that is needed.
    pub(super) fn smallest(&self) -> &StepSpans {
        &self.accepted[self.accepted.len() - 1]
    }

    /// What a run that is under way keeps.
    pub(super) fn kept(&self, number: usize) -> Option<&StepSpans> {
        self.pending.get(&number)
    }

    /// Whether a run is one of those that prove a result.
    pub(super) fn is_check(&self, number: usize) -> bool {
        matches!(&self.stage, PlannerStage::Checking(check) if check.runs.contains(&number))
    }

    /// How many successes a check needs.
    pub(super) fn successes(&self) -> u32 {
        self.criterion.successes
    }

    /// In order, each with the chance that it has a needed step.
    pub(super) fn groups(&self) -> &GroupBeliefs {
        &self.groups
    }

    pub(super) fn whole_tally(&self) -> AttemptTally {
        self.whole.tally
    }

    fn refresh_groups(&mut self) {
        self.groups.clear();
        self.groups.extend(self.belief.groups());
    }

    /// Whether the whole trace does it often enough; and how often a result must do it if that is to be kept.
    fn evaluate_whole(&mut self) {
        let AttemptTally {
            successes,
            failures,
        } = self.whole.tally;
        if !self.criterion.keep_rate {
            if failures > self.criterion.runs - self.criterion.whole_successes {
                self.stage = PlannerStage::Ended(PlannerEnd::DoesNotReproduce);
            } else if failures > 1
                && failures * self.criterion.runs
                    > (successes + failures)
                        * (self.criterion.runs - self.criterion.whole_successes)
            {
                // It looks as if it had to be refused: that is found out before anything else is believed.
                self.whole_required = self.criterion.runs;
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
            self.criterion.whole_successes = 1;
            self.belief
                .expect_rate(f64::from(successes) / f64::from(self.criterion.runs));
        }
    }

    /// What no belief is needed for.
    fn initial_attempt(&mut self) -> Option<StepSpans> {
        let empty = if self.empty.tally.successes > 0 {
            MORE_EMPTY_RUNS
        } else {
            EMPTY_RUNS
        };
        if self.empty.runs < empty {
            self.empty.runs += 1;
            return Some(StepSpans::default());
        }
        let whole =
            (WHOLE_RUNS + MORE_WHOLE_RUNS * self.whole.tally.failures).min(self.criterion.runs);
        let search_has_begun = self.smallest().len() < self.steps;
        if self.whole.runs < whole && !search_has_begun || self.whole.runs < self.whole_required {
            self.whole.runs += 1;
            return Some(StepSpans::prefix(self.steps));
        }
        None
    }

    /// All steps that are not left out for good.
    fn remaining_steps(&self) -> StepSpans {
        let mut base = StepSpans::default();
        let kept = self
            .groups
            .iter()
            .filter(|(_, needed)| *needed >= EXCLUDED_BELOW);
        kept.for_each(|(group, _)| base.push(group.clone()));
        base
    }

    /// The run that tells most for what it costs. One that is like others under way tells less. While others are waited for,
    /// none at all if it tells next to nothing.
    fn most_informative_attempt(&mut self) -> Option<StepSpans> {
        let base = self.remaining_steps();
        let under_way: Vec<StepSpans> = self
            .pending
            .values()
            .map(|kept| base.difference(kept))
            .collect();
        let mut best = (f64::MIN, StepSpans::default());
        let mut most = 0.0_f64;
        for kept in self.candidate_options(&base) {
            let left_out = base.difference(&kept);
            let alike: f64 = under_way
                .iter()
                .map(|other| left_out.jaccard_index(other))
                .sum();
            let bits = self
                .belief
                .information_gain(self.belief.completeness(&kept));
            most = most.max(bits);
            let worth = bits / (kept.len() as f64 + ATTEMPT_OVERHEAD) / (1.0 + alike);
            if worth > best.0 {
                best = (worth, kept);
            }
        }
        (most > MIN_INFORMATION || self.pending.is_empty()).then_some(best.1)
    }

    fn decide(&mut self) {
        let base = self.remaining_steps();
        let complete = self.belief.completeness(&base);
        if base.len() < self.smallest().len() && complete > ACCEPTED_ABOVE {
            self.accepted.push(base.clone());
        }
        let open = self.groups.iter().any(|(group, needed)| {
            *needed >= EXCLUDED_BELOW && (group.len() > 1 || *needed < NEEDED_ABOVE)
        });
        let spent = self.observations > SEARCH_BUDGET_FACTOR * self.criterion.runs;
        if !open && complete > CHECKED_ABOVE && !self.awaits_whole() || spent {
            if *self.smallest() != base {
                self.accepted.push(base.clone());
            }
            self.start_check(base, 0);
        }
    }

    /// Whether runs of the whole trace are missing that are made in any case.
    fn awaits_whole(&self) -> bool {
        self.whole.tally.runs() < self.whole_required
    }

    fn start_check(&mut self, kept: StepSpans, back: usize) {
        let again = false;
        let runs = Vec::new();
        let tally = AttemptTally::default();
        self.stage = PlannerStage::Checking(ResultCheck {
            kept,
            fallbacks: back,
            is_retry: again,
            runs,
            tally,
        });
    }

    /// All runs of a check are there. If they do not suffice, either the belief was wrong, and the search goes on, or the
    /// accepted result before it is checked.
    fn finish_check(&mut self) {
        let PlannerStage::Checking(check) =
            std::mem::replace(&mut self.stage, PlannerStage::Searching)
        else {
            return;
        };
        let ResultCheck {
            kept,
            fallbacks: back,
            is_retry: again,
            tally,
            ..
        } = check;
        if tally.successes >= self.criterion.successes {
            self.stage = PlannerStage::Ended(PlannerEnd::Checked(kept, tally));
            return;
        }
        self.belief.propagate(FINAL_PROPAGATION_PASSES);
        self.refresh_groups();
        let spent = self.observations > SEARCH_BUDGET_FACTOR * self.criterion.runs;
        if !spent && self.belief.completeness(&kept) < ACCEPTED_ABOVE {
            self.accepted.retain(|accepted| accepted.len() > kept.len());
            return;
        }
        // What is enough for a whole trace and not for a result may be bad luck: one in six that are good enough meet it.
        if !spent
            && !again
            && !self.criterion.keep_rate
            && tally.successes >= self.criterion.whole_successes
        {
            self.start_check(kept, back);
            if let PlannerStage::Checking(check) = &mut self.stage {
                check.is_retry = true;
            }
            return;
        }
        self.accepted.pop_if(|smallest| *smallest == kept);
        let others = self.observations - self.belief.attempts_of(&kept);
        if !spent && others < self.criterion.runs && self.whole.tally.runs() < self.criterion.runs {
            // Too good a belief in what has failed: how often is often enough was guessed too low.
            self.whole_required = self.criterion.runs;
            return;
        }
        match self.accepted.last() {
            Some(larger) if back < MAX_FALLBACKS => self.start_check(larger.clone(), back + 1),
            _ if kept.len() < self.steps => {
                self.start_check(StepSpans::prefix(self.steps), back + 1);
            }
            // Less is asked of the whole trace than of a result, and less than that is no reproducing.
            _ if tally.successes < self.criterion.whole_successes => {
                self.stage = PlannerStage::Ended(PlannerEnd::DoesNotReproduce);
            }
            _ => self.stage = PlannerStage::Ended(PlannerEnd::Checked(kept, tally)),
        }
    }
}
