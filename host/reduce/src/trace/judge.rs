//! Who decides whether a candidate passes, and keeps the phones busy meanwhile. The decision depends on the answers
//! alone, not on the order in which they come.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use retap_device::event::{Checked, RunEvent, Sink};
use retap_device::stop::Stop;
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;

use super::runs::Runs;
use super::{Check, ReduceSettings, Size, steps_of};
use crate::oracle::{Candidate, CandidateKey, Observation, Oracle, OracleError, Question};

pub(super) struct Judge<'a> {
    settings: &'a ReduceSettings,
    oracle: &'a dyn Oracle,
    sink: &'a Sink,
    stop: &'a Stop,
    passing: Passing,
    /// What has been decided is not asked again.
    passed: HashMap<CandidateKey, bool>,
    /// How often each candidate has been asked about by those who want fresh answers every time.
    asked: HashMap<CandidateKey, u32>,
    spent: Spent,
    history: Vec<Size>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) runs: u64,
    pub(super) events: u64,
    pub(super) took: Micros,
    /// Rounds of runs that waited for each other.
    pub(super) rounds: u64,
}

/// When a candidate passes: `successes` of `runs`.
#[derive(Clone, Copy, Debug)]
struct Passing {
    runs: u32,
    successes: u32,
}

/// Why a reduction ends before it is done.
#[derive(Debug)]
pub(super) enum Halt {
    Stopped,
    Oracle(OracleError),
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        settings: &'a ReduceSettings,
        oracle: &'a dyn Oracle,
        sink: &'a Sink,
        stop: &'a Stop,
    ) -> Judge<'a> {
        Judge {
            settings,
            oracle,
            sink,
            stop,
            passing: Passing {
                runs: settings.runs,
                successes: settings.successes,
            },
            passed: HashMap::new(),
            asked: HashMap::new(),
            spent: Spent::default(),
            history: Vec::new(),
        }
    }

    pub(super) fn settings(&self) -> &'a ReduceSettings {
        self.settings
    }

    /// From now on other candidates pass; what was decided is forgotten.
    pub(super) fn decide_by(&mut self, runs: u32, successes: u32) {
        self.passing = Passing { runs, successes };
        self.passed.clear();
    }

    /// Earlier runs have shown that these do not pass.
    pub(super) fn rule_out(&mut self, failed: &[CandidateKey]) {
        self.passed.extend(failed.iter().map(|key| (*key, false)));
    }

    pub(super) fn is_ruled_out(&self, candidate: impl FnOnce() -> CandidateKey) -> bool {
        !self.passed.is_empty() && self.passed.get(&candidate()) == Some(&false)
    }

    /// A candidate passes with the second of so many runs.
    pub(super) fn rules(&self) -> (u32, u32) {
        (self.passing.runs, self.passing.successes)
    }

    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// The first of `count` candidates that passes, with its number.
    pub(super) async fn first(
        &mut self,
        count: usize,
        candidate: impl Fn(usize) -> Candidate,
    ) -> Result<Option<(usize, Candidate)>, Halt> {
        self.first_of(|number| (number < count).then(|| candidate(number)))
            .await
    }

    /// The first candidate that passes, with its number; `candidate` is asked for one after the other until it has none.
    /// Several are asked about at once, but one passes for the first only when all before it have failed; runs that no
    /// longer matter are cancelled.
    pub(super) async fn first_of(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
    ) -> Result<Option<(usize, Candidate)>, Halt> {
        let mut round = Round::new(self.passing);
        let mut runs = Runs::default();
        loop {
            while runs.len() < self.settings.parallel.max(1) {
                let Some((number, question)) = round.next_question(&mut candidate, &self.passed)
                else {
                    break;
                };
                runs.start(number, self.oracle.ask(question));
            }
            match round.winner() {
                Winner::Found(number, candidate) => {
                    if candidate.place().is_none() {
                        self.shrunk(steps_of(&candidate));
                    }
                    return Ok(Some((number, candidate)));
                }
                Winner::None => return Ok(None),
                Winner::Open => {}
            }
            let (number, seen) = runs.next(self.stop).await?;
            self.count(&seen);
            if let Some((key, passes)) = round.seen(number, seen.reached) {
                self.passed.insert(key, passes);
            }
            runs.cancel(|running| !round.matters(running));
        }
    }

    /// Runs a candidate `runs` times, whatever the first ones say, and tells how often it did it.
    pub(super) async fn check(
        &mut self,
        candidate: &Candidate,
        what: Checked,
        first_attempt: u32,
        runs: u32,
    ) -> Result<Check, Halt> {
        let mut check = Check::default();
        self.spent.rounds += u64::from(runs).div_ceil(self.settings.parallel.max(1) as u64);
        let mut attempts = first_attempt..first_attempt.saturating_add(runs);
        let mut under_way = Runs::default();
        loop {
            while under_way.len() < self.settings.parallel.max(1) {
                let Some(attempt) = attempts.next() else {
                    break;
                };
                under_way.start(
                    0,
                    self.oracle.ask(Question {
                        steps: candidate.clone(),
                        attempt,
                        from_start: true,
                    }),
                );
            }
            if under_way.len() == 0 {
                break;
            }
            let (_, seen) = under_way.next(self.stop).await?;
            self.count(&seen);
            check.runs += 1;
            check.successes += u32::from(seen.reached);
            if !seen.reached {
                check.failure.get_or_insert(seen.verdict);
            }
        }
        let Check {
            successes, runs, ..
        } = check;
        (self.sink)(RunEvent::Checked {
            what,
            successes,
            runs,
        });
        Ok(check)
    }

    /// What has been checked is known to pass.
    pub(super) fn know(&mut self, candidate: &Candidate) {
        self.passed.insert(candidate.key(), true);
    }

    /// Numbers for runs of a candidate that nobody has had.
    pub(super) fn fresh(&mut self, candidate: CandidateKey, runs: u32) -> Range<u32> {
        let asked = self.asked.entry(candidate).or_default();
        let first = *asked;
        *asked = first.saturating_add(runs);
        first..*asked
    }

    /// Runs that are started together and waited for together, each with the number it is asked under.
    pub(super) async fn round(
        &mut self,
        questions: Vec<(usize, Question)>,
    ) -> Result<Vec<(usize, Observation)>, Halt> {
        let mut runs = Runs::default();
        for (number, question) in questions {
            runs.start(number, self.oracle.ask(question));
        }
        self.spent.rounds += 1;
        let mut seen = Vec::new();
        while runs.len() > 0 {
            let (number, one) = runs.next(self.stop).await?;
            self.count(&one);
            seen.push((number, one));
        }
        Ok(seen)
    }

    /// Dropping what it returns cancels the run.
    pub(super) fn ask(&self, question: Question) -> Pending<'a, Result<Observation, OracleError>> {
        self.oracle.ask(question)
    }

    /// The next answer of runs that were started with `ask`.
    pub(super) async fn answer(
        &mut self,
        runs: &mut Runs<'a>,
    ) -> Result<(usize, Observation), Halt> {
        let (number, seen) = runs.next(self.stop).await?;
        self.count(&seen);
        Ok((number, seen))
    }

    /// A smaller one has passed.
    pub(super) fn shrunk(&mut self, steps: u32) {
        let Spent { runs, took, .. } = self.spent;
        self.history.push(Size { steps, runs, took });
        (self.sink)(RunEvent::Shrunk { steps, runs });
    }

    pub(super) fn history(&self) -> &[Size] {
        &self.history
    }

    pub(super) fn tell(&self, event: RunEvent) {
        (self.sink)(event);
    }

    fn count(&mut self, seen: &Observation) {
        self.spent.runs += 1;
        self.spent.events += u64::from(seen.played);
        self.spent.took += seen.took;
    }
}

/// Candidates of which the first that passes is wanted. They are made only when it is their turn.
struct Round {
    passing: Passing,
    next: usize,
    /// No more candidates are to be had.
    all: bool,
    /// Those that are not known to fail, in order. Behind one that passes there is none.
    open: VecDeque<Trial>,
}

struct Trial {
    number: usize,
    candidate: Candidate,
    asked: u32,
    successes: u32,
    failures: u32,
    passes: bool,
}

enum Winner {
    Found(usize, Candidate),
    None,
    Open,
}

impl Round {
    fn new(passing: Passing) -> Round {
        Round {
            passing,
            next: 0,
            all: false,
            open: VecDeque::new(),
        }
    }

    /// The run most worth starting: of the first candidate that needs one more.
    fn next_question(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
        passed: &HashMap<CandidateKey, bool>,
    ) -> Option<(usize, Question)> {
        let passing = self.passing;
        if let Some(trial) = self.open.iter_mut().find(|trial| trial.wants_more(passing)) {
            return Some(trial.ask(passing));
        }
        while !self.all && !self.open.back().is_some_and(|trial| trial.passes) {
            let number = self.next;
            self.next += 1;
            let Some(candidate) = candidate(number) else {
                self.all = true;
                break;
            };
            // An equal one before it decides for both.
            if self
                .open
                .iter()
                .any(|trial| trial.candidate.key() == candidate.key())
            {
                continue;
            }
            let known = passed.get(&candidate.key()).copied();
            if known == Some(false) {
                continue;
            }
            let passes = known == Some(true);
            let mut trial = Trial {
                number,
                candidate,
                asked: 0,
                successes: 0,
                failures: 0,
                passes,
            };
            let question = (!passes).then(|| trial.ask(passing));
            self.open.push_back(trial);
            if question.is_some() {
                return question;
            }
        }
        None
    }

    /// Counts an answer; tells if it decided its candidate, and how.
    fn seen(&mut self, number: usize, reached: bool) -> Option<(CandidateKey, bool)> {
        let place = self.open.iter().position(|trial| trial.number == number)?;
        let trial = &mut self.open[place];
        trial.successes += u32::from(reached);
        trial.failures += u32::from(!reached);
        let key = trial.candidate.key();
        if trial.successes >= self.passing.successes {
            trial.passes = true;
            self.open.truncate(place + 1);
            Some((key, true))
        } else if trial.failures > self.passing.runs - self.passing.successes {
            self.open.remove(place);
            Some((key, false))
        } else {
            None
        }
    }

    /// Whether an answer about this candidate could still change anything.
    fn matters(&self, number: usize) -> bool {
        self.open
            .iter()
            .any(|trial| trial.number == number && !trial.passes)
    }

    fn winner(&self) -> Winner {
        match self.open.front() {
            Some(trial) if trial.passes => Winner::Found(trial.number, trial.candidate.clone()),
            Some(_) => Winner::Open,
            None => Winner::None,
        }
    }
}

impl Trial {
    /// No more runs are started at once than successes are missing.
    fn wants_more(&self, passing: Passing) -> bool {
        let under_way = self.asked - self.successes - self.failures;
        !self.passes && self.asked < passing.runs && under_way < passing.successes - self.successes
    }

    fn ask(&mut self, passing: Passing) -> (usize, Question) {
        let attempt = self.asked;
        self.asked += 1;
        // Luck that was had once on the way to a saved state would count again and again.
        let from_start = passing.runs > 1;
        (
            self.number,
            Question {
                steps: self.candidate.clone(),
                attempt,
                from_start,
            },
        )
    }
}
