//! How much processor time this process has used.

use rustix::time::{ClockId, clock_gettime};

/// Of all threads together, those that have ended included.
pub(super) fn micros() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e6 + used.tv_nsec as f64 / 1e3
}
