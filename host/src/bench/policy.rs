//! Time and memory to solve the optimal policy. Nothing is loaded from a store.

use std::time::Instant;

use retap_reduce::policy::{PolicyError, PolicyParameters, SuccessRatePrior};
use serde_json::json;

use crate::command_context::CommandContext;
use crate::wording::group_thousands;
use crate::{operations, os};

/// Cost of one policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicyMeasurement {
    parameters: PolicyParameters,
    states: usize,
    expected_rounds: f64,
    seconds: f64,
    peak_bytes: Option<u64>,
}

/// Solves one policy.
pub fn measure(
    parameters: PolicyParameters,
    context: &CommandContext,
) -> Result<PolicyMeasurement, PolicyError> {
    os::reset_peak_memory();
    let started = Instant::now();
    let policy = operations::solve_policy(&parameters, &SuccessRatePrior::published(), context)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(PolicyMeasurement {
        parameters,
        states: policy.states(),
        expected_rounds: policy.expected_rounds(),
        seconds,
        peak_bytes: os::peak_memory(),
    })
}

impl PolicyMeasurement {
    pub fn to_json(self) -> String {
        let PolicyMeasurement {
            parameters,
            states,
            expected_rounds,
            seconds,
            peak_bytes,
        } = self;
        json!({
            "bench": "policy", "n": parameters.candidates, "m": parameters.parallel, "states": states, "v0": expected_rounds,
            "seconds": seconds, "peak_bytes": peak_bytes,
        })
        .to_string()
    }

    pub fn to_words(self) -> String {
        let PolicyMeasurement {
            parameters,
            states,
            expected_rounds,
            seconds,
            peak_bytes,
        } = self;
        let peak = peak_bytes.map_or_else(|| "?".to_owned(), |bytes| group_thousands(bytes >> 20));
        format!(
            "{} candidates, {} runs a round {:>9} states {expected_rounds:>6.3} rounds {seconds:>7.2} s {peak:>6} MiB",
            parameters.candidates,
            parameters.parallel,
            group_thousands(states as u64),
        )
    }
}
