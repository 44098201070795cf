//! The course of a reduction: check of the original, an algorithm, simplification, proof of the result. `auto` begins as if the
//! target were reached every time, and switches to Bayesian reduction once a run shows that it is not.

mod flaky;

use retap_device::run_event::CheckSubject;
use retap_shared::micros::Micros;
use retap_shared::trace::{Step, Trace};
use retap_shared::verdict::Outcome;

use super::claim::{ClaimStanding, ProofDecision, required_rate};
use super::deterministic::DeterministicReducer;
use super::evaluation::{CandidateEvaluator, ReductionCost, ReductionStop};
use super::hierarchical::HddVariant;
use super::proof::best_trade;
use super::{
    ReduceError, ReduceSettings, Reduction, ReductionAlgorithm, ReductionSample, ReproductionCheck,
    ReproductionClaim, ResultConfidence, cdd, ddmin, hierarchical, nd3min, probdd, simplify,
    step_count, wdd,
};
use crate::oracle::{Candidate, CandidateKey};
use crate::policy::AttemptTally;

/// Number of candidates that are tried in turn when the budget is spent.
const LAST_CANDIDATES: usize = 4;

/// One reduction while it runs.
pub(super) struct TraceReducer<'a> {
    evaluator: CandidateEvaluator<'a>,
    /// Settings at the end of the reduction; other than at its beginning for a flaky target.
    settings: ReduceSettings,
    original: Candidate,
    run_limit: u64,
    /// Smallest candidate that has passed. It is the result if the reduction is cancelled.
    best: Candidate,
    belief: Option<Vec<f32>>,
    /// ND3MIN: check of the result as published.
    published_check: Option<ReproductionCheck>,
    /// ND3MIN: true if each single removal from the result was rejected.
    removals_rejected: bool,
}

impl<'a> TraceReducer<'a> {
    pub(super) fn new(
        evaluator: CandidateEvaluator<'a>,
        settings: &ReduceSettings,
        original: Candidate,
    ) -> TraceReducer<'a> {
        TraceReducer {
            evaluator,
            settings: settings.clone(),
            run_limit: u64::MAX,
            best: original.clone(),
            original,
            belief: None,
            published_check: None,
            removals_rejected: false,
        }
    }

    /// Runs the reduction.
    pub(super) async fn run(
        &mut self,
        algorithm: ReductionAlgorithm,
    ) -> Result<Outcome, ReduceError> {
        // Published algorithms end by themselves. Only a budget that was asked for ends them earlier.
        let is_limited = algorithm == ReductionAlgorithm::Auto || self.settings.max_runs.is_some();
        if is_limited {
            self.run_limit = self.settings.run_limit(self.original.len());
            let reserve = self.settings.proof_reserve(self.run_limit);
            self.evaluator.set_run_limit(self.run_limit - reserve);
        }
        let end = match self.reduce(algorithm).await {
            Err(ReductionStop::BudgetSpent) => {
                self.evaluator.set_run_limit(self.run_limit);
                let is_proven = algorithm != ReductionAlgorithm::Nd3min;
                let settled = self.settle_for_best(is_proven).await;
                settled.map(|()| Outcome::BudgetSpent)
            }
            Ok(true) if self.is_flaky() => Ok(Outcome::Flaky),
            Ok(true) => Ok(Outcome::Done),
            Ok(false) => Ok(Outcome::DoesNotReproduce),
            Err(stop) => Err(stop),
        };
        match end {
            Ok(Outcome::BudgetSpent) if !self.evaluator.ledger().has_reproduced() => {
                Ok(Outcome::DoesNotReproduce)
            }
            Ok(outcome) => Ok(outcome),
            Err(ReductionStop::Cancelled) => Ok(Outcome::Interrupted),
            Err(ReductionStop::BudgetSpent) => Ok(Outcome::BudgetSpent),
            Err(ReductionStop::Oracle(error)) => Err(error.into()),
        }
    }

    /// Reduces the trace. Returns false if it does not reproduce.
    async fn reduce(&mut self, algorithm: ReductionAlgorithm) -> Result<bool, ReductionStop> {
        let settings = self.evaluator.settings();
        let original = self.original.clone();
        let may_be_flaky = algorithm == ReductionAlgorithm::Auto && !original.is_empty();
        if may_be_flaky && (settings.runs > 1 || settings.keep_rate) {
            return self.reduce_bayesian(settings.clone()).await;
        }
        let deterministic = DeterministicReducer::of(&original);
        let shortcut = may_be_flaky
            && deterministic
                .try_shortest_path(&mut self.evaluator, &mut self.best)
                .await?;
        if !shortcut && !self.check_original(algorithm).await? {
            return if may_be_flaky {
                self.reduce_bayesian(settings.for_flaky_target()).await
            } else {
                Ok(false)
            };
        }
        if algorithm == ReductionAlgorithm::Auto && self.cut_where_reached() {
            let deterministic = DeterministicReducer::of(&self.best);
            self.reduce_with(algorithm, &deterministic).await?;
        } else {
            self.reduce_with(algorithm, &deterministic).await?;
        }
        let unsimplified = self.best.clone();
        self.simplify_result(settings).await?;
        self.evaluator.set_run_limit(self.run_limit);
        if algorithm == ReductionAlgorithm::Nd3min {
            self.check_as_published(settings, unsimplified).await?;
            return Ok(true);
        }
        let decision = self.prove_best(settings).await?;
        if may_be_flaky && self.best_tally().failures > 0 {
            self.reduce_flaky().await?;
        } else if self.simplified() > 0 && decision != Some(ProofDecision::Proven) {
            self.revert_to(unsimplified);
            self.prove_best(settings).await?;
        }
        Ok(true)
    }

    /// Ends the reduction.
    pub(super) fn into_reduction(self, trace: &Trace, outcome: Outcome) -> Reduction {
        let ReductionCost {
            runs,
            events,
            took,
            rounds,
        } = self.evaluator.cost();
        let start = ReductionSample {
            steps: step_count(&self.original),
            runs: 0,
            took: Micros::ZERO,
        };
        let claim = self.claim(outcome);
        if let Some(claim) = &claim {
            self.evaluator.emit(claim.to_event());
        }
        let original = self.original.key();
        let original_tally = self.evaluator.ledger().tally(original);
        Reduction {
            outcome,
            trace: Trace {
                header: trace.header.clone(),
                steps: self.best.to_steps(),
            },
            kept: self.best.kept().to_vec(),
            simplified: self.simplified(),
            original: self.check_of(original, original_tally),
            result: self.result_check(claim.as_ref()),
            runs,
            events,
            took,
            rounds,
            history: std::iter::once(start)
                .chain(self.evaluator.history().iter().copied())
                .collect(),
            confidence: self.confidence(),
            belief: self.belief,
            claim,
        }
    }

    /// Claim about the result. `None` if nothing reproduces.
    fn claim(&self, outcome: Outcome) -> Option<ReproductionClaim> {
        let ledger = self.evaluator.ledger();
        let as_published = self.published_check.is_some();
        (outcome != Outcome::DoesNotReproduce && ledger.has_reproduced()).then(|| {
            let required_rate = required_rate(self.settings.criterion());
            ledger.claim(self.best.key(), required_rate, as_published)
        })
    }

    /// Check of the result: ND3MIN's own, or else the attempts of its proof.
    fn result_check(&self, claim: Option<&ReproductionClaim>) -> Option<ReproductionCheck> {
        self.published_check.clone().or_else(|| {
            let proof = claim.map(|claim| claim.proof);
            let proof = proof.filter(|proof| proof.runs() > 0)?;
            Some(self.check_of(self.best.key(), proof))
        })
    }

    fn confidence(&self) -> Option<ResultConfidence> {
        self.published_check.as_ref().and_then(|check| {
            self.settings
                .result_confidence(check, self.best.len(), self.removals_rejected)
        })
    }

    fn check_of(&self, candidate: CandidateKey, tally: AttemptTally) -> ReproductionCheck {
        let failure = self.evaluator.ledger().failure(candidate);
        ReproductionCheck {
            successes: tally.successes,
            runs: tally.runs(),
            failure: failure.filter(|_| tally.failures > 0).cloned(),
        }
    }

    /// Checks the original. Returns false if it does not reproduce.
    async fn check_original(
        &mut self,
        algorithm: ReductionAlgorithm,
    ) -> Result<bool, ReductionStop> {
        let criterion = self.evaluator.settings().original_criterion(algorithm);
        let first_attempt = self
            .evaluator
            .allocate_attempts(self.best.key(), criterion.runs)
            .start;
        let check = self
            .evaluator
            .check_reproduction(
                &self.best,
                CheckSubject::Original,
                first_attempt,
                criterion.runs,
            )
            .await?;
        let reproduces = check.successes >= criterion.successes;
        if reproduces {
            self.evaluator.mark_passing(&self.best);
        }
        Ok(reproduces)
    }

    async fn reduce_with(
        &mut self,
        algorithm: ReductionAlgorithm,
        deterministic: &DeterministicReducer,
    ) -> Result<(), ReductionStop> {
        let evaluator = &mut self.evaluator;
        let best = &mut self.best;
        let hierarchy = evaluator.settings().hierarchy;
        let variant = match algorithm {
            ReductionAlgorithm::Auto => return deterministic.reduce(evaluator, best).await,
            ReductionAlgorithm::Dd => return ddmin::ddmin(evaluator, best).await,
            ReductionAlgorithm::Probdd => return probdd::probdd(evaluator, best).await,
            ReductionAlgorithm::Cdd => return cdd::cdd(evaluator, best).await,
            ReductionAlgorithm::Wdd => return wdd::wdd(evaluator, best).await,
            ReductionAlgorithm::Nd3min => return nd3min::nd3min(evaluator, best).await,
            ReductionAlgorithm::Hdd => HddVariant::Plain,
            ReductionAlgorithm::Bhdd => HddVariant::Balanced,
            ReductionAlgorithm::Lhdd => HddVariant::Local { preselection: true },
            ReductionAlgorithm::LhddNoPreselection => HddVariant::Local {
                preselection: false,
            },
        };
        hierarchical::hdd(evaluator, best, variant, hierarchy).await
    }

    async fn simplify_result(&mut self, settings: &ReduceSettings) -> Result<(), ReductionStop> {
        if settings.simplify {
            simplify::simplify(&mut self.evaluator, &mut self.best).await?;
        }
        Ok(())
    }

    /// Leaves out the steps behind the one at which the best candidate reached the target: they were never played. Returns
    /// whether there are any, of the original.
    fn cut_where_reached(&mut self) -> bool {
        let end = self.evaluator.ledger().reached_after(self.best.key());
        let end = end.map_or(self.best.len(), |steps| steps as usize);
        if end >= self.best.len() {
            return false;
        }
        let is_original = self.best.key() == self.original.key();
        self.best = self.best.only(0..end);
        self.evaluator.mark_passing(&self.best);
        self.evaluator.record_reduction(step_count(&self.best));
        is_original
    }

    /// Number of steps of the best candidate that were simplified.
    fn simplified(&self) -> usize {
        let recorded: Vec<&Step> = self.original.steps().collect();
        let kept = self.best.kept().iter().zip(self.best.steps());
        kept.filter(|(index, step)| recorded[**index as usize] != *step)
            .count()
    }

    fn is_flaky(&self) -> bool {
        let ledger = self.evaluator.ledger();
        ledger.claim(self.best.key(), 1.0, false).standing == ClaimStanding::Flaky
    }

    fn best_tally(&self) -> AttemptTally {
        self.evaluator.ledger().tally(self.best.key())
    }

    /// Proves the best candidate. `None` if results are not to be checked.
    async fn prove_best(
        &mut self,
        settings: &ReduceSettings,
    ) -> Result<Option<ProofDecision>, ReductionStop> {
        if settings.check_runs == 0 {
            return Ok(None);
        }
        let rate = required_rate(settings.criterion());
        self.evaluator.prove(&self.best, rate).await.map(Some)
    }

    /// ND3MIN's check: a fixed number of fresh attempts. If it shows that simplification went too far, that is undone.
    async fn check_as_published(
        &mut self,
        settings: &ReduceSettings,
        unsimplified: Candidate,
    ) -> Result<(), ReductionStop> {
        let mut check = self.check_result(settings).await?;
        if self.simplified() > 0 && check.successes < settings.successes.min(check.runs) {
            self.revert_to(unsimplified);
            check = self.check_result(settings).await?;
        }
        self.removals_rejected = self.simplified() == 0;
        self.published_check = Some(check);
        Ok(())
    }

    /// Makes fresh attempts of the result. Their numbers are beyond all attempts of the search, so that no observation counts
    /// twice.
    async fn check_result(
        &mut self,
        settings: &ReduceSettings,
    ) -> Result<ReproductionCheck, ReductionStop> {
        let key = self.best.key();
        let runs = settings.check_runs;
        let first_attempt = self
            .evaluator
            .allocate_attempts_from(key, runs, settings.runs)
            .start;
        self.evaluator
            .check_reproduction(&self.best, CheckSubject::Result, first_attempt, runs)
            .await
    }

    fn revert_to(&mut self, candidate: Candidate) {
        self.best = candidate;
    }

    /// Chooses the result when the budget is spent, with the runs that were kept for that: the best candidate so far if it can
    /// be proven, else the shortest that was, else the one that reproduces best for its length.
    async fn settle_for_best(&mut self, is_proven: bool) -> Result<(), ReductionStop> {
        let mut tried: Vec<CandidateKey> = Vec::new();
        let settings = self.settings.clone();
        while is_proven && tried.len() < LAST_CANDIDATES && !tried.contains(&self.best.key()) {
            tried.push(self.best.key());
            match self.prove_best(&settings).await {
                Ok(Some(ProofDecision::Proven)) => return Ok(()),
                Ok(None) | Err(ReductionStop::BudgetSpent) => break,
                Ok(_) => {}
                Err(stop) => return Err(stop),
            }
            let Some(better) = self.best_so_far() else {
                break;
            };
            self.best = better;
        }
        let ledger = self.evaluator.ledger();
        if !ledger.is_accepted(self.best.key()) && (is_proven || self.best_tally().successes == 0) {
            self.best = self.best_so_far().unwrap_or_else(|| self.original.clone());
        }
        Ok(())
    }

    fn best_so_far(&self) -> Option<Candidate> {
        let ledger = self.evaluator.ledger();
        ledger.shortest_accepted().or_else(|| best_trade(ledger))
    }
}
