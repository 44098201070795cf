//! Reduction of one trace to the steps that its target needs (`trace_reduction`), and of a suite to few and short traces with
//! the same coverage (`suite`). Both decide what to play; an `oracle` or a replayer plays it.
#![warn(missing_docs)]

pub mod journal;
pub mod named_choice;
pub mod oracle;
pub mod policy;
pub mod reached_targets;
mod simplify;
pub mod suite;
pub mod trace_reduction;
