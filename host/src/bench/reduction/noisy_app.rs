//! Reductions of crash traces that `explore` recorded on simulated apps with noise. The success rate of a candidate depends on
//! its touches and screens, unlike in `noisy`, and is not known: the whole trace and the result are replayed many times.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::try_join_all;
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_explore::journal::{ExplorationContext, MemoryExplorationJournal};
use retap_explore::{ExploreSettings, RandomSessions, run_exploration};
use retap_reduce::oracle::{Candidate, Oracle, OracleQuery, PooledOracle, ReplayConditions};
use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{ReduceError, ReduceSettings, Reduction, reduce};
use retap_shared::trace::Trace;
use serde_json::json;
use tokio::time::Instant;

use super::noisy::{ClaimReading, ClaimVerdict, NoisyAlgorithm, PHONES};
use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, PhoneSelection};
use crate::devices::ConnectedPhones;

/// One touch in 250 is lost, and after one screen change in 250 an unexpected dialog appears.
const NOISE: &str = "noise=0.004&latency=realistic";
const EVENTS: u64 = 6_000;
const SESSION_EVENTS: NonZeroU32 = NonZeroU32::new(300).unwrap();
/// Replays of the whole trace, and of the result.
const REPLAYS: u32 = 200;

/// A simulated app with noise, and the seed of its exploration.
#[derive(Clone, Copy, Debug)]
pub struct NoisyApp {
    pub name: &'static str,
    pub seed: u64,
}

/// A recorded crash, and how often it reproduces.
#[derive(Debug)]
pub struct NoisyAppTrace {
    app: NoisyApp,
    trace: Trace,
    replays: u32,
}

/// Reduction of one trace.
#[derive(Debug)]
pub struct NoisyAppMeasurement {
    app: NoisyApp,
    algorithm: NoisyAlgorithm,
    claim: ClaimReading,
    from: usize,
    /// Replays of the whole trace and of the result that reached the target.
    whole_replays: u32,
    result_replays: u32,
    reduction: Reduction,
    seconds: f64,
}

impl NoisyApp {
    /// Traces of all findings of one exploration.
    pub async fn traces(
        self,
        cancellation: &CancellationToken,
    ) -> Result<Vec<NoisyAppTrace>, CommandError> {
        let phones = self.connect(1, "explore").await?;
        let settings = ExploreSettings::new(phones.app(None)?, EVENTS);
        let explorer = RandomSessions::new(Seed(self.seed), SESSION_EVENTS);
        let context = ExplorationContext {
            seed: Seed(self.seed),
            events: &null_sink(),
            journal: &MemoryExplorationJournal::default(),
            cancellation,
        };
        let explored =
            run_exploration(&phones.pool, Box::new(explorer), &settings, context).await?;
        let mut traces = Vec::new();
        for record in explored.findings {
            traces.push(NoisyAppTrace {
                app: self,
                replays: self.replay(&record.trace, "whole").await?,
                trace: record.trace,
            });
        }
        Ok(traces)
    }

    /// Phones with noise of their own for each purpose.
    async fn connect(self, count: u32, purpose: &str) -> Result<ConnectedPhones, CommandError> {
        let device = DeviceSpec::simulated(&format!("{}?{NOISE}", self.name))?.into();
        let selection = PhoneSelection { device, count };
        let seed = match purpose {
            "explore" => Seed(self.seed),
            purpose => Seed(self.seed).derive(purpose, 0),
        };
        Ok(ConnectedPhones::connect(&selection, seed).await?)
    }

    /// Number of replays that reach the target.
    async fn replay(self, trace: &Trace, purpose: &str) -> Result<u32, CommandError> {
        let phones = self.connect(PHONES as u32, purpose).await?;
        let oracle = PooledOracle::new(&phones.pool, ReplayConditions::of(trace), &null_sink());
        let candidate = Candidate::from(trace.steps.clone());
        let attempts = (0..REPLAYS)
            .map(|attempt| oracle.ask(OracleQuery::from_start(candidate.clone(), attempt)));
        let observations = try_join_all(attempts).await.map_err(ReduceError::from)?;
        let reached = observations.iter().filter(|one| one.reached);
        Ok(reached.count() as u32)
    }
}

impl NoisyAppTrace {
    /// Reduces the trace.
    pub async fn reduce(
        &self,
        noisy_algorithm: NoisyAlgorithm,
        policy: Option<&Arc<SchedulePolicy>>,
        cancellation: &CancellationToken,
    ) -> Result<NoisyAppMeasurement, CommandError> {
        let phones = self.app.connect(PHONES as u32, "reduce").await?;
        let conditions = ReplayConditions::of(&self.trace);
        let oracle = PooledOracle::new(&phones.pool, conditions, &null_sink());
        let (algorithm, settings) = noisy_algorithm.settings(policy);
        let settings = ReduceSettings {
            simplify: noisy_algorithm == NoisyAlgorithm::AutoDefaults,
            ..settings
        };
        let started = Instant::now();
        let reduction = reduce(
            &self.trace,
            algorithm,
            &settings,
            &oracle,
            &null_sink(),
            cancellation,
        )
        .await?;
        let seconds = started.elapsed().as_secs_f64();
        let claim = ClaimReading::of(&reduction);
        let result_replays = match claim.verdict {
            ClaimVerdict::Refused => 0,
            _ => self.app.replay(&reduction.trace, "result").await?,
        };
        Ok(NoisyAppMeasurement {
            app: self.app,
            algorithm: noisy_algorithm,
            claim,
            from: self.trace.steps.len(),
            whole_replays: self.replays,
            result_replays,
            reduction,
            seconds,
        })
    }
}

impl NoisyAppMeasurement {
    /// True for a trace that reproduces in some replays and not in others.
    pub fn is_flaky(&self) -> bool {
        (1..REPLAYS).contains(&self.whole_replays)
    }

    pub fn algorithm(&self) -> NoisyAlgorithm {
        self.algorithm
    }

    pub fn is_refused(&self) -> bool {
        self.claim.verdict == ClaimVerdict::Refused
    }

    pub fn to_json(&self) -> String {
        let Reduction {
            runs,
            events,
            kept,
            outcome,
            rounds,
            ..
        } = &self.reduction;
        let claim = &self.claim;
        json!({
            "bench": "noisy-app", "app": self.app.name, "algorithm": self.algorithm.to_string(), "seed": self.app.seed,
            "from": self.from, "to": kept.len(), "outcome": outcome, "claim": claim.verdict.name(),
            "successes": claim.successes, "told_runs": claim.runs, "claimed_rate": claim.claimed_rate,
            "interval": claim.interval.map(|interval| [interval.low, interval.high]), "replays": REPLAYS,
            "whole_replays": self.whole_replays, "result_replays": self.result_replays, "steps": rounds, "runs": runs,
            "events": events, "seconds": self.seconds,
        })
        .to_string()
    }

    pub fn to_words(&self) -> String {
        let runs = self.reduction.runs;
        let name = self.algorithm.to_string();
        let first = format!(
            "{:<10}{name:<18}{:>4} events, {} of {REPLAYS} replays",
            self.app.name, self.from, self.whole_replays
        );
        if self.is_refused() {
            return format!("{first}: refused after {runs} runs");
        }
        format!(
            "{first} → {} events, {} of {REPLAYS} replays; {}, {} of {} reported; {runs} runs, {:.0} s",
            self.reduction.kept.len(),
            self.result_replays,
            self.claim.verdict.name(),
            self.claim.successes,
            self.claim.runs,
            self.seconds,
        )
    }
}
