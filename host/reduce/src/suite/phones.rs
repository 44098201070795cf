//! Runs on phones: one request a step, so that a run ends where it leaves its way, on every kind of phone.

use retap_device::event::Sink;
use retap_device::{Device, DeviceError, Pool};
use retap_model::{States, mixed};
use retap_shared::connection::Pending;
use retap_shared::micros::Micros;
use retap_shared::protocol::{Command, Happening, Settle, What};
use retap_shared::screen::{Screen, SharedScreen};
use retap_shared::trace::{App, Start};

use super::SuiteError;
use super::replayer::{Arrival, Errand, Next, Pilot, Replayer, Run};

pub struct OnPhones {
    pool: Pool,
    app: App,
    states: States,
    sink: Sink,
}

impl OnPhones {
    pub fn new(pool: &Pool, app: App, states: States, sink: &Sink) -> OnPhones {
        OnPhones {
            pool: pool.clone(),
            app,
            states,
            sink: sink.clone(),
        }
    }

    /// A run, and what was on the screen after the start and after each step.
    pub(super) async fn watched(
        &self,
        errand: Errand,
    ) -> Result<(Run, Vec<SharedScreen>), SuiteError> {
        let mut deaths = 0;
        loop {
            let mut lease = self.pool.lease().await?;
            lease.set_settle(Settle::default());
            match self.play(&mut lease, &*errand.pilot).await {
                Ok(watched) => return Ok(watched),
                Err(error) => {
                    let device = lease.name().to_owned();
                    let app = self.app.package.to_string();
                    let refused = |fault| SuiteError::Refused { device, app, fault };
                    lease
                        .fail(error, &mut deaths, &self.sink)
                        .map_err(refused)?;
                }
            }
        }
    }

    async fn play(
        &self,
        device: &mut Device,
        pilot: &dyn Pilot,
    ) -> Result<(Run, Vec<SharedScreen>), DeviceError> {
        // What is still under way from before belongs to no run of this one.
        device.watch(&self.app.package).await?;
        let started = device
            .control(&self.app, Command::Start(Start::Clean))
            .await?;
        let screen = device.capture().await?;
        let start = self.arrival(&screen, &started.happened, Vec::new(), started.took);
        let mut run = Run {
            start,
            hops: Vec::new(),
            refused: None,
        };
        let mut screens = vec![screen];
        while run.now().problems.is_empty() {
            let Some(Next { origin, step }) = pilot.next(&run) else {
                break;
            };
            match device.step(step).await {
                Ok(stepped) => {
                    let arrival = self.arrival(
                        &stepped.screen,
                        &stepped.happened,
                        stepped.branches,
                        stepped.took,
                    );
                    run.hops.push((origin, arrival));
                    screens.push(stepped.screen);
                }
                Err(error @ DeviceError::Refused(_)) if !error.is_loss() => {
                    run.refused = Some(origin);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok((run, screens))
    }

    fn arrival(
        &self,
        screen: &Screen,
        happened: &[Happening],
        branches: Vec<u32>,
        took: Micros,
    ) -> Arrival {
        let mut arrival = Arrival {
            state: self.states.of(screen),
            inside: self.is_inside(screen.activity()),
            branches,
            took,
            ..Arrival::default()
        };
        for happening in happened {
            match &happening.what {
                What::Activity(activity) => arrival.activities.push(activity.clone()),
                What::Problem(problem) => arrival.problems.push(problem.fingerprint()),
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

impl Replayer for OnPhones {
    fn drive(&self, errand: Errand) -> Pending<'_, Result<Run, SuiteError>> {
        Box::pin(async { Ok(self.watched(errand).await?.0) })
    }

    fn width(&self) -> usize {
        self.pool.len().max(1)
    }
}

impl std::fmt::Debug for OnPhones {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnPhones")
            .field("pool", &self.pool)
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}
