//! Measurements of Retap itself.

pub mod device;
pub mod link;
pub mod noisy;
pub mod policy;
pub mod simulated;
