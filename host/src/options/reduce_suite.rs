//! Options of `retap reduce-suite`. The engine has their defaults.

use std::path::PathBuf;

use retap_model::Abstraction;
use retap_reduce::suite::{SearchLimits, SuiteReductionAlgorithm};
use serde::{Deserialize, Serialize};

use super::{COUNTS, MINUTES, OptionNumber};
use crate::device_spec::DeviceList;
use crate::options::MappingOptions;

/// Options of `retap reduce-suite`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReduceSuiteOptions {
    /// Without one, the simulated phone that has the app of the suite.
    pub device: Option<DeviceList>,
    pub count: u32,
    /// Paths that the user named. The traces themselves are copied into the run.
    pub sources: Vec<PathBuf>,
    pub algorithm: SuiteReductionAlgorithm,
    pub replays: u32,
    pub fragments: u32,
    /// Complete, also if it came from a file.
    pub abstraction: Abstraction,
    /// Steps are removed and never simplified.
    #[serde(default)]
    pub only_delete: bool,
    /// Limits of DetReduce's searches.
    #[serde(default)]
    pub search_limits: SearchLimits,
    /// Maximum number of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runs: Option<u64>,
    /// Maximum phone time of each phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// Mappings of the app's builds, for readable stacks and stable fingerprints.
    #[serde(default, skip_serializing_if = "MappingOptions::is_empty")]
    pub mappings: MappingOptions,
}

impl ReduceSuiteOptions {
    pub(super) fn numbers(&self) -> Vec<OptionNumber> {
        vec![
            ("count", self.count.into(), COUNTS),
            ("replays", self.replays.into(), 1..=1_000),
            ("fragments", self.fragments.into(), 1..=10),
            ("max_runs", self.max_runs.unwrap_or(1), 1..=1_000_000_000),
            ("minutes", self.minutes.unwrap_or(1).into(), MINUTES),
        ]
    }
}
