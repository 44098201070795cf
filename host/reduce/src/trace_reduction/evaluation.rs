//! Evaluation of candidates: which of them pass, with as many attempts at the same time as there are phones. Decisions depend on
//! the observations alone, not on the order in which they arrive.

mod first_passing_search;

use std::collections::HashMap;
use std::ops::Range;

use first_passing_search::{FirstPassing, FirstPassingSearch};
use retap_device::CancellationToken;
use retap_device::run_event::{CheckSubject, EventSink, RunEvent};
use retap_shared::micros::Micros;

use tokio::time::Instant;

use super::claim::AttemptLedger;
use super::pending_attempts::{PendingAttempt, PendingAttempts};
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
    ledger: AttemptLedger,
    /// Maximum number of attempts with an observation, until the limit is moved.
    run_limit: u64,
    deadline: Option<Instant>,
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
    /// No run or no time is left.
    BudgetSpent,
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
            ledger: AttemptLedger::default(),
            run_limit: u64::MAX,
            deadline: settings.max_time.map(|time| Instant::now() + time),
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
            while self.has_room(&pending) {
                let Some((number, query)) = search.next_query(&mut candidate, &self.decided) else {
                    break;
                };
                self.start(&mut pending, number, query);
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
        while check.runs < runs {
            while self.has_room(&pending) {
                let Some(attempt) = attempts.next() else {
                    break;
                };
                let query = OracleQuery::from_start(candidate.clone(), attempt);
                self.start(&mut pending, 0, query);
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
        self.allocate_attempts_from(candidate, runs, 0)
    }

    /// Numbers of attempts that this candidate has not had yet, from `first` on.
    pub(super) fn allocate_attempts_from(
        &mut self,
        candidate: CandidateKey,
        runs: u32,
        first: u32,
    ) -> Range<u32> {
        let observed = self.ledger.next_attempt(candidate);
        let used = self.attempts_used.entry(candidate).or_default();
        let first = first.max(observed).max(*used);
        *used = first.saturating_add(runs);
        first..*used
    }

    /// Counts the rounds of attempts that were not started in rounds.
    pub(super) fn count_rounds(&mut self, runs: usize) {
        self.cost.rounds += runs.div_ceil(self.settings.parallel.max(1)) as u64;
    }

    /// Starts all attempts of a round and waits for all observations.
    pub(super) async fn run_round(
        &mut self,
        queries: Vec<(usize, OracleQuery)>,
    ) -> Result<Vec<(usize, Observation)>, ReductionStop> {
        let mut pending = PendingAttempts::default();
        for (number, query) in queries {
            // A round has as many attempts as phones; only the budget makes it smaller.
            if self.has_budget(&pending) {
                self.start(&mut pending, number, query);
            }
        }
        self.cost.rounds += 1;
        let mut observations = vec![self.next_observation(&mut pending).await?];
        while pending.len() > 0 {
            observations.push(self.next_observation(&mut pending).await?);
        }
        Ok(observations)
    }

    /// True if another attempt may start: a phone is free, and the budget allows it.
    pub(super) fn has_room(&self, pending: &PendingAttempts<'a>) -> bool {
        pending.len() < self.settings.parallel.max(1) && self.has_budget(pending)
    }

    fn has_budget(&self, pending: &PendingAttempts<'a>) -> bool {
        self.cost.runs + (pending.len() as u64) < self.run_limit
    }

    /// Sets the number of runs after which no attempt is started any more.
    pub(super) fn set_run_limit(&mut self, runs: u64) {
        self.run_limit = runs;
    }

    pub(super) fn run_limit(&self) -> u64 {
        self.run_limit
    }

    /// Starts an attempt.
    pub(super) fn start(
        &self,
        pending: &mut PendingAttempts<'a>,
        number: usize,
        query: OracleQuery,
    ) {
        pending.start(PendingAttempt {
            number,
            candidate: query.candidate.clone(),
            attempt: query.attempt,
            observation: self.oracle.ask(query),
        });
    }

    /// Waits for the next observation of pending attempts, and counts its cost. If none is pending, the budget did not allow
    /// any.
    pub(super) async fn next_observation(
        &mut self,
        pending: &mut PendingAttempts<'a>,
    ) -> Result<(usize, Observation), ReductionStop> {
        if pending.len() == 0 {
            return Err(ReductionStop::BudgetSpent);
        }
        let (attempt, observation) = pending
            .next_observation(self.cancellation, self.deadline)
            .await?;
        self.cost.runs += 1;
        self.cost.events += u64::from(observation.played);
        self.cost.took += observation.took;
        self.ledger
            .record(&attempt.candidate, attempt.attempt, &observation);
        Ok((attempt.number, observation))
    }

    /// Waits, at most until the time of the reduction is up.
    pub(super) async fn wait_until(&self, moment: Instant) -> Result<(), ReductionStop> {
        let is_late = self.deadline.is_some_and(|deadline| deadline < moment);
        let end = self.deadline.filter(|_| is_late).unwrap_or(moment);
        tokio::select! {
            biased;
            () = self.cancellation.cancelled() => Err(ReductionStop::Cancelled),
            () = tokio::time::sleep_until(end) => {
                if is_late { Err(ReductionStop::BudgetSpent) } else { Ok(()) }
            }
        }
    }

    /// All attempts so far.
    pub(super) fn ledger(&self) -> &AttemptLedger {
        &self.ledger
    }

    pub(super) fn ledger_mut(&mut self) -> &mut AttemptLedger {
        &mut self.ledger
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
