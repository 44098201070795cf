//! Measurements of Retap itself.

pub mod simulated;
