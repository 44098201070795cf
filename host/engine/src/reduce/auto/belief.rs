//! What is believed of each step of a trace: whether the target needs it. A run that has all needed steps reaches the target
//! with one probability, any other with a lower one; both are learned on the way. Every run says something about the steps
//! it left out, and beliefs are passed between runs and steps until they agree (loopy belief propagation).

use std::ops::Range;

use super::super::spans::Spans;

/// No chance is surer than these odds, e²⁵. What runs say is multiplied without that bound, up to the other: a number.
const SUREST: f64 = 7.2e10;
const NUMBER: f64 = 1e250;
/// The same runs, however often they were made, say no more than this.
const LOUDEST: f64 = 12.0;
/// Beliefs agree if what runs say of none is changed by more than this factor.
const AGREED: f64 = 1.02;
/// What is held before anything was run, as successes and failures: of runs that have all that is needed, and of others.
const WITH: [f64; 2] = [9.4, 0.6];
const WITHOUT: [f64; 2] = [0.5, 2.0];
const MOST_WITH: f64 = 0.995;
const LEAST_WITHOUT: f64 = 0.005;
/// The two probabilities are at least this far apart: others cannot be told from each other by a few runs.
const MOST_WITHOUT: f64 = 0.75;
/// A measured rate may turn out to be lower by so much.
const LOWER: f64 = 0.8;
/// How many steps are expected to be needed, before anything is known.
const EXPECTED: f64 = 1.0;
/// Later as many as beliefs add up to, and this many more. It is small because beliefs hold on to what was expected of them: with
/// more, noise makes more and more steps look needed, and all further runs are long.
const UNSEEN: f64 = 0.2;

#[derive(Clone, Debug)]
pub(super) struct Belief {
    steps: u32,
    /// Steps that no run has separated are believed of as one group. Where each begins.
    starts: Vec<u32>,
    /// The odds that one of a group's steps is needed.
    odds: Vec<f64>,
    tests: Vec<Test>,
    /// What is held of each group that a test left out, but for what the test says. Kept for its memory alone.
    rests: Vec<f64>,
    /// The chance that a single step is needed, before anything is known of it.
    rare: f64,
    with: f64,
    without: f64,
    /// Successes and failures of runs that left out something needed, as far as that is known.
    incomplete: [f64; 2],
    /// `with` is not believed to be lower.
    floor: f64,
    /// What is held of runs that have all that is needed, as successes and failures, before any was made.
    expected: [f64; 2],
}

/// All runs that left out the same steps.
#[derive(Clone, Debug)]
struct Test {
    /// Groups that were left out, ascending.
    left_out: Vec<u32>,
    /// For each of them the factor by which this test changes its odds.
    says: Vec<f64>,
    reached: f64,
    failed: f64,
    /// Those of them that left out something needed, as far as that is known.
    incomplete: [f64; 2],
}

impl Test {
    fn is_of(&self, groups: &[u32]) -> bool {
        self.left_out == groups
    }
}

impl Belief {
    pub(super) fn new(steps: usize, floor: f64) -> Belief {
        let mut belief = Belief {
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            starts: if steps == 0 { Vec::new() } else { vec![0] },
            odds: Vec::new(),
            tests: Vec::new(),
            rests: Vec::new(),
            rare: EXPECTED / steps.max(6) as f64,
            with: share(WITH),
            without: share(WITHOUT),
            incomplete: WITHOUT,
            floor,
            expected: WITH,
        };
        belief.odds = (0..belief.starts.len()).map(|group| belief.before(group)).collect();
        belief
    }

    /// For targets that even the whole trace reaches only in this share of its runs.
    pub(super) fn expect(&mut self, rate: f64) {
        let [successes, failures] = WITH;
        self.expected = [rate * (successes + failures), (1.0 - rate) * (successes + failures)];
        self.floor = LOWER * rate;
        self.with = rate.min(MOST_WITH);
        self.without = self.without.min(MOST_WITHOUT * self.with);
    }

    /// Groups in order, as ranges of steps, each with the chance that one of its steps is needed.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Range<u32>, f64)> + '_ {
        self.odds.iter().enumerate().map(|(group, odds)| (self.range(group), chance(*odds)))
    }

    /// The chance that a candidate has all that is needed.
    pub(super) fn complete(&self, kept: &Spans) -> f64 {
        let mut spans = kept.iter().peekable();
        let mut all = 1.0;
        for (group, needed) in self.groups() {
            let mut left_out = group.len();
            while let Some(span) = spans.peek() {
                let common = group.start.max(span.start)..group.end.min(span.end);
                left_out -= common.len();
                if span.end > group.end {
                    break;
                }
                spans.next();
            }
            all *= 1.0 - needed * left_out as f64 / group.len() as f64;
        }
        all
    }

    /// How many runs kept exactly these steps.
    pub(super) fn runs_of(&self, kept: &Spans) -> u32 {
        let groups = self.left_out(kept);
        self.tests
            .iter()
            .find(|test| test.is_of(&groups))
            .map_or(0, |test| (test.reached + test.failed) as u32)
    }

    /// What one more run is worth, in bits, if its candidate has all that is needed with this chance.
    pub(super) fn bits(&self, complete: f64) -> f64 {
        let reached = self.without + (self.with - self.without) * complete;
        entropy(reached) - complete * entropy(self.with) - (1.0 - complete) * entropy(self.without)
    }

    /// Counts a run that kept these steps. `settle` draws the conclusions.
    pub(super) fn saw(&mut self, kept: &Spans, reached: bool) {
        for edge in kept.iter().flat_map(|span| [span.start, span.end]) {
            if (1..self.steps).contains(&edge) {
                self.split(edge);
            }
        }
        let groups = self.left_out(kept);
        let place = self.tests.iter().position(|test| test.is_of(&groups)).unwrap_or_else(|| {
            let says = vec![1.0; groups.len()];
            let (reached, failed, incomplete) = (0.0, 0.0, [0.0; 2]);
            self.tests.push(Test { left_out: groups, says, reached, failed, incomplete });
            self.tests.len() - 1
        });
        let test = &mut self.tests[place];
        *(if reached { &mut test.reached } else { &mut test.failed }) += 1.0;
    }

    /// The groups of which no step was kept, ascending.
    fn left_out(&self, kept: &Spans) -> Vec<u32> {
        let mut spans = kept.iter().peekable();
        let is_left_out = |start: u32| {
            while spans.next_if(|span| span.end <= start).is_some() {}
            spans.peek().is_none_or(|span| start < span.start)
        };
        (0..)
            .zip(&self.starts)
            .filter_map({
                let mut is_left_out = is_left_out;
                move |(group, start)| is_left_out(*start).then_some(group)
            })
            .collect()
    }

    /// Passes beliefs around until they agree, `passes` times at most.
    pub(super) fn settle(&mut self, passes: usize) {
        for _ in 0..passes {
            if self.pass() {
                break;
            }
        }
    }

    fn range(&self, group: usize) -> Range<u32> {
        self.starts[group]..self.starts.get(group + 1).copied().unwrap_or(self.steps)
    }

    /// The odds of a group before anything is known of it.
    fn before(&self, group: usize) -> f64 {
        let none = (1.0 - self.rare).powi(i32::try_from(self.range(group).len()).unwrap_or(i32::MAX));
        ((1.0 - none) / none).min(NUMBER)
    }

    /// Makes a group begin at this step. What was said of the whole group is said of both parts anew.
    fn split(&mut self, step: u32) {
        let place = self.starts.partition_point(|&start| start <= step);
        let group = place - 1;
        if self.starts[group] == step {
            return;
        }
        self.starts.insert(place, step);
        self.odds.insert(place, 1.0);
        for test in &mut self.tests {
            let at = test.left_out.partition_point(|&other| (other as usize) < group);
            let has = test.left_out.get(at).is_some_and(|&other| other as usize == group);
            let behind = at + usize::from(has);
            test.left_out[behind..].iter_mut().for_each(|other| *other += 1);
            if has {
                test.says[at] = 1.0;
                test.left_out.insert(behind, place as u32);
                test.says.insert(behind, 1.0);
            }
        }
        self.odds[group] = self.before(group);
        self.odds[place] = self.before(place);
    }

    /// Every test tells each group it left out what follows from its runs and from what is believed of the others.
    /// True if they agree.
    fn pass(&mut self) -> bool {
        let (mut complete, mut incomplete) = (self.expected, WITHOUT);
        let mut agreed = true;
        let before = self.incomplete;
        let (with, not_with) = (self.with.ln(), (1.0 - self.with).ln());
        let mut whole = self.expected;
        for test in &mut self.tests {
            let Test { reached, failed, incomplete: own, .. } = *test;
            // How much likelier these answers are if something needed was left out.
            let others = [before[0] - own[0], before[1] - own[1]];
            let likelier = sequence(others, [reached, failed]) - reached * with - failed * not_with;
            let likelier = likelier.clamp(-LOUDEST, LOUDEST).exp();
            // Plain loops over plain numbers, which become few instructions: this is where the time goes.
            self.rests.clear();
            self.rests.extend(test.left_out.iter().map(|&group| self.odds[group as usize]));
            self.rests.iter_mut().zip(&test.says).for_each(|(rest, says)| *rest /= says);
            let none = 1.0 / product(&self.rests);
            let all = none / (none + (1.0 - none) * likelier);
            test.incomplete = [(1.0 - all) * reached, (1.0 - all) * failed];
            if test.left_out.is_empty() {
                whole = [self.expected[0] + reached, self.expected[1] + failed];
            }
            for (share, into) in [(all, &mut complete), (1.0 - all, &mut incomplete)] {
                into[0] += share * reached;
                into[1] += share * failed;
            }
            for (says, rest) in test.says.iter_mut().zip(&mut self.rests) {
                let others = at_most(1.0, none * (1.0 + at_surest(*rest)));
                let new = likelier / (others + likelier * (1.0 - others));
                // Half of what is new is taken over at once, so that beliefs do not swing.
                let half = (*says * new).sqrt();
                agreed &= (half <= *says * AGREED) & (*says <= half * AGREED);
                *says = half;
                *rest = bounded(*rest * half, NUMBER);
            }
            for (&group, odds) in test.left_out.iter().zip(&self.rests) {
                self.odds[group as usize] = *odds;
            }
        }
        self.learn(complete, incomplete, whole);
        agreed
    }

    /// How often runs reach the target, by what is believed of what they left out; and how many steps are needed.
    fn learn(&mut self, complete: [f64; 2], incomplete: [f64; 2], whole: [f64; 2]) {
        self.incomplete = incomplete;
        let floor = self.floor.max(at_least(whole)).min(MOST_WITH);
        self.with = share(complete).clamp(floor, MOST_WITH);
        self.without = share(incomplete).clamp(LEAST_WITHOUT, MOST_WITHOUT * self.with);
        let expected: f64 = self.odds.iter().map(|odds| chance(*odds)).sum();
        let steps = f64::from(self.steps);
        let rare = ((expected + UNSEEN) / (steps + 4.0)).clamp(0.5 / steps.max(2.0), 0.3);
        for group in 0..self.odds.len() {
            self.odds[group] /= self.before(group);
        }
        self.rare = rare;
        for group in 0..self.odds.len() {
            self.odds[group] = bounded(self.odds[group] * self.before(group), NUMBER);
        }
    }
}

fn chance(odds: f64) -> f64 {
    let odds = at_surest(odds);
    odds / (1.0 + odds)
}

/// Of one more than each of these odds. Four at a time: one after the other each would wait for the one before.
fn product(odds: &[f64]) -> f64 {
    let mut products = [1.0; 4];
    let fours = odds.chunks_exact(4);
    let rest: f64 = fours.remainder().iter().map(|odds| 1.0 + at_surest(*odds)).product();
    for four in fours {
        products.iter_mut().zip(four).for_each(|(product, odds)| *product *= 1.0 + at_surest(*odds));
    }
    products.iter().product::<f64>() * rest
}

fn at_surest(odds: f64) -> f64 {
    bounded(odds, SUREST)
}

fn bounded(odds: f64, bound: f64) -> f64 {
    at_most(bound, if odds > 1.0 / bound { odds } else { 1.0 / bound })
}

/// `f64::min` without its care for what is not a number, which keeps loops from being made of wide instructions.
fn at_most(most: f64, odds: f64) -> f64 {
    if odds < most { odds } else { most }
}

fn share([successes, failures]: [f64; 2]) -> f64 {
    successes / (successes + failures)
}

/// A rate that is hardly lower, after so many successes and failures: two standard deviations below the mean.
fn at_least(counts: [f64; 2]) -> f64 {
    let (mean, all) = (share(counts), counts[0] + counts[1]);
    mean - 2.0 * (mean * (1.0 - mean) / (all + 1.0)).sqrt()
}

/// The logarithm of the chance of so many successes and then failures, each answer changing what is held of the rate.
fn sequence([successes, failures]: [f64; 2], [reached, failed]: [f64; 2]) -> f64 {
    let (mut ln, mut all) = (0.0, successes + failures);
    for (held, more) in [(successes, reached), (failures, failed)] {
        for number in 0..more as u32 {
            ln += ((held + f64::from(number)) / all).ln();
            all += 1.0;
        }
    }
    ln
}

fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    part(p) + part(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(belief: &Belief, step: u32) -> f64 {
        belief.groups().find(|(range, _)| range.contains(&step)).unwrap().1
    }

    fn without(steps: u32, left_out: Range<u32>) -> Spans {
        let mut kept = Spans::default();
        kept.push(0..left_out.start);
        kept.push(left_out.end..steps);
        kept
    }

    #[test]
    fn what_can_be_left_out_is_not_needed_and_what_cannot_is() {
        let mut belief = Belief::new(20, 0.8);
        for _ in 0..3 {
            belief.saw(&without(20, 0..10), true);
            belief.saw(&without(20, 10..12), false);
            belief.saw(&without(20, 11..12), true);
            belief.settle(20);
        }
        assert!(needed(&belief, 3) < 0.05 && needed(&belief, 11) < 0.05);
        assert!(needed(&belief, 10) > 0.95, "{:?}", belief.groups().collect::<Vec<_>>());
        let nothing_known = needed(&belief, 15);
        assert!((0.1..0.9).contains(&nothing_known), "{nothing_known}");
        assert!(belief.complete(&without(20, 0..10)) > 0.9);
        assert!(belief.complete(&without(20, 10..11)) < 0.05);
    }

    /// A target that half of all runs reach whatever they do.
    #[test]
    fn a_background_is_learned_and_single_answers_then_say_little() {
        let mut belief = Belief::new(10, 0.8);
        for number in 0..20 {
            belief.saw(&Spans::default(), number % 2 == 0);
            belief.saw(&Spans::first(10), number > 0);
            belief.settle(10);
        }
        assert!((0.4..0.6).contains(&belief.without), "{}", belief.without);
        assert!(belief.with > 0.9);
        assert!(belief.bits(0.5) < 0.3 && belief.bits(0.0) < 1e-9 && belief.bits(1.0) < 1e-9);
    }
}
