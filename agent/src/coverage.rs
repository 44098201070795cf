//! Coverage of an app by the library in its process (agent/coverage): connects to the library's socket, and says which
//! methods and lines have run since it was last asked.

mod app_coverage;
mod frames;
mod reader;

pub(crate) use app_coverage::AppCoverage;
pub use frames::{MethodOrLine, UncoveredCode};
pub use reader::{CoverageReader, Taken};
