//! Traces of other tools, read into Retap's own.

pub mod monkey;
pub mod simplydroid;
