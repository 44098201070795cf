//! A pool of devices: leases that are given back when dropped, and quarantine for devices that failed.

use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;
use tokio::sync::Semaphore;

use crate::run_event::{EventSink, RunEvent};
use crate::{Device, DeviceError};

/// Maximum number of agent deaths under one piece of work before its device is quarantined.
const MAX_AGENT_DEATHS: u32 = 5;
/// Number of failures in a row after which a device is quarantined. One alone is an ordinary refusal of a service.
const MAX_FAILURES: u32 = 5;

/// A pool of devices. All clones share the same devices.
#[derive(Clone, Debug)]
pub struct DevicePool {
    shared: Arc<PoolState>,
}

/// The exclusive use of a device, until it is dropped.
#[derive(Debug)]
pub struct DeviceLease {
    /// `None` once the device is given back or quarantined.
    device: Option<Device>,
    has_failed: bool,
    shared: Arc<PoolState>,
}

/// A pool that cannot lease a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// All devices are quarantined, or there never was one.
    #[error(
        "no phone is left{}; connect one and run the same command again",
        reasons(lost)
    )]
    Empty {
        /// Names of the quarantined devices, each with the reason.
        lost: Vec<(String, String)>,
    },
}

/// A permit of `idle_permits` is an idle device. The semaphore serves waiting callers in order, and closing it wakes them all.
#[derive(Debug)]
struct PoolState {
    idle_permits: Semaphore,
    devices: Mutex<PoolDevices>,
}

#[derive(Debug)]
struct PoolDevices {
    /// The device that is idle for longest comes first.
    idle: VecDeque<Device>,
    leased: usize,
    /// Failures in a row by the name of the device.
    failures: HashMap<String, u32>,
    lost: Vec<(String, String)>,
}

impl DevicePool {
    /// A pool of these devices, all idle.
    pub fn new(devices: Vec<Device>) -> DevicePool {
        let idle_permits = Semaphore::new(devices.len());
        if devices.is_empty() {
            idle_permits.close();
        }
        let devices = Mutex::new(PoolDevices {
            idle: devices.into(),
            leased: 0,
            failures: HashMap::new(),
            lost: Vec::new(),
        });
        DevicePool {
            shared: Arc::new(PoolState {
                idle_permits,
                devices,
            }),
        }
    }

    /// Leases a device, once one is idle. Fails as soon as no device is left that could become idle.
    pub async fn lease(&self) -> Result<DeviceLease, PoolError> {
        let permit = self.shared.idle_permits.acquire().await;
        let mut devices = self.shared.lock();
        match (permit, devices.idle.pop_front()) {
            (Ok(permit), Some(device)) => {
                permit.forget();
                devices.leased += 1;
                Ok(DeviceLease {
                    device: Some(device),
                    has_failed: false,
                    shared: Arc::clone(&self.shared),
                })
            }
            _ => Err(PoolError::Empty {
                lost: devices.lost.clone(),
            }),
        }
    }

    /// Number of devices that are leased or idle.
    pub fn len(&self) -> usize {
        let devices = self.shared.lock();
        devices.idle.len() + devices.leased
    }

    /// True if no device is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of the quarantined devices, each with the reason.
    pub fn quarantined(&self) -> Vec<(String, String)> {
        self.shared.lock().lost.clone()
    }
}

impl DeviceLease {
    /// Releases the device after an error in work that is then done again. The device is quarantined, unless one of its
    /// services failed and it has worked a short while ago, or only its agent died, which was started again since; `deaths`
    /// counts how often that happened to this work. A failure that says nothing about the phone is returned.
    pub fn release_failed(
        mut self,
        error: DeviceError,
        deaths: &mut u32,
        sink: &EventSink,
    ) -> Result<(), RequestFailure> {
        let device = self.name().to_owned();
        let why = error.to_string();
        self.has_failed = true;
        let again = || RunEvent::Warning {
            text: format!("on `{device}` {why}; its work is done again"),
        };
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
                sink(again());
            }
            error if error.is_phone_failure() && self.count_failure() => sink(again()),
            _ => {
                self.quarantine(why.clone());
                sink(RunEvent::DeviceLost { device, why });
            }
        }
        Ok(())
    }

    /// Counts a failure of the device. Returns true if it may be leased again.
    fn count_failure(&self) -> bool {
        let mut devices = self.shared.lock();
        let failures = devices.failures.entry(self.name().to_owned()).or_default();
        *failures += 1;
        *failures < MAX_FAILURES
    }

    /// Removes the device from the pool for the rest of the run.
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
        if !self.has_failed {
            devices.failures.remove(device.name());
        }
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
