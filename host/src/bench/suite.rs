//! Whole suites, recorded by `explore` on simulated apps and cut down by DetReduce and by Retap's own, in virtual time.

use std::num::NonZeroU32;
use std::time::Instant;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_model::{Abstraction, PreparedAbstraction};
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, SuiteCost, SuiteError, SuiteMeasure, SuiteReduction,
    SuiteReductionAlgorithm, SuiteSettings, learn, reduce_suite,
};
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::devices::ConnectedPhones;
use crate::options::PhoneSelection;

pub const ALGORITHMS: [SuiteReductionAlgorithm; 2] = [
    SuiteReductionAlgorithm::DetReduce,
    SuiteReductionAlgorithm::Auto,
];

/// One suite, cut down by one algorithm.
#[derive(Debug)]
pub struct SuiteMeasurement {
    pub app: String,
    pub algorithm: SuiteReductionAlgorithm,
    pub seed: u64,
    pub reduction: SuiteReduction,
    /// Processor time of this program, without the phones.
    pub own_seconds: f64,
    /// From the first run to the last by the phones' clock, on all of them side by side.
    pub elapsed: Micros,
}

/// How suites are made and cut down.
#[derive(Clone, Debug)]
pub struct SuiteBenchOptions {
    pub events: u64,
    pub session_events: u32,
    pub replays: u32,
    pub phones: u32,
    pub abstraction: Abstraction,
    /// Parameters of the simulated phone, as after the `?` of its spec.
    pub parameters: String,
}

impl SuiteBenchOptions {
    fn devices(&self, app: &str, count: u32) -> PhoneSelection {
        let question = if self.parameters.is_empty() { "" } else { "?" };
        PhoneSelection {
            device: format!("sim:{app}{question}{}", self.parameters),
            count,
        }
    }
}

/// The traces of every clean start of an exploration, in their order.
pub async fn traces(
    app: &str,
    rules: &SuiteBenchOptions,
    seed: u64,
    stop: &CancellationToken,
) -> Result<Vec<Trace>, CommandError> {
    let phones = ConnectedPhones::connect(&rules.devices(app, 1), Seed(seed)).await?;
    let settings = ExploreSettings {
        keep_traces: true,
        ..ExploreSettings::new(phones.app(None)?, rules.events)
    };
    let session_events = NonZeroU32::new(rules.session_events).unwrap_or(NonZeroU32::MIN);
    let explorer = RandomSessions::new(Seed(seed), session_events);
    let context = ExplorationContext {
        seed: Seed(seed),
        events: &null_sink(),
        journal: &MemoryExplorationJournal::default(),
        cancellation: stop,
    };
    let explored = run_exploration(&phones.pool, Box::new(explorer), &settings, context).await?;
    Ok(explored
        .traces
        .into_iter()
        .map(|(_, trace)| trace)
        .collect())
}

/// None if it was stopped.
pub async fn run(
    app: &str,
    traces: &[Trace],
    algorithm: SuiteReductionAlgorithm,
    rules: &SuiteBenchOptions,
    seed: u64,
    stop: &CancellationToken,
) -> Result<Option<SuiteMeasurement>, CommandError> {
    let phones = ConnectedPhones::connect(&rules.devices(app, rules.phones), Seed(seed)).await?;
    let began = Instant::now();
    let clock = tokio::time::Instant::now();
    let app_of = phones.app(None)?.app;
    let on = |abstraction: &Abstraction| {
        let states = PreparedAbstraction::by(abstraction).map_err(SuiteError::from)?;
        Ok::<_, SuiteError>(PooledReplayer::new(
            &phones.pool,
            app_of.clone(),
            states,
            &null_sink(),
        ))
    };
    let log = retap_reduce::journal::MemoryReductionJournal::default();
    let sink = null_sink();
    let replayer = match &rules.abstraction {
        Abstraction::Ape(start) => {
            let lesson = Box::pin(learn(traces, start, &on(&rules.abstraction)?, stop)).await?;
            let Some(lesson) = lesson else {
                return Ok(None);
            };
            lesson.record(&log)?;
            on(&Abstraction::Ape(lesson.learned))?
        }
        other => on(other)?,
    };
    let replayer = JournaledReplayer::new(replayer, &log, &sink);
    let settings = SuiteSettings {
        algorithm,
        replays: rules.replays,
        ..SuiteSettings::default()
    };
    let reduction = Box::pin(reduce_suite(
        traces,
        &settings,
        &replayer,
        &null_sink(),
        stop,
    ))
    .await?;
    let own_seconds = began.elapsed().as_secs_f64();
    let elapsed = Micros(u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX));
    let app = app.to_owned();
    let smaller = SuiteMeasurement {
        app,
        algorithm,
        seed,
        reduction,
        own_seconds,
        elapsed,
    };
    Ok((smaller.reduction.outcome != Outcome::Interrupted).then_some(smaller))
}

impl SuiteMeasurement {
    pub fn to_json(&self) -> String {
        let SuiteReduction {
            before,
            after,
            cost: spent,
            not_replayable,
            simplified,
            replays,
            ..
        } = &self.reduction;
        let SuiteCost { runs, events, took } = spent;
        json!({
            "bench": "suite", "app": self.app, "algorithm": self.algorithm.to_string(), "seed": self.seed,
            "before": measure(before), "after": measure(after),
            "cost": { "runs": runs, "events": events, "seconds": took.0 as f64 / 1e6, "elapsed": self.elapsed.0 as f64 / 1e6 },
            "kept": after.covered.contains(&before.covered), "not_replayable": not_replayable, "simplified": simplified,
            "replays": { "successes": replays.0, "runs": replays.1 }, "own_seconds": self.own_seconds,
        })
        .to_string()
    }

    pub fn in_words(&self) -> String {
        line(
            &format!("{:<12}{:<10}", self.app, self.algorithm.to_string()),
            &[self],
        )
    }
}

fn measure(measure: &SuiteMeasure) -> Value {
    json!({
        "traces": measure.traces, "transitions": measure.transitions, "restarts": measure.traces,
        "seconds": measure.took.0 as f64 / 1e6, "coverage": measure.covered.len(),
        "crashes": measure.covered.findings.len(),
    })
}

/// All suites together, sum over sum, for each algorithm.
pub fn pooled(all: &[SuiteMeasurement]) -> Vec<String> {
    let of = |algorithm: SuiteReductionAlgorithm| {
        all.iter()
            .filter(|one| one.algorithm == algorithm)
            .collect::<Vec<_>>()
    };
    ALGORITHMS
        .into_iter()
        .map(|algorithm| (algorithm, of(algorithm)))
        .filter(|(_, own)| own.len() > 1)
        .map(|(algorithm, own)| {
            line(
                &format!("{:<12}{:<10}", "pooled", algorithm.to_string()),
                &own,
            )
        })
        .collect()
}

fn line(name: &str, all: &[&SuiteMeasurement]) -> String {
    let sum =
        |of: fn(&SuiteReduction) -> u64| all.iter().map(|one| of(&one.reduction)).sum::<u64>();
    let pair = |before: fn(&SuiteReduction) -> u64, after: fn(&SuiteReduction) -> u64| {
        let before = sum(before);
        let after = sum(after);
        format!(
            "{before} → {after} ({:.1})",
            before as f64 / after.max(1) as f64
        )
    };
    let lost = all
        .iter()
        .filter(|one| {
            !one.reduction
                .after
                .covered
                .contains(&one.reduction.before.covered)
        })
        .count();
    format!(
        "{name} restarts {}, transitions {}, seconds {}; crashes {} of {}{}; cost {} runs, {} events, {} s, own {:.0} s",
        pair(
            |one| u64::from(one.before.traces),
            |one| u64::from(one.after.traces)
        ),
        pair(|one| one.before.transitions, |one| one.after.transitions),
        pair(
            |one| one.before.took.0 / 1_000_000,
            |one| one.after.took.0 / 1_000_000
        ),
        sum(|one| one.after.covered.findings.len() as u64),
        sum(|one| one.before.covered.findings.len() as u64),
        if lost > 0 {
            format!("; coverage lost in {lost}")
        } else {
            String::new()
        },
        sum(|one| one.cost.runs),
        sum(|one| one.cost.events),
        sum(|one| one.cost.took.0 / 1_000_000),
        all.iter().map(|one| one.own_seconds).sum::<f64>(),
    )
}
