//! Benchmarks of Retap, one module a topic. Each measures and returns values named `…Measurement`; `retap bench` prints them.

pub mod device;
pub mod explore;
pub mod link;
pub mod model;
pub mod policy;
mod processor_time;
pub mod reduction;
pub mod simulated;
mod statistics;
pub mod suite;
