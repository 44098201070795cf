//! Replays on the phones of a pool: one request per step, so that a replay can end where it diverges, on every kind of
//! phone.

use retap_device::run_event::EventSink;
use retap_device::{Device, DeviceError, DevicePool};
use retap_model::{PreparedAbstraction, mixed};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{AppCommand, Settle};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, StartMode};

use super::error::SuiteError;
use super::replayer::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, StepSource,
};

/// Replayer on the phones of a pool.
pub struct PooledReplayer {
    pool: DevicePool,
    app: App,
    abstraction: PreparedAbstraction,
    events: EventSink,
}

impl PooledReplayer {
    /// Replays `app` on the phones of `pool`; `abstraction` makes states of screens.
    pub fn new(
        pool: &DevicePool,
        app: App,
        abstraction: PreparedAbstraction,
        events: &EventSink,
    ) -> PooledReplayer {
        PooledReplayer {
            pool: pool.clone(),
            app,
            abstraction,
            events: events.clone(),
        }
    }

    /// Makes one replay. Returns also the screens after the clean start and after each step.
    pub(super) async fn replay_with_screens(
        &self,
        request: ReplayRequest,
    ) -> Result<(ReplayRecord, Vec<SharedScreen>), SuiteError> {
        let mut losses = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            lease.set_settle(Settle::default());
            match self.play(&mut lease, &*request.step_source).await {
                Ok(replayed) => return Ok(replayed),
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = self.app.package.to_string();
                    let refused = |fault| SuiteError::Refused { device, app, fault };
                    lease
                        .release_failed(error, &mut losses, &self.events)
                        .map_err(refused)?;
                }
            }
        }
    }

    async fn play(
        &self,
        device: &mut Device,
        step_source: &dyn StepSource,
    ) -> Result<(ReplayRecord, Vec<SharedScreen>), DeviceError> {
        // Events of an earlier replay that are still pending do not belong to this one.
        device.watch(&self.app.package).await?;
        let started = device
            .control(&self.app, AppCommand::Start(StartMode::Clean))
            .await?;
        let screen = device.capture().await?;
        let start = self.observation(&screen, &started.events, Vec::new(), started.took);
        let mut record = ReplayRecord {
            start,
            hops: Vec::new(),
            refused: None,
        };
        let mut screens = vec![screen];
        while record.last_observation().problems.is_empty() {
            let Some(ReplayStep { origin, step }) = step_source.next(&record) else {
                break;
            };
            match device.step(step).await {
                Ok(stepped) => {
                    let observation = self.observation(
                        &stepped.screen,
                        &stepped.phone_events,
                        stepped.branches,
                        stepped.took,
                    );
                    record.hops.push((origin, observation));
                    screens.push(stepped.screen);
                }
                Err(error @ DeviceError::Refused(_)) if !error.is_interruption() => {
                    record.refused = Some(origin);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok((record, screens))
    }

    fn observation(
        &self,
        screen: &Screen,
        phone_events: &[PhoneEvent],
        branches: Vec<u32>,
        took: Micros,
    ) -> ReplayObservation {
        let mut observation = ReplayObservation {
            state: self.abstraction.of(screen),
            inside: self.is_inside(screen.activity()),
            branches,
            took,
            ..ReplayObservation::default()
        };
        for event in phone_events {
            match &event.kind {
                PhoneEventKind::Activity(activity) => observation.activities.push(activity.clone()),
                PhoneEventKind::Finding(finding) => {
                    observation.problems.push(finding.fingerprint());
                }
            }
        }
        let activities = &mut observation.activities;
        activities.push(screen.activity().clone());
        activities.retain(|activity| !activity.is_empty() && self.is_inside(activity));
        activities.sort_unstable();
        activities.dedup();
        if let Some(finding) = observation.problems.first() {
            // The screen after a failure is not the state that the step led to.
            observation.state = mixed(finding.0, 1);
            observation.inside = false;
        }
        observation
    }

    /// True if the activity belongs to the app, or if the phone does not report activities.
    fn is_inside(&self, activity: &str) -> bool {
        let package = activity.split('/').next().unwrap_or_default();
        package.is_empty() || package == self.app.package
    }
}

impl Replayer for PooledReplayer {
    fn replay(&self, request: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(async { Ok(self.replay_with_screens(request).await?.0) })
    }

    fn parallelism(&self) -> usize {
        self.pool.len().max(1)
    }
}

impl std::fmt::Debug for PooledReplayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PooledReplayer")
            .field("pool", &self.pool)
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}
