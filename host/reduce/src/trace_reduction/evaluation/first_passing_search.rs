//! The search for the first candidate that passes, without the oracle: which attempt to start next, and what observations decide.

use std::collections::{HashMap, VecDeque};

use super::super::PassCriterion;
use crate::oracle::{Candidate, CandidateKey, OracleQuery};

/// Candidates in order, made only when they are about to be run.
pub(super) struct FirstPassingSearch {
    criterion: PassCriterion,
    next_number: usize,
    /// There are no further candidates.
    exhausted: bool,
    /// Candidates that are not known to fail, in order. None follows one that passes.
    undecided: VecDeque<CandidateTrial>,
}

/// State of a search.
pub(super) enum FirstPassing {
    Found(usize, Candidate),
    None,
    Undecided,
}

struct CandidateTrial {
    number: usize,
    candidate: Candidate,
    attempts: u32,
    successes: u32,
    failures: u32,
    passes: bool,
}

impl FirstPassingSearch {
    pub(super) fn new(criterion: PassCriterion) -> FirstPassingSearch {
        FirstPassingSearch {
            criterion,
            next_number: 0,
            exhausted: false,
            undecided: VecDeque::new(),
        }
    }

    /// Next attempt: of the first candidate that needs one more.
    pub(super) fn next_query(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
        decided: &HashMap<CandidateKey, bool>,
    ) -> Option<(usize, OracleQuery)> {
        let criterion = self.criterion;
        if let Some(trial) = self
            .undecided
            .iter_mut()
            .find(|trial| trial.needs_attempt(criterion))
        {
            return Some(trial.next_query(criterion));
        }
        while !self.exhausted && !self.undecided.back().is_some_and(|trial| trial.passes) {
            let number = self.next_number;
            self.next_number += 1;
            let Some(candidate) = candidate(number) else {
                self.exhausted = true;
                break;
            };
            let key = candidate.key();
            let known = decided.get(&key).copied();
            // An equal candidate before this one decides for both.
            if known == Some(false) || self.contains(key) {
                continue;
            }
            let mut trial = CandidateTrial::new(number, candidate, known == Some(true));
            let query = (!trial.passes).then(|| trial.next_query(criterion));
            self.undecided.push_back(trial);
            if query.is_some() {
                return query;
            }
        }
        None
    }

    /// Counts an observation. Returns the candidate that it decides, and whether that passes.
    pub(super) fn record_outcome(
        &mut self,
        number: usize,
        reached: bool,
    ) -> Option<(CandidateKey, bool)> {
        let index = self
            .undecided
            .iter()
            .position(|trial| trial.number == number)?;
        let trial = &mut self.undecided[index];
        trial.successes += u32::from(reached);
        trial.failures += u32::from(!reached);
        let key = trial.candidate.key();
        if trial.successes >= self.criterion.successes {
            trial.passes = true;
            self.undecided.truncate(index + 1);
            Some((key, true))
        } else if trial.failures > self.criterion.runs - self.criterion.successes {
            self.undecided.remove(index);
            Some((key, false))
        } else {
            None
        }
    }

    /// True if an observation of this candidate could still change the result.
    pub(super) fn is_relevant(&self, number: usize) -> bool {
        self.undecided
            .iter()
            .any(|trial| trial.number == number && !trial.passes)
    }

    pub(super) fn first_passing(&self) -> FirstPassing {
        match self.undecided.front() {
            Some(trial) if trial.passes => {
                FirstPassing::Found(trial.number, trial.candidate.clone())
            }
            None if self.exhausted => FirstPassing::None,
            // Without any attempt the budget did not allow one.
            Some(_) | None => FirstPassing::Undecided,
        }
    }

    fn contains(&self, key: CandidateKey) -> bool {
        self.undecided
            .iter()
            .any(|trial| trial.candidate.key() == key)
    }
}

impl CandidateTrial {
    fn new(number: usize, candidate: Candidate, passes: bool) -> CandidateTrial {
        CandidateTrial {
            number,
            candidate,
            attempts: 0,
            successes: 0,
            failures: 0,
            passes,
        }
    }

    /// True if another attempt may start. No more run at the same time than successes are missing.
    fn needs_attempt(&self, criterion: PassCriterion) -> bool {
        let running = self.attempts - self.successes - self.failures;
        !self.passes
            && self.attempts < criterion.runs
            && running < criterion.successes - self.successes
    }

    fn next_query(&mut self, criterion: PassCriterion) -> (usize, OracleQuery) {
        let attempt = self.attempts;
        self.attempts += 1;
        let query = OracleQuery {
            candidate: self.candidate.clone(),
            attempt,
            // A lucky prefix behind a snapshot would make every attempt from there lucky.
            from_start: criterion.runs > 1,
            fresh_phone: false,
        };
        (self.number, query)
    }
}
