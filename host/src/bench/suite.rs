//! Whole suites, recorded by `explore` on simulated apps and cut down by DetReduce and by Retap's own, in virtual time.

use std::num::NonZeroU32;
use std::time::Instant;

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_model::{Abstraction, PreparedAbstraction};
use retap_reduce::journal::MemoryReductionJournal;
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, SpliceSurvey, SpliceSurveySettings, SuiteCost, SuiteError,
    SuiteMeasure, SuiteReduction, SuiteReductionAlgorithm, SuiteSettings, learn, reduce_suite,
    survey_splices,
};
use retap_shared::micros::Micros;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, DeviceSpecError, PhoneSelection};
use crate::devices::ConnectedPhones;

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
    pub session_events: u32,
    pub reduction: SuiteReduction,
    /// Processor time of this program, without the phones.
    pub own_seconds: f64,
    /// From the first run to the last by the phones' clock, on all of them side by side.
    pub elapsed: Micros,
}

/// Spliced traces of one suite: which of them are replayable.
#[derive(Debug)]
pub struct SpliceMeasurement {
    pub app: String,
    pub seed: u64,
    pub session_events: u32,
    pub survey: SpliceSurvey,
}

/// How suites are made and cut down.
#[derive(Clone, Debug)]
pub struct SuiteBenchOptions {
    pub events: u64,
    pub session_events: u32,
    pub replays: u32,
    pub phones: u32,
    pub max_runs: Option<u64>,
    pub abstraction: Abstraction,
    /// Parameters of the simulated phone, as after the `?` of its spec.
    pub parameters: String,
}

impl SuiteBenchOptions {
    /// Simulated phones with an app and the parameters of the benchmark.
    pub fn phones(&self, app: &str, count: u32) -> Result<PhoneSelection, DeviceSpecError> {
        let spec = DeviceSpec::simulated(&format!("{app}?{}", self.parameters))?;
        Ok(PhoneSelection {
            device: spec.into(),
            count,
        })
    }

    fn settings(&self, algorithm: SuiteReductionAlgorithm) -> SuiteSettings {
        SuiteSettings {
            algorithm,
            replays: self.replays,
            max_runs: self.max_runs,
            ..SuiteSettings::default()
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
    let phones = ConnectedPhones::connect(&rules.phones(app, 1)?, Seed(seed)).await?;
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
    let phones = ConnectedPhones::connect(&rules.phones(app, rules.phones)?, Seed(seed)).await?;
    let began = Instant::now();
    let clock = tokio::time::Instant::now();
    let log = MemoryReductionJournal::default();
    let Some(replayer) = replayer(&phones, traces, rules, &log, stop).await? else {
        return Ok(None);
    };
    let sink = null_sink();
    let replayer = JournaledReplayer::new(replayer, &log, &sink);
    let settings = rules.settings(algorithm);
    let reduction = Box::pin(reduce_suite(traces, &settings, &replayer, &sink, stop)).await?;
    let measurement = SuiteMeasurement {
        app: app.to_owned(),
        algorithm,
        seed,
        session_events: rules.session_events,
        reduction,
        own_seconds: began.elapsed().as_secs_f64(),
        elapsed: Micros(u64::try_from(clock.elapsed().as_micros()).unwrap_or(u64::MAX)),
    };
    Ok((measurement.reduction.outcome != Outcome::Interrupted).then_some(measurement))
}

/// None if it was stopped.
pub async fn survey(
    app: &str,
    traces: &[Trace],
    rules: &SuiteBenchOptions,
    seed: u64,
    stop: &CancellationToken,
) -> Result<Option<SpliceMeasurement>, CommandError> {
    let phones = ConnectedPhones::connect(&rules.phones(app, rules.phones)?, Seed(seed)).await?;
    let log = MemoryReductionJournal::default();
    let Some(replayer) = replayer(&phones, traces, rules, &log, stop).await? else {
        return Ok(None);
    };
    let settings = rules.settings(SuiteReductionAlgorithm::DetReduce);
    let asked = SpliceSurveySettings::new(Seed(seed));
    let survey = survey_splices(traces, &settings, &asked, &replayer, stop);
    Ok(Box::pin(survey).await?.map(|survey| SpliceMeasurement {
        app: app.to_owned(),
        seed,
        session_events: rules.session_events,
        survey,
    }))
}

/// Replayer of the bench's abstraction. None if it was stopped while APE learned it.
async fn replayer(
    phones: &ConnectedPhones,
    traces: &[Trace],
    rules: &SuiteBenchOptions,
    log: &MemoryReductionJournal,
    stop: &CancellationToken,
) -> Result<Option<PooledReplayer>, CommandError> {
    let app = phones.app(None)?.app;
    let on = |abstraction: &Abstraction| {
        let states = PreparedAbstraction::by(abstraction).map_err(SuiteError::from)?;
        let replayer = PooledReplayer::new(&phones.pool, app.clone(), states, &null_sink());
        Ok::<_, SuiteError>(replayer)
    };
    let Abstraction::Ape(start) = &rules.abstraction else {
        return Ok(Some(on(&rules.abstraction)?));
    };
    let lesson = Box::pin(learn(traces, start, &on(&rules.abstraction)?, stop)).await?;
    let Some(lesson) = lesson else {
        return Ok(None);
    };
    lesson.record(log)?;
    Ok(Some(on(&Abstraction::Ape(lesson.learned))?))
}

impl SuiteMeasurement {
    pub fn to_json(&self) -> String {
        let SuiteReduction {
            outcome,
            before,
            after,
            cost,
            not_replayable,
            simplified,
            check,
            replayability,
            ..
        } = &self.reduction;
        let flaky = self.reduction.traces.iter();
        json!({
            "bench": "suite", "app": self.app, "algorithm": self.algorithm.to_string(), "seed": self.seed,
            "session_events": self.session_events, "outcome": outcome,
            "before": measure(before), "after": measure(after),
            "search": cost_json(&cost.without(&check.cost)), "check": cost_json(&check.cost),
            "cost": cost_json(cost), "elapsed": self.elapsed.0 as f64 / 1e6,
            "kept": after.covered.contains(&before.covered), "not_replayable": not_replayable, "simplified": simplified,
            "greedy": self.reduction.greedy(),
            "replays": {
                "successes": check.followed, "runs": check.runs, "unconfirmed": check.unconfirmed.len(),
                "flaky_traces": flaky.filter(|one| one.check.is_flaky()).count(),
            },
            "paths": { "tried": replayability.paths, "diverged_in_replay": replayability.detected_at },
            "own_seconds": self.own_seconds,
        })
        .to_string()
    }

    pub fn in_words(&self) -> String {
        line(&self.name(&self.app), &[self])
    }

    fn name(&self, app: &str) -> String {
        let algorithm = self.algorithm.to_string();
        format!("{app:<12}{algorithm:<10}{:>4}", self.session_events)
    }
}

impl SpliceMeasurement {
    pub fn to_json(&self) -> String {
        let by_fragments: Vec<Value> = (1..)
            .zip(&self.survey.replayable)
            .map(|(fragments, &(replayable, sampled)): (u32, _)| {
                json!({ "fragments": fragments, "replayable": replayable, "sampled": sampled })
            })
            .collect();
        json!({
            "bench": "splices", "app": self.app, "seed": self.seed, "session_events": self.session_events,
            "by_fragments": by_fragments, "random_paths": self.survey.random_paths,
        })
        .to_string()
    }

    pub fn in_words(&self) -> String {
        let replayable = self.survey.replayable.iter();
        let replayable: Vec<String> = replayable
            .map(|(replayable, sampled)| format!("{replayable}/{sampled}"))
            .collect();
        let random_paths = self.survey.random_paths.iter();
        let random_paths: Vec<String> = random_paths
            .map(|(fragments, paths)| format!("{fragments}: {paths}"))
            .collect();
        format!(
            "{:<12}{:>4} replayable by fragments {}; random paths by fragments {}",
            self.app,
            self.session_events,
            replayable.join(" "),
            random_paths.join(", "),
        )
    }
}

fn cost_json(cost: &SuiteCost) -> Value {
    json!({
        "runs": cost.runs, "diverged": cost.diverged, "events": cost.events, "seconds": cost.took.0 as f64 / 1e6,
    })
}

fn measure(measure: &SuiteMeasure) -> Value {
    json!({
        "traces": measure.traces, "transitions": measure.transitions, "restarts": measure.traces,
        "seconds": measure.took.0 as f64 / 1e6, "coverage": measure.covered.len(),
        "crashes": measure.covered.findings.len(),
    })
}

/// All suites of one session length together, sum over sum, for each algorithm.
pub fn pooled(all: &[SuiteMeasurement]) -> Vec<String> {
    let of = |algorithm: SuiteReductionAlgorithm| {
        all.iter()
            .filter(|one| one.algorithm == algorithm)
            .collect::<Vec<_>>()
    };
    ALGORITHMS
        .into_iter()
        .map(of)
        .filter(|own| own.len() > 1)
        .map(|own| line(&own[0].name("pooled"), &own))
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
    let has_lost = |one: &&&SuiteMeasurement| !one.reduction.lost().is_empty();
    let lost = match all.iter().filter(has_lost).count() {
        0 => String::new(),
        lost => format!("; coverage lost in {lost}"),
    };
    let greedy = match sum(|one| u64::from(one.greedy())) {
        0 => String::new(),
        traces => format!("; {traces} cut greedily"),
    };
    format!(
        "{name} restarts {}, transitions {}, seconds {}; crashes {} of {}{lost}{greedy}; check {} of {}; cost {} runs, {} events, {} s, own {:.0} s",
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
        sum(|one| u64::from(one.check.followed)),
        sum(|one| u64::from(one.check.runs)),
        sum(|one| one.cost.runs),
        sum(|one| one.cost.events),
        sum(|one| one.cost.took.0 / 1_000_000),
        all.iter().map(|one| one.own_seconds).sum::<f64>(),
    )
}
