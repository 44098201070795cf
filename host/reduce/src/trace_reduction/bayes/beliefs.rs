//! Beliefs that steps are needed, by loopy belief propagation. A complete candidate (one with all needed steps) reaches the target
//! with one rate, an incomplete one with a lower rate; both are estimated. Each candidate is a factor over the steps it left
//! out, and messages between factors and steps are updated until they converge.

mod group_set;
mod messages;
mod rates;
#[cfg(test)]
mod tests;

use std::ops::Range;

use group_set::GroupSet;
use messages::{FactorMessages, MAX_PRODUCT, clamp_odds, clamp_to};
use rates::{likelihood_ratio, rate_lower_bound, success_rate};

use super::super::entropy::entropy;
use super::super::step_spans::StepSpans;

/// Prior of the rate of complete candidates, as successes and failures.
const COMPLETE_PRIOR: [f64; 2] = [9.4, 0.6];
/// Prior of the rate of incomplete candidates, as successes and failures.
const INCOMPLETE_PRIOR: [f64; 2] = [0.5, 2.0];
/// Strength of the prior of the complete rate, in attempts, where the original is flaky.
const FLAKY_PRIOR_STRENGTH: f64 = 2.0;
const MAX_COMPLETE_RATE: f64 = 0.995;
const MIN_INCOMPLETE_RATE: f64 = 0.005;
/// High enough that an incomplete rate has room below it.
const MIN_COMPLETE_RATE: f64 = 2.0 * MIN_INCOMPLETE_RATE;
/// Maximum ratio of the incomplete to the complete rate. A few attempts cannot distinguish rates that are closer.
const MAX_RATE_RATIO: f64 = 0.75;
/// Factor by which a rate may be lower than it was measured.
const RATE_TOLERANCE: f64 = 0.8;
/// Number of steps that are expected to be needed before any observation.
const EXPECTED_NEEDED: f64 = 1.0;
/// Later the sum of all beliefs is expected, plus this number. It is small because beliefs follow their expectation: with more,
/// noise makes more and more steps look needed, and all further candidates are long.
const EXTRA_NEEDED: f64 = 0.2;
/// Odds below which a group is inactive. Messages to inactive groups, which are most groups of a long trace, are updated only
/// in full passes.
const INACTIVE_BELOW: f64 = 0.002;
/// Number of propagations per full pass.
const FULL_PASS_INTERVAL: u32 = 5;

/// Beliefs about groups of steps, and all factors that they follow from.
#[derive(Clone, Debug)]
pub(super) struct StepBeliefs {
    steps: u32,
    /// First step of each group. Steps that no candidate has separated form one group.
    starts: Vec<u32>,
    /// Odds that a group contains a needed step.
    odds: Vec<f64>,
    /// Prior odds of each group.
    priors: Vec<f64>,
    /// Probabilities of the groups after the last propagation.
    marginals: Vec<f64>,
    /// Prefix sums over the groups: logarithm of the probability that none of the groups before is needed.
    log_unneeded: Vec<f64>,
    /// Groups with low odds.
    inactive: GroupSet,
    factors: Vec<CandidateFactor>,
    /// Number of propagations so far.
    propagations: u32,
    messages: FactorMessages,
    /// Prior probability that a single step is needed.
    step_prior: f64,
    /// Estimated success rate of complete candidates.
    complete_rate: f64,
    /// Estimated success rate of incomplete candidates.
    incomplete_rate: f64,
    /// Entropy of an attempt at either rate.
    rate_entropy: [f64; 2],
    /// Expected successes and failures of incomplete candidates.
    incomplete_counts: [f64; 2],
    /// Lower bound of the complete rate.
    min_complete_rate: f64,
    /// Prior of the complete rate, as successes and failures.
    complete_prior: [f64; 2],
}

/// All attempts of one candidate, as a factor over the groups it left out.
#[derive(Clone, Debug)]
struct CandidateFactor {
    left_out: GroupSet,
    /// Reciprocal of the message to each group: cavity odds are odds times this.
    inverse_messages: Vec<f64>,
    /// Product of 1 + cavity odds over the inactive groups, from the last full pass.
    inactive_product: Option<f64>,
    reached: f64,
    failed: f64,
    /// Expected successes and failures under the hypothesis that the candidate is incomplete.
    incomplete_counts: [f64; 2],
}

impl StepBeliefs {
    /// Beliefs before any observation. The complete rate is at least `min_complete_rate`.
    pub(super) fn new(steps: usize, min_complete_rate: f64) -> StepBeliefs {
        let mut beliefs = StepBeliefs {
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            starts: if steps == 0 { Vec::new() } else { vec![0] },
            odds: Vec::new(),
            priors: Vec::new(),
            marginals: Vec::new(),
            log_unneeded: Vec::new(),
            inactive: GroupSet::default(),
            factors: Vec::new(),
            propagations: 0,
            messages: FactorMessages::default(),
            step_prior: EXPECTED_NEEDED / steps.max(6) as f64,
            complete_rate: success_rate(COMPLETE_PRIOR),
            incomplete_rate: success_rate(INCOMPLETE_PRIOR),
            rate_entropy: [0.0; 2],
            incomplete_counts: INCOMPLETE_PRIOR,
            min_complete_rate,
            complete_prior: COMPLETE_PRIOR,
        };
        beliefs.priors = (0..beliefs.starts.len())
            .map(|group| beliefs.prior_odds(group))
            .collect();
        beliefs.odds = beliefs.priors.clone();
        beliefs.update_marginals();
        beliefs
    }

    /// Sets the complete rate to what was measured of the original, because it is to be kept.
    pub(super) fn expect_rate(&mut self, rate: f64) {
        let strength = COMPLETE_PRIOR[0] + COMPLETE_PRIOR[1];
        self.min_complete_rate = RATE_TOLERANCE * rate;
        self.complete_rate = rate.min(MAX_COMPLETE_RATE);
        self.set_complete_prior(rate, strength);
    }

    /// Allows for a complete rate as low as that of the original, which was measured. Shorter candidates may have a higher one.
    pub(super) fn expect_flaky_original(&mut self, rate: f64) {
        self.min_complete_rate = self.min_complete_rate.min(RATE_TOLERANCE * rate);
        self.complete_rate = self.complete_rate.max(self.min_complete_rate);
        self.set_complete_prior(f64::midpoint(rate, 1.0), FLAKY_PRIOR_STRENGTH);
    }

    fn set_complete_prior(&mut self, rate: f64, strength: f64) {
        self.complete_prior = [rate * strength, (1.0 - rate) * strength];
        self.incomplete_rate = self
            .incomplete_rate
            .min(MAX_RATE_RATIO * self.complete_rate);
        self.update_marginals();
    }

    /// Groups in order, as ranges of steps, each with the probability that it contains a needed step.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Range<u32>, f64)> + '_ {
        self.marginals
            .iter()
            .enumerate()
            .map(|(group, probability)| (self.group_range(group), *probability))
    }

    /// Probability that a candidate is complete. Only groups that it keeps in part are visited one by one.
    pub(super) fn completeness(&self, kept: &StepSpans) -> f64 {
        let mut log_complete = self.log_none_needed(0..self.marginals.len());
        let mut partial_product = 1.0;
        // Last group that is kept in part, with the number of its kept steps.
        let mut partial: Option<(usize, u32)> = None;
        let mut finish_partial = |partial: Option<(usize, u32)>| {
            if let Some((group, kept)) = partial {
                let steps = self.group_range(group).len() as f64;
                partial_product *= 1.0 - self.marginals[group] * (steps - f64::from(kept)) / steps;
            }
        };
        for span in kept.iter() {
            let [mut first, mut behind] = [span.start, span.end]
                .map(|step| self.starts.partition_point(|&start| start < step));
            // Groups in which the span starts and ends without keeping all of their steps.
            let first_partial = (self.starts.get(first) != Some(&span.start)).then(|| first - 1);
            let end = self.starts.get(behind).copied().unwrap_or(self.steps);
            let last_partial = (end != span.end)
                .then(|| behind - 1)
                .filter(|group| first_partial != Some(*group));
            behind -= usize::from(last_partial.is_some());
            first = first.min(behind);
            log_complete -= self.log_none_needed(first..behind);
            for group in first_partial.into_iter().chain(last_partial) {
                let range = self.group_range(group);
                let common = span.end.min(range.end) - span.start.max(range.start);
                match &mut partial {
                    Some((same, kept)) if *same == group => *kept += common,
                    _ => {
                        finish_partial(partial);
                        log_complete -= self.log_none_needed(group..group + 1);
                        partial = Some((group, common));
                    }
                }
            }
        }
        finish_partial(partial);
        log_complete.exp() * partial_product
    }

    /// Logarithm of the probability that none of these groups is needed.
    fn log_none_needed(&self, groups: Range<usize>) -> f64 {
        self.log_unneeded[groups.end] - self.log_unneeded[groups.start]
    }

    /// Expected information of one attempt, in bits, of a candidate that is complete with this probability.
    pub(super) fn information_gain(&self, complete: f64) -> f64 {
        let reached = self.incomplete_rate + (self.complete_rate - self.incomplete_rate) * complete;
        let [if_complete, if_incomplete] = self.rate_entropy;
        entropy(reached) - complete * if_complete - (1.0 - complete) * if_incomplete
    }

    /// Counts an attempt of the candidate with these steps. `propagate` then updates the beliefs.
    pub(super) fn observe(&mut self, kept: &StepSpans, reached: bool) {
        for edge in kept.iter().flat_map(|span| [span.start, span.end]) {
            if (1..self.steps).contains(&edge) {
                self.split_group(edge);
            }
        }
        let factor = self.factor_of(kept);
        if reached {
            factor.reached += 1.0;
        } else {
            factor.failed += 1.0;
        }
    }

    fn factor_of(&mut self, kept: &StepSpans) -> &mut CandidateFactor {
        let left_out = self.left_out(kept);
        let known = self
            .factors
            .iter()
            .position(|factor| factor.left_out == left_out);
        let index = known.unwrap_or_else(|| {
            self.factors.push(CandidateFactor {
                left_out,
                inverse_messages: vec![1.0; self.odds.len()],
                inactive_product: None,
                reached: 0.0,
                failed: 0.0,
                incomplete_counts: [0.0; 2],
            });
            self.factors.len() - 1
        });
        &mut self.factors[index]
    }

    /// Groups of which no step was kept.
    fn left_out(&self, kept: &StepSpans) -> GroupSet {
        let mut spans = kept.iter().peekable();
        let is_left_out = |start: &u32| {
            while spans.next_if(|span| span.end <= *start).is_some() {}
            spans.peek().is_none_or(|span| *start < span.start)
        };
        self.starts.iter().map(is_left_out).collect()
    }

    /// Updates messages until they converge, in `passes` passes at most.
    pub(super) fn propagate(&mut self, passes: usize) {
        let full_pass = self.propagations.is_multiple_of(FULL_PASS_INTERVAL);
        self.propagations += 1;
        for number in 0..passes {
            if self.propagate_once(full_pass && number == 0) {
                break;
            }
        }
        self.update_marginals();
    }

    fn update_marginals(&mut self) {
        self.rate_entropy = [entropy(self.complete_rate), entropy(self.incomplete_rate)];
        self.marginals.clear();
        self.marginals
            .extend(self.odds.iter().map(|odds| probability(*odds)));
        let mut sum = 0.0;
        self.log_unneeded.clear();
        self.log_unneeded.push(sum);
        self.log_unneeded.extend(self.odds.iter().map(|odds| {
            sum -= (1.0 + clamp_odds(*odds)).ln();
            sum
        }));
    }

    fn group_range(&self, group: usize) -> Range<u32> {
        self.starts[group]..self.starts.get(group + 1).copied().unwrap_or(self.steps)
    }

    /// Prior odds of a group.
    fn prior_odds(&self, group: usize) -> f64 {
        let none_needed = (1.0 - self.step_prior)
            .powi(i32::try_from(self.group_range(group).len()).unwrap_or(i32::MAX));
        ((1.0 - none_needed) / none_needed).min(MAX_PRODUCT)
    }

    /// Splits the group with this step so that a group starts there. Both parts start with neutral messages.
    fn split_group(&mut self, step: u32) {
        let second = self.starts.partition_point(|&start| start <= step);
        let group = second - 1;
        if self.starts[group] == step {
            return;
        }
        self.starts.insert(second, step);
        self.odds.insert(second, 1.0);
        self.priors.insert(second, 1.0);
        self.inactive.remove(group);
        self.inactive.duplicate(group);
        for factor in &mut self.factors {
            factor.left_out.duplicate(group);
            factor.inverse_messages[group] = 1.0;
            factor.inverse_messages.insert(second, 1.0);
        }
        for part in [group, second] {
            self.priors[part] = self.prior_odds(part);
            self.odds[part] = self.priors[part];
        }
    }

    /// Updates the messages of every factor once; those to inactive groups only in a full pass. Returns true if all messages
    /// have converged.
    fn propagate_once(&mut self, full_pass: bool) -> bool {
        let mut complete = self.complete_prior;
        let mut incomplete = INCOMPLETE_PRIOR;
        let mut converged = true;
        let all_incomplete = self.incomplete_counts;
        let mut original = self.complete_prior;
        if full_pass {
            self.inactive = self
                .odds
                .iter()
                .map(|odds| *odds < INACTIVE_BELOW)
                .collect();
        }
        for factor in &mut self.factors {
            let CandidateFactor {
                reached,
                failed,
                incomplete_counts: own,
                ..
            } = *factor;
            let others = [all_incomplete[0] - own[0], all_incomplete[1] - own[1]];
            let ratio = likelihood_ratio(others, [reached, failed], self.complete_rate);
            let none_needed = 1.0
                / self
                    .messages
                    .gather_cavities(factor, &self.odds, &self.inactive, full_pass);
            let is_complete = none_needed / (none_needed + (1.0 - none_needed) * ratio);
            factor.incomplete_counts =
                [(1.0 - is_complete) * reached, (1.0 - is_complete) * failed];
            if factor.left_out.is_empty() {
                original = [
                    self.complete_prior[0] + reached,
                    self.complete_prior[1] + failed,
                ];
            }
            for (share, counts) in [
                (is_complete, &mut complete),
                (1.0 - is_complete, &mut incomplete),
            ] {
                counts[0] += share * reached;
                counts[1] += share * failed;
            }
            converged &= self.messages.update(none_needed, ratio);
            self.messages.scatter(factor, &mut self.odds);
        }
        self.update_rates(complete, incomplete, original);
        converged
    }

    /// Estimates both rates and the prior of a step anew, from expected successes and failures.
    fn update_rates(&mut self, complete: [f64; 2], incomplete: [f64; 2], original: [f64; 2]) {
        self.incomplete_counts = incomplete;
        let lower_bound = self
            .min_complete_rate
            .max(rate_lower_bound(original))
            .clamp(MIN_COMPLETE_RATE, MAX_COMPLETE_RATE);
        self.complete_rate = success_rate(complete).clamp(lower_bound, MAX_COMPLETE_RATE);
        self.incomplete_rate = success_rate(incomplete)
            .clamp(MIN_INCOMPLETE_RATE, MAX_RATE_RATIO * self.complete_rate);
        let expected_needed: f64 = self.odds.iter().map(|odds| probability(*odds)).sum();
        let steps = f64::from(self.steps);
        self.step_prior =
            ((expected_needed + EXTRA_NEEDED) / (steps + 4.0)).clamp(0.5 / steps.max(2.0), 0.3);
        for group in 0..self.odds.len() {
            let prior = self.prior_odds(group);
            self.odds[group] = clamp_to(self.odds[group] / self.priors[group] * prior, MAX_PRODUCT);
            self.priors[group] = prior;
        }
    }
}

fn probability(odds: f64) -> f64 {
    let odds = clamp_odds(odds);
    odds / (1.0 + odds)
}
