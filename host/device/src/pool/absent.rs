//! Phones that a pool has and does not lease: those that rest, and those in quarantine. Each has a task that brings it back:
//! by a look at its battery and temperature, or by connecting it anew.

use std::sync::{Arc, Weak};
use std::time::Duration;

use retap_shared::connection::BoxFuture;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::PoolState;
use crate::run_event::RunEvent;
use crate::{Device, health};

/// Wait before the first attempt to connect a phone in quarantine. It doubles with every attempt, up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// Connects phones of a run anew, after they were lost.
pub trait PhoneSource: Send + Sync {
    /// Connects the phone with this name, or says why it cannot.
    fn connect<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Device, String>>;
}

/// A phone that is not leased for now.
#[derive(Debug)]
pub(super) struct AbsentDevice {
    pub(super) name: String,
    pub(super) why: String,
    /// The phone itself while it rests; one in quarantine is given up.
    pub(super) resting: Option<Device>,
    /// True if there is no hope for now: the last attempt to connect it failed while no phone worked.
    pub(super) is_hopeless: bool,
    pub(super) task: Option<AbortHandle>,
}

impl Drop for AbsentDevice {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl PoolState {
    /// Lets a phone rest until it is fit.
    pub(super) fn rest(self: &Arc<Self>, device: Device, why: String) {
        let name = device.name().to_owned();
        let connection = device.connection();
        (self.sink)(RunEvent::Warning {
            text: format!("`{name}` rests: {why}"),
        });
        let weak = Arc::downgrade(self);
        let phone = name.clone();
        let task = tokio::spawn(async move {
            loop {
                sleep(health::CHECK_INTERVAL).await;
                // A phone that does not tell any more is tried: that it is lost is seen by its use.
                if connection.health().await.is_none_or(health::is_rested) {
                    break;
                }
            }
            if let Some(pool) = weak.upgrade() {
                pool.end_rest(&phone);
            }
        });
        let mut devices = self.lock();
        devices.leased -= 1;
        devices.absent.push(AbsentDevice {
            name,
            why,
            resting: Some(device),
            is_hopeless: false,
            task: Some(task.abort_handle()),
        });
    }

    /// Gives up the connection to a phone. With a source it is connected anew later; without one, it is gone.
    pub(super) fn quarantine(self: &Arc<Self>, device: Device, why: String) {
        let name = device.name().to_owned();
        // Its agent ends before another one is started.
        drop(device);
        let times = {
            let mut devices = self.lock();
            devices.leased -= 1;
            let times = devices.quarantines.entry(name.clone()).or_default();
            *times += 1;
            *times
        };
        let task = self.source.as_ref().map(|source| {
            let way_back = WayBack {
                pool: Arc::downgrade(self),
                name: name.clone(),
                wait: wait_after(times),
            };
            tokio::spawn(way_back.run(Arc::clone(source))).abort_handle()
        });
        self.lock().absent.push(AbsentDevice {
            name,
            why,
            resting: None,
            // If it was the last one, the others are tried and not it: it has just failed.
            is_hopeless: true,
            task,
        });
        self.check_hope();
        self.hurry.notify_waiters();
    }

    /// Ends all waiting if no phone works and none can be expected to. Otherwise only failed attempts make a phone hopeless.
    fn check_hope(&self) {
        let mut devices = self.lock();
        if devices.working() > 0 {
            for absent in &mut devices.absent {
                absent.is_hopeless = absent.task.is_none();
            }
        } else if devices.absent.iter().all(|absent| absent.is_hopeless) {
            self.idle_permits.close();
        }
    }

    fn has_working_phone(&self) -> bool {
        self.lock().working() > 0
    }

    fn end_rest(&self, name: &str) {
        let mut devices = self.lock();
        if let Some(mut absent) = devices.take_absent(name)
            && let Some(device) = absent.resting.take()
        {
            // This task does it, and ends by itself.
            absent.task = None;
            devices.idle.push_back(device);
            drop(devices);
            self.idle_permits.add_permits(1);
            self.tell_return(name);
        }
    }

    fn end_quarantine(&self, device: Device) {
        let name = device.name().to_owned();
        let mut devices = self.lock();
        let Some(mut absent) = devices.take_absent(&name) else {
            return;
        };
        absent.task = None;
        devices.idle.push_back(device);
        drop(devices);
        self.idle_permits.add_permits(1);
        self.check_hope();
        self.tell_return(&name);
    }

    fn note_failed_attempt(&self, name: &str, why: String) {
        let mut devices = self.lock();
        let works = devices.working() > 0;
        if let Some(absent) = devices.absent.iter_mut().find(|absent| absent.name == name) {
            absent.why = why;
            absent.is_hopeless |= !works;
        }
        drop(devices);
        self.check_hope();
    }

    fn tell_return(&self, name: &str) {
        (self.sink)(RunEvent::Note {
            text: format!("`{name}` is back and works again"),
        });
    }
}

/// Wait before the first attempt after this many quarantines without work in between.
fn wait_after(quarantines: u32) -> Duration {
    let doublings = quarantines.saturating_sub(1).min(16);
    (FIRST_WAIT * 2_u32.pow(doublings)).min(LONGEST_WAIT)
}

/// The attempts to connect one phone anew.
struct WayBack {
    pool: Weak<PoolState>,
    name: String,
    wait: Duration,
}

impl WayBack {
    async fn run(mut self, source: Arc<dyn PhoneSource>) {
        let Some(hurry) = self.pool.upgrade().map(|pool| Arc::clone(&pool.hurry)) else {
            return;
        };
        loop {
            // With no phone at work the next attempt is made at once.
            let hurried = timeout(self.wait, async {
                loop {
                    hurry.notified().await;
                    if self
                        .pool
                        .upgrade()
                        .is_none_or(|pool| !pool.has_working_phone())
                    {
                        return;
                    }
                }
            });
            let _ = hurried.await;
            let connected = source.connect(&self.name).await;
            let Some(pool) = self.pool.upgrade() else {
                return;
            };
            match connected {
                Ok(device) => return pool.end_quarantine(device),
                Err(why) => pool.note_failed_attempt(&self.name, why),
            }
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
        }
    }
}
