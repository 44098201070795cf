//! Reducing traces of a target that is reached only sometimes, on phones that are a formula: what each algorithm needs in
//! virtual time, runs and events, and whether it is right.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use retap_device::event::nobody;
use retap_device::seed::{Rng, Seed};
use retap_device::stop::Stop;
use retap_reduce::oracle::{Observation, Oracle, OracleError, Question};
use retap_reduce::policy::Policy;
use retap_reduce::trace::{Algorithm, ReduceError, ReduceSettings, Scheduling, reduce};
use retap_shared::action::Action;
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::protocol::PhoneInfo;
use retap_shared::trace::{App, Start, Step, Trace, TraceHeader};
use retap_shared::verdict::Verdict;
use serde_json::json;
use tokio::time::Instant;

/// Virtual time: of an event, and of a restart before the first one.
const EVENT: Duration = Duration::from_secs(1);
const RESTART: Duration = Duration::from_secs(10);
/// The paper's: phones, runs of a candidate, and how many of these must do it.
pub const PHONES: usize = 15;
const RUNS: u32 = 20;
const SUCCESSES: u32 = 18;
const ORIGINAL: u32 = 15;
/// Needed events that are close together lie within so many.
const CLUSTER: u32 = 10;

/// How often a run does it that has all that is needed, and one that has not.
pub const GRID: [(f64, f64); 5] = [
    (1.0, 0.0),
    (0.95, 0.0),
    (0.95, 0.1),
    (0.93, 0.3),
    (0.93, 0.5),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Competitor {
    Auto,
    Nd3minHeuristic,
    Nd3minOptimal,
    Nd3minGreedy,
    Nd3minRoundRobin,
    /// One run each.
    Dd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Anywhere(u32),
    Clustered(u32),
    Spread(u32),
}

pub const KINDS: [Kind; 5] = [
    Kind::Anywhere(1),
    Kind::Anywhere(3),
    Kind::Clustered(5),
    Kind::Spread(5),
    Kind::Anywhere(10),
];

/// One trace to reduce.
#[derive(Clone, Debug)]
pub struct Case {
    pub with: f64,
    pub without: f64,
    pub kind: Kind,
    pub seed: u64,
    pub events: u32,
}

/// What it came to.
#[derive(Clone, Debug)]
pub struct Reduced {
    pub case: Case,
    pub competitor: Competitor,
    needed: Vec<u32>,
    pub kept: Vec<u32>,
    /// Successes of the last runs, which prove the result.
    pub proof: u32,
    /// The most runs that one phone began.
    pub steps: u64,
    pub runs: u64,
    pub events: u64,
    pub seconds: f64,
}

pub async fn run(
    case: Case,
    competitor: Competitor,
    policy: Option<&Arc<Policy>>,
    stop: &Stop,
) -> Result<Reduced, ReduceError> {
    let needed = case
        .kind
        .choose(case.events, &mut Seed(case.seed).derive("needed", 0).rng());
    let oracle = Noisy {
        case: case.clone(),
        needed,
        phones: Mutex::default(),
    };
    let (algorithm, settings) = competitor.rules(policy);
    let began = Instant::now();
    let reduction = reduce(
        &trace(case.events),
        algorithm,
        &settings,
        &oracle,
        &nobody(),
        stop,
    )
    .await?;
    let seconds = began.elapsed().as_secs_f64();
    let Phones { begun, events, .. } = std::mem::take(&mut *oracle.lock());
    Ok(Reduced {
        case,
        competitor,
        needed: oracle.needed,
        kept: reduction.kept,
        proof: reduction.result.map_or(0, |check| check.successes),
        steps: begun.iter().copied().max().unwrap_or(0),
        runs: begun.iter().sum(),
        events: events.round() as u64,
        seconds,
    })
}

impl Competitor {
    pub(super) fn rules(self, policy: Option<&Arc<Policy>>) -> (Algorithm, ReduceSettings) {
        let noisy = ReduceSettings {
            runs: RUNS,
            successes: SUCCESSES,
            parallel: PHONES,
            check_runs: RUNS,
            original_runs: Some(RUNS),
            original_successes: Some(ORIGINAL),
            ..ReduceSettings::default()
        };
        let nd3min = |scheduling| {
            let policy = policy.cloned();
            (
                Algorithm::Nd3min,
                ReduceSettings {
                    scheduling,
                    policy,
                    ..noisy.clone()
                },
            )
        };
        match self {
            Competitor::Auto => (Algorithm::Auto, noisy),
            Competitor::Dd => (
                Algorithm::Dd,
                ReduceSettings {
                    runs: 1,
                    successes: 1,
                    ..noisy
                },
            ),
            Competitor::Nd3minHeuristic => nd3min(Scheduling::Heuristic),
            Competitor::Nd3minOptimal => nd3min(Scheduling::Optimal),
            Competitor::Nd3minGreedy => nd3min(Scheduling::Greedy),
            Competitor::Nd3minRoundRobin => nd3min(Scheduling::RoundRobin),
        }
    }
}

impl Kind {
    fn choose(self, events: u32, rng: &mut Rng) -> Vec<u32> {
        let (count, from, to) = match self {
            Kind::Anywhere(count) => (count, 0, events),
            Kind::Clustered(count) => {
                let width = CLUSTER.min(events);
                let start = rng.random_range(0..=events - width);
                (count, start, start + width)
            }
            Kind::Spread(count) => {
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

impl Reduced {
    /// All that is needed is there, and the proof holds.
    pub fn is_right(&self) -> bool {
        self.proof >= SUCCESSES && self.needed.iter().all(|event| self.kept.contains(event))
    }

    pub fn to_json(&self) -> String {
        let Case {
            with,
            without,
            kind,
            seed,
            ..
        } = &self.case;
        json!({
            "bench": "noisy", "algorithm": self.competitor.to_string(), "p_with": with, "p_without": without,
            "needed_kind": kind.to_string(), "needed": self.needed, "seed": seed, "steps": self.steps,
            "runs": self.runs, "events": self.events, "seconds": self.seconds, "kept": self.kept, "final": self.proof,
        })
        .to_string()
    }
}

/// The phones: each run takes one, for as long as it takes or until it is cancelled.
struct Noisy {
    case: Case,
    needed: Vec<u32>,
    phones: Mutex<Phones>,
}

#[derive(Default)]
struct Phones {
    busy: Vec<bool>,
    begun: Vec<u64>,
    events: f64,
}

struct Busy<'a> {
    oracle: &'a Noisy,
    phone: usize,
    since: Instant,
}

impl Noisy {
    fn lock(&self) -> MutexGuard<'_, Phones> {
        self.phones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Busy<'_> {
        let mut phones = self.lock();
        let free = phones.busy.iter().position(|busy| !busy);
        let phone = free.unwrap_or_else(|| {
            phones.busy.push(false);
            phones.begun.push(0);
            phones.busy.len() - 1
        });
        phones.busy[phone] = true;
        phones.begun[phone] += 1;
        Busy {
            oracle: self,
            phone,
            since: Instant::now(),
        }
    }

    fn does(&self, question: &Question) -> bool {
        let kept = question.steps.kept();
        let complete = self
            .needed
            .iter()
            .all(|event| kept.binary_search(event).is_ok());
        let odds = if complete {
            self.case.with
        } else {
            self.case.without
        };
        let name = format!("{:016x}", question.key().0);
        Seed(self.case.seed)
            .derive(&name, question.attempt.into())
            .rng()
            .random::<f64>()
            < odds
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut phones = self.oracle.lock();
        phones.busy[self.phone] = false;
        let played = self.since.elapsed().saturating_sub(RESTART);
        phones.events += played.as_secs_f64() / EVENT.as_secs_f64();
    }
}

impl Oracle for Noisy {
    fn ask(&self, question: Question) -> Pending<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let busy = self.take();
            let played = u32::try_from(question.steps.len()).unwrap_or(u32::MAX);
            let took = RESTART + EVENT * played;
            tokio::time::sleep(took).await;
            drop(busy);
            let reached = self.does(&question);
            let verdict = if reached {
                Verdict::TargetReached
            } else {
                Verdict::TargetNotReached
            };
            Ok(Observation {
                reached,
                verdict,
                played,
                took: Micros::from(took),
            })
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
        start: Start::Clean,
        seed: None,
        target: None,
        phone,
    };
    Trace {
        header,
        steps: (0..events)
            .map(|millis| Step::new(Action::Wait { millis }))
            .collect(),
    }
}

impl fmt::Display for Competitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Competitor::Auto => "auto",
            Competitor::Nd3minHeuristic => "nd3min-heuristic",
            Competitor::Nd3minOptimal => "nd3min-optimal",
            Competitor::Nd3minGreedy => "nd3min-greedy",
            Competitor::Nd3minRoundRobin => "nd3min-round-robin",
            Competitor::Dd => "dd",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Anywhere(count) => write!(f, "{count}"),
            Kind::Clustered(count) => write!(f, "{count}-clustered"),
            Kind::Spread(count) => write!(f, "{count}-spread"),
        }
    }
}
