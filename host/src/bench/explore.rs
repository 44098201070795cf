//! Explorers side by side on the same phones: coverage and crashes at equal time or equal events, and what an explorer's
//! own thinking costs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retap_device::run_event::null_sink;
use retap_device::seed::{Rng, Seed};
use retap_device::{CancellationToken, JournalError};
use retap_explore::journal::{ExplorationContext, ExplorationJournal, RecordedStep};
use retap_explore::{
    Decision, ExplorationCounts, ExplorationResult, ExploreSettings, Explorer, StepObservation,
    WorkerView, run_exploration,
};
use retap_model::CoveragePoint;
use retap_reduce::named_choice::NamedChoice as _;
use retap_shared::action::SystemEventKinds;
use retap_shared::protocol::Settle;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::device_spec::PhoneSelection;
use crate::devices::{ConnectedPhones, ConnectionContext};
use crate::operations::{ExplorationPlan, explorer};
use crate::options::{ExplorerKind, ExplorerOptions};

/// One exploration to measure.
#[derive(Clone, Debug)]
pub struct ExploreBenchCase {
    pub devices: PhoneSelection,
    pub explorer: ExplorerKind,
    pub events: u64,
    pub minutes: Option<u32>,
    pub explorer_options: ExplorerOptions,
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct ExploreMeasurement {
    pub case: ExploreBenchCase,
    pub phones: usize,
    pub exploration: ExplorationResult,
    pub activities_total: usize,
    pub branches_total: u32,
    /// Processor time of the explorer alone.
    pub host_us_per_step: f64,
    /// By the clock on the wall, from the first clean start on.
    pub wall_time: Duration,
}

pub async fn run(
    case: ExploreBenchCase,
    stop: &CancellationToken,
) -> Result<ExploreMeasurement, CommandError> {
    let context = ConnectionContext {
        cancellation: stop.clone(),
        ..ConnectionContext::default()
    };
    let phones = ConnectedPhones::connect_with(&case.devices, Seed(case.seed), &context).await?;
    let app = phones.app(None)?;
    let plan = ExplorationPlan {
        minutes: case.minutes,
        explorer_options: case.explorer_options.clone(),
        ..ExplorationPlan::new(app.clone(), case.explorer, case.events)
    };
    let spent = Arc::new(Mutex::new(0.0));
    let timed = TimedExplorer {
        inner: explorer::make(&plan, Seed(case.seed))?,
        processor_seconds: Arc::clone(&spent),
    };
    // Nobody looks at them.
    let settings = ExploreSettings {
        screenshots: false,
        ..plan.settings()?
    };
    let context = ExplorationContext {
        seed: Seed(case.seed),
        events: &null_sink(),
        journal: &NullJournal,
        cancellation: stop,
    };
    let began = Instant::now();
    let exploration = run_exploration(&phones.pool, Box::new(timed), &settings, context).await?;
    let spent = *spent.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(ExploreMeasurement {
        host_us_per_step: spent * 1e6 / exploration.events.max(1) as f64,
        activities_total: app.activities.len(),
        branches_total: app.branches,
        wall_time: began.elapsed(),
        phones: phones.infos.len(),
        case,
        exploration,
    })
}

impl ExploreMeasurement {
    pub fn last(&self) -> CoveragePoint {
        self.exploration.curve.last().copied().unwrap_or_default()
    }

    pub fn seconds(&self) -> f64 {
        self.exploration.longest_worker_time.0 as f64 / 1e6
    }

    pub fn to_json(&self, curve: bool) -> String {
        let CoveragePoint {
            activities,
            screens,
            branches,
            ..
        } = self.last();
        let ExplorationResult {
            events,
            first_seen: crashes,
            unconfirmed: apart,
            counts,
            curve: points,
            ..
        } = &self.exploration;
        let ExplorationCounts {
            clean_starts,
            restarts,
            snapshots: saves,
            restores,
            replayed_events: replayed,
            ..
        } = counts;
        let seconds: Vec<f64> = crashes
            .iter()
            .map(|point| point.took.0 as f64 / 1e6)
            .collect();
        let ids: Vec<String> = crashes
            .iter()
            .map(|point| point.fingerprint.to_string())
            .collect();
        let mut object = json!({
            "bench": "explore", "device": self.case.devices.device, "phones": self.phones,
            "explorer": self.case.explorer.name(), "seed": self.case.seed, "events": events,
            "activities": activities, "activities_total": self.activities_total, "screens": screens,
            "branches": branches, "branches_total": self.branches_total, "crashes": crashes.len(),
            "crash_ids": ids, "crash_seconds": seconds, "not_from_a_clean_start": apart.len(), "seconds": self.seconds(),
            "clean_starts": clean_starts, "restarts": restarts, "saves": saves, "restores": restores,
            "replayed": replayed, "host_us_per_step": self.host_us_per_step,
            "events_per_second": *events as f64 / self.wall_time.as_secs_f64().max(f64::EPSILON),
        });
        if curve {
            object["curve"] = Value::Array(points.iter().map(point_json).collect());
        }
        object.to_string()
    }
}

/// A point of the curve, as the help of `--curve` describes it.
fn point_json(point: &CoveragePoint) -> Value {
    json!([
        point.events,
        point.took.0 as f64 / 1e6,
        point.activities,
        point.screens,
        point.branches
    ])
}

/// An explorer whose computing time is measured.
struct TimedExplorer {
    inner: Box<dyn Explorer>,
    processor_seconds: Arc<Mutex<f64>>,
}

impl TimedExplorer {
    fn timed<T>(&mut self, work: impl FnOnce(&mut dyn Explorer) -> T) -> T {
        let began = processor_seconds();
        let done = work(&mut *self.inner);
        *self
            .processor_seconds
            .lock()
            .unwrap_or_else(PoisonError::into_inner) += processor_seconds() - began;
        done
    }
}

impl Explorer for TimedExplorer {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn set_worker_capabilities(&mut self, worker: usize, can: SystemEventKinds) {
        self.inner.set_worker_capabilities(worker, can);
    }

    fn decide(&mut self, at: &WorkerView<'_>, rng: &mut Rng) -> Decision {
        self.timed(|inner| inner.decide(at, rng))
    }

    fn observe(&mut self, seen: &StepObservation<'_>) {
        self.timed(|inner| inner.observe(seen));
    }
}

fn processor_seconds() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// A measurement is never resumed.
struct NullJournal;

impl ExplorationJournal for NullJournal {
    fn next_number(&self) -> Result<u64, JournalError> {
        Ok(0)
    }

    fn recall_part(&self, _: u64) -> Result<Vec<RecordedStep>, JournalError> {
        Ok(Vec::new())
    }

    fn record_step(&self, _: &RecordedStep) -> Result<(), JournalError> {
        Ok(())
    }
}
