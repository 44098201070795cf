//! An app that is a table of transitions, as something that plays traces: what the tests of suites are made of.

use std::sync::Mutex;

use rand::RngExt;
use retap_device::CancellationToken;
use retap_device::run_event::null_sink;
use retap_device::seed::Rng;
use retap_reduce::suite::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, SuiteError,
    SuiteReduction, SuiteReductionAlgorithm, SuiteSettings, reduce_suite,
};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::{App, StartMode, Step, Trace, TraceHeader};

/// Where an action leads: the app's own state, what is seen of it, the branches on the way, and whether it crashes.
#[derive(Clone, Debug)]
pub(super) struct To {
    pub(super) state: u32,
    pub(super) screen: u64,
    pub(super) branches: Vec<u32>,
    pub(super) crashes: bool,
}

pub(super) type Table = dyn Fn(u32, u32) -> To + Send + Sync;

pub(super) struct Machine {
    pub(super) table: Box<Table>,
    /// Once in so many steps it goes astray.
    pub(super) stray: Option<(u32, Mutex<Rng>)>,
    pub(super) runs: Mutex<Vec<Vec<u32>>>,
    pub(super) width: usize,
}

impl Machine {
    pub(super) fn new(table: impl Fn(u32, u32) -> To + Send + Sync + 'static) -> Machine {
        Machine {
            table: Box::new(table),
            stray: None,
            runs: Mutex::default(),
            width: 1,
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.lock().unwrap().len()
    }

    fn goes_astray(&self) -> bool {
        self.stray
            .as_ref()
            .is_some_and(|(once_in, rng)| rng.lock().unwrap().random_range(0..*once_in) == 0)
    }
}

impl Replayer for Machine {
    fn replay(&self, errand: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(async move {
            let arrived = |to: &To| ReplayObservation {
                state: if to.crashes {
                    1_000_000 + u64::from(to.state)
                } else {
                    to.screen
                },
                inside: !to.crashes,
                branches: to.branches.clone(),
                problems: to
                    .crashes
                    .then(|| Fingerprint(u64::from(to.state)))
                    .into_iter()
                    .collect(),
                took: Micros(10),
                ..ReplayObservation::default()
            };
            let start = To {
                state: 0,
                screen: 0,
                branches: vec![],
                crashes: false,
            };
            let mut run = ReplayRecord {
                start: arrived(&start),
                hops: Vec::new(),
                refused: None,
            };
            let mut state = 0;
            let mut played = Vec::new();
            while run.last_observation().problems.is_empty() {
                let Some(ReplayStep { origin, step }) = errand.step_source.next(&run) else {
                    break;
                };
                let Action::Wait { millis } = step.action else {
                    panic!("{step:?}")
                };
                let mut to = (self.table)(state, millis);
                if self.goes_astray() {
                    to = To {
                        state: 0,
                        screen: 999,
                        branches: vec![],
                        crashes: false,
                    };
                }
                state = to.state;
                played.push(millis);
                run.hops.push((origin, arrived(&to)));
                tokio::task::yield_now().await;
            }
            self.runs.lock().unwrap().push(played);
            Ok(run)
        })
    }

    fn parallelism(&self) -> usize {
        self.width
    }
}

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
    };
    Trace {
        header,
        steps: actions
            .iter()
            .map(|&millis| Step::new(Action::Wait { millis }))
            .collect(),
    }
}

pub(super) fn actions(trace: &Trace) -> Vec<u32> {
    let action = |step: &Step| match step.action {
        Action::Wait { millis } => millis,
        _ => panic!("{step:?}"),
    };
    trace.steps.iter().map(action).collect()
}

pub(super) async fn reduced(
    machine: &Machine,
    suite: &[&[u32]],
    algorithm: SuiteReductionAlgorithm,
) -> SuiteReduction {
    let traces: Vec<Trace> = suite.iter().map(|actions| trace(actions)).collect();
    let settings = SuiteSettings {
        algorithm,
        ..SuiteSettings::default()
    };
    reduce_suite(
        &traces,
        &settings,
        machine,
        &null_sink(),
        &CancellationToken::new(),
    )
    .await
    .unwrap()
}

pub(super) fn left(reduction: &SuiteReduction) -> Vec<Vec<u32>> {
    reduction
        .traces
        .iter()
        .map(|kept| actions(&kept.trace))
        .collect()
}
