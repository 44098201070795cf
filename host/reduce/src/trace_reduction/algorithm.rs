//! The algorithms that reduce a trace, by the names that users give them.

use serde::{Deserialize, Serialize};

use super::settings::PassCriterion;
use crate::named_choice::{NamedChoice, named_choice_text};

/// Attempts per candidate where the target is reached every time.
pub const DEFAULT_RUNS: u32 = 1;
/// Attempts per candidate where the target is reached only sometimes, as published for ND3MIN.
pub const NOISY_RUNS: u32 = 20;

/// An algorithm that reduces a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReductionAlgorithm {
    /// Retap's own. One attempt per candidate: the shortest recorded path, group testing for the other steps, and a sweep
    /// that removes steps that must go together. Several attempts: Bayesian reduction with one belief per step.
    #[default]
    Auto,
    /// ddmin (Zeller and Hildebrandt).
    Dd,
    /// Probabilistic delta debugging (Wang et al.): the steps with the highest expected gain are deleted. Not 1-minimal.
    Probdd,
    /// Counter-based delta debugging (Zhang et al.): ProbDD with fixed part sizes instead of probabilities. Not 1-minimal.
    Cdd,
    /// Weighted delta debugging (Zhou et al.): ddmin with parts of the same weight.
    Wdd,
    /// ND3MIN: ddmin in rounds of attempts, for targets that are reached only sometimes.
    Nd3min,
    /// SimplyDroid's HDD: level by level through the state tree, in parts with the same number of nodes.
    Hdd,
    /// SimplyDroid's balanced HDD: in parts with the same number of events.
    Bhdd,
    /// SimplyDroid's local HDD: above the last level a candidate only has to reach the next level.
    Lhdd,
    /// Local HDD that does not try the last nodes of a level first.
    LhddNoPreselection,
}

impl ReductionAlgorithm {
    /// True for algorithms that reduce a state tree.
    pub fn is_hierarchical(self) -> bool {
        match self {
            ReductionAlgorithm::Auto
            | ReductionAlgorithm::Dd
            | ReductionAlgorithm::Probdd
            | ReductionAlgorithm::Cdd
            | ReductionAlgorithm::Wdd
            | ReductionAlgorithm::Nd3min => false,
            ReductionAlgorithm::Hdd
            | ReductionAlgorithm::Bhdd
            | ReductionAlgorithm::Lhdd
            | ReductionAlgorithm::LhddNoPreselection => true,
        }
    }

    /// Criterion with this algorithm's defaults for what is not given: all of 1 run, 18 of 20 for ND3MIN.
    pub fn pass_criterion(self, runs: Option<u32>, successes: Option<u32>) -> PassCriterion {
        match self {
            ReductionAlgorithm::Nd3min => {
                let runs = runs.unwrap_or(NOISY_RUNS);
                let successes = successes.unwrap_or((runs * 9).div_ceil(10));
                PassCriterion { runs, successes }
            }
            _ => {
                let runs = runs.unwrap_or(DEFAULT_RUNS);
                let successes = successes.unwrap_or(runs);
                PassCriterion { runs, successes }
            }
        }
    }
}

impl NamedChoice for ReductionAlgorithm {
    const KIND: &'static str = "algorithm";
    const ALL: &'static [ReductionAlgorithm] = &[
        ReductionAlgorithm::Auto,
        ReductionAlgorithm::Dd,
        ReductionAlgorithm::Probdd,
        ReductionAlgorithm::Cdd,
        ReductionAlgorithm::Wdd,
        ReductionAlgorithm::Nd3min,
        ReductionAlgorithm::Hdd,
        ReductionAlgorithm::Bhdd,
        ReductionAlgorithm::Lhdd,
        ReductionAlgorithm::LhddNoPreselection,
    ];

    fn name(self) -> &'static str {
        match self {
            ReductionAlgorithm::Auto => "auto",
            ReductionAlgorithm::Dd => "dd",
            ReductionAlgorithm::Probdd => "probdd",
            ReductionAlgorithm::Cdd => "cdd",
            ReductionAlgorithm::Wdd => "wdd",
            ReductionAlgorithm::Nd3min => "nd3min",
            ReductionAlgorithm::Hdd => "hdd",
            ReductionAlgorithm::Bhdd => "bhdd",
            ReductionAlgorithm::Lhdd => "lhdd",
            ReductionAlgorithm::LhddNoPreselection => "lhdd-no-preselection",
        }
    }

    fn description(self) -> &'static str {
        match self {
            ReductionAlgorithm::Auto => {
                "Retap's own: the shortest recorded path, then group testing and a sweep; by beliefs if the target is reached only \
                 sometimes"
            }
            ReductionAlgorithm::Dd => "Delta debugging (ddmin)",
            ReductionAlgorithm::Probdd => {
                "Probabilistic delta debugging: each step has a probability of being needed, 0.1 at first"
            }
            ReductionAlgorithm::Cdd => {
                "Counter-based delta debugging: parts of 9, 5, 3 steps and 1 step, each tried once"
            }
            ReductionAlgorithm::Wdd => {
                "Weighted delta debugging: parts with the same number of points and characters"
            }
            ReductionAlgorithm::Nd3min => {
                "Delta debugging in rounds of runs, for targets that are reached only sometimes"
            }
            ReductionAlgorithm::Hdd => {
                "SimplyDroid's HDD: through a tree of states, in parts with the same number of nodes"
            }
            ReductionAlgorithm::Bhdd => {
                "SimplyDroid's balanced HDD: in parts with the same number of events"
            }
            ReductionAlgorithm::Lhdd => {
                "SimplyDroid's local HDD: a candidate only has to reach the next level"
            }
            ReductionAlgorithm::LhddNoPreselection => {
                "Local HDD that does not try the last nodes of a level first"
            }
        }
    }
}

named_choice_text!(ReductionAlgorithm);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_that_is_not_given_is_the_algorithms_own() {
        let criterion = |algorithm: ReductionAlgorithm, runs, successes| {
            let PassCriterion { runs, successes } = algorithm.pass_criterion(runs, successes);
            (successes, runs)
        };
        assert_eq!(criterion(ReductionAlgorithm::Auto, None, None), (1, 1));
        assert_eq!(criterion(ReductionAlgorithm::Dd, Some(5), None), (5, 5));
        assert_eq!(criterion(ReductionAlgorithm::Nd3min, None, None), (18, 20));
        assert_eq!(criterion(ReductionAlgorithm::Nd3min, Some(5), None), (5, 5));
        assert_eq!(
            criterion(ReductionAlgorithm::Nd3min, None, Some(3)),
            (3, 20)
        );
    }
}
