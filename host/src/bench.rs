//! Measurements of Retap itself.

pub mod link;
pub mod simulated;
