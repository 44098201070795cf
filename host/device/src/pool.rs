//! A pool of devices: leases that are given back when dropped, rests for devices that are hot or low, and quarantine for
//! devices that failed. How those come back is another file.

mod absent;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use retap_shared::protocol::RequestFailure;
use retap_shared::verdict::Interruption;
use tokio::sync::{Notify, Semaphore};

use self::absent::AbsentDevice;
pub use self::absent::PhoneSource;
use crate::run_event::{EventSink, RunEvent, null_sink};
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
struct PoolState {
    idle_permits: Semaphore,
    devices: Mutex<PoolDevices>,
    /// Connects phones in quarantine anew.
    source: Option<Arc<dyn PhoneSource>>,
    /// Wakes the attempts to do so, as soon as no phone works.
    hurry: Arc<Notify>,
    sink: EventSink,
}

#[derive(Debug)]
struct PoolDevices {
    /// The device that is idle for longest comes first.
    idle: VecDeque<Device>,
    leased: usize,
    /// Failures in a row by the name of the device.
    failures: HashMap<String, u32>,
    /// Quarantines in a row by the name of the device.
    quarantines: HashMap<String, u32>,
    absent: Vec<AbsentDevice>,
}

impl DevicePool {
    /// A pool of these devices, all idle. Devices in quarantine do not come back.
    pub fn new(devices: Vec<Device>) -> DevicePool {
        DevicePool::with_source(devices, None, null_sink())
    }

    /// A pool of these devices, all idle. `source` connects devices in quarantine anew; `sink` is told when one rests or is
    /// back.
    pub fn with_source(
        devices: Vec<Device>,
        source: Option<Arc<dyn PhoneSource>>,
        sink: EventSink,
    ) -> DevicePool {
        let idle_permits = Semaphore::new(devices.len());
        if devices.is_empty() {
            idle_permits.close();
        }
        let devices = Mutex::new(PoolDevices {
            idle: devices.into(),
            leased: 0,
            failures: HashMap::new(),
            quarantines: HashMap::new(),
            absent: Vec::new(),
        });
        DevicePool {
            shared: Arc::new(PoolState {
                idle_permits,
                devices,
                source,
                hurry: Arc::default(),
                sink,
            }),
        }
    }

    /// Leases a device, once one is idle and fit. Fails as soon as no device is left that could become idle.
    pub async fn lease(&self) -> Result<DeviceLease, PoolError> {
        loop {
            let mut lease = self.lease_idle().await?;
            match lease.reason_to_rest().await {
                Some(why) => lease.rest(why),
                None => return Ok(lease),
            }
        }
    }

    async fn lease_idle(&self) -> Result<DeviceLease, PoolError> {
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
                lost: devices.reasons(),
            }),
        }
    }

    /// Number of devices that are leased, idle or at rest.
    pub fn len(&self) -> usize {
        self.shared.lock().working()
    }

    /// True if no device is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names of the quarantined devices, each with the reason.
    pub fn quarantined(&self) -> Vec<(String, String)> {
        let devices = self.shared.lock();
        let given_up = devices
            .absent
            .iter()
            .filter(|absent| absent.resting.is_none());
        given_up
            .map(|absent| (absent.name.clone(), absent.why.clone()))
            .collect()
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

    /// Removes the device from the pool, until it could be connected anew.
    pub fn quarantine(mut self, why: impl Into<String>) {
        if let Some(device) = self.device.take() {
            self.shared.quarantine(device, why.into());
        }
    }

    /// Gives the device back to rest: it is leased again when it is fit.
    pub fn rest(mut self, why: impl Into<String>) {
        if let Some(device) = self.device.take() {
            self.shared.rest(device, why.into());
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
            devices.quarantines.remove(device.name());
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

impl PoolDevices {
    /// Number of devices that work, or will without anybody's help.
    fn working(&self) -> usize {
        let resting = self.absent.iter().filter(|absent| absent.resting.is_some());
        self.idle.len() + self.leased + resting.count()
    }

    fn take_absent(&mut self, name: &str) -> Option<AbsentDevice> {
        let place = self.absent.iter().position(|absent| absent.name == name)?;
        Some(self.absent.remove(place))
    }

    /// Why each device that is not leased is away.
    fn reasons(&self) -> Vec<(String, String)> {
        let absent = self.absent.iter();
        absent
            .map(|absent| (absent.name.clone(), absent.why.clone()))
            .collect()
    }
}

impl fmt::Debug for PoolState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolState")
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

fn reasons(lost: &[(String, String)]) -> String {
    lost.iter()
        .map(|(name, why)| format!("; `{name}`: {why}"))
        .collect()
}
