//! How long the optimal policy takes to solve, and how much memory. Nothing is recalled from a store.

use std::time::Instant;

use retap_reduce::policy::{PolicyError, Prior, Rules};
use serde_json::json;

use crate::shell::Shell;
use crate::words::thousands;
use crate::{job, os};

#[derive(Clone, Copy, Debug)]
pub struct Solved {
    rules: Rules,
    states: usize,
    start: f64,
    seconds: f64,
    peak_bytes: Option<u64>,
}

pub fn measure(rules: Rules, shell: &Shell) -> Result<Solved, PolicyError> {
    os::forget_peak_memory();
    let began = Instant::now();
    let policy = job::solve(&rules, &Prior::paper(), shell)?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(Solved {
        rules,
        states: policy.states(),
        start: policy.start(),
        seconds,
        peak_bytes: os::peak_memory(),
    })
}

impl Solved {
    pub fn to_json(self) -> String {
        let Solved {
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
        let Solved {
            rules,
            states,
            start,
            seconds,
            peak_bytes,
        } = self;
        let peak = peak_bytes.map_or_else(|| "?".to_owned(), |bytes| thousands(bytes >> 20));
        format!(
            "{} candidates, {} runs a round {:>9} states {start:>6.3} rounds {seconds:>7.2} s {peak:>6} MiB",
            rules.candidates,
            rules.parallel,
            thousands(states as u64),
        )
    }
}
