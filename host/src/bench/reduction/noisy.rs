//! Reductions of a target that is reached only sometimes, with an oracle that draws each attempt at random: virtual time,
//! runs and events of each algorithm, and whether its result is right.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::{Rng, Seed};
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_reduce::policy::SchedulePolicy;
use retap_reduce::trace_reduction::{
    ReduceError, ReduceSettings, ReductionAlgorithm, SchedulerKind, reduce,
};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::Verdict;
use serde_json::json;
use tokio::time::Instant;

/// Virtual time of an event.
const EVENT_TIME: Duration = Duration::from_secs(1);
/// Virtual time of the clean start before the first event.
const RESTART_TIME: Duration = Duration::from_secs(10);
/// Number of phones in the paper.
pub const PHONES: usize = 15;
/// Attempts of a candidate in the paper, and the successes it needs.
const RUNS: u32 = 20;
const SUCCESSES: u32 = 18;
const ORIGINAL_SUCCESSES: u32 = 15;
/// Length of the range that clustered events lie in.
const CLUSTER: u32 = 10;

/// Success rates of candidates with all needed events, and of the others.
pub const GRID: [(f64, f64); 5] = [
    (1.0, 0.0),
    (0.95, 0.0),
    (0.95, 0.1),
    (0.93, 0.3),
    (0.93, 0.5),
];

/// Algorithm under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum NoisyAlgorithm {
    Auto,
    Nd3minHeuristic,
    Nd3minOptimal,
    Nd3minGreedy,
    Nd3minRoundRobin,
    /// One attempt of each candidate.
    Dd,
}

/// Number and distribution of the events that the target needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededEvents {
    Anywhere(u32),
    Clustered(u32),
    Spread(u32),
}

/// Distributions that are measured.
pub const NEEDED_EVENTS: [NeededEvents; 5] = [
    NeededEvents::Anywhere(1),
    NeededEvents::Anywhere(3),
    NeededEvents::Clustered(5),
    NeededEvents::Spread(5),
    NeededEvents::Anywhere(10),
];

/// One trace to reduce.
#[derive(Clone, Debug)]
pub struct NoisyCase {
    pub success_rate: f64,
    pub spurious_rate: f64,
    pub needed_events: NeededEvents,
    pub seed: u64,
    pub events: u32,
}

/// Reduction of one trace.
#[derive(Clone, Debug)]
pub struct NoisyMeasurement {
    pub case: NoisyCase,
    pub algorithm: NoisyAlgorithm,
    needed: Vec<u32>,
    pub kept: Vec<u32>,
    /// Successes in the check of the result.
    pub check_successes: u32,
    /// Maximum number of runs that one phone started.
    pub steps: u64,
    pub runs: u64,
    pub events: u64,
    pub seconds: f64,
}

/// Reduces one trace.
pub async fn run(
    case: NoisyCase,
    noisy_algorithm: NoisyAlgorithm,
    policy: Option<&Arc<SchedulePolicy>>,
    cancellation: &CancellationToken,
) -> Result<NoisyMeasurement, ReduceError> {
    let needed = case
        .needed_events
        .choose(case.events, &mut Seed(case.seed).derive("needed", 0).rng());
    let oracle = NoisyOracle {
        case: case.clone(),
        needed,
        phones: Mutex::default(),
    };
    let (algorithm, settings) = noisy_algorithm.settings(policy);
    let started = Instant::now();
    let reduction = reduce(
        &trace(case.events),
        algorithm,
        &settings,
        &oracle,
        &null_sink(),
        cancellation,
    )
    .await?;
    let seconds = started.elapsed().as_secs_f64();
    let VirtualPhones {
        runs_started,
        events,
        ..
    } = std::mem::take(&mut *oracle.lock());
    Ok(NoisyMeasurement {
        case,
        algorithm: noisy_algorithm,
        needed: oracle.needed,
        kept: reduction.kept,
        check_successes: reduction.result.map_or(0, |check| check.successes),
        steps: runs_started.iter().copied().max().unwrap_or(0),
        runs: runs_started.iter().sum(),
        events: events.round() as u64,
        seconds,
    })
}

impl NoisyAlgorithm {
    pub(super) fn settings(
        self,
        policy: Option<&Arc<SchedulePolicy>>,
    ) -> (ReductionAlgorithm, ReduceSettings) {
        let noisy = ReduceSettings {
            runs: RUNS,
            successes: SUCCESSES,
            parallel: PHONES,
            check_runs: RUNS,
            original_runs: Some(RUNS),
            original_successes: Some(ORIGINAL_SUCCESSES),
            ..ReduceSettings::default()
        };
        let nd3min = |scheduling| {
            let policy = policy.cloned();
            (
                ReductionAlgorithm::Nd3min,
                ReduceSettings {
                    scheduling,
                    policy,
                    ..noisy.clone()
                },
            )
        };
        match self {
            NoisyAlgorithm::Auto => (ReductionAlgorithm::Auto, noisy),
            NoisyAlgorithm::Dd => (
                ReductionAlgorithm::Dd,
                ReduceSettings {
                    runs: 1,
                    successes: 1,
                    ..noisy
                },
            ),
            NoisyAlgorithm::Nd3minHeuristic => nd3min(SchedulerKind::Heuristic),
            NoisyAlgorithm::Nd3minOptimal => nd3min(SchedulerKind::Optimal),
            NoisyAlgorithm::Nd3minGreedy => nd3min(SchedulerKind::Greedy),
            NoisyAlgorithm::Nd3minRoundRobin => nd3min(SchedulerKind::RoundRobin),
        }
    }
}

impl NeededEvents {
    fn choose(self, events: u32, rng: &mut Rng) -> Vec<u32> {
        let (count, from, to) = match self {
            NeededEvents::Anywhere(count) => (count, 0, events),
            NeededEvents::Clustered(count) => {
                let width = CLUSTER.min(events);
                let start = rng.random_range(0..=events - width);
                (count, start, start + width)
            }
            NeededEvents::Spread(count) => {
                let stretch = |number: u32| events * number / count..events * (number + 1) / count;
                return (0..count)
                    .map(|number| rng.random_range(stretch(number)))
                    .collect();
            }
        };
        let mut needed = Vec::new();
        while needed.len() < count.min(to - from) as usize {
            let event = rng.random_range(from..to);
            if !needed.contains(&event) {
                needed.push(event);
            }
        }
        needed.sort_unstable();
        needed
    }
}

impl NoisyMeasurement {
    /// Returns whether all needed events are kept and the check succeeded.
    pub fn is_right(&self) -> bool {
        self.check_successes >= SUCCESSES
            && self.needed.iter().all(|event| self.kept.contains(event))
    }

    pub fn to_json(&self) -> String {
        let NoisyCase {
            success_rate,
            spurious_rate,
            needed_events,
            seed,
            ..
        } = &self.case;
        json!({
            "bench": "noisy", "algorithm": self.algorithm.to_string(), "p_with": success_rate, "p_without": spurious_rate,
            "needed_kind": needed_events.to_string(), "needed": self.needed, "seed": seed, "steps": self.steps,
            "runs": self.runs, "events": self.events, "seconds": self.seconds, "kept": self.kept, "final": self.check_successes,
        })
        .to_string()
    }
}

/// Oracle with virtual phones: each attempt occupies one until it ends or is cancelled.
struct NoisyOracle {
    case: NoisyCase,
    needed: Vec<u32>,
    phones: Mutex<VirtualPhones>,
}

#[derive(Default)]
struct VirtualPhones {
    busy: Vec<bool>,
    runs_started: Vec<u64>,
    events: f64,
}

struct BusyPhone<'a> {
    oracle: &'a NoisyOracle,
    phone: usize,
    since: Instant,
}

impl NoisyOracle {
    fn lock(&self) -> MutexGuard<'_, VirtualPhones> {
        self.phones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire_phone(&self) -> BusyPhone<'_> {
        let mut phones = self.lock();
        let free = phones.busy.iter().position(|busy| !busy);
        let phone = free.unwrap_or_else(|| {
            phones.busy.push(false);
            phones.runs_started.push(0);
            phones.busy.len() - 1
        });
        phones.busy[phone] = true;
        phones.runs_started[phone] += 1;
        BusyPhone {
            oracle: self,
            phone,
            since: Instant::now(),
        }
    }

    fn reaches_target(&self, query: &OracleQuery) -> bool {
        let kept = query.candidate.kept();
        let complete = self
            .needed
            .iter()
            .all(|event| kept.binary_search(event).is_ok());
        let rate = if complete {
            self.case.success_rate
        } else {
            self.case.spurious_rate
        };
        let name = format!("{:016x}", query.key().0);
        Seed(self.case.seed)
            .derive(&name, query.attempt.into())
            .rng()
            .random::<f64>()
            < rate
    }
}

impl Drop for BusyPhone<'_> {
    fn drop(&mut self) {
        let mut phones = self.oracle.lock();
        phones.busy[self.phone] = false;
        let played = self.since.elapsed().saturating_sub(RESTART_TIME);
        phones.events += played.as_secs_f64() / EVENT_TIME.as_secs_f64();
    }
}

impl Oracle for NoisyOracle {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let busy = self.acquire_phone();
            let played = u32::try_from(query.candidate.len()).unwrap_or(u32::MAX);
            let took = RESTART_TIME + EVENT_TIME * played;
            tokio::time::sleep(took).await;
            drop(busy);
            let reached = self.reaches_target(&query);
            let verdict = if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            };
            Ok(Observation::new(verdict, played, Micros::from(took)))
        })
    }
}

pub(super) fn trace(events: u32) -> Trace {
    let app = App {
        package: "bench".into(),
        activity: "".into(),
        version_code: 1,
    };
    let phone = PhoneInfo::default();
    let header = TraceHeader {
        app,
        start: StartMode::Clean,
        seed: None,
        target: None,
        phone,
        pace: ReplayPace::Quiet,
    };
    Trace {
        header,
        steps: (0..events)
            .map(|millis| Step::new(Action::Wait { millis }))
            .collect(),
    }
}

impl fmt::Display for NoisyAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoisyAlgorithm::Auto => "auto",
            NoisyAlgorithm::Nd3minHeuristic => "nd3min-heuristic",
            NoisyAlgorithm::Nd3minOptimal => "nd3min-optimal",
            NoisyAlgorithm::Nd3minGreedy => "nd3min-greedy",
            NoisyAlgorithm::Nd3minRoundRobin => "nd3min-round-robin",
            NoisyAlgorithm::Dd => "dd",
        })
    }
}

impl fmt::Display for NeededEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NeededEvents::Anywhere(count) => write!(f, "{count}"),
            NeededEvents::Clustered(count) => write!(f, "{count}-clustered"),
            NeededEvents::Spread(count) => write!(f, "{count}-spread"),
        }
    }
}
