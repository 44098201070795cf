//! Phones as the algorithms see them: a `Device` over a connection, a `DevicePool` of them, and the context of a run: seed,
//! event sink, journal and cancellation. Knows no strategies and no reducers.

#![warn(missing_docs)]

mod device;
mod health;
mod journal;
mod pool;
mod reply_limit;
mod request_sender;
mod run_context;
pub mod run_event;
pub mod seed;

pub use device::{Device, DeviceError, ProtocolViolation, StepResult};
pub use journal::JournalError;
pub use pool::{DeviceLease, DevicePool, PhoneSource, PoolError};
pub use reply_limit::{ReplyLimit, SILENCE, reply_limit};
pub use run_context::RunContext;
pub use tokio_util::sync::CancellationToken;
