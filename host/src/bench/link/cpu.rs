//! How much processor time this process has used, and on which core a thread does its work.

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Of all threads together, those that have ended included.
pub(super) fn micros() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e6 + used.tv_nsec as f64 / 1e3
}

/// Where the two ends run.
#[derive(Clone, Copy, Debug)]
pub(super) enum CorePlacement {
    /// Each on a core of its own, as a phone is a machine of its own. Left to itself, the scheduler decides from block to
    /// block whether the ends of the link, or of the ping-pong, share a core; that is worth a factor of five.
    Apart,
    /// Wherever the scheduler likes: for work that needs more threads than two.
    Anywhere,
}

impl CorePlacement {
    pub(super) fn pin_host(self) {
        self.pin_to(0);
    }

    pub(super) fn pin_agent(self) {
        self.pin_to(1);
    }

    /// On a machine with a single core there is nothing to choose: the system refuses, and nothing is lost.
    fn pin_to(self, core: usize) {
        let mut cores = CpuSet::new();
        match self {
            CorePlacement::Apart => cores.set(core),
            CorePlacement::Anywhere => (0..CpuSet::MAX_CPU).for_each(|core| cores.set(core)),
        }
        let _ = sched_setaffinity(None, &cores);
    }
}
