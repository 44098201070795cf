//! Reductions of crash traces that `explore` recorded on the simulated mail app with noise. The success rate of a candidate
//! depends on its number of touches, unlike in `noisy`.

use std::num::NonZeroU32;
use std::sync::Arc;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_reduce::oracle::{PooledOracle, ReplayConditions};
use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{Reduction, reduce};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::json;
use tokio::time::Instant;

use super::noisy::{NoisyAlgorithm, PHONES};
use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, PhoneSelection};
use crate::devices::ConnectedPhones;

/// Simulated phone: one touch in 250 is lost, and after one screen change in 250 an unexpected dialog appears.
pub const PHONE: &str = "mail?noise=0.004&latency=realistic";
const EVENTS: u64 = 6_000;
const SESSION_EVENTS: NonZeroU32 = NonZeroU32::new(300).unwrap();

/// Reduction of one trace.
#[derive(Debug)]
pub struct NoisyAppMeasurement {
    algorithm: NoisyAlgorithm,
    seed: u64,
    from: usize,
    reduction: Reduction,
    seconds: f64,
}

/// Traces of all findings of one exploration.
pub async fn traces(
    seed: u64,
    cancellation: &CancellationToken,
) -> Result<Vec<Trace>, CommandError> {
    let phones = connect(1, seed).await?;
    let settings = ExploreSettings::new(phones.app(None)?, EVENTS);
    let explorer = RandomSessions::new(Seed(seed), SESSION_EVENTS);
    let context = ExplorationContext {
        seed: Seed(seed),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation,
    };
    let explored = run_exploration(&phones.pool, Box::new(explorer), &settings, context).await?;
    Ok(explored
        .findings
        .into_iter()
        .map(|record| record.trace)
        .collect())
}

async fn connect(count: u32, seed: u64) -> Result<ConnectedPhones, CommandError> {
    let device = DeviceSpec::simulated(PHONE)?.into();
    let selection = PhoneSelection { device, count };
    Ok(ConnectedPhones::connect(&selection, Seed(seed)).await?)
}

/// Reduces one trace.
pub async fn run(
    trace: &Trace,
    noisy_algorithm: NoisyAlgorithm,
    policy: Option<&Arc<SchedulePolicy>>,
    seed: u64,
    cancellation: &CancellationToken,
) -> Result<NoisyAppMeasurement, CommandError> {
    let phones = connect(PHONES as u32, seed).await?;
    let oracle = PooledOracle::new(&phones.pool, ReplayConditions::of(trace), &null_sink());
    let (algorithm, settings) = noisy_algorithm.settings(policy);
    let started = Instant::now();
    let reduction = reduce(
        trace,
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(NoisyAppMeasurement {
        algorithm: noisy_algorithm,
        seed,
        from: trace.steps.len(),
        reduction,
        seconds,
    })
}

impl NoisyAppMeasurement {
    pub fn to_json(&self) -> String {
        let Reduction {
            original,
            result,
            runs,
            events,
            kept,
            outcome,
            rounds,
            ..
        } = &self.reduction;
        let share = f64::from(original.successes) / f64::from(original.runs.max(1));
        json!({
            "bench": "noisy", "algorithm": self.algorithm.to_string(), "p_with": share, "p_without": null,
            "needed_kind": "mail", "needed": [], "seed": self.seed, "from": self.from, "outcome": outcome,
            "steps": rounds, "runs": runs, "events": events, "seconds": self.seconds, "kept": kept,
            "final": result.as_ref().map(|check| check.successes),
        })
        .to_string()
    }

    pub fn to_words(&self) -> String {
        let Reduction {
            original,
            result,
            runs,
            kept,
            outcome,
            ..
        } = &self.reduction;
        let name = self.algorithm.to_string();
        let first = format!(
            "{name:<20}{:>4} events, {} of {} runs",
            self.from, original.successes, original.runs
        );
        let successes = result.as_ref().map_or(0, |check| check.successes);
        match outcome {
            Outcome::DoesNotReproduce => format!("{first}: refused after {runs} runs"),
            _ => {
                let seconds = self.seconds;
                format!(
                    "{first} → {} events, {successes} of 20; {runs} runs, {seconds:.0} s",
                    kept.len()
                )
            }
        }
    }
}
