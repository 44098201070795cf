//! Processor time of a reducer itself: its oracle answers at once, and there is no store.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{
    ReduceError, ReduceSettings, ReductionAlgorithm, SchedulerKind, reduce,
};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use serde_json::json;

use super::noisy::trace;
use crate::bench::processor_time::thread_seconds;

/// Number of needed events, spread over the trace.
const NEEDED_EVENTS: u32 = 5;

/// Reducer under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCostCase {
    /// One attempt of each candidate.
    Auto,
    /// By beliefs; a candidate needs 18 of 20 attempts.
    AutoFlaky,
    Nd3min,
    Dd,
}

/// Reducers that are measured.
pub const REDUCERS: [OwnCostCase; 4] = [
    OwnCostCase::Auto,
    OwnCostCase::AutoFlaky,
    OwnCostCase::Nd3min,
    OwnCostCase::Dd,
];

/// Processor time of one reducer.
#[derive(Clone, Debug)]
pub struct OwnCostMeasurement {
    reducer: OwnCostCase,
    events: u32,
    runs: u64,
    left: usize,
    micros: f64,
}

/// Measures one reduction.
pub async fn measure(
    reducer: OwnCostCase,
    events: u32,
    cancellation: &CancellationToken,
) -> Result<OwnCostMeasurement, ReduceError> {
    let (algorithm, settings) = reducer.settings();
    let trace = trace(events);
    let oracle = InstantOracle {
        needed: (1..=NEEDED_EVENTS)
            .map(|n| events * n / (NEEDED_EVENTS + 1))
            .collect(),
    };
    let started = thread_seconds();
    let reduction = reduce(
        &trace,
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    let micros = (thread_seconds() - started) * 1e6 / reduction.runs.max(1) as f64;
    Ok(OwnCostMeasurement {
        reducer,
        events,
        runs: reduction.runs,
        left: reduction.kept.len(),
        micros,
    })
}

impl OwnCostCase {
    fn settings(self) -> (ReductionAlgorithm, ReduceSettings) {
        let once = ReduceSettings::default();
        let scheduling = SchedulerKind::Heuristic;
        let flaky = ReduceSettings {
            runs: 20,
            successes: 18,
            parallel: 15,
            check_runs: 20,
            scheduling,
            ..once.clone()
        };
        match self {
            OwnCostCase::Auto => (ReductionAlgorithm::Auto, once),
            OwnCostCase::AutoFlaky => (ReductionAlgorithm::Auto, flaky),
            OwnCostCase::Nd3min => (ReductionAlgorithm::Nd3min, flaky),
            OwnCostCase::Dd => (ReductionAlgorithm::Dd, once),
        }
    }

    fn name(self) -> &'static str {
        match self {
            OwnCostCase::Auto => "auto",
            OwnCostCase::AutoFlaky => "auto-flaky",
            OwnCostCase::Nd3min => "nd3min-heuristic",
            OwnCostCase::Dd => "dd",
        }
    }
}

impl OwnCostMeasurement {
    pub fn to_json(&self) -> String {
        json!({
            "bench": "own_cost", "algorithm": self.reducer.name(), "events": self.events, "runs": self.runs,
            "left": self.left, "micros_per_run": self.micros,
        })
        .to_string()
    }

    pub fn to_words(&self) -> String {
        let OwnCostMeasurement {
            reducer,
            events,
            runs,
            left,
            micros,
        } = self;
        format!(
            "{:<18}{events} → {left} events in {runs} runs, {micros:.1} µs of processor time a run",
            reducer.name()
        )
    }
}

/// Oracle that answers at once.
struct InstantOracle {
    needed: Vec<u32>,
}

impl Oracle for InstantOracle {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let kept = query.candidate.kept();
        let reached = self
            .needed
            .iter()
            .all(|event| kept.binary_search(event).is_ok());
        let verdict = if reached {
            Verdict::TargetReached
        } else {
            Verdict::TargetNotReached
        };
        let played = u32::try_from(kept.len()).unwrap_or(u32::MAX);
        Box::pin(std::future::ready(Ok(Observation::new(
            verdict,
            played,
            Micros::ZERO,
        ))))
    }
}
