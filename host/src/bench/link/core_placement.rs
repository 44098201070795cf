//! Placement of the two ends on processor cores. Only Linux lets a thread choose its core; elsewhere nothing is pinned.

/// True where threads can be pinned to a core.
pub(super) const CAN_PIN: bool = cfg!(target_os = "linux");

/// Cores that the two ends run on.
#[derive(Clone, Copy, Debug)]
pub(super) enum CorePlacement {
    /// Each end on its own core, as a phone is a separate machine. Otherwise the scheduler decides from block to block
    /// whether the ends of the link, or of the ping-pong, share a core, which changes the time by a factor of five.
    Separate,
    /// Any core: for work that needs more than two threads.
    Anywhere,
}

impl CorePlacement {
    pub(super) fn pin_host(self) {
        self.pin_to(0);
    }

    pub(super) fn pin_agent(self) {
        self.pin_to(1);
    }

    /// Ignores errors: a machine with a single core has nothing to choose from.
    #[cfg(target_os = "linux")]
    fn pin_to(self, core: usize) {
        use rustix::thread::{CpuSet, sched_setaffinity};

        let mut cores = CpuSet::new();
        match self {
            CorePlacement::Separate => cores.set(core),
            CorePlacement::Anywhere => (0..CpuSet::MAX_CPU).for_each(|core| cores.set(core)),
        }
        let _ = sched_setaffinity(None, &cores);
    }

    #[cfg(not(target_os = "linux"))]
    fn pin_to(self, _core: usize) {}
}
