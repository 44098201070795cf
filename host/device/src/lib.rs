//! Phones as the algorithms see them: `Device` over a connection, a `Pool` of them, and what every run has: a seed,
//! a sink for its events, a journal, and a way to be cancelled. Knows no explorers and no reducers.

mod device;
mod journal;
mod pool;
mod run_context;
pub mod run_event;
pub mod seed;

pub use device::{Device, DeviceError, ProtocolViolation, StepResult};
pub use journal::JournalError;
pub use pool::{DeviceLease, DevicePool, PoolError};
pub use run_context::RunContext;
pub use tokio_util::sync::CancellationToken;
