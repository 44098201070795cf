//! Who decides whether a candidate passes, and keeps the phones busy meanwhile. The decision depends on the answers
//! alone, not on the order in which they come.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use retap_device::CancellationToken;
use retap_device::run_event::{CheckSubject, EventSink, RunEvent};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;

use super::pending_attempts::PendingAttempts;
use super::{PassCriterion, ReduceSettings, ReductionSample, ReproductionCheck, step_count};
use crate::oracle::{Candidate, CandidateKey, Observation, Oracle, OracleError, OracleQuery};

pub(super) struct CandidateEvaluator<'a> {
    settings: &'a ReduceSettings,
    oracle: &'a dyn Oracle,
    sink: &'a EventSink,
    stop: &'a CancellationToken,
    criterion: PassCriterion,
    /// What has been decided is not asked again.
    decided: HashMap<CandidateKey, bool>,
    /// How often each candidate has been asked about by those who want fresh answers every time.
    attempts_used: HashMap<CandidateKey, u32>,
    cost: ReductionCost,
    history: Vec<ReductionSample>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReductionCost {
    pub(super) runs: u64,
    pub(super) events: u64,
    pub(super) took: Micros,
    /// Rounds of runs that waited for each other.
    pub(super) rounds: u64,
}

/// Why a reduction ends before it is done.
#[derive(Debug)]
pub(super) enum ReductionStop {
    Stopped,
    Oracle(OracleError),
}

impl<'a> CandidateEvaluator<'a> {
    pub(super) fn new(
        settings: &'a ReduceSettings,
        oracle: &'a dyn Oracle,
        sink: &'a EventSink,
        stop: &'a CancellationToken,
    ) -> CandidateEvaluator<'a> {
        CandidateEvaluator {
            settings,
            oracle,
            sink,
            stop,
            criterion: PassCriterion {
                runs: settings.runs,
                successes: settings.successes,
            },
            decided: HashMap::new(),
            attempts_used: HashMap::new(),
            cost: ReductionCost::default(),
            history: Vec::new(),
        }
    }

    pub(super) fn settings(&self) -> &'a ReduceSettings {
        self.settings
    }

    /// From now on other candidates pass; what was decided is forgotten.
    pub(super) fn set_criterion(&mut self, runs: u32, successes: u32) {
        self.criterion = PassCriterion { runs, successes };
        self.decided.clear();
    }

    /// Earlier runs have shown that these do not pass.
    pub(super) fn mark_failing(&mut self, failed: &[CandidateKey]) {
        self.decided.extend(failed.iter().map(|key| (*key, false)));
    }

    pub(super) fn is_known_to_fail(&self, candidate: impl FnOnce() -> CandidateKey) -> bool {
        !self.decided.is_empty() && self.decided.get(&candidate()) == Some(&false)
    }

    /// A candidate passes with the second of so many runs.
    pub(super) fn criterion(&self) -> (u32, u32) {
        (self.criterion.runs, self.criterion.successes)
    }

    pub(super) fn cost(&self) -> ReductionCost {
        self.cost
    }

    /// The first of `count` candidates that passes, with its number.
    pub(super) async fn first_passing(
        &mut self,
        count: usize,
        candidate: impl Fn(usize) -> Candidate,
    ) -> Result<Option<(usize, Candidate)>, ReductionStop> {
        self.first_passing_of(|number| (number < count).then(|| candidate(number)))
            .await
    }

    /// The first candidate that passes, with its number; `candidate` is asked for one after the other until it has none.
    /// Several are asked about at once, but one passes for the first only when all before it have failed; runs that no
    /// longer matter are cancelled.
    pub(super) async fn first_passing_of(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
    ) -> Result<Option<(usize, Candidate)>, ReductionStop> {
        let mut round = FirstPassingSearch::new(self.criterion);
        let mut runs = PendingAttempts::default();
        loop {
            while runs.len() < self.settings.parallel.max(1) {
                let Some((number, question)) = round.next_query(&mut candidate, &self.decided)
                else {
                    break;
                };
                runs.start(number, self.oracle.ask(question));
            }
            match round.first_passing() {
                FirstPassing::Found(number, candidate) => {
                    if candidate.local_target().is_none() {
                        self.record_reduction(step_count(&candidate));
                    }
                    return Ok(Some((number, candidate)));
                }
                FirstPassing::None => return Ok(None),
                FirstPassing::Undecided => {}
            }
            let (number, seen) = runs.next_observation(self.stop).await?;
            self.add_cost(&seen);
            if let Some((key, passes)) = round.record_outcome(number, seen.reached) {
                self.decided.insert(key, passes);
            }
            runs.cancel(|running| !round.is_relevant(running));
        }
    }

    /// Runs a candidate `runs` times, whatever the first ones say, and tells how often it did it.
    pub(super) async fn check_reproduction(
        &mut self,
        candidate: &Candidate,
        what: CheckSubject,
        first_attempt: u32,
        runs: u32,
    ) -> Result<ReproductionCheck, ReductionStop> {
        let mut check = ReproductionCheck::default();
        self.cost.rounds += u64::from(runs).div_ceil(self.settings.parallel.max(1) as u64);
        let mut attempts = first_attempt..first_attempt.saturating_add(runs);
        let mut under_way = PendingAttempts::default();
        loop {
            while under_way.len() < self.settings.parallel.max(1) {
                let Some(attempt) = attempts.next() else {
                    break;
                };
                under_way.start(
                    0,
                    self.oracle.ask(OracleQuery {
                        candidate: candidate.clone(),
                        attempt,
                        from_start: true,
                    }),
                );
            }
            if under_way.len() == 0 {
                break;
            }
            let (_, seen) = under_way.next_observation(self.stop).await?;
            self.add_cost(&seen);
            check.runs += 1;
            check.successes += u32::from(seen.reached);
            if !seen.reached {
                check.failure.get_or_insert(seen.verdict);
            }
        }
        let ReproductionCheck {
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
    pub(super) fn mark_passing(&mut self, candidate: &Candidate) {
        self.decided.insert(candidate.key(), true);
    }

    /// Numbers for runs of a candidate that nobody has had.
    pub(super) fn allocate_attempts(&mut self, candidate: CandidateKey, runs: u32) -> Range<u32> {
        let asked = self.attempts_used.entry(candidate).or_default();
        let first = *asked;
        *asked = first.saturating_add(runs);
        first..*asked
    }

    /// Runs that are started together and waited for together, each with the number it is asked under.
    pub(super) async fn run_round(
        &mut self,
        questions: Vec<(usize, OracleQuery)>,
    ) -> Result<Vec<(usize, Observation)>, ReductionStop> {
        let mut runs = PendingAttempts::default();
        for (number, question) in questions {
            runs.start(number, self.oracle.ask(question));
        }
        self.cost.rounds += 1;
        let mut seen = Vec::new();
        while runs.len() > 0 {
            let (number, one) = runs.next_observation(self.stop).await?;
            self.add_cost(&one);
            seen.push((number, one));
        }
        Ok(seen)
    }

    /// Dropping what it returns cancels the run.
    pub(super) fn start_attempt(
        &self,
        question: OracleQuery,
    ) -> BoxFuture<'a, Result<Observation, OracleError>> {
        self.oracle.ask(question)
    }

    /// The next answer of runs that were started with `ask`.
    pub(super) async fn next_observation(
        &mut self,
        runs: &mut PendingAttempts<'a>,
    ) -> Result<(usize, Observation), ReductionStop> {
        let (number, seen) = runs.next_observation(self.stop).await?;
        self.add_cost(&seen);
        Ok((number, seen))
    }

    /// A smaller one has passed.
    pub(super) fn record_reduction(&mut self, steps: u32) {
        let ReductionCost { runs, took, .. } = self.cost;
        self.history.push(ReductionSample { steps, runs, took });
        (self.sink)(RunEvent::Shrunk { steps, runs });
    }

    pub(super) fn history(&self) -> &[ReductionSample] {
        &self.history
    }

    pub(super) fn emit(&self, event: RunEvent) {
        (self.sink)(event);
    }

    fn add_cost(&mut self, seen: &Observation) {
        self.cost.runs += 1;
        self.cost.events += u64::from(seen.played);
        self.cost.took += seen.took;
    }
}

/// Candidates of which the first that passes is wanted. They are made only when it is their turn.
struct FirstPassingSearch {
    criterion: PassCriterion,
    next_number: usize,
    /// No more candidates are to be had.
    exhausted: bool,
    /// Those that are not known to fail, in order. Behind one that passes there is none.
    undecided: VecDeque<CandidateTrial>,
}

struct CandidateTrial {
    number: usize,
    candidate: Candidate,
    attempts: u32,
    successes: u32,
    failures: u32,
    passes: bool,
}

enum FirstPassing {
    Found(usize, Candidate),
    None,
    Undecided,
}

impl FirstPassingSearch {
    fn new(passing: PassCriterion) -> FirstPassingSearch {
        FirstPassingSearch {
            criterion: passing,
            next_number: 0,
            exhausted: false,
            undecided: VecDeque::new(),
        }
    }

    /// The run most worth starting: of the first candidate that needs one more.
    fn next_query(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
        passed: &HashMap<CandidateKey, bool>,
    ) -> Option<(usize, OracleQuery)> {
        let passing = self.criterion;
        if let Some(trial) = self
            .undecided
            .iter_mut()
            .find(|trial| trial.needs_attempt(passing))
        {
            return Some(trial.next_query(passing));
        }
        while !self.exhausted && !self.undecided.back().is_some_and(|trial| trial.passes) {
            let number = self.next_number;
            self.next_number += 1;
            let Some(candidate) = candidate(number) else {
                self.exhausted = true;
                break;
            };
            // An equal one before it decides for both.
            if self
                .undecided
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
            let mut trial = CandidateTrial {
                number,
                candidate,
                attempts: 0,
                successes: 0,
                failures: 0,
                passes,
            };
            let question = (!passes).then(|| trial.next_query(passing));
            self.undecided.push_back(trial);
            if question.is_some() {
                return question;
            }
        }
        None
    }

    /// Counts an answer; tells if it decided its candidate, and how.
    fn record_outcome(&mut self, number: usize, reached: bool) -> Option<(CandidateKey, bool)> {
        let place = self
            .undecided
            .iter()
            .position(|trial| trial.number == number)?;
        let trial = &mut self.undecided[place];
        trial.successes += u32::from(reached);
        trial.failures += u32::from(!reached);
        let key = trial.candidate.key();
        if trial.successes >= self.criterion.successes {
            trial.passes = true;
            self.undecided.truncate(place + 1);
            Some((key, true))
        } else if trial.failures > self.criterion.runs - self.criterion.successes {
            self.undecided.remove(place);
            Some((key, false))
        } else {
            None
        }
    }

    /// Whether an answer about this candidate could still change anything.
    fn is_relevant(&self, number: usize) -> bool {
        self.undecided
            .iter()
            .any(|trial| trial.number == number && !trial.passes)
    }

    fn first_passing(&self) -> FirstPassing {
        match self.undecided.front() {
            Some(trial) if trial.passes => {
                FirstPassing::Found(trial.number, trial.candidate.clone())
            }
            Some(_) => FirstPassing::Undecided,
            None => FirstPassing::None,
        }
    }
}

impl CandidateTrial {
    /// No more runs are started at once than successes are missing.
    fn needs_attempt(&self, passing: PassCriterion) -> bool {
        let under_way = self.attempts - self.successes - self.failures;
        !self.passes
            && self.attempts < passing.runs
            && under_way < passing.successes - self.successes
    }

    fn next_query(&mut self, passing: PassCriterion) -> (usize, OracleQuery) {
        let attempt = self.attempts;
        self.attempts += 1;
        // Luck that was had once on the way to a saved state would count again and again.
        let from_start = passing.runs > 1;
        (
            self.number,
            OracleQuery {
                candidate: self.candidate.clone(),
                attempt,
                from_start,
            },
        )
    }
}
