//! Runs on phones: one request a step, so that a run ends where it leaves its way, on every kind of phone.

use retap_device::run_event::EventSink;
use retap_device::{Device, DeviceError, DevicePool};
use retap_model::{PreparedAbstraction, mixed};
use retap_shared::connection::BoxFuture;
use retap_shared::micros::Micros;
use retap_shared::phone_event::{PhoneEvent, PhoneEventKind};
use retap_shared::protocol::{AppCommand, Settle};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, StartMode};

use super::SuiteError;
use super::replayer::{
    ReplayObservation, ReplayRecord, ReplayRequest, ReplayStep, Replayer, StepSource,
};

pub struct PooledReplayer {
    pool: DevicePool,
    app: App,
    states: PreparedAbstraction,
    sink: EventSink,
}

impl PooledReplayer {
    pub fn new(
        pool: &DevicePool,
        app: App,
        states: PreparedAbstraction,
        sink: &EventSink,
    ) -> PooledReplayer {
        PooledReplayer {
            pool: pool.clone(),
            app,
            states,
            sink: sink.clone(),
        }
    }

    /// A run, and what was on the screen after the start and after each step.
    pub(super) async fn replay_with_screens(
        &self,
        errand: ReplayRequest,
    ) -> Result<(ReplayRecord, Vec<SharedScreen>), SuiteError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            lease.set_settle(Settle::default());
            match self.play(&mut lease, &*errand.step_source).await {
                Ok(watched) => return Ok(watched),
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = self.app.package.to_string();
                    let refused = |fault| SuiteError::Refused { device, app, fault };
                    lease
                        .release_failed(error, &mut deaths, &self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }

    async fn play(
        &self,
        device: &mut Device,
        pilot: &dyn StepSource,
    ) -> Result<(ReplayRecord, Vec<SharedScreen>), DeviceError> {
        // What is still under way from before belongs to no run of this one.
        device.watch(&self.app.package).await?;
        let started = device
            .control(&self.app, AppCommand::Start(StartMode::Clean))
            .await?;
        let screen = device.capture().await?;
        let start = self.observation(&screen, &started.events, Vec::new(), started.took);
        let mut run = ReplayRecord {
            start,
            hops: Vec::new(),
            refused: None,
        };
        let mut screens = vec![screen];
        while run.last_observation().problems.is_empty() {
            let Some(ReplayStep { origin, step }) = pilot.next(&run) else {
                break;
            };
            match device.step(step).await {
                Ok(stepped) => {
                    let arrival = self.observation(
                        &stepped.screen,
                        &stepped.phone_events,
                        stepped.branches,
                        stepped.took,
                    );
                    run.hops.push((origin, arrival));
                    screens.push(stepped.screen);
                }
                Err(error @ DeviceError::Refused(_)) if !error.is_interruption() => {
                    run.refused = Some(origin);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok((run, screens))
    }

    fn observation(
        &self,
        screen: &Screen,
        happened: &[PhoneEvent],
        branches: Vec<u32>,
        took: Micros,
    ) -> ReplayObservation {
        let mut arrival = ReplayObservation {
            state: self.states.of(screen),
            inside: self.is_inside(screen.activity()),
            branches,
            took,
            ..ReplayObservation::default()
        };
        for happening in happened {
            match &happening.kind {
                PhoneEventKind::Activity(activity) => arrival.activities.push(activity.clone()),
                PhoneEventKind::Finding(problem) => arrival.problems.push(problem.fingerprint()),
            }
        }
        arrival.activities.push(screen.activity().clone());
        arrival
            .activities
            .retain(|activity| !activity.is_empty() && self.is_inside(activity));
        arrival.activities.sort_unstable();
        arrival.activities.dedup();
        if let Some(problem) = arrival.problems.first() {
            // What is in front after a failure is not where the step led to.
            (arrival.state, arrival.inside) = (mixed(problem.0, 1), false);
        }
        arrival
    }

    /// A phone that does not tell which activity is in front is taken to show the app.
    fn is_inside(&self, activity: &str) -> bool {
        let package = activity.split('/').next().unwrap_or_default();
        package.is_empty() || package == self.app.package
    }
}

impl Replayer for PooledReplayer {
    fn replay(&self, errand: ReplayRequest) -> BoxFuture<'_, Result<ReplayRecord, SuiteError>> {
        Box::pin(async { Ok(self.replay_with_screens(errand).await?.0) })
    }

    fn parallelism(&self) -> usize {
        self.pool.len().max(1)
    }
}

impl std::fmt::Debug for PooledReplayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnPhones")
            .field("pool", &self.pool)
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}
