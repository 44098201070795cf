//! Settings of a reduction: attempts per candidate, the criterion to pass, and the options of the algorithms.

use std::sync::Arc;
use std::time::Duration;

use super::{
    NOISY_RUNS, ReduceError, ReductionAlgorithm, ReproductionCheck, ResultConfidence,
    SchedulerKind, StateGranularity,
};
use crate::policy::{AttemptTally, SchedulePolicy, SuccessRatePrior};

/// Number of parts that ND3MIN begins with, as published.
pub const DEFAULT_PARTS: usize = 5;
/// Attempts of one proof on few phones: enough for 95 of 100 where 85 of 100 are asked for.
const DEFAULT_PROOF_RUNS: u32 = 300;
/// Runs of a reduction without a budget, apart from those per step.
const DEFAULT_RUN_LIMIT: u64 = 1_000;
/// Runs per step of a reduction without a budget.
const DEFAULT_RUNS_PER_STEP: u64 = 20;
/// Runs of a budget that are kept for the proof, and the share of a small budget.
const PROOF_RESERVE: u64 = 60;
const PROOF_RESERVE_DIVISOR: u64 = 4;

/// A candidate passes if at least `successes` of `runs` attempts reach the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassCriterion {
    /// Maximum number of attempts.
    pub runs: u32,
    /// Number of successes among them that a candidate needs.
    pub successes: u32,
}

/// Settings of one reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct ReduceSettings {
    /// Attempts per candidate.
    pub runs: u32,
    /// Number of these attempts that must reach the target.
    pub successes: u32,
    /// Maximum number of attempts at the same time: the number of phones.
    pub parallel: usize,
    /// `nd3min`: fresh attempts of the result at the end, as published. Other algorithms prove the result by as many attempts
    /// as that takes, unless this is 0: then the result is not checked at all.
    pub check_runs: u32,
    /// Maximum number of attempts of one proof; on many phones 40 of each.
    pub proof_runs: u32,
    /// Maximum number of runs of the whole reduction; default: 1,000, and 20 per step of the trace.
    pub max_runs: Option<u64>,
    /// Maximum time of the whole reduction.
    pub max_time: Option<Duration>,
    /// Attempts of the original at the beginning; default: `runs`.
    pub original_runs: Option<u32>,
    /// Number of these attempts that must reach the target; default: depends on the algorithm.
    pub original_successes: Option<u32>,
    /// ND3MIN: number of parts that it begins with.
    pub parts: usize,
    /// ND3MIN: scheduler of its rounds.
    pub scheduling: SchedulerKind,
    /// ND3MIN: policy of the optimal scheduler.
    pub policy: Option<Arc<SchedulePolicy>>,
    /// Prior over the success rates of candidates.
    pub prior: Arc<SuccessRatePrior>,
    /// `auto`: the result must reach the target as often as the original does, instead of `successes` times.
    pub keep_rate: bool,
    /// At the end, steps are replaced by simpler ones where the result still passes.
    pub simplify: bool,
    /// SimplyDroid: granularity of the state tree.
    pub hierarchy: StateGranularity,
}

impl ReduceSettings {
    /// Rejects settings under which no candidate could pass or fail.
    pub fn validate(&self) -> Result<(), ReduceError> {
        if !(1..=self.runs).contains(&self.successes) {
            return Err(ReduceError::Settings {
                successes: self.successes,
                runs: self.runs,
            });
        }
        if self.parts < 2 {
            return Err(ReduceError::Parts(self.parts));
        }
        if self.max_runs == Some(0) || self.max_time.is_some_and(|time| time.is_zero()) {
            return Err(ReduceError::Budget);
        }
        let runs = self.original_runs.unwrap_or(self.runs);
        match self.original_successes {
            Some(needed) if !(1..=runs).contains(&needed) => {
                Err(ReduceError::Original { needed, runs })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn criterion(&self) -> PassCriterion {
        PassCriterion {
            runs: self.runs,
            successes: self.successes,
        }
    }

    /// Criterion for the original. For noisy targets it is weaker than the one for candidates, as published: 15 of 20
    /// where a candidate needs 18.
    pub(super) fn original_criterion(&self, algorithm: ReductionAlgorithm) -> PassCriterion {
        let default_successes = match algorithm {
            ReductionAlgorithm::Nd3min | ReductionAlgorithm::Auto => {
                (self.successes * 5).div_ceil(6)
            }
            _ => self.successes,
        };
        PassCriterion {
            runs: self.original_runs.unwrap_or(self.runs),
            successes: self.original_successes.unwrap_or(default_successes),
        }
    }

    /// Settings for a target that turned out to be reached only sometimes, as published for ND3MIN.
    pub(super) fn for_flaky_target(&self) -> ReduceSettings {
        ReduceSettings {
            runs: NOISY_RUNS,
            successes: 18,
            original_runs: None,
            original_successes: None,
            ..self.clone()
        }
    }

    /// Maximum number of runs, for a trace of this length.
    pub(super) fn run_limit(&self, steps: usize) -> u64 {
        self.max_runs
            .unwrap_or(DEFAULT_RUN_LIMIT + DEFAULT_RUNS_PER_STEP * steps as u64)
    }

    /// Runs of this limit that are kept for the proof of the result.
    pub(super) fn proof_reserve(&self, run_limit: u64) -> u64 {
        if self.check_runs == 0 {
            return 0;
        }
        PROOF_RESERVE.min(run_limit / PROOF_RESERVE_DIVISOR)
    }

    /// p1 and p2 of ND3MIN after its check; `None` where one attempt decides. p2 needs that each single removal was rejected.
    pub(super) fn result_confidence(
        &self,
        check: &ReproductionCheck,
        steps: usize,
        removals_rejected: bool,
    ) -> Option<ResultConfidence> {
        if self.runs == 1 || check.runs == 0 {
            return None;
        }
        let tally = AttemptTally {
            successes: check.successes,
            failures: check.runs - check.successes,
        };
        let minimal = || self.prior.p2(steps, self.runs, self.successes);
        Some(ResultConfidence {
            good: self.prior.p1(tally),
            minimal: removals_rejected.then(minimal),
        })
    }
}

impl Default for ReduceSettings {
    fn default() -> Self {
        ReduceSettings {
            runs: 1,
            successes: 1,
            parallel: 1,
            check_runs: 3,
            proof_runs: DEFAULT_PROOF_RUNS,
            max_runs: None,
            max_time: None,
            original_runs: None,
            original_successes: None,
            parts: DEFAULT_PARTS,
            scheduling: SchedulerKind::default(),
            policy: None,
            prior: Arc::new(SuccessRatePrior::published()),
            keep_rate: false,
            simplify: false,
            hierarchy: StateGranularity::default(),
        }
    }
}
