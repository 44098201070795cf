//! One day of two troubled phones: an exploration, the reduction of its first finding, and replays of the result.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use retap_agent::in_process::InProcessConnection;
use retap_device::run_event::null_sink;
use retap_device::seed::Seed;
use retap_device::{CancellationToken, Device, DevicePool, RunContext};
use retap_explore::journal::{ExplorationJournal, MemoryExplorationJournal};
use retap_explore::{
    ApeExplorer, ApeParameters, AutoExplorer, EventMix, ExplorationResult, ExploreSettings,
    Explorer, FindingRecord, MonkeyExplorer, TimeTravelExplorer, TimeTravelParameters,
    run_exploration,
};
use retap_model::ape::{AttributePaths, AttributeReducer, DecisionTree};
use retap_reduce::oracle::{OracleError, PooledOracle, ReplayConditions};
use retap_reduce::trace_reduction::{
    ReduceError, ReduceSettings, Reduction, ReductionAlgorithm, reduce,
};
use retap_shared::fingerprint::Fingerprint;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Play, Settle};
use retap_shared::trace::Trace;
use retap_shared::verdict::{Outcome, Verdict};
use retap_simulator::{ReportedFindings, TroubledPhone};

const APPS: [&str; 3] = ["sim:notes", "sim:shop", "sim:mail"];
const EVENTS: u64 = 120;
const PHONES: u64 = 2;
/// Virtual time of a day's work. Work that takes longer waits for something without a limit.
const LIMIT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The work of one day.
pub(crate) struct TroubledDayRun {
    day: u64,
    app: &'static str,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DayOutcome {
    pub(crate) events: u64,
    pub(crate) refused_events: u64,
    pub(crate) findings: u64,
    /// Phones that failed five times in a row, of all parts of the day.
    pub(crate) lost_phones: u64,
    pub(crate) reductions: u64,
    pub(crate) interrupted_reductions: u64,
    /// Reductions whose result is said to reproduce as often as was asked.
    pub(crate) proven: u64,
    pub(crate) flaky: u64,
    /// Reductions whose trace did not reproduce, because the phone did not take its steps.
    pub(crate) not_reproduced: u64,
    pub(crate) replays: u64,
    /// Replays without a verdict.
    pub(crate) interrupted_replays: u64,
}

impl TroubledDayRun {
    pub(crate) fn new(day: u64) -> TroubledDayRun {
        let app = APPS[day as usize % APPS.len()];
        TroubledDayRun { day, app }
    }

    pub(crate) async fn run(&self) -> DayOutcome {
        let run = tokio::time::timeout(LIMIT, self.run_day());
        run.await
            .unwrap_or_else(|_| panic!("{self}: a wait has no limit"))
    }

    async fn run_day(&self) -> DayOutcome {
        let (exploration, reported, lost_phones) = self.explore().await;
        assert_eq!(exploration.outcome, Outcome::Done, "{self}");
        let records = || exploration.findings.iter().chain(&exploration.unconfirmed);
        let kept: BTreeSet<_> = records().map(|record| record.fingerprint).collect();
        assert_eq!(kept, reported, "{self}");
        let mut outcome = DayOutcome {
            events: exploration.events,
            refused_events: exploration.counts.refused_events,
            findings: kept.len() as u64,
            lost_phones,
            ..DayOutcome::default()
        };
        if let Some(found) = exploration.findings.first() {
            self.reduce(found, &mut outcome).await;
        }
        outcome
    }

    /// Two phones of this day, for one part of the work.
    async fn phones(&self, part: u64) -> (Vec<Device>, Vec<ReportedFindings>, bool) {
        let mut devices = Vec::new();
        let mut reported = Vec::new();
        let mut refuses = false;
        for number in 0..PHONES {
            let phone = Box::new(retap_simulator::open(self.app).unwrap());
            let seed = (self.day * 3 + part) * PHONES + number;
            let phone = TroubledPhone::new(phone, seed);
            refuses |= phone.refuses_events();
            reported.push(phone.reported_findings());
            let connection = Arc::new(InProcessConnection::new(Box::new(phone)));
            let name = format!("{}#{number}", self.app);
            devices.push(Device::connect(name, connection).await.unwrap());
        }
        (devices, reported, refuses)
    }

    /// The exploration, all that the phones have reported, and the number of phones that were given up.
    async fn explore(&self) -> (ExplorationResult, BTreeSet<Fingerprint>, u64) {
        let (devices, reported, _) = self.phones(0).await;
        let app = devices[0].description().apps[0].clone();
        let pool = DevicePool::new(devices);
        let sink = null_sink();
        let journal = MemoryExplorationJournal::default();
        let cancellation = CancellationToken::new();
        let settings = ExploreSettings::new(app, EVENTS);
        let context = RunContext {
            seed: Seed(self.day),
            events: &sink,
            journal: &journal as &dyn ExplorationJournal,
            cancellation: &cancellation,
        };
        let exploration = run_exploration(&pool, explorer(self.day), &settings, context).await;
        let exploration = exploration.unwrap_or_else(|error| panic!("{self}: {error}"));
        let fingerprints = reported.iter().flat_map(|findings| {
            let findings = findings.lock().unwrap();
            findings
                .iter()
                .map(|finding| finding.fingerprint())
                .collect::<Vec<_>>()
        });
        let lost_phones = pool.quarantined().len() as u64;
        (exploration, fingerprints.collect(), lost_phones)
    }

    async fn reduce(&self, found: &FindingRecord, outcome: &mut DayOutcome) {
        let (devices, _, refuses) = self.phones(1).await;
        let pool = DevicePool::new(devices);
        let oracle = PooledOracle::new(&pool, ReplayConditions::of(&found.trace), &null_sink());
        let reduction = reduce(
            &found.trace,
            ReductionAlgorithm::Auto,
            &ReduceSettings::default(),
            &oracle,
            &null_sink(),
            &CancellationToken::new(),
        )
        .await;
        outcome.reductions += 1;
        outcome.lost_phones += pool.quarantined().len() as u64;
        let reduction: Reduction = match reduction {
            Ok(reduction) => reduction,
            // Both phones failed five times in a row: the command ends with exit code 4, and can be resumed.
            Err(ReduceError::Oracle(OracleError::Pool(_))) => {
                outcome.interrupted_reductions += 1;
                return;
            }
            Err(error) => panic!("{self}: {error}"),
        };
        match reduction.outcome {
            Outcome::Done => {
                outcome.proven += 1;
                assert!(
                    reduction.trace.steps.len() <= found.trace.steps.len(),
                    "{self}"
                );
                let reached = play(&mut self.calm_phone().await, &reduction.trace).await;
                assert_eq!(
                    reached,
                    Some(Verdict::TargetReached),
                    "{self}: a false result"
                );
                self.replay(&reduction.trace, outcome).await;
            }
            Outcome::Flaky => outcome.flaky += 1,
            Outcome::DoesNotReproduce if refuses => outcome.not_reproduced += 1,
            other => panic!("{self}: {other} without a refused event"),
        }
    }

    /// A replay on a troubled phone reaches the target, or has no verdict, or steps of it were not taken.
    async fn replay(&self, trace: &Trace, outcome: &mut DayOutcome) {
        let (mut devices, _, refuses) = self.phones(2).await;
        outcome.replays += 1;
        match play(&mut devices[0], trace).await {
            Some(Verdict::TargetReached) => {}
            Some(other) => assert!(refuses, "{self}: {other:?}"),
            None => outcome.interrupted_replays += 1,
        }
    }

    async fn calm_phone(&self) -> Device {
        let phone = Box::new(retap_simulator::open(self.app).unwrap());
        let connection = Arc::new(InProcessConnection::new(phone));
        Device::connect(self.app.to_owned(), connection)
            .await
            .unwrap()
    }
}

/// The verdict of a replay, if it has one.
async fn play(device: &mut Device, trace: &Trace) -> Option<Verdict> {
    let conditions = ReplayConditions::of(trace);
    let play = Play {
        app: conditions.app,
        start: conditions.start,
        steps: trace.steps.clone(),
        target: Some(conditions.target),
        pace: conditions.pace,
        settle: Settle::default(),
        final_wait: Micros::from_millis(6_000),
        record: false,
    };
    match device.play(play).await {
        Ok(reply) => Some(reply.verdict),
        Err(error) => {
            assert!(error.is_interruption(), "{error}");
            None
        }
    }
}

fn explorer(day: u64) -> Box<dyn Explorer> {
    let tree = DecisionTree::uniform(AttributeReducer::TYPE);
    let paths = AttributePaths::default();
    let monkey = || -> Box<dyn Explorer> {
        let monkey = MonkeyExplorer::new(EventMix::default(), Micros::from_millis(200));
        Box::new(monkey.with_system_events())
    };
    match day % 4 {
        0 => Box::new(AutoExplorer::new(
            ApeParameters::default(),
            tree,
            paths,
            true,
        )),
        1 => monkey(),
        2 => Box::new(ApeExplorer::new(ApeParameters::default(), tree, paths)),
        _ => {
            let parameters = TimeTravelParameters::default();
            Box::new(TimeTravelExplorer::over(monkey(), parameters))
        }
    }
}

impl fmt::Display for TroubledDayRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "day {} on {}", self.day, self.app)
    }
}

impl fmt::Display for DayOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} events, {} of them refused; {} findings; {} phones given up; {} reductions: {} proven, {} flaky, \
             {} not reproduced, {} interrupted; {} replays, {} of them interrupted",
            self.events,
            self.refused_events,
            self.findings,
            self.lost_phones,
            self.reductions,
            self.proven,
            self.flaky,
            self.not_reproduced,
            self.interrupted_reductions,
            self.replays,
            self.interrupted_replays,
        )
    }
}

impl AddAssign for DayOutcome {
    fn add_assign(&mut self, other: DayOutcome) {
        self.events += other.events;
        self.refused_events += other.refused_events;
        self.findings += other.findings;
        self.lost_phones += other.lost_phones;
        self.interrupted_reductions += other.interrupted_reductions;
        self.reductions += other.reductions;
        self.proven += other.proven;
        self.flaky += other.flaky;
        self.not_reproduced += other.not_reproduced;
        self.replays += other.replays;
        self.interrupted_replays += other.interrupted_replays;
    }
}
