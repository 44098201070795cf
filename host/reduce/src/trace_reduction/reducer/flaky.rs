//! Reduction of a flaky target: by beliefs, then by ND3MIN and simplification. What they cannot prove is compared with the
//! original.

use retap_device::run_event::{CheckSubject, RunEvent};

use super::super::bayes::{self, BayesianEnd};
use super::super::claim::{ProofDecision, required_rate};
use super::super::evaluation::ReductionStop;
use super::super::proof::best_trade;
use super::super::{ReduceSettings, nd3min};
use super::TraceReducer;
use crate::oracle::{Candidate, CandidateKey};

/// Share of successes from which a flaky result is reduced further; below it the search begins again with the whole trace.
const USEFUL_RATE: f64 = 0.5;
/// Runs that ND3MIN may make after a Bayesian reduction, in attempts per candidate; more if more have been made before it.
const SECOND_PASS_FACTOR: u64 = 40;
/// Share of runs by which a shorter result may reproduce less often than the whole trace, if neither is proven.
const RATE_LOSS: f64 = 0.1;

impl TraceReducer<'_> {
    /// Reduces a result that has turned out to be flaky: first within itself, and from the whole trace if that does not help.
    pub(super) async fn reduce_flaky(&mut self) -> Result<(), ReductionStop> {
        let settings = self.evaluator.settings().for_flaky_target();
        if self.best_tally().rate() >= USEFUL_RATE {
            self.reduce_bayesian(settings.clone()).await?;
            if self.evaluator.ledger().is_accepted(self.best.key())
                || !self.is_original_better(&settings).await?
            {
                return Ok(());
            }
        }
        let within = self.best.clone();
        self.revert_to(self.original.clone());
        self.reduce_bayesian(settings).await?;
        let ledger = self.evaluator.ledger();
        if !ledger.is_accepted(self.best.key()) && self.best.len() > within.len() {
            self.best = best_trade(ledger).unwrap_or(within);
        }
        Ok(())
    }

    /// True if the whole trace reproduces clearly more often than the best candidate. It is run until that is known.
    async fn is_original_better(
        &mut self,
        settings: &ReduceSettings,
    ) -> Result<bool, ReductionStop> {
        if self.best.key() == self.original.key() {
            return Ok(false);
        }
        let original = self.original.clone();
        let missing = settings
            .runs
            .saturating_sub(self.evaluator.ledger().tally(original.key()).runs());
        let first_attempt = self
            .evaluator
            .allocate_attempts_from(original.key(), missing, settings.runs)
            .start;
        self.evaluator
            .check_reproduction(&original, CheckSubject::Original, first_attempt, missing)
            .await?;
        let whole = self.evaluator.ledger().tally(original.key());
        Ok(bayes::is_significantly_lower(self.best_tally(), whole))
    }

    pub(super) async fn reduce_bayesian(
        &mut self,
        settings: ReduceSettings,
    ) -> Result<bool, ReductionStop> {
        if settings != *self.evaluator.settings() {
            let text = "the target is reached only sometimes; the shortest trace that reaches it reliably is searched for, \
                        with several runs of each";
            self.evaluator.emit(RunEvent::Warning { text: text.into() });
        }
        self.settings = settings.clone();
        let whole = self.best.clone();
        let bayes::BayesianResult {
            end,
            criterion,
            belief,
            failing,
        } = bayes::bayesian_reduction(&mut self.evaluator, &settings, &mut self.best).await?;
        self.belief = Some(belief_of_original(&self.original, &whole, &belief));
        self.settings = ReduceSettings {
            successes: criterion.successes,
            ..settings
        };
        match end {
            BayesianEnd::Proven => self.refine_result(&failing).await?,
            BayesianEnd::Flaky => self.refine_unproven(&failing).await?,
            BayesianEnd::DoesNotReproduce => {
                let ledger = self.evaluator.ledger();
                self.best = best_trade(ledger).unwrap_or_else(|| self.original.clone());
                return Ok(ledger.has_reproduced());
            }
        }
        Ok(true)
    }

    /// Reduces the result of Bayesian reduction further by ND3MIN and by simplification. Beliefs treat steps as independent;
    /// ND3MIN finds steps that replace each other or that must go together. The refined result is proven like any other; if
    /// that fails, the result from before stays.
    async fn refine_result(&mut self, failing: &[CandidateKey]) -> Result<(), ReductionStop> {
        let settings = self.settings.clone();
        let proven = self.best.clone();
        self.evaluator.set_criterion(settings.criterion());
        self.evaluator.mark_failing(failing);
        if !settings.keep_rate {
            self.run_second_pass(&settings).await?;
        }
        self.simplify_result(&settings).await?;
        if self.best.key() != proven.key()
            && self.prove_best(&settings).await? != Some(ProofDecision::Proven)
        {
            self.revert_to(proven);
        }
        Ok(())
    }

    /// Reduces a result that was not nominated, because it is the whole trace, although it reproduces as often as asked: by
    /// ND3MIN, which measures every candidate. Beliefs about single steps have failed here.
    async fn refine_unproven(&mut self, failing: &[CandidateKey]) -> Result<(), ReductionStop> {
        let settings = self.settings.clone();
        let whole = self.best.clone();
        let tally = self.best_tally();
        let is_good = tally.runs() >= settings.runs
            && tally.rate() >= required_rate(settings.criterion())
            && !self.evaluator.ledger().is_nominated(whole.key());
        if settings.keep_rate || !is_good {
            return Ok(());
        }
        self.evaluator.set_criterion(settings.criterion());
        self.evaluator.mark_failing(failing);
        self.run_second_pass(&settings).await?;
        self.simplify_result(&settings).await?;
        if self.best.key() == whole.key() {
            return Ok(());
        }
        self.prove_best(&settings).await?;
        let is_accepted = self.evaluator.ledger().is_accepted(self.best.key());
        if !is_accepted && self.best_tally().rate() + RATE_LOSS < tally.rate() {
            self.revert_to(whole);
        }
        Ok(())
    }

    /// ND3MIN within the best candidate. It may make as many runs as have been made before it.
    async fn run_second_pass(&mut self, settings: &ReduceSettings) -> Result<(), ReductionStop> {
        let before = self.evaluator.cost().runs;
        let own_runs = before.max(SECOND_PASS_FACTOR * u64::from(settings.runs));
        let limit = self.evaluator.run_limit();
        let capped = limit.min(before + own_runs);
        self.evaluator.set_run_limit(capped);
        let end = nd3min::nd3min(&mut self.evaluator, &mut self.best).await;
        self.evaluator.set_run_limit(limit);
        match end {
            Err(ReductionStop::BudgetSpent) if capped < limit => Ok(()),
            end => end,
        }
    }
}

/// Beliefs about the steps of the whole trace, from those about a part of it. Steps that are not in the part are not needed.
fn belief_of_original(original: &Candidate, part: &Candidate, belief: &[f32]) -> Vec<f32> {
    let mut all = vec![0.0; original.len()];
    for (step, belief) in part.kept().iter().zip(belief) {
        if let Some(own) = all.get_mut(*step as usize) {
            *own = *belief;
        }
    }
    all
}
