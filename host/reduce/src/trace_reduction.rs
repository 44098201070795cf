//! Cutting a trace down to the steps that matter. What is asked is the oracle's business; this decides what to ask.

mod algorithm;
mod bayes;
mod ddmin;
mod deterministic;
mod evaluation;
mod hierarchical;
mod nd3min;
mod pending_attempts;
mod probdd;
mod settings;
mod simplify;
mod step_spans;

use std::sync::Arc;

pub use algorithm::{DEFAULT_RUNS, NOISY_RUNS, ReductionAlgorithm};
use deterministic::DeterministicReducer;
use evaluation::{CandidateEvaluator, ReductionStop};
use hierarchical::HddVariant;
pub use hierarchical::StateGranularity;
pub use nd3min::SchedulerKind;
use retap_device::CancellationToken;
use retap_device::run_event::{CheckSubject, EventSink, RunEvent};
use retap_shared::micros::Micros;
use retap_shared::target::Target;
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Verdict};
pub use settings::{DEFAULT_PARTS, PassCriterion, ReduceSettings};

use crate::oracle::{Candidate, CandidateKey, Oracle, OracleError};

/// How often a trace is run again whose only run has failed.
const ORIGINAL_RETRIES: u32 = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    pub outcome: Outcome,
    /// The smallest trace that passed; the original if that did not.
    pub trace: Trace,
    /// Which steps of the original are in it.
    pub kept: Vec<u32>,
    /// How many of them were made simpler.
    pub simplified: usize,
    /// Of the whole trace; no runs if a part of it did it before the whole was played.
    pub original: ReproductionCheck,
    /// Fresh runs of the result; none if it did not come to that.
    pub result: Option<ReproductionCheck>,
    /// All runs that came to an end, the recalled ones included, with the events they played and the phones' time.
    pub runs: u64,
    pub events: u64,
    pub took: Micros,
    /// Rounds of runs that waited for each other, where there are any.
    pub rounds: u64,
    /// How small the trace was after how many runs and how much of the phones' time.
    pub history: Vec<ReductionSample>,
    /// The chance that each step of the original is needed, where steps were believed in.
    pub belief: Option<Vec<f32>>,
    /// What the final check says, where the target is known to be reached only sometimes.
    pub confidence: Option<ResultConfidence>,
}

/// How far a reduction was at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionSample {
    pub steps: u32,
    pub runs: u64,
    pub took: Micros,
}

/// The numbers p1 and p2 beside a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultConfidence {
    /// That the result does it in at least 85 of 100 runs.
    pub good: f64,
    /// That no single step can be left out.
    pub minimal: f64,
}

/// How often a trace did it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReproductionCheck {
    pub successes: u32,
    pub runs: u32,
    /// How the first run that did not reach the target ended.
    pub failure: Option<Verdict>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReduceError {
    #[error(
        "{successes} successes of {runs} runs cannot decide anything; ask for 1 up to the number of runs"
    )]
    Settings { successes: u32, runs: u32 },
    #[error("a trace is cut into 2 parts or more, not into {0}")]
    Parts(usize),
    #[error("{needed} successes cannot be asked of {runs} runs of the whole trace")]
    Original { needed: u32, runs: u32 },
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// Proves that the trace reproduces, reduces it, and proves the result. The answer is the same for any number of
/// phones, and a smaller trace never passes for the result unless the oracle said so.
pub async fn reduce(
    trace: &Trace,
    algorithm: ReductionAlgorithm,
    settings: &ReduceSettings,
    oracle: &dyn Oracle,
    sink: &EventSink,
    stop: &CancellationToken,
) -> Result<Reduction, ReduceError> {
    settings.validate()?;
    let target = trace.header.target.as_ref();
    let target = target.unwrap_or(&Target::AnyProblem).label();
    let whole = Candidate::from(trace.steps.iter().cloned().collect::<Arc<[_]>>());
    let from = step_count(&whole);
    sink(RunEvent::ReductionStarted {
        target: target.clone(),
        algorithm: algorithm.to_string(),
        steps: from,
    });

    let judge = CandidateEvaluator::new(settings, oracle, sink, stop);
    let settings = settings.clone();
    let original = ReproductionCheck::default();
    let mut work = TraceReducer {
        evaluator: judge,
        settings,
        best: whole,
        simplified: 0,
        original,
        belief: None,
    };
    let (outcome, result) = match work.run(algorithm).await {
        Ok(None) => (Outcome::DoesNotReproduce, None),
        Ok(Some(check)) => (Outcome::Done, Some(check)),
        Err(ReductionStop::Stopped) => (Outcome::Interrupted, None),
        Err(ReductionStop::Oracle(error)) => return Err(error.into()),
    };

    let TraceReducer {
        evaluator: judge,
        settings,
        best,
        simplified,
        original,
        belief,
    } = work;
    let evaluation::ReductionCost {
        runs,
        events,
        took,
        rounds,
    } = judge.cost();
    let certainty = result
        .as_ref()
        .and_then(|check| settings.result_confidence(check, best.len()));
    sink(RunEvent::ReductionEnded {
        target,
        from,
        to: step_count(&best),
        runs,
        events,
        took,
    });
    let trace = Trace {
        header: trace.header.clone(),
        steps: best.to_steps(),
    };
    Ok(Reduction {
        outcome,
        trace,
        kept: best.kept().to_vec(),
        simplified,
        original,
        result,
        runs,
        events,
        took,
        rounds,
        history: std::iter::once(ReductionSample {
            steps: from,
            runs: 0,
            took: Micros::ZERO,
        })
        .chain(judge.history().iter().copied())
        .collect(),
        belief,
        confidence: certainty,
    })
}

struct TraceReducer<'a> {
    evaluator: CandidateEvaluator<'a>,
    /// Those that counted in the end.
    settings: ReduceSettings,
    /// The smallest that has passed: what is left if the work is stopped.
    best: Candidate,
    /// How many of its steps were made simpler.
    simplified: usize,
    original: ReproductionCheck,
    belief: Option<Vec<f32>>,
}

impl TraceReducer<'_> {
    /// The final check, or `None` if the original does not reproduce.
    async fn run(
        &mut self,
        algorithm: ReductionAlgorithm,
    ) -> Result<Option<ReproductionCheck>, ReductionStop> {
        let settings = self.evaluator.settings();
        let whole = self.best.clone();
        let may_be_flaky = algorithm == ReductionAlgorithm::Auto && !whole.is_empty();
        if may_be_flaky && (settings.runs > 1 || settings.keep_rate) {
            return self.reduce_bayesian(settings.clone()).await;
        }
        let steady = DeterministicReducer::of(&whole);
        if !may_be_flaky
            || !steady
                .try_shortest_path(&mut self.evaluator, &mut self.best)
                .await?
        {
            let (runs, needed) = settings.original_check(algorithm);
            let first = self
                .evaluator
                .allocate_attempts(self.best.key(), runs)
                .start;
            self.original = self
                .evaluator
                .check_reproduction(&self.best, CheckSubject::Original, first, runs)
                .await?;
            if self.original.successes < needed {
                return if may_be_flaky {
                    self.retry_original().await
                } else {
                    Ok(None)
                };
            }
            self.evaluator.mark_passing(&self.best);
        }
        match algorithm {
            ReductionAlgorithm::Nd3min => {
                nd3min::nd3min(&mut self.evaluator, &mut self.best).await?;
            }
            ReductionAlgorithm::Dd => ddmin::ddmin(&mut self.evaluator, &mut self.best).await?,
            ReductionAlgorithm::Auto => steady.reduce(&mut self.evaluator, &mut self.best).await?,
            ReductionAlgorithm::Hdd => self.hierarchical(HddVariant::Plain).await?,
            ReductionAlgorithm::Bhdd => self.hierarchical(HddVariant::Balanced).await?,
            ReductionAlgorithm::Lhdd => {
                self.hierarchical(HddVariant::Local { preselection: true })
                    .await?;
            }
            ReductionAlgorithm::LhddNoPreselection => {
                self.hierarchical(HddVariant::Local {
                    preselection: false,
                })
                .await?;
            }
        }
        let left = self.best.clone();
        if settings.simplify {
            self.simplified = simplify::simplify(&mut self.evaluator, &mut self.best).await?;
        }
        let mut check = self.check_result(settings).await?;
        if self.simplified > 0 && check.successes < check.runs && !may_be_flaky {
            (self.best, self.simplified) = (left, 0);
            check = self.check_result(settings).await?;
        }
        if may_be_flaky && check.successes < check.runs {
            (self.best, self.simplified) = (whole, 0);
            return self.reduce_bayesian(settings.for_flaky_target()).await;
        }
        Ok(Some(check))
    }

    /// Fresh runs of what is left: attempts beyond those that any candidate has had, so that no answer of the search is
    /// counted again.
    async fn check_result(
        &mut self,
        settings: &ReduceSettings,
    ) -> Result<ReproductionCheck, ReductionStop> {
        let first = self
            .evaluator
            .allocate_attempts(self.best.key(), settings.check_runs)
            .start
            .max(settings.runs);
        self.evaluator
            .check_reproduction(&self.best, CheckSubject::Result, first, settings.check_runs)
            .await
    }

    async fn hierarchical(&mut self, variant: HddVariant) -> Result<(), ReductionStop> {
        let hierarchy = self.evaluator.settings().hierarchy;
        hierarchical::hdd(&mut self.evaluator, &mut self.best, variant, hierarchy).await
    }

    /// The first run has failed. A trace that then does it at least once is flaky.
    async fn retry_original(&mut self) -> Result<Option<ReproductionCheck>, ReductionStop> {
        let first = self
            .evaluator
            .allocate_attempts(self.best.key(), ORIGINAL_RETRIES)
            .start;
        let again = self
            .evaluator
            .check_reproduction(&self.best, CheckSubject::Original, first, ORIGINAL_RETRIES)
            .await?;
        self.original.runs += again.runs;
        self.original.successes += again.successes;
        if again.successes == 0 {
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
        let ended =
            bayes::bayesian_reduction(&mut self.evaluator, &settings, &mut self.best).await?;
        let bayes::BayesianResult {
            original,
            result,
            successes,
            belief,
            failed,
        } = ended;
        self.belief = Some(belief);
        self.original = original;
        self.settings = ReduceSettings {
            successes,
            check_runs: settings.runs,
            ..settings
        };
        match result {
            Some(check) if check.successes >= successes => {
                self.refine_result(check, &failed).await.map(Some)
            }
            result => Ok(result),
        }
    }

    /// What beliefs have left is small, so it can be looked at without them: by ND3MIN, since steps may stand in for each other or
    /// be in each other's way, which no belief knows of; and whether it can be simpler. What comes out is proven like any
    /// result; if that fails, what was proven before stays.
    async fn refine_result(
        &mut self,
        check: ReproductionCheck,
        failed: &[CandidateKey],
    ) -> Result<ReproductionCheck, ReductionStop> {
        let settings = self.settings.clone();
        let proven = self.best.clone();
        self.evaluator
            .set_criterion(settings.runs, settings.successes);
        self.evaluator.mark_failing(failed);
        if !settings.keep_rate {
            nd3min::nd3min(&mut self.evaluator, &mut self.best).await?;
        }
        if settings.simplify {
            self.simplified = simplify::simplify(&mut self.evaluator, &mut self.best).await?;
        }
        if self.best.key() == proven.key() {
            return Ok(check);
        }
        let again = self.check_result(&settings).await?;
        if again.successes >= settings.successes {
            return Ok(again);
        }
        (self.best, self.simplified) = (proven, 0);
        Ok(check)
    }
}

fn step_count(candidate: &Candidate) -> u32 {
    u32::try_from(candidate.len()).unwrap_or(u32::MAX)
}
