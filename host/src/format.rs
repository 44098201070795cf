//! Files of other tools: traces that are read into Retap's own, and mappings of obfuscated builds.

pub mod import;
pub mod mapping;
pub mod monkey;
pub mod simplydroid;
