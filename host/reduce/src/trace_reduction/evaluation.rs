//! Evaluation of candidates: which of them pass, with as many attempts at the same time as there are phones. Decisions depend on
//! the observations alone, not on the order in which they arrive.

mod first_passing_search;

use std::collections::HashMap;
use std::ops::Range;

use first_passing_search::{FirstPassing, FirstPassingSearch};
use retap_device::CancellationToken;
use retap_device::run_event::{CheckSubject, EventSink, RunEvent};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;

use super::pending_attempts::PendingAttempts;
use super::{PassCriterion, ReduceSettings, ReductionSample, ReproductionCheck, step_count};
use crate::oracle::{Candidate, CandidateKey, Observation, Oracle, OracleError, OracleQuery};

/// Asks the oracle on behalf of an algorithm, and counts the cost.
pub(super) struct CandidateEvaluator<'a> {
    settings: &'a ReduceSettings,
    oracle: &'a dyn Oracle,
    events: &'a EventSink,
    cancellation: &'a CancellationToken,
    criterion: PassCriterion,
    /// Candidates that are known to pass or to fail. They are not run again.
    decided: HashMap<CandidateKey, bool>,
    /// Attempts per candidate that algorithms with fresh attempts have used.
    attempts_used: HashMap<CandidateKey, u32>,
    cost: ReductionCost,
    history: Vec<ReductionSample>,
}

/// Cost of a reduction so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReductionCost {
    pub(super) runs: u64,
    pub(super) events: u64,
    pub(super) took: Micros,
    pub(super) rounds: u64,
}

/// Reason for which a reduction ends early.
#[derive(Debug)]
pub(super) enum ReductionStop {
    Cancelled,
    Oracle(OracleError),
}

impl<'a> CandidateEvaluator<'a> {
    pub(super) fn new(
        settings: &'a ReduceSettings,
        oracle: &'a dyn Oracle,
        events: &'a EventSink,
        cancellation: &'a CancellationToken,
    ) -> CandidateEvaluator<'a> {
        CandidateEvaluator {
            settings,
            oracle,
            events,
            cancellation,
            criterion: settings.criterion(),
            decided: HashMap::new(),
            attempts_used: HashMap::new(),
            cost: ReductionCost::default(),
            history: Vec::new(),
        }
    }

    pub(super) fn settings(&self) -> &'a ReduceSettings {
        self.settings
    }

    pub(super) fn criterion(&self) -> PassCriterion {
        self.criterion
    }

    /// Changes the criterion and forgets which candidates pass.
    pub(super) fn set_criterion(&mut self, criterion: PassCriterion) {
        self.criterion = criterion;
        self.decided.clear();
    }

    /// Marks a candidate that has been checked.
    pub(super) fn mark_passing(&mut self, candidate: &Candidate) {
        self.decided.insert(candidate.key(), true);
    }

    /// Marks candidates that earlier attempts have shown to fail.
    pub(super) fn mark_failing(&mut self, failing: &[CandidateKey]) {
        self.decided.extend(failing.iter().map(|key| (*key, false)));
    }

    pub(super) fn is_known_to_fail(&self, candidate: impl FnOnce() -> CandidateKey) -> bool {
        !self.decided.is_empty() && self.decided.get(&candidate()) == Some(&false)
    }

    pub(super) fn cost(&self) -> ReductionCost {
        self.cost
    }

    pub(super) fn history(&self) -> &[ReductionSample] {
        &self.history
    }

    /// First of `count` candidates that passes, with its number.
    pub(super) async fn first_passing(
        &mut self,
        count: usize,
        candidate: impl Fn(usize) -> Candidate,
    ) -> Result<Option<(usize, Candidate)>, ReductionStop> {
        self.first_passing_of(|number| (number < count).then(|| candidate(number)))
            .await
    }

    /// First candidate that passes, with its number; `candidate` makes them one after the other until it returns `None`.
    /// Several are run at the same time, but a candidate is the first only if all before it have failed. Attempts that are
    /// no longer relevant are cancelled.
    pub(super) async fn first_passing_of(
        &mut self,
        mut candidate: impl FnMut(usize) -> Option<Candidate>,
    ) -> Result<Option<(usize, Candidate)>, ReductionStop> {
        let mut search = FirstPassingSearch::new(self.criterion);
        let mut pending = PendingAttempts::default();
        loop {
            while pending.len() < self.settings.parallel.max(1) {
                let Some((number, query)) = search.next_query(&mut candidate, &self.decided) else {
                    break;
                };
                pending.start(number, self.oracle.ask(query));
            }
            match search.first_passing() {
                FirstPassing::Found(number, candidate) => {
                    if candidate.local_target().is_none() {
                        self.record_reduction(step_count(&candidate));
                    }
                    return Ok(Some((number, candidate)));
                }
                FirstPassing::None => return Ok(None),
                FirstPassing::Undecided => {}
            }
            let (number, observation) = self.next_observation(&mut pending).await?;
            if let Some((key, passes)) = search.record_outcome(number, observation.reached) {
                self.decided.insert(key, passes);
            }
            pending.cancel(|running| !search.is_relevant(running));
        }
    }

    /// Runs a candidate `runs` times, whatever the first attempts show.
    pub(super) async fn check_reproduction(
        &mut self,
        candidate: &Candidate,
        what: CheckSubject,
        first_attempt: u32,
        runs: u32,
    ) -> Result<ReproductionCheck, ReductionStop> {
        let mut check = ReproductionCheck::default();
        let parallel = self.settings.parallel.max(1);
        self.cost.rounds += u64::from(runs).div_ceil(parallel as u64);
        let mut attempts = first_attempt..first_attempt.saturating_add(runs);
        let mut pending = PendingAttempts::default();
        loop {
            while pending.len() < parallel {
                let Some(attempt) = attempts.next() else {
                    break;
                };
                pending.start(
                    0,
                    self.oracle.ask(OracleQuery {
                        candidate: candidate.clone(),
                        attempt,
                        from_start: true,
                    }),
                );
            }
            if pending.len() == 0 {
                break;
            }
            let (_, observation) = self.next_observation(&mut pending).await?;
            check.runs += 1;
            check.successes += u32::from(observation.reached);
            if !observation.reached {
                check.failure.get_or_insert(observation.verdict);
            }
        }
        self.emit(RunEvent::Checked {
            what,
            successes: check.successes,
            runs: check.runs,
        });
        Ok(check)
    }

    /// Numbers of attempts that this candidate has not had yet.
    pub(super) fn allocate_attempts(&mut self, candidate: CandidateKey, runs: u32) -> Range<u32> {
        let used = self.attempts_used.entry(candidate).or_default();
        let first = *used;
        *used = first.saturating_add(runs);
        first..*used
    }

    /// Starts all attempts of a round and waits for all observations.
    pub(super) async fn run_round(
        &mut self,
        queries: Vec<(usize, OracleQuery)>,
    ) -> Result<Vec<(usize, Observation)>, ReductionStop> {
        let mut pending = PendingAttempts::default();
        for (number, query) in queries {
            pending.start(number, self.oracle.ask(query));
        }
        self.cost.rounds += 1;
        let mut observations = Vec::new();
        while pending.len() > 0 {
            observations.push(self.next_observation(&mut pending).await?);
        }
        Ok(observations)
    }

    /// Starts an attempt. Dropping the future cancels it.
    pub(super) fn start_attempt(
        &self,
        query: OracleQuery,
    ) -> BoxFuture<'a, Result<Observation, OracleError>> {
        self.oracle.ask(query)
    }

    /// Waits for the next observation of pending attempts, and counts its cost.
    pub(super) async fn next_observation(
        &mut self,
        pending: &mut PendingAttempts<'a>,
    ) -> Result<(usize, Observation), ReductionStop> {
        let (number, observation) = pending.next_observation(self.cancellation).await?;
        self.cost.runs += 1;
        self.cost.events += u64::from(observation.played);
        self.cost.took += observation.took;
        Ok((number, observation))
    }

    /// Records that a smaller candidate has passed.
    pub(super) fn record_reduction(&mut self, steps: u32) {
        let ReductionCost { runs, took, .. } = self.cost;
        self.history.push(ReductionSample { steps, runs, took });
        self.emit(RunEvent::Shrunk { steps, runs });
    }

    pub(super) fn emit(&self, event: RunEvent) {
        (self.events)(event);
    }
}
