//! An oracle with virtual phones: each attempt occupies one for its virtual time and is drawn by its success rate.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use retap_device::seed::Seed;
use retap_reduce::oracle::{Observation, Oracle, OracleError, OracleQuery};
use retap_shared::action::Action;
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::{App, ReplayPace, StartMode, Step, Trace, TraceHeader};
use retap_shared::verdict::Verdict;
use tokio::time::Instant;

use super::algorithm::PHONES;
use super::family::{NoiseModel, NoisyCell};
use super::phases::PhonePhases;
use super::planted_target::PlantedTarget;

/// Virtual time of an event.
const EVENT_TIME: Duration = Duration::from_secs(1);
/// Virtual time of the clean start before the first event.
const RESTART_TIME: Duration = Duration::from_secs(10);

/// Oracle of one case.
pub(super) struct NoisyOracle<'a> {
    target: &'a PlantedTarget,
    noise: NoiseModel,
    seed: Seed,
    started: Instant,
    /// Number of the bad phone, where there is one.
    bad_phone: usize,
    phones: Mutex<VirtualPhones>,
}

/// Cost on all phones together.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhoneCost {
    /// Maximum number of runs that one phone started.
    pub(super) steps: u64,
    pub(super) runs: u64,
    pub(super) events: u64,
}

#[derive(Default)]
struct VirtualPhones {
    all: Vec<VirtualPhone>,
    events: f64,
}

struct VirtualPhone {
    is_busy: bool,
    runs_started: u64,
    last_reached: bool,
    phases: Option<PhonePhases>,
}

struct BusyPhone<'a> {
    oracle: &'a NoisyOracle<'a>,
    phone: usize,
    since: Instant,
}

impl<'a> NoisyOracle<'a> {
    /// Must be called on the runtime whose clock counts.
    pub(super) fn new(cell: NoisyCell, target: &'a PlantedTarget, seed: u64) -> NoisyOracle<'a> {
        let seed = Seed(seed);
        NoisyOracle {
            target,
            noise: cell.noise,
            seed,
            started: Instant::now(),
            bad_phone: seed.derive("bad phone", 0).rng().random_range(0..PHONES),
            phones: Mutex::default(),
        }
    }

    pub(super) fn cost(&self) -> PhoneCost {
        let phones = self.lock();
        let runs = phones.all.iter().map(|phone| phone.runs_started);
        PhoneCost {
            steps: runs.clone().max().unwrap_or(0),
            runs: runs.sum(),
            events: phones.events.round() as u64,
        }
    }

    fn lock(&self) -> MutexGuard<'_, VirtualPhones> {
        self.phones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire_phone(&self) -> BusyPhone<'_> {
        let mut phones = self.lock();
        let free = phones.all.iter().position(|phone| !phone.is_busy);
        let number = free.unwrap_or_else(|| {
            let number = phones.all.len();
            phones.all.push(self.new_phone(number));
            number
        });
        phones.all[number].is_busy = true;
        phones.all[number].runs_started += 1;
        BusyPhone {
            oracle: self,
            phone: number,
            since: Instant::now(),
        }
    }

    fn new_phone(&self, number: usize) -> VirtualPhone {
        let phases = match self.noise {
            NoiseModel::Bursts(pattern) => Some(PhonePhases::new(
                pattern,
                self.seed.derive("phases", number as u64),
            )),
            NoiseModel::Outages(pattern) => {
                Some(PhonePhases::new(pattern, self.seed.derive("phases", 0)))
            }
            _ => None,
        };
        VirtualPhone {
            is_busy: false,
            runs_started: 0,
            last_reached: self.begins_well(number),
            phases,
        }
    }

    /// Whether the run before the first one would have reached the target.
    fn begins_well(&self, phone: usize) -> bool {
        let NoiseModel::History(pattern) = self.noise else {
            return true;
        };
        let mut rng = self.seed.derive("history", phone as u64).rng();
        rng.random::<f64>() < pattern.stationary_rate()
    }

    /// Success rate of a candidate on a phone at this moment.
    fn rate_on(&self, phone: usize, kept: &[u32]) -> f64 {
        match self.noise {
            NoiseModel::BadPhone { bad, .. } if phone == self.bad_phone => {
                if self.target.is_complete(kept) {
                    bad
                } else {
                    0.0
                }
            }
            NoiseModel::History(pattern) if self.target.is_complete(kept) => {
                let phone = &self.lock().all[phone];
                pattern.rate_at(
                    phone.runs_started,
                    phone.last_reached,
                    self.started.elapsed(),
                )
            }
            NoiseModel::Bursts(_) | NoiseModel::Outages(_) if self.target.is_complete(kept) => {
                let phases = &mut self.lock().all[phone].phases;
                phases
                    .as_mut()
                    .map_or(0.0, |phases| phases.rate_at(self.started.elapsed()))
            }
            _ => self.target.success_rate(kept),
        }
    }

    fn reaches_target(&self, query: &OracleQuery, phone: usize) -> bool {
        let rate = self.rate_on(phone, query.candidate.kept());
        let name = format!("{:016x}", query.key().0);
        let draw: f64 = self.seed.derive(&name, query.attempt.into()).rng().random();
        let reached = draw < rate;
        if self.target.is_complete(query.candidate.kept()) {
            self.lock().all[phone].last_reached = reached;
        }
        reached
    }
}

impl Drop for BusyPhone<'_> {
    fn drop(&mut self) {
        let mut phones = self.oracle.lock();
        phones.all[self.phone].is_busy = false;
        let played = self.since.elapsed().saturating_sub(RESTART_TIME);
        phones.events += played.as_secs_f64() / EVENT_TIME.as_secs_f64();
    }
}

impl Oracle for NoisyOracle<'_> {
    fn ask(&self, query: OracleQuery) -> BoxFuture<'_, Result<Observation, OracleError>> {
        Box::pin(async move {
            let busy = self.acquire_phone();
            let played = u32::try_from(query.candidate.len()).unwrap_or(u32::MAX);
            let mut took = RESTART_TIME + EVENT_TIME * played;
            tokio::time::sleep(took).await;
            let verdict = if self.reaches_target(&query, busy.phone) {
                Verdict::TargetReached
            } else {
                if let NoiseModel::History(pattern) = self.noise {
                    let more = took * (pattern.failure_factor() - 1);
                    tokio::time::sleep(more).await;
                    took += more;
                }
                Verdict::TargetNotReached
            };
            Ok(Observation {
                phone: format!("phone-{}", busy.phone + 1),
                ..Observation::new(verdict, played, Micros::from(took))
            })
        })
    }
}

/// Trace of events that are all different.
pub(in crate::bench::reduction) fn trace(events: u32) -> Trace {
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
        claim: None,
    };
    Trace {
        header,
        steps: (0..events)
            .map(|millis| Step::new(Action::Wait { millis }))
            .collect(),
    }
}
