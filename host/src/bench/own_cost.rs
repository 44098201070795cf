//! What a reduction costs beside the phones: an oracle that answers at once, and no store. Processor time, so that
//! it does not matter what else the machine does.

use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::trace_reduction::{
    ReduceError, ReduceSettings, ReductionAlgorithm, SchedulerKind, reduce,
};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use super::noisy::trace;

/// How many events are needed, spread over the trace.
const NEEDED_EVENTS: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnCostCase {
    /// One run each.
    Auto,
    /// By beliefs, 18 of 20 runs to pass.
    AutoFlaky,
    Nd3min,
    Dd,
}

pub const REDUCERS: [OwnCostCase; 4] = [
    OwnCostCase::Auto,
    OwnCostCase::AutoFlaky,
    OwnCostCase::Nd3min,
    OwnCostCase::Dd,
];

#[derive(Clone, Debug)]
pub struct OwnCostMeasurement {
    reducer: OwnCostCase,
    events: u32,
    runs: u64,
    left: usize,
    micros: f64,
}

pub async fn measure(
    reducer: OwnCostCase,
    events: u32,
    stop: &CancellationToken,
) -> Result<OwnCostMeasurement, ReduceError> {
    let (algorithm, settings) = reducer.rules();
    let trace = trace(events);
    let oracle = InstantOracle {
        needed: (1..=NEEDED_EVENTS)
            .map(|n| events * n / (NEEDED_EVENTS + 1))
            .collect(),
    };
    let began = processor_seconds();
    let reduction = reduce(&trace, algorithm, &settings, &oracle, &null_sink(), stop).await?;
    let micros = (processor_seconds() - began) * 1e6 / reduction.runs.max(1) as f64;
    Ok(OwnCostMeasurement {
        reducer,
        events,
        runs: reduction.runs,
        left: reduction.kept.len(),
        micros,
    })
}

impl OwnCostCase {
    fn rules(self) -> (ReductionAlgorithm, ReduceSettings) {
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

fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

struct InstantOracle {
    needed: Vec<u32>,
}

impl Oracle for InstantOracle {
    fn ask(&self, question: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        let kept = question.candidate.kept();
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
        Box::pin(std::future::ready(Ok(Observation {
            reached,
            verdict,
            played,
            took: Micros::ZERO,
        })))
    }
}
