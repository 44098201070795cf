//! A simulated phone in this process that can be started anew: another phone of the same kind takes its place.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_agent::in_process::InProcessConnection;
use retap_device::seed::Seed;
use retap_shared::connection::{BoxFuture, Connection, FreshStartError, RequestError};
use retap_shared::error_text::with_causes;
use retap_shared::phone_event::PhoneEvent;
use retap_shared::phone_health::PhoneHealth;
use retap_shared::protocol::{Reply, Request};
use retap_shared::verdict::Interruption;
use tokio::time::Instant;

use super::DevicesError;
use super::connections::open;
use crate::device_spec::SimulatedDeviceSpec;

/// A simulated phone that outlives its starts.
pub struct SimulatedDevice {
    spec: SimulatedDeviceSpec,
    seed: Seed,
    running: Mutex<RunningPhone>,
    /// What it tells of its temperature, for each minute since `began`; the last one stays.
    temperatures: Vec<f32>,
    began: Instant,
}

struct RunningPhone {
    connection: Arc<InProcessConnection>,
    starts: u64,
}

impl SimulatedDevice {
    /// Starts the phone. Its noise has this seed, unless the spec names one.
    pub fn start(spec: &SimulatedDeviceSpec, seed: Seed) -> Result<SimulatedDevice, DevicesError> {
        let spec = spec.with_default_seed(seed.0);
        let connection = connect(&spec)?;
        Ok(SimulatedDevice {
            temperatures: retap_simulator::temperatures_of(&spec.to_string()),
            began: Instant::now(),
            spec,
            seed,
            running: Mutex::new(RunningPhone {
                connection,
                starts: 1,
            }),
        })
    }

    /// Each start has other noise: with the same one, every fresh run would be the same.
    fn restart(&self) -> Result<(), FreshStartError> {
        let mut running = self.lock();
        let seed = self.seed.derive("fresh start", running.starts);
        let lost = |error: DevicesError| Interruption::PhoneLost {
            why: with_causes(&error),
        };
        running.connection = connect(&self.spec.with_noise_seed(seed.0)).map_err(lost)?;
        running.starts += 1;
        Ok(())
    }

    fn connection(&self) -> Arc<InProcessConnection> {
        Arc::clone(&self.lock().connection)
    }

    fn lock(&self) -> MutexGuard<'_, RunningPhone> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(spec: &SimulatedDeviceSpec) -> Result<Arc<InProcessConnection>, DevicesError> {
    Ok(Arc::new(InProcessConnection::new(Box::new(open(spec)?))))
}

impl Connection for SimulatedDevice {
    fn request(&self, request: Request) -> BoxFuture<'_, Result<Reply, RequestError>> {
        let connection = self.connection();
        Box::pin(async move { connection.request(request).await })
    }

    fn next_notification(&self) -> BoxFuture<'_, Option<PhoneEvent>> {
        let connection = self.connection();
        Box::pin(async move { connection.next_notification().await })
    }

    fn start_fresh(&self) -> BoxFuture<'_, Result<(), FreshStartError>> {
        Box::pin(async { self.restart() })
    }

    fn health(&self) -> BoxFuture<'_, Option<PhoneHealth>> {
        let minute = usize::try_from(self.began.elapsed().as_secs() / 60).unwrap_or(usize::MAX);
        let told = self.temperatures.get(minute).or(self.temperatures.last());
        let health = told.map(|temperature| PhoneHealth {
            temperature: Some(*temperature),
            battery: None,
        });
        Box::pin(async move { health })
    }
}

impl fmt::Debug for SimulatedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedDevice")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}
