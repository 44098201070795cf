//! The result of a reduction, with its checks and its cost.

use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Verdict};

use super::ReproductionClaim;

/// Result of reducing one trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// How the reduction ended.
    pub outcome: Outcome,
    /// Smallest trace that passed; the original if no trace did.
    pub trace: Trace,
    /// Indices of the original's steps that are in `trace`.
    pub kept: Vec<u32>,
    /// Number of kept steps that were replaced by simpler ones.
    pub simplified: usize,
    /// All attempts of the original; no runs if a part of it passed before the original was run.
    pub original: ReproductionCheck,
    /// Fresh attempts of the result; `None` if the reduction ended before that.
    pub result: Option<ReproductionCheck>,
    /// Number of attempts with an observation, recalled ones included.
    pub runs: u64,
    /// Number of events in these attempts.
    pub events: u64,
    /// Phone time of these attempts.
    pub took: Micros,
    /// Number of rounds, for algorithms that start attempts in rounds and wait for all of them.
    pub rounds: u64,
    /// Size of the smallest trace over the course of the reduction.
    pub history: Vec<ReductionSample>,
    /// Belief that each step of the original is needed; `None` for algorithms without beliefs.
    pub belief: Option<Vec<f32>>,
    /// How often the result reproduces, by all attempts of it; `None` if nothing ever reproduced.
    pub claim: Option<ReproductionClaim>,
    /// `nd3min`: p1 and p2 as published.
    pub confidence: Option<ResultConfidence>,
}

/// Progress of a reduction at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReductionSample {
    /// Steps of the smallest trace that had passed.
    pub steps: u32,
    /// Attempts until then.
    pub runs: u64,
    /// Phone time until then.
    pub took: Micros,
}

/// The probabilities p1 and p2 of ND3MIN's tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultConfidence {
    /// p1: probability that the result reaches the target in at least 85 of 100 attempts.
    pub good: f64,
    /// p2: probability that the result is 1-minimal; `None` unless each single removal was rejected.
    pub minimal: Option<f64>,
}

/// Repeated attempts of one trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReproductionCheck {
    /// Attempts that reached the target.
    pub successes: u32,
    /// All attempts.
    pub runs: u32,
    /// Verdict of the first attempt that did not reach the target.
    pub failure: Option<Verdict>,
}
