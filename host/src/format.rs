//! Traces of other tools, read into Retap's own.

pub mod import;
pub mod monkey;
pub mod simplydroid;
