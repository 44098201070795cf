//! Reductions of a target that is reached only sometimes. The success rate of every candidate is a formula, so that what a
//! reducer says about its result can be compared with what is true. Each kind of noise is a family of cells.

mod algorithm;
mod claim;
mod family;
mod history;
mod interval;
mod measurement;
mod oracle;
mod phases;
mod planted_target;
mod single_attempt;
mod summary;
mod workers;

pub use algorithm::{NoisyAlgorithm, PHONES};
pub(super) use claim::{ClaimReading, ClaimVerdict};
pub use family::{NeededEvents, NoisyCell, NoisyFamily};
pub use measurement::{NoisyCase, NoisyMeasurement, run};
pub(super) use oracle::trace;
pub use single_attempt::SingleAttempt;
pub use summary::NoisySummary;
pub use workers::run_in_order;
