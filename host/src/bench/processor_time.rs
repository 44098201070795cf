//! Processor time, which does not depend on the other programs of the machine.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of processor time of this thread.
pub(super) fn thread_seconds() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// Microseconds of processor time of all threads of this process, including those that have ended.
pub(super) fn process_micros() -> f64 {
    seconds(ClockId::ProcessCPUTime) * 1e6
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
