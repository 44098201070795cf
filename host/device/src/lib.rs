//! Phones as the algorithms see them: `Device` over a connection, a `Pool` of them, and what every run has: a seed,
//! a sink for its events, a journal, and a way to be cancelled. Knows no explorers and no reducers.

mod device;
pub mod event;
mod journal;
mod pool;
pub mod seed;
pub mod stop;

pub use device::{Breach, Device, DeviceError, Stepped};
pub use journal::JournalError;
pub use pool::{Lease, Pool, PoolError};
