//! Measurements of Retap itself.

pub mod device;
pub mod link;
pub mod simulated;
