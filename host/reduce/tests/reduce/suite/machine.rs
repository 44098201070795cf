//! An app that is a table of transitions, as a replayer of traces whose actions are waits.

use std::sync::Mutex;

use rand::RngExt;
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::{Rng, Seed};
use retap_reduce::suite::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, SuiteError,
    SuiteReduction, SuiteReductionAlgorithm, SuiteSettings, reduce_suite,
};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};

/// Result of an action.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// Hidden state of the app.
    pub(super) state: u32,
    /// Screen that shows it.
    pub(super) screen: u64,
    pub(super) branches: Vec<u32>,
    pub(super) crashes: bool,
}

impl Destination {
    /// State that has a screen of its own.
    pub(super) fn new(state: u32, branches: &[u32]) -> Destination {
        Destination {
            state,
            screen: u64::from(state),
            branches: branches.to_vec(),
            crashes: false,
        }
    }

    pub(super) fn on_screen(self, screen: u64) -> Destination {
        Destination { screen, ..self }
    }

    fn observation(&self) -> ReplayObservation {
        let finding = self.crashes.then(|| Fingerprint(u64::from(self.state)));
        ReplayObservation {
            state: if self.crashes {
                1_000_000 + u64::from(self.state)
            } else {
                self.screen
            },
            inside: !self.crashes,
            branches: self.branches.clone(),
            problems: finding.into_iter().collect(),
            took: Micros(10),
            ..ReplayObservation::default()
        }
    }
}

pub(super) type Table = dyn Fn(u32, u32) -> Destination + Send + Sync;

pub(super) struct Machine {
    /// Destination by state and action.
    pub(super) table: Box<Table>,
    /// Mean number of steps between two divergences.
    pub(super) divergence: Option<(u32, Mutex<Rng>)>,
    /// Actions of each replay.
    pub(super) replays: Mutex<Vec<Vec<u32>>>,
    /// Number of the step with which each replay diverged, if it did.
    pub(super) divergences: Mutex<Vec<Option<u32>>>,
    pub(super) parallelism: usize,
}

impl Machine {
    pub(super) fn new(table: impl Fn(u32, u32) -> Destination + Send + Sync + 'static) -> Machine {
        Machine {
            table: Box::new(table),
            divergence: None,
            replays: Mutex::default(),
            divergences: Mutex::default(),
            parallelism: 1,
        }
    }

    pub(super) fn replay_count(&self) -> usize {
        self.replays.lock().unwrap().len()
    }

    fn diverges(&self) -> bool {
        self.divergence
            .as_ref()
            .is_some_and(|(once_in, rng)| rng.lock().unwrap().random_range(0..*once_in) == 0)
    }
}

impl Replayer for Machine {
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(async move {
            let mut record = ReplayRecord {
                start: Destination::new(0, &[]).observation(),
                hops: Vec::new(),
                refused: None,
            };
            let mut state = 0;
            let mut actions = Vec::new();
            let mut divergence = None;
            while record.last_observation().problems.is_empty() {
                let Some(ReplayStep { origin, step }) = request.step_source.next(&record) else {
                    break;
                };
                let action = action(&step);
                let mut destination = (self.table)(state, action);
                if self.diverges() {
                    destination = Destination::new(0, &[]).on_screen(999);
                    divergence.get_or_insert(record.hops.len() as u32 + 1);
                }
                state = destination.state;
                actions.push(action);
                record.hops.push((origin, destination.observation()));
                tokio::task::yield_now().await;
            }
            self.replays.lock().unwrap().push(actions);
            self.divergences.lock().unwrap().push(divergence);
            Ok(record)
        })
    }

    fn parallelism(&self) -> usize {
        self.parallelism
    }
}

/// A random app that shows only a part of its state.
pub(super) fn random_machine(seed: u64) -> Machine {
    Machine::new(move |state, action| {
        let mut rng = Seed(seed)
            .derive("to", u64::from(state) * 64 + u64::from(action))
            .rng();
        let next = rng.random_range(0..14);
        let crashes = rng.random_range(0..25) == 0;
        let branches = (0..rng.random_range(0..3))
            .map(|_| rng.random_range(0..40))
            .collect();
        Destination {
            state: next,
            screen: u64::from(next % 6),
            branches,
            crashes,
        }
    })
}

pub(super) fn random_suite(seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Seed(seed).derive("suite", 0).rng();
    let mut suite = Vec::new();
    for _ in 0..25 {
        suite.push(
            (0..rng.random_range(1..14))
                .map(|_| rng.random_range(0..5))
                .collect(),
        );
    }
    suite
}

pub(super) async fn reduce_random_suite(
    machine: &Machine,
    seed: u64,
    algorithm: SuiteReductionAlgorithm,
) -> SuiteReduction {
    let suite = random_suite(seed);
    let suite: Vec<&[u32]> = suite.iter().map(Vec::as_slice).collect();
    reduce(machine, &suite, algorithm).await
}

pub(super) async fn reduce(
    machine: &Machine,
    suite: &[&[u32]],
    algorithm: SuiteReductionAlgorithm,
) -> SuiteReduction {
    let settings = SuiteSettings {
        algorithm,
        ..SuiteSettings::default()
    };
    reduce_with(machine, suite, &settings).await
}

pub(super) async fn reduce_with(
    machine: &Machine,
    suite: &[&[u32]],
    settings: &SuiteSettings,
) -> SuiteReduction {
    let traces: Vec<Trace> = suite.iter().map(|actions| trace(actions)).collect();
    let cancellation = CancellationToken::new();
    reduce_suite(&traces, settings, machine, &null_sink(), &cancellation)
        .await
        .unwrap()
}

/// Trace with the given actions.
pub(super) fn trace(actions: &[u32]) -> Trace {
    let header = TraceHeader {
        app: App {
            package: "com.example".into(),
            ..App::default()
        },
        start: StartMode::Clean,
        seed: None,
        target: None,
        phone: PhoneInfo::default(),
        pace: ReplayPace::default(),
        claim: None,
    };
    let step = |&millis: &u32| Step::new(Action::Wait { millis });
    Trace {
        header,
        steps: actions.iter().map(step).collect(),
    }
}

/// Actions of each reduced trace.
pub(super) fn reduced_actions(reduction: &SuiteReduction) -> Vec<Vec<u32>> {
    let actions = |trace: &Trace| trace.steps.iter().map(action).collect();
    reduction
        .traces
        .iter()
        .map(|reduced| actions(&reduced.trace))
        .collect()
}

fn action(step: &Step) -> u32 {
    match step.action {
        Action::Wait { millis } => millis,
        _ => panic!("{step:?}"),
    }
}
