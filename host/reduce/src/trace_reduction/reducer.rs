//! The course of a reduction: check of the original, an algorithm, simplification, check of the result. `auto` begins as if the
//! target were reached every time, and switches to Bayesian reduction once a check shows that it is not.

use retap_device::run_event::{CheckSubject, RunEvent};
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use super::deterministic::DeterministicReducer;
use super::evaluation::{CandidateEvaluator, ReductionCost, ReductionStop};
use super::hierarchical::HddVariant;
use super::{
    ReduceSettings, Reduction, ReductionAlgorithm, ReductionSample, ReproductionCheck, bayes, cdd,
    ddmin, hierarchical, nd3min, probdd, simplify, step_count, wdd,
};
use crate::oracle::{Candidate, CandidateKey};

/// Further attempts of an original whose only attempt has failed.
const ORIGINAL_RETRIES: u32 = 3;

/// One reduction while it runs.
pub(super) struct TraceReducer<'a> {
    evaluator: CandidateEvaluator<'a>,
    /// Settings at the end of the reduction; stricter than at its beginning for a flaky target.
    settings: ReduceSettings,
    original_steps: u32,
    /// Smallest candidate that has passed. It is the result if the reduction is cancelled.
    best: Candidate,
    /// Number of its steps that were simplified.
    simplified: usize,
    original: ReproductionCheck,
    belief: Option<Vec<f32>>,
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
            original_steps: step_count(&original),
            best: original,
            simplified: 0,
            original: ReproductionCheck::default(),
            belief: None,
        }
    }

    /// Runs the reduction. Returns the check of the result, or `None` if the original does not reproduce.
    pub(super) async fn run(
        &mut self,
        algorithm: ReductionAlgorithm,
    ) -> Result<Option<ReproductionCheck>, ReductionStop> {
        let settings = self.evaluator.settings();
        let original = self.best.clone();
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
                self.retry_original().await
            } else {
                Ok(None)
            };
        }
        self.reduce_with(algorithm, &deterministic).await?;
        let unsimplified = self.best.clone();
        self.simplify_result(settings).await?;
        let mut check = self.check_result(settings).await?;
        if self.simplified > 0 && check.successes < check.runs && !may_be_flaky {
            self.revert_to(unsimplified);
            check = self.check_result(settings).await?;
        }
        if may_be_flaky && check.successes < check.runs {
            self.revert_to(original);
            return self.reduce_bayesian(settings.for_flaky_target()).await;
        }
        Ok(Some(check))
    }

    /// Ends the reduction.
    pub(super) fn into_reduction(
        self,
        trace: &Trace,
        outcome: Outcome,
        result: Option<ReproductionCheck>,
    ) -> Reduction {
        let ReductionCost {
            runs,
            events,
            took,
            rounds,
        } = self.evaluator.cost();
        let start = ReductionSample {
            steps: self.original_steps,
            runs: 0,
            took: Micros::ZERO,
        };
        let confidence = result
            .as_ref()
            .and_then(|check| self.settings.result_confidence(check, self.best.len()));
        Reduction {
            outcome,
            trace: Trace {
                header: trace.header.clone(),
                steps: self.best.to_steps(),
            },
            kept: self.best.kept().to_vec(),
            simplified: self.simplified,
            original: self.original,
            result,
            runs,
            events,
            took,
            rounds,
            history: std::iter::once(start)
                .chain(self.evaluator.history().iter().copied())
                .collect(),
            belief: self.belief,
            confidence,
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
        self.original = self
            .evaluator
            .check_reproduction(
                &self.best,
                CheckSubject::Original,
                first_attempt,
                criterion.runs,
            )
            .await?;
        let reproduces = self.original.successes >= criterion.successes;
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
            self.simplified = simplify::simplify(&mut self.evaluator, &mut self.best).await?;
        }
        Ok(())
    }

    /// Makes fresh attempts of the result. Their numbers are beyond all attempts of the search, so that no observation counts
    /// twice.
    async fn check_result(
        &mut self,
        settings: &ReduceSettings,
    ) -> Result<ReproductionCheck, ReductionStop> {
        let first_attempt = self
            .evaluator
            .allocate_attempts(self.best.key(), settings.check_runs)
            .start
            .max(settings.runs);
        self.evaluator
            .check_reproduction(
                &self.best,
                CheckSubject::Result,
                first_attempt,
                settings.check_runs,
            )
            .await
    }

    fn revert_to(&mut self, candidate: Candidate) {
        self.best = candidate;
        self.simplified = 0;
    }

    /// Repeats an original whose first attempt has failed. If it then succeeds at least once, the target is flaky.
    async fn retry_original(&mut self) -> Result<Option<ReproductionCheck>, ReductionStop> {
        let first_attempt = self
            .evaluator
            .allocate_attempts(self.best.key(), ORIGINAL_RETRIES)
            .start;
        let retries = self
            .evaluator
            .check_reproduction(
                &self.best,
                CheckSubject::Original,
                first_attempt,
                ORIGINAL_RETRIES,
            )
            .await?;
        self.original.runs += retries.runs;
        self.original.successes += retries.successes;
        if retries.successes == 0 {
            Ok(None)
        } else {
            self.reduce_bayesian(self.evaluator.settings().for_flaky_target())
                .await
        }
    }

    async fn reduce_bayesian(
        &mut self,
        settings: ReduceSettings,
    ) -> Result<Option<ReproductionCheck>, ReductionStop> {
        if settings != *self.evaluator.settings() {
            let ReduceSettings {
                runs, successes, ..
            } = settings;
            let text = format!(
                "the target is reached only sometimes; from now on {successes} of {runs} runs count as reached"
            );
            self.evaluator.emit(RunEvent::Warning { text });
        }
        let bayes::BayesianResult {
            original,
            result,
            successes,
            belief,
            failing,
        } = bayes::bayesian_reduction(&mut self.evaluator, &settings, &mut self.best).await?;
        self.belief = Some(belief);
        self.original = original;
        self.settings = ReduceSettings {
            successes,
            check_runs: settings.runs,
            ..settings
        };
        match result {
            Some(check) if check.successes >= successes => {
                self.refine_result(check, &failing).await.map(Some)
            }
            result => Ok(result),
        }
    }

    /// Reduces the result of Bayesian reduction further by ND3MIN and by simplification. Beliefs treat steps as independent;
    /// ND3MIN finds steps that replace each other or that must go together. The refined result is checked like any other; if
    /// the check fails, the result from before stays.
    async fn refine_result(
        &mut self,
        check: ReproductionCheck,
        failing: &[CandidateKey],
    ) -> Result<ReproductionCheck, ReductionStop> {
        let settings = self.settings.clone();
        let checked = self.best.clone();
        self.evaluator.set_criterion(settings.criterion());
        self.evaluator.mark_failing(failing);
        if !settings.keep_rate {
            nd3min::nd3min(&mut self.evaluator, &mut self.best).await?;
        }
        self.simplify_result(&settings).await?;
        if self.best.key() == checked.key() {
            return Ok(check);
        }
        let refined_check = self.check_result(&settings).await?;
        if refined_check.successes >= settings.successes {
            return Ok(refined_check);
        }
        self.revert_to(checked);
        Ok(check)
    }
}
