//! How long the optimal policy takes to solve, and how much memory. Nothing is recalled from a store.

use std::time::Instant;

use retap_reduce::policy::{PolicyError, PolicyParameters, SuccessRatePrior};
use serde_json::json;

use crate::command_context::CommandContext;
use crate::wording::group_thousands;
use crate::{operations, os};

#[derive(Clone, Copy, Debug)]
pub struct PolicyMeasurement {
    rules: PolicyParameters,
    states: usize,
    start: f64,
    seconds: f64,
    peak_bytes: Option<u64>,
}

pub fn measure(
    rules: PolicyParameters,
    shell: &CommandContext,
) -> Result<PolicyMeasurement, PolicyError> {
    os::reset_peak_memory();
    let began = Instant::now();
    let policy = operations::solve_policy(&rules, &SuccessRatePrior::published(), shell)?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(PolicyMeasurement {
        rules,
        states: policy.states(),
        start: policy.expected_rounds(),
        seconds,
        peak_bytes: os::peak_memory(),
    })
}

impl PolicyMeasurement {
    pub fn to_json(self) -> String {
        let PolicyMeasurement {
            rules,
            states,
            start,
            seconds,
            peak_bytes,
        } = self;
        json!({
            "bench": "policy", "n": rules.candidates, "m": rules.parallel, "states": states, "v0": start,
            "seconds": seconds, "peak_bytes": peak_bytes,
        })
        .to_string()
    }

    pub fn to_words(self) -> String {
        let PolicyMeasurement {
            rules,
            states,
            start,
            seconds,
            peak_bytes,
        } = self;
        let peak = peak_bytes.map_or_else(|| "?".to_owned(), |bytes| group_thousands(bytes >> 20));
        format!(
            "{} candidates, {} runs a round {:>9} states {start:>6.3} rounds {seconds:>7.2} s {peak:>6} MiB",
            rules.candidates,
            rules.parallel,
            group_thousands(states as u64),
        )
    }
}
