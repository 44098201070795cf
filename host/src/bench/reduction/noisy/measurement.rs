//! One reduction of one case: its cost, what it claims, and what is true.

use std::sync::Arc;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{ReduceError, reduce};
use serde_json::json;
use tokio::time::Instant;

use super::algorithm::NoisyAlgorithm;
use super::claim::{ClaimReading, ClaimVerdict};
use super::family::NoisyCell;
use super::oracle::{NoisyOracle, PhoneCost, trace};
use super::planted_target::{PlantedTarget, is_asked_rate};

/// One trace to reduce.
#[derive(Clone, Copy, Debug)]
pub struct NoisyCase {
    pub cell: NoisyCell,
    pub seed: u64,
    pub events: u32,
}

/// Reduction of one trace.
#[derive(Clone, Debug)]
pub struct NoisyMeasurement {
    pub case: NoisyCase,
    pub algorithm: NoisyAlgorithm,
    pub claim: ClaimReading,
    needed: Vec<u32>,
    pub kept: Vec<u32>,
    /// True success rate of the result.
    pub true_rate: f64,
    /// Size of the smallest candidate that is as good as asked, and its rate; of the best one if none is.
    pub planted_size: usize,
    pub planted_rate: f64,
    /// Maximum number of runs that one phone started.
    pub steps: u64,
    pub runs: u64,
    pub events: u64,
    pub seconds: f64,
}

/// Reduces one trace.
pub async fn run(
    case: NoisyCase,
    algorithm: NoisyAlgorithm,
    policy: Option<&Arc<SchedulePolicy>>,
    cancellation: &CancellationToken,
) -> Result<NoisyMeasurement, ReduceError> {
    let target = PlantedTarget::new(case.cell, case.events, case.seed);
    let oracle = NoisyOracle::new(case.cell, &target, case.seed);
    let (engine_algorithm, settings) = algorithm.settings(policy);
    let started = Instant::now();
    let reduction = reduce(
        &trace(case.events),
        engine_algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    let seconds = started.elapsed().as_secs_f64();
    let PhoneCost {
        steps,
        runs,
        events,
    } = oracle.cost();
    let planted = target.best_cut();
    Ok(NoisyMeasurement {
        case,
        algorithm,
        claim: ClaimReading::of(&reduction),
        true_rate: target.success_rate(&reduction.kept),
        planted_rate: target.success_rate(&planted),
        planted_size: planted.len(),
        kept: reduction.kept,
        needed: target.needed,
        steps,
        runs,
        events,
        seconds,
    })
}

impl NoisyMeasurement {
    /// True if the result is said to have a higher rate than it has.
    pub fn is_false_claim(&self) -> bool {
        self.claim.is_false(self.true_rate)
    }

    /// True if the true rate is outside the reported interval.
    pub fn misses_rate(&self) -> bool {
        self.claim.misses(self.true_rate)
    }

    /// True if a part of the trace is as good as asked.
    pub fn has_good_cut(&self) -> bool {
        is_asked_rate(self.planted_rate)
    }

    /// Returns whether all needed events are kept and the result is called proven.
    pub fn is_right(&self) -> bool {
        self.claim.verdict == ClaimVerdict::Proven
            && self.needed.iter().all(|event| self.kept.contains(event))
    }

    pub fn to_json(&self) -> String {
        let NoisyCase { cell, seed, .. } = &self.case;
        let claim = &self.claim;
        json!({
            "bench": "noisy", "family": cell.family.to_string(), "cell": cell.to_string(),
            "algorithm": self.algorithm.to_string(), "needed_kind": cell.needed_events.to_string(), "seed": seed,
            "needed": self.needed, "kept": self.kept, "claim": claim.verdict.name(),
            "claimed_rate": claim.claimed_rate, "successes": claim.successes, "told_runs": claim.runs,
            "interval": claim.interval.map(|interval| [interval.low, interval.high]), "true_rate": self.true_rate,
            "false_claim": self.is_false_claim(), "misses_rate": self.misses_rate(), "planted": self.planted_size,
            "planted_rate": self.planted_rate, "steps": self.steps, "runs": self.runs, "events": self.events,
            "seconds": self.seconds,
        })
        .to_string()
    }
}
