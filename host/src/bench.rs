//! Measurements of Retap itself.

pub mod link;
pub mod noisy;
pub mod policy;
pub mod simulated;
