//! The reducers under test, with the settings that they are asked with.

use std::fmt;
use std::sync::Arc;

use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{ReduceSettings, ReductionAlgorithm, SchedulerKind};

/// Number of phones in the paper.
pub const PHONES: usize = 15;
/// Attempts of a candidate in the paper, and the successes it needs.
const RUNS: u32 = 20;
const SUCCESSES: u32 = 18;
const ORIGINAL_SUCCESSES: u32 = 15;

/// Algorithm under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum NoisyAlgorithm {
    /// 18 of 20 asked.
    Auto,
    /// `retap reduce` without options.
    AutoDefaults,
    Nd3minHeuristic,
    Nd3minOptimal,
    Nd3minGreedy,
    Nd3minRoundRobin,
    /// One attempt of each candidate.
    Dd,
}

impl NoisyAlgorithm {
    /// Algorithms that are measured unless others are named.
    pub const USUAL: [NoisyAlgorithm; 4] = [
        NoisyAlgorithm::Auto,
        NoisyAlgorithm::AutoDefaults,
        NoisyAlgorithm::Nd3minHeuristic,
        NoisyAlgorithm::Dd,
    ];

    pub(in crate::bench::reduction) fn settings(
        self,
        policy: Option<&Arc<SchedulePolicy>>,
    ) -> (ReductionAlgorithm, ReduceSettings) {
        let noisy = ReduceSettings {
            runs: RUNS,
            successes: SUCCESSES,
            parallel: PHONES,
            check_runs: RUNS,
            original_runs: Some(RUNS),
            original_successes: Some(ORIGINAL_SUCCESSES),
            ..ReduceSettings::default()
        };
        let nd3min = |scheduling| {
            let policy = policy.cloned();
            (
                ReductionAlgorithm::Nd3min,
                ReduceSettings {
                    scheduling,
                    policy,
                    ..noisy.clone()
                },
            )
        };
        match self {
            NoisyAlgorithm::Auto => (ReductionAlgorithm::Auto, noisy),
            NoisyAlgorithm::AutoDefaults => (
                ReductionAlgorithm::Auto,
                ReduceSettings {
                    parallel: PHONES,
                    ..ReduceSettings::default()
                },
            ),
            NoisyAlgorithm::Dd => (
                ReductionAlgorithm::Dd,
                ReduceSettings {
                    runs: 1,
                    successes: 1,
                    ..noisy
                },
            ),
            NoisyAlgorithm::Nd3minHeuristic => nd3min(SchedulerKind::Heuristic),
            NoisyAlgorithm::Nd3minOptimal => nd3min(SchedulerKind::Optimal),
            NoisyAlgorithm::Nd3minGreedy => nd3min(SchedulerKind::Greedy),
            NoisyAlgorithm::Nd3minRoundRobin => nd3min(SchedulerKind::RoundRobin),
        }
    }
}

impl fmt::Display for NoisyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoisyAlgorithm::Auto => "auto",
            NoisyAlgorithm::AutoDefaults => "auto-defaults",
            NoisyAlgorithm::Nd3minHeuristic => "nd3min-heuristic",
            NoisyAlgorithm::Nd3minOptimal => "nd3min-optimal",
            NoisyAlgorithm::Nd3minGreedy => "nd3min-greedy",
            NoisyAlgorithm::Nd3minRoundRobin => "nd3min-round-robin",
            NoisyAlgorithm::Dd => "dd",
        })
    }
}
