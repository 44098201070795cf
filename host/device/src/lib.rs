//! Phones as the algorithms see them: `Device` over a connection, a `Pool` of them, and what every run has: a seed,
//! a sink for its events, a journal, and a way to be cancelled. Knows no explorers and no reducers.

pub mod cancellation;
mod device;
mod journal;
mod pool;
pub mod run_event;
pub mod seed;

pub use device::{Device, DeviceError, ProtocolViolation, StepResult};
pub use journal::JournalError;
pub use pool::{DeviceLease, DevicePool, PoolError};
