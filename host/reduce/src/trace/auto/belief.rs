//! What is believed of each step of a trace: whether the target needs it. A run that has all needed steps reaches the target
//! with one probability, any other with a lower one; both are learned on the way. Every run says something about the steps
//! it left out, and beliefs are passed between runs and steps until they agree (loopy belief propagation).

mod said;
mod set;
#[cfg(test)]
mod tests;

use std::ops::Range;

use said::{NUMBER, Said, at_surest, bounded};
use set::Set;

use super::super::spans::Spans;

/// The same runs, however often they were made, say no more than this, e¹².
const LOUDEST: f64 = 162_755.0;
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
/// A group whose odds are lower is quiet: what runs say of it is looked at again only after every so many answers. Most
/// groups of a long trace are, and looking at all of them would take most of the time.
const QUIET: f64 = 0.002;
const LOOK_AROUND: u32 = 5;

#[derive(Clone, Debug)]
pub(super) struct Belief {
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
    harmless: Vec<f64>,
    quiet: Set,
    tests: Vec<Test>,
    /// How many answers were drawn conclusions from.
    settled: u32,
    said: Said,
    /// The chance that a single step is needed, before anything is known of it.
    rare: f64,
    with: f64,
    without: f64,
    /// The entropy of both.
    unforeseen: [f64; 2],
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
    left_out: Set,
    /// For each group the factor by which its odds were higher without what this test says.
    unsaid: Vec<f64>,
    /// One more than the odds of each quiet group, multiplied, once they were looked at.
    quiet: Option<f64>,
    reached: f64,
    failed: f64,
    /// Those of them that left out something needed, as far as that is known.
    incomplete: [f64; 2],
}

impl Belief {
    pub(super) fn new(steps: usize, floor: f64) -> Belief {
        let mut belief = Belief {
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            starts: if steps == 0 { Vec::new() } else { vec![0] },
            odds: Vec::new(),
            priors: Vec::new(),
            chances: Vec::new(),
            harmless: Vec::new(),
            quiet: Set::default(),
            tests: Vec::new(),
            settled: 0,
            said: Said::default(),
            rare: EXPECTED / steps.max(6) as f64,
            with: share(WITH),
            without: share(WITHOUT),
            unforeseen: [0.0; 2],
            incomplete: WITHOUT,
            floor,
            expected: WITH,
        };
        belief.priors = (0..belief.starts.len())
            .map(|group| belief.before(group))
            .collect();
        belief.odds = belief.priors.clone();
        belief.conclude();
        belief
    }

    /// For targets that even the whole trace reaches only in this share of its runs.
    pub(super) fn expect(&mut self, rate: f64) {
        let [successes, failures] = WITH;
        self.expected = [
            rate * (successes + failures),
            (1.0 - rate) * (successes + failures),
        ];
        self.floor = LOWER * rate;
        self.with = rate.min(MOST_WITH);
        self.without = self.without.min(MOST_WITHOUT * self.with);
        self.conclude();
    }

    /// Groups in order, as ranges of steps, each with the chance that one of its steps is needed.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Range<u32>, f64)> + '_ {
        self.chances
            .iter()
            .enumerate()
            .map(|(group, chance)| (self.range(group), *chance))
    }

    /// The chance that a candidate has all that is needed. Looks at the groups that it keeps in part and at no others.
    pub(super) fn complete(&self, kept: &Spans) -> f64 {
        let mut ln = self.harmless(0..self.chances.len());
        let mut in_part = 1.0;
        // The last group that was kept in part, and how many of its steps.
        let mut part: Option<(usize, u32)> = None;
        let mut leave = |part: Option<(usize, u32)>| {
            if let Some((group, kept)) = part {
                let steps = self.range(group).len() as f64;
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
            ln -= self.harmless(first..behind);
            for group in begins.into_iter().chain(ends) {
                let range = self.range(group);
                let common = span.end.min(range.end) - span.start.max(range.start);
                match &mut part {
                    Some((same, kept)) if *same == group => *kept += common,
                    _ => {
                        leave(part);
                        ln -= self.harmless(group..group + 1);
                        part = Some((group, common));
                    }
                }
            }
        }
        leave(part);
        ln.exp() * in_part
    }

    /// The logarithm of the chance that none of these groups is needed.
    fn harmless(&self, groups: Range<usize>) -> f64 {
        self.harmless[groups.end] - self.harmless[groups.start]
    }

    /// How many runs kept exactly these steps.
    pub(super) fn runs_of(&self, kept: &Spans) -> u32 {
        let groups = self.left_out(kept);
        self.tests
            .iter()
            .find(|test| test.left_out == groups)
            .map_or(0, |test| (test.reached + test.failed) as u32)
    }

    /// What one more run is worth, in bits, if its candidate has all that is needed with this chance.
    pub(super) fn bits(&self, complete: f64) -> f64 {
        let reached = self.without + (self.with - self.without) * complete;
        let [with, without] = self.unforeseen;
        entropy(reached) - complete * with - (1.0 - complete) * without
    }

    /// Counts a run that kept these steps. `settle` draws the conclusions.
    pub(super) fn saw(&mut self, kept: &Spans, reached: bool) {
        for edge in kept.iter().flat_map(|span| [span.start, span.end]) {
            if (1..self.steps).contains(&edge) {
                self.split(edge);
            }
        }
        let groups = self.left_out(kept);
        let place = self
            .tests
            .iter()
            .position(|test| test.left_out == groups)
            .unwrap_or_else(|| {
                let unsaid = vec![1.0; self.odds.len()];
                let reached = 0.0;
                let failed = 0.0;
                let incomplete = [0.0; 2];
                self.tests.push(Test {
                    left_out: groups,
                    unsaid,
                    quiet: None,
                    reached,
                    failed,
                    incomplete,
                });
                self.tests.len() - 1
            });
        let test = &mut self.tests[place];
        *(if reached {
            &mut test.reached
        } else {
            &mut test.failed
        }) += 1.0;
    }

    /// The groups of which no step was kept.
    fn left_out(&self, kept: &Spans) -> Set {
        let mut spans = kept.iter().peekable();
        let is_left_out = |start: &u32| {
            while spans.next_if(|span| span.end <= *start).is_some() {}
            spans.peek().is_none_or(|span| *start < span.start)
        };
        self.starts.iter().map(is_left_out).collect()
    }

    /// Passes beliefs around until they agree, `passes` times at most.
    pub(super) fn settle(&mut self, passes: usize) {
        let around = self.settled.is_multiple_of(LOOK_AROUND);
        self.settled += 1;
        for number in 0..passes {
            if self.pass(around && number == 0) {
                break;
            }
        }
        self.conclude();
    }

    fn conclude(&mut self) {
        self.unforeseen = [entropy(self.with), entropy(self.without)];
        self.chances.clear();
        self.chances
            .extend(self.odds.iter().map(|odds| chance(*odds)));
        let mut ln = 0.0;
        self.harmless.clear();
        self.harmless.push(ln);
        self.harmless.extend(self.odds.iter().map(|odds| {
            ln -= (1.0 + at_surest(*odds)).ln();
            ln
        }));
    }

    fn range(&self, group: usize) -> Range<u32> {
        self.starts[group]..self.starts.get(group + 1).copied().unwrap_or(self.steps)
    }

    /// The odds of a group before anything is known of it.
    fn before(&self, group: usize) -> f64 {
        let none =
            (1.0 - self.rare).powi(i32::try_from(self.range(group).len()).unwrap_or(i32::MAX));
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
        self.priors.insert(place, 1.0);
        self.quiet.remove(group);
        self.quiet.double(group);
        for test in &mut self.tests {
            test.left_out.double(group);
            test.unsaid[group] = 1.0;
            test.unsaid.insert(place, 1.0);
        }
        for part in [group, place] {
            self.priors[part] = self.before(part);
            self.odds[part] = self.priors[part];
        }
    }

    /// Every test tells each group it left out what follows from its runs and from what is believed of the others; quiet
    /// ones only if it looks `around`. True if they agree.
    fn pass(&mut self, around: bool) -> bool {
        let mut complete = self.expected;
        let mut incomplete = WITHOUT;
        let mut agreed = true;
        let before = self.incomplete;
        let mut whole = self.expected;
        if around {
            self.quiet = self.odds.iter().map(|odds| *odds < QUIET).collect();
        }
        for test in &mut self.tests {
            let Test {
                reached,
                failed,
                incomplete: own,
                ..
            } = *test;
            // How much likelier these answers are if something needed was left out.
            let others = [before[0] - own[0], before[1] - own[1]];
            let likelier = likelier(others, [reached, failed], self.with);
            let none = 1.0 / self.said.take(test, &self.odds, &self.quiet, around);
            let all = none / (none + (1.0 - none) * likelier);
            test.incomplete = [(1.0 - all) * reached, (1.0 - all) * failed];
            if test.left_out.is_empty() {
                whole = [self.expected[0] + reached, self.expected[1] + failed];
            }
            for (share, into) in [(all, &mut complete), (1.0 - all, &mut incomplete)] {
                into[0] += share * reached;
                into[1] += share * failed;
            }
            agreed &= self.said.speak(none, likelier);
            self.said.put_back(test, &mut self.odds);
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
        self.rare = rare;
        for group in 0..self.odds.len() {
            let prior = self.before(group);
            self.odds[group] = bounded(self.odds[group] / self.priors[group] * prior, NUMBER);
            self.priors[group] = prior;
        }
    }
}

fn chance(odds: f64) -> f64 {
    let odds = at_surest(odds);
    odds / (1.0 + odds)
}

fn share([successes, failures]: [f64; 2]) -> f64 {
    successes / (successes + failures)
}

/// A rate that is hardly lower, after so many successes and failures: two standard deviations below the mean.
fn at_least(counts: [f64; 2]) -> f64 {
    let mean = share(counts);
    let all = counts[0] + counts[1];
    mean - 2.0 * (mean * (1.0 - mean) / (all + 1.0)).sqrt()
}

/// How much likelier so many successes and then failures are if something needed was left out than if nothing was. Each
/// answer changes what is held of the former, as successes and failures; the latter succeed in the share `with`.
fn likelier(held: [f64; 2], seen: [f64; 2], with: f64) -> f64 {
    let mut ratio = 1.0;
    let mut all = held[0] + held[1];
    for (held, more, expected) in [(held[0], seen[0], with), (held[1], seen[1], 1.0 - with)] {
        for number in 0..more as u32 {
            ratio = bounded(
                ratio * (held + f64::from(number)) / (all * expected),
                NUMBER,
            );
            all += 1.0;
        }
    }
    bounded(ratio, LOUDEST)
}

fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
    part(p) + part(1.0 - p)
}
