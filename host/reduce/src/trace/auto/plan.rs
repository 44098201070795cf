//! Which run to make next, as long as beliefs leave anything open; then the runs that prove the result. It knows no phones
//! and no clock: it is asked for a run whenever a phone is free, and told what each has shown.

mod options;

use std::collections::BTreeMap;
use std::ops::Range;

use retap_device::seed::Rng;

use super::super::spans::Spans;
use super::belief::Belief;
use super::outlook::Groups;
use super::rate;
use crate::policy::Tally;

/// A group of steps that is needed with a lower chance than this is left out of every further run.
const LEFT_OUT: f64 = 0.01;
/// A step that is needed with this chance is done with.
const SURE: f64 = 0.98;
/// What is left is checked once it has all that is needed with this chance.
const COMPLETE: f64 = 0.95;
/// A smaller trace with this chance is one to step back to.
const ACCEPTED: f64 = 0.9;
/// The first runs: of nothing, which many targets need, and of everything. If nothing is enough sometimes, more of the former
/// show how often; each failure of the latter asks for more of them.
const EMPTY_RUNS: u32 = 2;
const MORE_EMPTY_RUNS: u32 = 8;
const WHOLE_RUNS: u32 = 4;
const MORE_WHOLE_RUNS: u32 = 5;
/// What a run costs beside its steps: the start, and a phone that is not free for others. In steps.
const RUN: f64 = 110.0;
/// An answer worth less than this is not waited for.
const WORTHLESS: f64 = 0.01;
/// A run so much longer than those that are made now is not waited for either.
const TOO_LONG: f64 = 4.0;
/// Passes of belief after an answer, and before a decision.
const PASSES: usize = 3;
const MANY_PASSES: usize = 12;
/// Searching ends after so many times the runs of a check, whatever is still open.
const PATIENCE: u32 = 150;
/// Results that are checked before the last one is taken as it is.
const STEPS_BACK: usize = 6;

/// When something passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) runs: u32,
    pub(super) successes: u32,
    /// Of the whole trace less is asked.
    pub(super) whole: u32,
    /// The whole trace is run as often as a result, and then no result may do it less often.
    pub(super) keep_rate: bool,
}

#[derive(Debug)]
pub(super) struct Plan {
    steps: usize,
    pass: Pass,
    rng: Rng,
    belief: Belief,
    /// Steps that are believed of as one, in order, each group with the chance that it has a needed one.
    groups: Vec<(Range<u32>, f64)>,
    under_way: BTreeMap<usize, Spans>,
    next: usize,
    seen: u32,
    whole: Asked,
    /// Runs of the whole trace that are made in any case, and waited for.
    whole_wanted: u32,
    empty: Asked,
    /// Every accepted trace, the smallest last.
    accepted: Vec<Spans>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    runs: u32,
    tally: Tally,
}

#[derive(Debug)]
enum Stage {
    /// How often the whole trace does it.
    Measuring,
    Searching,
    Checking(Checking),
    Ended(End),
}

#[derive(Debug)]
struct Checking {
    kept: Spans,
    /// How many accepted results were given up for this one.
    back: usize,
    /// Whether it had failed narrowly before.
    again: bool,
    runs: Vec<usize>,
    tally: Tally,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    DoesNotReproduce,
    /// What is left, and what its fresh runs showed.
    Checked(Spans, Tally),
}

impl Plan {
    pub(super) fn new(steps: usize, pass: Pass, rng: Rng) -> Plan {
        let floor = 0.88 * f64::from(pass.successes) / f64::from(pass.runs);
        let mut plan = Plan {
            steps,
            pass,
            rng,
            belief: Belief::new(steps, floor),
            groups: Vec::new(),
            under_way: BTreeMap::new(),
            next: 0,
            seen: 0,
            whole: Asked::default(),
            whole_wanted: 0,
            empty: Asked::default(),
            accepted: vec![Spans::first(steps)],
            stage: if pass.keep_rate {
                Stage::Measuring
            } else {
                Stage::Searching
            },
        };
        plan.look();
        plan
    }

    /// The next run: its number and the steps it keeps. `None` if there is nothing to do but wait.
    pub(super) fn next(&mut self) -> Option<(usize, Spans)> {
        let number = self.next;
        let kept = match &mut self.stage {
            Stage::Ended(_) => return None,
            Stage::Checking(check) if check.runs.len() < self.pass.runs as usize => {
                check.runs.push(number);
                check.kept.clone()
            }
            Stage::Checking(_) => return None,
            Stage::Measuring if self.whole.runs < self.pass.runs => {
                self.whole.runs += 1;
                Spans::first(self.steps)
            }
            Stage::Measuring => return None,
            Stage::Searching => self.first_runs().or_else(|| self.best_run())?,
        };
        self.next += 1;
        self.under_way.insert(number, kept.clone());
        Some((number, kept))
    }

    /// Counts an answer, and decides what follows from it.
    pub(super) fn seen(&mut self, number: usize, reached: bool) {
        let Some(kept) = self.under_way.remove(&number) else {
            return;
        };
        self.seen += 1;
        if kept.len() == self.steps {
            self.whole.tally.count(reached);
        } else if kept.is_empty() {
            self.empty.tally.count(reached);
        }
        self.belief.saw(&kept, reached);
        self.belief.settle(PASSES);
        self.look();
        self.judge_whole();
        match &mut self.stage {
            Stage::Searching => self.decide(),
            Stage::Checking(check) if check.runs.contains(&number) => {
                check.tally.count(reached);
                if check.tally.runs() == self.pass.runs {
                    self.checked();
                }
            }
            Stage::Measuring | Stage::Checking(_) | Stage::Ended(_) => {}
        }
    }

    pub(super) fn cancelled(&mut self, number: usize) {
        let kept = self.under_way.remove(&number);
        if kept.is_some_and(|kept| kept.len() == self.steps) {
            self.whole.runs = self.whole.runs.saturating_sub(1);
        }
    }

    /// Whether the answer to a run that is under way could still change anything.
    pub(super) fn matters(&self, number: usize) -> bool {
        let Some(kept) = self.under_way.get(&number) else {
            return false;
        };
        match &self.stage {
            Stage::Measuring => true,
            Stage::Ended(_) => false,
            Stage::Checking(check) => check.runs.contains(&number),
            Stage::Searching => {
                // Nothing shows how often it comes by itself, everything whether it comes at all.
                if kept.is_empty() {
                    return true;
                }
                if kept.len() == self.steps && (self.smallest().len() == self.steps || self.waits())
                {
                    return true;
                }
                let short = kept.len() as f64 <= TOO_LONG * (self.smallest().len() as f64 + RUN);
                short && self.belief.bits(self.belief.complete(kept)) > WORTHLESS
            }
        }
    }

    pub(super) fn end(&self) -> Option<&End> {
        match &self.stage {
            Stage::Ended(end) => Some(end),
            Stage::Measuring | Stage::Searching | Stage::Checking(_) => None,
        }
    }

    /// The smallest trace that is held to have all that is needed.
    pub(super) fn smallest(&self) -> &Spans {
        &self.accepted[self.accepted.len() - 1]
    }

    /// What a run that is under way keeps.
    pub(super) fn kept(&self, number: usize) -> Option<&Spans> {
        self.under_way.get(&number)
    }

    /// Whether a run is one of those that prove a result.
    pub(super) fn is_check(&self, number: usize) -> bool {
        matches!(&self.stage, Stage::Checking(check) if check.runs.contains(&number))
    }

    /// How many successes a check needs.
    pub(super) fn successes(&self) -> u32 {
        self.pass.successes
    }

    /// In order, each with the chance that it has a needed step.
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(super) fn whole_runs(&self) -> Tally {
        self.whole.tally
    }

    fn look(&mut self) {
        self.groups.clear();
        self.groups.extend(self.belief.groups());
    }

    /// Whether the whole trace does it often enough; and how often a result must do it if that is to be kept.
    fn judge_whole(&mut self) {
        let Tally {
            successes,
            failures,
        } = self.whole.tally;
        if !self.pass.keep_rate {
            if failures > self.pass.runs - self.pass.whole {
                self.stage = Stage::Ended(End::DoesNotReproduce);
            } else if failures > 1
                && failures * self.pass.runs
                    > (successes + failures) * (self.pass.runs - self.pass.whole)
            {
                // It looks as if it had to be refused: that is found out before anything else is believed.
                self.whole_wanted = self.pass.runs;
            }
        } else if successes + failures == self.pass.runs && matches!(self.stage, Stage::Measuring) {
            self.stage = Stage::Searching;
            if successes == 0 {
                self.stage = Stage::Ended(End::DoesNotReproduce);
            }
            self.pass.successes = rate::not_lower(successes, self.pass.runs);
            self.pass.whole = 1;
            self.belief
                .expect(f64::from(successes) / f64::from(self.pass.runs));
        }
    }

    /// What no belief is needed for.
    fn first_runs(&mut self) -> Option<Spans> {
        let empty = if self.empty.tally.successes > 0 {
            MORE_EMPTY_RUNS
        } else {
            EMPTY_RUNS
        };
        if self.empty.runs < empty {
            self.empty.runs += 1;
            return Some(Spans::default());
        }
        let whole = (WHOLE_RUNS + MORE_WHOLE_RUNS * self.whole.tally.failures).min(self.pass.runs);
        let search_has_begun = self.smallest().len() < self.steps;
        if self.whole.runs < whole && !search_has_begun || self.whole.runs < self.whole_wanted {
            self.whole.runs += 1;
            return Some(Spans::first(self.steps));
        }
        None
    }

    /// All steps that are not left out for good.
    fn base(&self) -> Spans {
        let mut base = Spans::default();
        let kept = self.groups.iter().filter(|(_, needed)| *needed >= LEFT_OUT);
        kept.for_each(|(group, _)| base.push(group.clone()));
        base
    }

    /// The run that tells most for what it costs. One that is like others under way tells less. While others are waited for,
    /// none at all if it tells next to nothing.
    fn best_run(&mut self) -> Option<Spans> {
        let base = self.base();
        let under_way: Vec<Spans> = self
            .under_way
            .values()
            .map(|kept| base.minus(kept))
            .collect();
        let mut best = (f64::MIN, Spans::default());
        let mut most = 0.0_f64;
        for kept in self.options(&base) {
            let left_out = base.minus(&kept);
            let alike: f64 = under_way.iter().map(|other| left_out.alike(other)).sum();
            let bits = self.belief.bits(self.belief.complete(&kept));
            most = most.max(bits);
            let worth = bits / (kept.len() as f64 + RUN) / (1.0 + alike);
            if worth > best.0 {
                best = (worth, kept);
            }
        }
        (most > WORTHLESS || self.under_way.is_empty()).then_some(best.1)
    }

    fn decide(&mut self) {
        let base = self.base();
        let complete = self.belief.complete(&base);
        if base.len() < self.smallest().len() && complete > ACCEPTED {
            self.accepted.push(base.clone());
        }
        let open = self
            .groups
            .iter()
            .any(|(group, needed)| *needed >= LEFT_OUT && (group.len() > 1 || *needed < SURE));
        let spent = self.seen > PATIENCE * self.pass.runs;
        if !open && complete > COMPLETE && !self.waits() || spent {
            if *self.smallest() != base {
                self.accepted.push(base.clone());
            }
            self.check(base, 0);
        }
    }

    /// Whether runs of the whole trace are missing that are made in any case.
    fn waits(&self) -> bool {
        self.whole.tally.runs() < self.whole_wanted
    }

    fn check(&mut self, kept: Spans, back: usize) {
        let again = false;
        let runs = Vec::new();
        let tally = Tally::default();
        self.stage = Stage::Checking(Checking {
            kept,
            back,
            again,
            runs,
            tally,
        });
    }

    /// All runs of a check are there. If they do not suffice, either the belief was wrong, and the search goes on, or the
    /// accepted result before it is checked.
    fn checked(&mut self) {
        let Stage::Checking(check) = std::mem::replace(&mut self.stage, Stage::Searching) else {
            return;
        };
        let Checking {
            kept,
            back,
            again,
            tally,
            ..
        } = check;
        if tally.successes >= self.pass.successes {
            self.stage = Stage::Ended(End::Checked(kept, tally));
            return;
        }
        self.belief.settle(MANY_PASSES);
        self.look();
        let spent = self.seen > PATIENCE * self.pass.runs;
        if !spent && self.belief.complete(&kept) < ACCEPTED {
            self.accepted.retain(|accepted| accepted.len() > kept.len());
            return;
        }
        // What is enough for a whole trace and not for a result may be bad luck: one in six that are good enough meet it.
        if !spent && !again && !self.pass.keep_rate && tally.successes >= self.pass.whole {
            self.check(kept, back);
            if let Stage::Checking(check) = &mut self.stage {
                check.again = true;
            }
            return;
        }
        self.accepted.pop_if(|smallest| *smallest == kept);
        let others = self.seen - self.belief.runs_of(&kept);
        if !spent && others < self.pass.runs && self.whole.tally.runs() < self.pass.runs {
            // Too good a belief in what has failed: how often is often enough was guessed too low.
            self.whole_wanted = self.pass.runs;
            return;
        }
        match self.accepted.last() {
            Some(larger) if back < STEPS_BACK => self.check(larger.clone(), back + 1),
            _ if kept.len() < self.steps => self.check(Spans::first(self.steps), back + 1),
            // Less is asked of the whole trace than of a result, and less than that is no reproducing.
            _ if tally.successes < self.pass.whole => {
                self.stage = Stage::Ended(End::DoesNotReproduce)
            }
            _ => self.stage = Stage::Ended(End::Checked(kept, tally)),
        }
    }
}
