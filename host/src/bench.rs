//! Measurements of Retap itself.

pub mod link;
pub mod policy;
pub mod simulated;
