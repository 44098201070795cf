//! Reducing crash traces that `explore` recorded on the simulated mail app with noise. How often a candidate does it depends on
//! how many touches it has, so there is no one probability with what is needed and one without.

use std::sync::Arc;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::MemoryExplorationJournal;
use retap_explore::{ExploreSettings, RandomExplorer, explore};
use retap_reduce::oracle::{PooledOracle, ReplayConditions};
use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{Reduction, reduce};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::json;
use tokio::time::Instant;

use super::noisy::{NoisyAlgorithm, PHONES};
use crate::command_error::CommandError;
use crate::devices::ConnectedPhones;
use crate::options::PhoneSelection;

/// One touch in 250 is lost, and after as many changes of the screen a dialog comes that nobody asked for.
pub const PHONE: &str = "sim:mail?noise=0.004&latency=realistic";
const EVENTS: u64 = 6_000;
const SESSION_EVENTS: u32 = 300;

/// What a reduction of one trace came to.
#[derive(Debug)]
pub struct NoisyAppReduction {
    algorithm: NoisyAlgorithm,
    seed: u64,
    from: usize,
    reduction: Reduction,
    seconds: f64,
}

/// The traces of all crashes that an exploration meets.
pub async fn traces(seed: u64, stop: &CancellationToken) -> Result<Vec<Trace>, CommandError> {
    let phones = ConnectedPhones::connect(
        &PhoneSelection {
            device: PHONE.to_owned(),
            count: 1,
        },
        Seed(seed),
    )
    .await?;
    let mut settings = ExploreSettings::new(phones.app(None)?, EVENTS);
    settings.session_events = SESSION_EVENTS;
    let make = || Box::new(RandomExplorer::default()) as _;
    let journal = MemoryExplorationJournal::default();
    let explored = explore(
        &phones.pool,
        &make,
        &settings,
        Seed(seed),
        &journal,
        &null_sink(),
        stop,
    )
    .await?;
    Ok(explored
        .findings
        .into_iter()
        .map(|found| found.trace)
        .collect())
}

pub async fn run(
    trace: &Trace,
    competitor: NoisyAlgorithm,
    policy: Option<&Arc<SchedulePolicy>>,
    seed: u64,
    stop: &CancellationToken,
) -> Result<NoisyAppReduction, CommandError> {
    let count = PHONES as u32;
    let phones = ConnectedPhones::connect(
        &PhoneSelection {
            device: PHONE.to_owned(),
            count,
        },
        Seed(seed),
    )
    .await?;
    let oracle = PooledOracle::new(&phones.pool, ReplayConditions::of(trace), &null_sink());
    let (algorithm, settings) = competitor.rules(policy);
    let began = Instant::now();
    let reduction = reduce(trace, algorithm, &settings, &oracle, &null_sink(), stop).await?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(NoisyAppReduction {
        algorithm: competitor,
        seed,
        from: trace.steps.len(),
        reduction,
        seconds,
    })
}

impl NoisyAppReduction {
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
        let proof = result.as_ref().map_or(0, |check| check.successes);
        match outcome {
            Outcome::DoesNotReproduce => format!("{first}: refused after {runs} runs"),
            _ => {
                let seconds = self.seconds;
                format!(
                    "{first} → {} events, {proof} of 20; {runs} runs, {seconds:.0} s",
                    kept.len()
                )
            }
        }
    }
}
