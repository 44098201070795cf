//! What a reduction is asked for: how often a candidate is run, what passes, and what its algorithm may choose.

use std::sync::Arc;

use super::{
    ReduceError, ReductionAlgorithm, ReproductionCheck, ResultConfidence, SchedulerKind,
    StateGranularity,
};
use crate::policy::{AttemptTally, SchedulePolicy, SuccessRatePrior};

/// The paper's.
pub const DEFAULT_PARTS: usize = 5;

/// A candidate passes if at least `successes` of `runs` attempts reach the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassCriterion {
    /// Maximum number of attempts.
    pub runs: u32,
    /// Number of successes among them that a candidate needs.
    pub successes: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReduceSettings {
    /// A candidate passes if at least `successes` of `runs` runs reach the target.
    pub runs: u32,
    pub successes: u32,
    /// How many runs may be under way at once: the number of phones.
    pub parallel: usize,
    /// How many fresh runs of the result are made at the end.
    pub check_runs: u32,
    /// How often the whole trace is run first; `runs` times if not said.
    pub original_runs: Option<u32>,
    /// How many of these must do it; what the algorithm asks for if not said.
    pub original_successes: Option<u32>,
    /// ND3MIN: into how many parts a trace is cut first, and who plans the rounds.
    pub parts: usize,
    pub scheduling: SchedulerKind,
    pub policy: Option<Arc<SchedulePolicy>>,
    /// What is believed of candidates before they are run.
    pub prior: Arc<SuccessRatePrior>,
    /// `auto`: the result need not pass `successes`, but reach the target no less often than the original.
    pub keep_rate: bool,
    /// In the end, steps are replaced by simpler ones where the result still passes.
    pub simplify: bool,
    /// SimplyDroid's: what counts as a state.
    pub hierarchy: StateGranularity,
}

impl ReduceSettings {
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
        let runs = self.original_runs.unwrap_or(self.runs);
        match self.original_successes {
            Some(needed) if !(1..=runs).contains(&needed) => {
                Err(ReduceError::Original { needed, runs })
            }
            _ => Ok(()),
        }
    }

    /// How often the whole trace is run, and how many of these runs must do it. Less is asked of it than of a
    /// candidate, as in the paper: 15 of 20 where those need 18.
    pub(super) fn original_check(&self, algorithm: ReductionAlgorithm) -> (u32, u32) {
        let runs = self.original_runs.unwrap_or(self.runs);
        let own = match algorithm {
            ReductionAlgorithm::Nd3min | ReductionAlgorithm::Auto => {
                (self.successes * 5).div_ceil(6)
            }
            _ => self.successes,
        };
        (runs, self.original_successes.unwrap_or(own))
    }

    /// For a trace that turned out to reach its target only sometimes: the paper's.
    pub(super) fn for_flaky_target(&self) -> ReduceSettings {
        ReduceSettings {
            runs: 20,
            successes: 18,
            original_runs: None,
            original_successes: None,
            ..self.clone()
        }
    }

    pub(super) fn result_confidence(
        &self,
        check: &ReproductionCheck,
        steps: usize,
    ) -> Option<ResultConfidence> {
        if self.runs == 1 || check.runs == 0 {
            return None;
        }
        let tally = AttemptTally {
            successes: check.successes,
            failures: check.runs - check.successes,
        };
        let good = self.prior.p1(tally);
        let minimal = self.prior.p2(steps, self.runs, self.successes);
        Some(ResultConfidence { good, minimal })
    }
}

impl Default for ReduceSettings {
    fn default() -> Self {
        ReduceSettings {
            runs: 1,
            successes: 1,
            parallel: 1,
            check_runs: 3,
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
