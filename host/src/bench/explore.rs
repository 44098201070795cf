//! Explorers side by side on the same phones: coverage and crashes at equal time or equal events, and what an explorer's
//! own thinking costs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retap_device::JournalError;
use retap_device::event::nobody;
use retap_device::seed::{Rng, Seed};
use retap_device::stop::Stop;
use retap_explore::journal::{Journal, SessionRecord, WalkRecord};
use retap_explore::{
    At, Counts, Exploration, ExploreSettings, Explorer, Move, Seen, explore_whole,
};
use retap_model::CoveragePoint;
use retap_shared::action::SystemKinds;
use retap_shared::protocol::Settle;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::devices::Phones;
use crate::failure::Failure;
use crate::job::{Wanted, explorer};
use crate::settings::{Care, Devices, Explorer as Named, Tuning};

/// One exploration to measure.
#[derive(Clone, Debug)]
pub struct Case {
    pub device: String,
    pub count: u32,
    pub explorer: Named,
    pub events: u64,
    pub minutes: Option<u32>,
    pub tuning: Tuning,
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct Measured {
    pub case: Case,
    pub exploration: Exploration,
    pub activities_total: usize,
    pub branches_total: u32,
    /// Of the explorer alone, processor time.
    pub host_us_per_step: f64,
    /// By the clock on the wall, from the first clean start on.
    pub real: Duration,
}

pub async fn run(case: Case, stop: &Stop) -> Result<Measured, Failure> {
    let devices = Devices {
        device: case.device.clone(),
        count: case.count,
    };
    let phones = Phones::connect(&devices, Seed(case.seed)).await?;
    let app = phones.app(None)?;
    let wanted = Wanted {
        app: app.clone(),
        explorer: case.explorer,
        events: case.events,
        minutes: case.minutes,
        session_events: crate::settings::DEFAULT_SESSION_EVENTS,
        tuning: case.tuning.clone(),
        care: Care::default(),
        system: true,
        keep_traces: false,
    };
    let spent = Arc::new(Mutex::new(0.0));
    let timed = Timed {
        inner: explorer::make(&wanted)?,
        spent: Arc::clone(&spent),
    };
    // Nobody looks at them.
    let settings = ExploreSettings {
        pictures: false,
        ..wanted.settings()?
    };
    let seed = Seed(case.seed);
    let began = Instant::now();
    let exploration = explore_whole(
        &phones.pool,
        Box::new(timed),
        &settings,
        seed,
        &Forgetful,
        &nobody(),
        stop,
    )
    .await?;
    let spent = *spent.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Measured {
        host_us_per_step: spent * 1e6 / exploration.events.max(1) as f64,
        activities_total: app.activities.len(),
        branches_total: app.branches,
        real: began.elapsed(),
        case,
        exploration,
    })
}

impl Measured {
    pub fn last(&self) -> CoveragePoint {
        self.exploration.curve.last().copied().unwrap_or_default()
    }

    pub fn seconds(&self) -> f64 {
        self.exploration.longest.0 as f64 / 1e6
    }

    pub fn to_json(&self, curve: bool) -> String {
        let CoveragePoint {
            activities,
            screens,
            branches,
            ..
        } = self.last();
        let Exploration {
            events,
            crashes,
            apart,
            counts,
            curve: points,
            ..
        } = &self.exploration;
        let Counts {
            clean_starts,
            restarts,
            saves,
            restores,
            replayed,
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
            "bench": "explore", "device": self.case.device, "phones": self.case.count,
            "explorer": self.case.explorer.name(), "seed": self.case.seed, "events": events,
            "activities": activities, "activities_total": self.activities_total, "screens": screens,
            "branches": branches, "branches_total": self.branches_total, "crashes": crashes.len(),
            "crash_ids": ids, "crash_seconds": seconds, "not_from_a_clean_start": apart.len(), "seconds": self.seconds(),
            "clean_starts": clean_starts, "restarts": restarts, "saves": saves, "restores": restores,
            "replayed": replayed, "host_us_per_step": self.host_us_per_step,
            "events_per_second": *events as f64 / self.real.as_secs_f64().max(f64::EPSILON),
        });
        if curve {
            let point = |point: &CoveragePoint| {
                json!([
                    point.events,
                    point.took.0 as f64 / 1e6,
                    point.activities,
                    point.screens,
                    point.branches
                ])
            };
            object["curve"] = Value::Array(points.iter().map(point).collect());
        }
        object.to_string()
    }
}

/// An explorer whose thinking is timed.
struct Timed {
    inner: Box<dyn Explorer>,
    spent: Arc<Mutex<f64>>,
}

impl Timed {
    fn timed<T>(&mut self, work: impl FnOnce(&mut dyn Explorer) -> T) -> T {
        let began = processor_seconds();
        let done = work(&mut *self.inner);
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += processor_seconds() - began;
        done
    }
}

impl Explorer for Timed {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn settle(&self) -> Option<Settle> {
        self.inner.settle()
    }

    fn wants_system_events(&self) -> bool {
        self.inner.wants_system_events()
    }

    fn meet(&mut self, walker: usize, can: SystemKinds) {
        self.inner.meet(walker, can);
    }

    fn choose(&mut self, at: &At<'_>, rng: &mut Rng) -> Move {
        self.timed(|inner| inner.choose(at, rng))
    }

    fn observe(&mut self, seen: &Seen<'_>) {
        self.timed(|inner| inner.observe(seen));
    }
}

fn processor_seconds() -> f64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Nobody goes on with a measurement.
struct Forgetful;

impl Journal for Forgetful {
    fn recall_sessions(
        &self,
    ) -> Result<std::collections::BTreeMap<u32, SessionRecord>, JournalError> {
        Ok(std::collections::BTreeMap::new())
    }

    fn note_session(&self, _: &SessionRecord) -> Result<(), JournalError> {
        Ok(())
    }

    fn recall_walks(&self) -> Result<Vec<WalkRecord>, JournalError> {
        Ok(Vec::new())
    }

    fn note_walk(&self, _: &WalkRecord) -> Result<(), JournalError> {
        Ok(())
    }
}
