//! What a reduction costs beside the phones: an oracle that answers at once, and no store. Processor time, so that
//! it does not matter what else the machine does.

use retap_device::event::nobody;
use retap_device::stop::Stop;
use retap_reduce::oracle::{Observation, Oracle, OracleError, Question};
use retap_reduce::trace::{Algorithm, ReduceError, ReduceSettings, Scheduling, reduce};
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::verdict::Verdict;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use super::noisy::trace;

/// How many events are needed, spread over the trace.
const NEEDED: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reducer {
    /// One run each.
    Auto,
    /// By beliefs, 18 of 20 runs to pass.
    AutoFlaky,
    Nd3min,
    Dd,
}

pub const REDUCERS: [Reducer; 4] = [
    Reducer::Auto,
    Reducer::AutoFlaky,
    Reducer::Nd3min,
    Reducer::Dd,
];

#[derive(Clone, Debug)]
pub struct Measured {
    reducer: Reducer,
    events: u32,
    runs: u64,
    left: usize,
    micros: f64,
}

pub async fn measure(reducer: Reducer, events: u32, stop: &Stop) -> Result<Measured, ReduceError> {
    let (algorithm, settings) = reducer.rules();
    let trace = trace(events);
    let oracle = AtOnce {
        needed: (1..=NEEDED).map(|n| events * n / (NEEDED + 1)).collect(),
    };
    let began = processor_seconds();
    let reduction = reduce(&trace, algorithm, &settings, &oracle, &nobody(), stop).await?;
    let micros = (processor_seconds() - began) * 1e6 / reduction.runs.max(1) as f64;
    Ok(Measured {
        reducer,
        events,
        runs: reduction.runs,
        left: reduction.kept.len(),
        micros,
    })
}

impl Reducer {
    fn rules(self) -> (Algorithm, ReduceSettings) {
        let once = ReduceSettings::default();
        let scheduling = Scheduling::Heuristic;
        let flaky = ReduceSettings {
            runs: 20,
            successes: 18,
            parallel: 15,
            check_runs: 20,
            scheduling,
            ..once.clone()
        };
        match self {
            Reducer::Auto => (Algorithm::Auto, once),
            Reducer::AutoFlaky => (Algorithm::Auto, flaky),
            Reducer::Nd3min => (Algorithm::Nd3min, flaky),
            Reducer::Dd => (Algorithm::Dd, once),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Reducer::Auto => "auto",
            Reducer::AutoFlaky => "auto-flaky",
            Reducer::Nd3min => "nd3min-heuristic",
            Reducer::Dd => "dd",
        }
    }
}

impl Measured {
    pub fn to_json(&self) -> String {
        json!({
            "bench": "own_cost", "algorithm": self.reducer.name(), "events": self.events, "runs": self.runs,
            "left": self.left, "micros_per_run": self.micros,
        })
        .to_string()
    }

    pub fn to_words(&self) -> String {
        let Measured {
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

struct AtOnce {
    needed: Vec<u32>,
}

impl Oracle for AtOnce {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        let kept = question.steps.kept();
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
