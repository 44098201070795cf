//! What is believed of each step of a trace: whether the target needs it. A run that has all needed steps reaches the target
//! with one probability, any other with a lower one; both are learned on the way. Every run says something about the steps
//! it left out, and beliefs are passed between runs and steps until they agree (loopy belief propagation).

mod group_set;
mod messages;
#[cfg(test)]
mod tests;

use std::ops::Range;

use group_set::GroupSet;
use messages::{FactorMessages, MAX_PRODUCT, clamp_odds, clamp_to};

use super::super::step_spans::StepSpans;

/// The same runs, however often they were made, say no more than this, e¹².
const MAX_LIKELIHOOD_RATIO: f64 = 162_755.0;
/// What is held before anything was run, as successes and failures: of runs that have all that is needed, and of others.
const COMPLETE_PRIOR: [f64; 2] = [9.4, 0.6];
const INCOMPLETE_PRIOR: [f64; 2] = [0.5, 2.0];
const MAX_COMPLETE_RATE: f64 = 0.995;
const MIN_INCOMPLETE_RATE: f64 = 0.005;
/// The two probabilities are at least this far apart: others cannot be told from each other by a few runs.
const MAX_RATE_RATIO: f64 = 0.75;
/// A measured rate may turn out to be lower by so much.
const RATE_TOLERANCE: f64 = 0.8;
/// How many steps are expected to be needed, before anything is known.
const EXPECTED_NEEDED: f64 = 1.0;
/// Later as many as beliefs add up to, and this many more. It is small because beliefs hold on to what was expected of them: with
/// more, noise makes more and more steps look needed, and all further runs are long.
const EXTRA_NEEDED: f64 = 0.2;
/// A group whose odds are lower is quiet: what runs say of it is looked at again only after every so many answers. Most
/// groups of a long trace are, and looking at all of them would take most of the time.
const INACTIVE_BELOW: f64 = 0.002;
const FULL_PASS_INTERVAL: u32 = 5;

#[derive(Clone, Debug)]
pub(super) struct StepBeliefs {
    steps: u32,
    /// Steps that no run has separated are believed of as one group. Where each begins.
    starts: Vec<u32>,
    /// The odds that one of a group's steps is needed.
    odds: Vec<f64>,
    /// The same before anything was known of it.
    priors: Vec<f64>,
    /// The odds as chances, once conclusions were drawn.
    chances: Vec<f64>,
    /// The logarithms of the chances that none of the groups before each is needed; those of all come last.
    log_unneeded: Vec<f64>,
    inactive: GroupSet,
    factors: Vec<CandidateFactor>,
    /// How many answers were drawn conclusions from.
    propagations: u32,
    messages: FactorMessages,
    /// The chance that a single step is needed, before anything is known of it.
    step_prior: f64,
    complete_rate: f64,
    incomplete_rate: f64,
    /// The entropy of both.
    rate_entropy: [f64; 2],
    /// Successes and failures of runs that left out something needed, as far as that is known.
    incomplete_counts: [f64; 2],
    /// `with` is not believed to be lower.
    min_complete_rate: f64,
    /// What is held of runs that have all that is needed, as successes and failures, before any was made.
    complete_prior: [f64; 2],
}

/// All runs that left out the same steps.
#[derive(Clone, Debug)]
struct CandidateFactor {
    left_out: GroupSet,
    /// For each group the factor by which its odds were higher without what this test says.
    inverse_messages: Vec<f64>,
    /// One more than the odds of each quiet group, multiplied, once they were looked at.
    inactive_product: Option<f64>,
    reached: f64,
    failed: f64,
    /// Those of them that left out something needed, as far as that is known.
    incomplete_counts: [f64; 2],
}

impl StepBeliefs {
    pub(super) fn new(steps: usize, floor: f64) -> StepBeliefs {
        let mut belief = StepBeliefs {
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            starts: if steps == 0 { Vec::new() } else { vec![0] },
            odds: Vec::new(),
            priors: Vec::new(),
            chances: Vec::new(),
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
            min_complete_rate: floor,
            complete_prior: COMPLETE_PRIOR,
        };
        belief.priors = (0..belief.starts.len())
            .map(|group| belief.prior_odds(group))
            .collect();
        belief.odds = belief.priors.clone();
        belief.update_marginals();
        belief
    }

    /// For targets that even the whole trace reaches only in this share of its runs.
    pub(super) fn expect_rate(&mut self, rate: f64) {
        let [successes, failures] = COMPLETE_PRIOR;
        self.complete_prior = [
            rate * (successes + failures),
            (1.0 - rate) * (successes + failures),
        ];
        self.min_complete_rate = RATE_TOLERANCE * rate;
        self.complete_rate = rate.min(MAX_COMPLETE_RATE);
        self.incomplete_rate = self
            .incomplete_rate
            .min(MAX_RATE_RATIO * self.complete_rate);
        self.update_marginals();
    }

    /// Groups in order, as ranges of steps, each with the chance that one of its steps is needed.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Range<u32>, f64)> + '_ {
        self.chances
            .iter()
            .enumerate()
            .map(|(group, chance)| (self.group_range(group), *chance))
    }

    /// The chance that a candidate has all that is needed. Looks at the groups that it keeps in part and at no others.
    pub(super) fn completeness(&self, kept: &StepSpans) -> f64 {
        let mut ln = self.log_none_needed(0..self.chances.len());
        let mut in_part = 1.0;
        // The last group that was kept in part, and how many of its steps.
        let mut part: Option<(usize, u32)> = None;
        let mut leave = |part: Option<(usize, u32)>| {
            if let Some((group, kept)) = part {
                let steps = self.group_range(group).len() as f64;
                in_part *= 1.0 - self.chances[group] * (steps - f64::from(kept)) / steps;
            }
        };
        for span in kept.iter() {
            let [mut first, mut behind] = [span.start, span.end]
                .map(|step| self.starts.partition_point(|&start| start < step));
            // The groups in which the span begins and ends, if it has not all of them.
            let begins = (self.starts.get(first) != Some(&span.start)).then(|| first - 1);
            let end = self.starts.get(behind).copied().unwrap_or(self.steps);
            let ends = (end != span.end).then(|| behind - 1);
            let ends = ends.filter(|group| begins != Some(*group));
            behind -= usize::from(ends.is_some());
            first = first.min(behind);
            ln -= self.log_none_needed(first..behind);
            for group in begins.into_iter().chain(ends) {
                let range = self.group_range(group);
                let common = span.end.min(range.end) - span.start.max(range.start);
                match &mut part {
                    Some((same, kept)) if *same == group => *kept += common,
                    _ => {
                        leave(part);
                        ln -= self.log_none_needed(group..group + 1);
                        part = Some((group, common));
                    }
                }
            }
        }
        leave(part);
        ln.exp() * in_part
    }

    /// The logarithm of the chance that none of these groups is needed.
    fn log_none_needed(&self, groups: Range<usize>) -> f64 {
        self.log_unneeded[groups.end] - self.log_unneeded[groups.start]
    }

    /// How many runs kept exactly these steps.
    pub(super) fn attempts_of(&self, kept: &StepSpans) -> u32 {
        let groups = self.left_out(kept);
        self.factors
            .iter()
            .find(|test| test.left_out == groups)
            .map_or(0, |test| (test.reached + test.failed) as u32)
    }

    /// What one more run is worth, in bits, if its candidate has all that is needed with this chance.
    pub(super) fn information_gain(&self, complete: f64) -> f64 {
        let reached = self.incomplete_rate + (self.complete_rate - self.incomplete_rate) * complete;
        let [with, without] = self.rate_entropy;
        entropy(reached) - complete * with - (1.0 - complete) * without
    }

    /// Counts a run that kept these steps. `settle` draws the conclusions.
    pub(super) fn observe(&mut self, kept: &StepSpans, reached: bool) {
        for edge in kept.iter().flat_map(|span| [span.start, span.end]) {
            if (1..self.steps).contains(&edge) {
                self.split_group(edge);
            }
        }
        let groups = self.left_out(kept);
        let place = self
            .factors
            .iter()
            .position(|test| test.left_out == groups)
            .unwrap_or_else(|| {
                let unsaid = vec![1.0; self.odds.len()];
                let reached = 0.0;
                let failed = 0.0;
                let incomplete = [0.0; 2];
                self.factors.push(CandidateFactor {
                    left_out: groups,
                    inverse_messages: unsaid,
                    inactive_product: None,
                    reached,
                    failed,
                    incomplete_counts: incomplete,
                });
                self.factors.len() - 1
            });
        let test = &mut self.factors[place];
        *(if reached {
            &mut test.reached
        } else {
            &mut test.failed
        }) += 1.0;
    }

    /// The groups of which no step was kept.
    fn left_out(&self, kept: &StepSpans) -> GroupSet {
        let mut spans = kept.iter().peekable();
        let is_left_out = |start: &u32| {
            while spans.next_if(|span| span.end <= *start).is_some() {}
            spans.peek().is_none_or(|span| *start < span.start)
        };
        self.starts.iter().map(is_left_out).collect()
    }

    /// Passes beliefs around until they agree, `passes` times at most.
    pub(super) fn propagate(&mut self, passes: usize) {
        let around = self.propagations.is_multiple_of(FULL_PASS_INTERVAL);
        self.propagations += 1;
        for number in 0..passes {
            if self.propagate_once(around && number == 0) {
                break;
            }
        }
        self.update_marginals();
    }

    fn update_marginals(&mut self) {
        self.rate_entropy = [entropy(self.complete_rate), entropy(self.incomplete_rate)];
        self.chances.clear();
        self.chances
            .extend(self.odds.iter().map(|odds| probability(*odds)));
        let mut ln = 0.0;
        self.log_unneeded.clear();
        self.log_unneeded.push(ln);
        self.log_unneeded.extend(self.odds.iter().map(|odds| {
            ln -= (1.0 + clamp_odds(*odds)).ln();
            ln
        }));
    }

    fn group_range(&self, group: usize) -> Range<u32> {
        self.starts[group]..self.starts.get(group + 1).copied().unwrap_or(self.steps)
    }

    /// The odds of a group before anything is known of it.
    fn prior_odds(&self, group: usize) -> f64 {
        let none = (1.0 - self.step_prior)
            .powi(i32::try_from(self.group_range(group).len()).unwrap_or(i32::MAX));
        ((1.0 - none) / none).min(MAX_PRODUCT)
    }

    /// Makes a group begin at this step. What was said of the whole group is said of both parts anew.
    fn split_group(&mut self, step: u32) {
        let place = self.starts.partition_point(|&start| start <= step);
        let group = place - 1;
        if self.starts[group] == step {
            return;
        }
        self.starts.insert(place, step);
        self.odds.insert(place, 1.0);
        self.priors.insert(place, 1.0);
        self.inactive.remove(group);
        self.inactive.duplicate(group);
        for test in &mut self.factors {
            test.left_out.duplicate(group);
            test.inverse_messages[group] = 1.0;
            test.inverse_messages.insert(place, 1.0);
        }
        for part in [group, place] {
            self.priors[part] = self.prior_odds(part);
            self.odds[part] = self.priors[part];
        }
    }

    /// Every test tells each group it left out what follows from its runs and from what is believed of the others; quiet
    /// ones only if it looks `around`. True if they agree.
    fn propagate_once(&mut self, around: bool) -> bool {
        let mut complete = self.complete_prior;
        let mut incomplete = INCOMPLETE_PRIOR;
        let mut agreed = true;
        let before = self.incomplete_counts;
        let mut whole = self.complete_prior;
        if around {
            self.inactive = self
                .odds
                .iter()
                .map(|odds| *odds < INACTIVE_BELOW)
                .collect();
        }
        for test in &mut self.factors {
            let CandidateFactor {
                reached,
                failed,
                incomplete_counts: own,
                ..
            } = *test;
            // How much likelier these answers are if something needed was left out.
            let others = [before[0] - own[0], before[1] - own[1]];
            let likelier = likelihood_ratio(others, [reached, failed], self.complete_rate);
            let none = 1.0
                / self
                    .messages
                    .gather_cavities(test, &self.odds, &self.inactive, around);
            let all = none / (none + (1.0 - none) * likelier);
            test.incomplete_counts = [(1.0 - all) * reached, (1.0 - all) * failed];
            if test.left_out.is_empty() {
                whole = [
                    self.complete_prior[0] + reached,
                    self.complete_prior[1] + failed,
                ];
            }
            for (share, into) in [(all, &mut complete), (1.0 - all, &mut incomplete)] {
                into[0] += share * reached;
                into[1] += share * failed;
            }
            agreed &= self.messages.update(none, likelier);
            self.messages.scatter(test, &mut self.odds);
        }
        self.update_rates(complete, incomplete, whole);
        agreed
    }

    /// How often runs reach the target, by what is believed of what they left out; and how many steps are needed.
    fn update_rates(&mut self, complete: [f64; 2], incomplete: [f64; 2], whole: [f64; 2]) {
        self.incomplete_counts = incomplete;
        let floor = self
            .min_complete_rate
            .max(rate_lower_bound(whole))
            .min(MAX_COMPLETE_RATE);
        self.complete_rate = success_rate(complete).clamp(floor, MAX_COMPLETE_RATE);
        self.incomplete_rate = success_rate(incomplete)
            .clamp(MIN_INCOMPLETE_RATE, MAX_RATE_RATIO * self.complete_rate);
        let expected: f64 = self.odds.iter().map(|odds| probability(*odds)).sum();
        let steps = f64::from(self.steps);
        let rare = ((expected + EXTRA_NEEDED) / (steps + 4.0)).clamp(0.5 / steps.max(2.0), 0.3);
        self.step_prior = rare;
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

fn success_rate([successes, failures]: [f64; 2]) -> f64 {
    successes / (successes + failures)
}

/// A rate that is hardly lower, after so many successes and failures: two standard deviations below the mean.
fn rate_lower_bound(counts: [f64; 2]) -> f64 {
    let mean = success_rate(counts);
    let all = counts[0] + counts[1];
    mean - 2.0 * (mean * (1.0 - mean) / (all + 1.0)).sqrt()
}

/// How much likelier so many successes and then failures are if something needed was left out than if nothing was. Each
/// answer changes what is held of the former, as successes and failures; the latter succeed in the share `with`.
fn likelihood_ratio(held: [f64; 2], seen: [f64; 2], with: f64) -> f64 {
    let mut ratio = 1.0;
    let mut all = held[0] + held[1];
    for (held, more, expected) in [(held[0], seen[0], with), (held[1], seen[1], 1.0 - with)] {
        for number in 0..more as u32 {
            ratio = clamp_to(
                ratio * (held + f64::from(number)) / (all * expected),
                MAX_PRODUCT,
            );
            all += 1.0;
        }
    }
    clamp_to(ratio, MAX_LIKELIHOOD_RATIO)
}

fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    part(p) + part(1.0 - p)
}
