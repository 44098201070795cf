//! Measurements of Retap itself.

pub mod comparison;
pub mod device;
pub mod explore;
pub mod link;
pub mod model;
pub mod noisy;
pub mod noisy_app;
pub mod own_cost;
pub mod policy;
pub mod recorded_crash;
pub mod simulated;
pub mod suite;
