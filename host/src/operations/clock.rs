//! The clock of a command's work, and the runtime that the work runs on.

use std::future::Future;

use crate::command_error::CommandError;
use crate::device_spec::DeviceList;
use crate::operations::ActiveRunError;
use crate::options::{OracleKind, RunOptions};
use crate::shutdown;

/// Clock that the time of phones is measured with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// Simulated phones in this process: a clock that jumps to the next event.
    Virtual,
    /// Phones behind a link. A virtual clock must never meet a socket.
    Real,
}

impl ClockKind {
    /// Clock for phones. One phone behind a link makes it the real one for all of them.
    pub fn for_devices(devices: &DeviceList) -> ClockKind {
        if devices.is_linked() {
            ClockKind::Real
        } else {
            ClockKind::Virtual
        }
    }

    /// Clock for a run, from the phones that it uses.
    pub fn for_run(options: &RunOptions) -> ClockKind {
        let devices = match options {
            RunOptions::Demo(demo) => demo.device.as_ref(),
            RunOptions::Explore(explore) => Some(&explore.devices.device),
            RunOptions::Reduce(reduce) if reduce.oracle == OracleKind::Recording => None,
            RunOptions::Reduce(reduce) => reduce.device.as_ref(),
            RunOptions::ReduceSuite(suite) => suite.device.as_ref(),
        };
        devices.map_or(ClockKind::Virtual, ClockKind::for_devices)
    }
}

/// Runs the work to its end, and then the clean-up that it has left.
pub fn block_on<T>(clock: ClockKind, work: impl Future<Output = T>) -> Result<T, CommandError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    match clock {
        ClockKind::Virtual => runtime.enable_time().start_paused(true),
        ClockKind::Real => runtime.enable_all(),
    };
    let runtime = runtime.build().map_err(ActiveRunError::Runtime)?;
    Ok(runtime.block_on(async {
        let done = work.await;
        // The tasks of links that were dropped run once more, to close their connections.
        tokio::task::yield_now().await;
        shutdown::wait_for_all().await;
        done
    }))
}
