//! Many devices: leases that come back when dropped, and quarantine for those that are no use any more.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;
use tokio::sync::Semaphore;

use crate::run_event::{EventSink, RunEvent};
use crate::{Device, DeviceError};

/// An agent that dies more often than this under one piece of work does not die by chance.
const MAX_AGENT_DEATHS: u32 = 5;

/// All clones are the same pool.
#[derive(Clone, Debug)]
pub struct DevicePool {
    shared: Arc<PoolState>,
}

/// A device for oneself until this is dropped.
#[derive(Debug)]
pub struct DeviceLease {
    /// Empty only once it has been given back or quarantined.
    device: Option<Device>,
    shared: Arc<PoolState>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    #[error(
        "no phone is left{}; connect one and run the same command again",
        reasons(lost)
    )]
    Empty {
        /// Each device that was lost, and why.
        lost: Vec<(String, String)>,
    },
}

/// A permit of `free` is an idle device. The semaphore hands them out first come, first served, and closing it
/// wakes all who wait.
#[derive(Debug)]
struct PoolState {
    idle_permits: Semaphore,
    devices: Mutex<PoolDevices>,
}

#[derive(Debug)]
struct PoolDevices {
    /// The one idle for longest first.
    idle: VecDeque<Device>,
    leased: usize,
    lost: Vec<(String, String)>,
}

impl DevicePool {
    pub fn new(devices: Vec<Device>) -> DevicePool {
        let free = Semaphore::new(devices.len());
        if devices.is_empty() {
            free.close();
        }
        let devices = Mutex::new(PoolDevices {
            idle: devices.into(),
            leased: 0,
            lost: Vec::new(),
        });
        DevicePool {
            shared: Arc::new(PoolState {
                idle_permits: free,
                devices,
            }),
        }
    }

    /// Waits for a free device. Fails as soon as there is none left that could become free.
    pub async fn lease(&self) -> Result<DeviceLease, PoolError> {
        let permit = self.shared.idle_permits.acquire().await;
        let mut devices = self.shared.lock();
        match (permit, devices.idle.pop_front()) {
            (Ok(permit), Some(device)) => {
                permit.forget();
                devices.leased += 1;
                Ok(DeviceLease {
                    device: Some(device),
                    shared: Arc::clone(&self.shared),
                })
            }
            _ => Err(PoolError::Empty {
                lost: devices.lost.clone(),
            }),
        }
    }

    /// How many devices are at work or ready for it.
    pub fn len(&self) -> usize {
        let devices = self.shared.lock();
        devices.idle.len() + devices.leased
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each device that was quarantined, and why.
    pub fn quarantined(&self) -> Vec<(String, String)> {
        self.shared.lock().lost.clone()
    }
}

impl DeviceLease {
    /// After an error in a piece of work that is then done again: a phone that is of no use any more is quarantined. One
    /// whose agent died and was started anew is given back, unless that has happened to this work too often; `deaths`
    /// counts. A fault that says nothing about the phone is handed back.
    pub fn release_failed(
        self,
        error: DeviceError,
        deaths: &mut u32,
        sink: &EventSink,
    ) -> Result<(), RequestFailure> {
        let device = self.name().to_owned();
        let why = error.to_string();
        match error {
            DeviceError::Refused(fault)
                if !DeviceError::Refused(fault.clone()).is_interruption() =>
            {
                return Err(fault);
            }
            DeviceError::Interrupted(Interruption::AgentDied { .. })
                if *deaths < MAX_AGENT_DEATHS =>
            {
                *deaths += 1;
                sink(RunEvent::Warning {
                    text: format!("on `{device}` {why}; what it was doing is done again"),
                });
            }
            _ => {
                self.quarantine(why.clone());
                sink(RunEvent::DeviceLost { device, why });
            }
        }
        Ok(())
    }

    /// Takes the device out of the pool for good.
    pub fn quarantine(mut self, why: impl Into<String>) {
        let Some(device) = self.device.take() else {
            return;
        };
        let mut devices = self.shared.lock();
        devices.leased -= 1;
        devices.lost.push((device.name().to_owned(), why.into()));
        if devices.leased == 0 && devices.idle.is_empty() {
            self.shared.idle_permits.close();
        }
    }
}

impl Drop for DeviceLease {
    fn drop(&mut self) {
        let Some(device) = self.device.take() else {
            return;
        };
        let mut devices = self.shared.lock();
        devices.leased -= 1;
        devices.idle.push_back(device);
        drop(devices);
        self.shared.idle_permits.add_permits(1);
    }
}

impl Deref for DeviceLease {
    type Target = Device;

    fn deref(&self) -> &Device {
        self.device
            .as_ref()
            .expect("a lease holds its device until it is given up")
    }
}

impl DerefMut for DeviceLease {
    fn deref_mut(&mut self) -> &mut Device {
        self.device
            .as_mut()
            .expect("a lease holds its device until it is given up")
    }
}

impl PoolState {
    fn lock(&self) -> MutexGuard<'_, PoolDevices> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reasons(lost: &[(String, String)]) -> String {
    lost.iter()
        .map(|(name, why)| format!("; `{name}`: {why}"))
        .collect()
}
