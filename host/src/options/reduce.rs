//! Options of `retap reduce`. The engine has their defaults.

use std::path::PathBuf;

use clap::ValueEnum;
use retap_reduce::reached_targets::ReachedKind;
use retap_reduce::trace_reduction::{
    DEFAULT_PARTS, ReductionAlgorithm, SchedulerKind, StateGranularity,
};
use retap_shared::trace::ReplayPace;
use serde::{Deserialize, Serialize};

use super::{COUNTS, MINUTES, MappingOptions, OptionNumber, RUNS};
use crate::device_spec::DeviceList;

/// Options of `retap reduce`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReduceOptions {
    /// Without one, the simulated phone that has the app of each trace.
    pub device: Option<DeviceList>,
    pub count: u32,
    /// Path that the user named. The traces themselves are copied into the run.
    pub source: PathBuf,
    /// First digits of the finding that is reduced; none for all findings of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// Reduces the traces to all that a run has reached, instead of its findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<ReachedKind>,
    /// Without one, the target of each trace.
    pub target: Option<String>,
    pub algorithm: ReductionAlgorithm,
    pub runs: u32,
    pub successes: u32,
    /// Maximum number of concurrent runs; default: the number of phones.
    #[serde(default)]
    pub parallel: Option<u32>,
    /// Maximum number of runs.
    #[serde(default)]
    pub max_runs: Option<u64>,
    /// Maximum duration of each reduction.
    #[serde(default)]
    pub minutes: Option<u32>,
    /// Number of the first runs of the whole trace that must reach the target.
    #[serde(default)]
    pub original_successes: Option<u32>,
    /// Only for `nd3min`.
    #[serde(default)]
    pub nd3min: Nd3minOptions,
    /// The result must reach the target as often as the original, however rarely that is.
    #[serde(default)]
    pub keep_rate: bool,
    /// Steps are removed and never simplified.
    #[serde(default)]
    pub only_delete: bool,
    /// Text of the prior; none for the published one.
    #[serde(default)]
    pub prior: Option<String>,
    /// Only for hierarchical algorithms.
    #[serde(default)]
    pub hierarchy: StateGranularity,
    #[serde(default)]
    pub oracle: OracleKind,
    #[serde(default, skip_serializing_if = "MappingOptions::is_empty")]
    pub mappings: MappingOptions,
    /// Pace of all runs; without one the pace of each trace, then the recorded one where a trace never reproduces.
    #[serde(default)]
    pub pace: Option<ReplayPace>,
}

impl ReduceOptions {
    pub(super) fn numbers(&self) -> Vec<OptionNumber> {
        let originals = self.original_successes.unwrap_or(self.successes);
        vec![
            ("count", self.count.into(), COUNTS),
            ("runs", self.runs.into(), RUNS),
            ("successes", self.successes.into(), RUNS),
            ("original_successes", originals.into(), RUNS),
            ("parallel", self.parallel.unwrap_or(1).into(), COUNTS),
            ("max_runs", self.max_runs.unwrap_or(1), 1..=u64::MAX),
            ("minutes", self.minutes.unwrap_or(1).into(), MINUTES),
            ("parts", self.nd3min.parts.into(), 2..=10_000),
        ]
    }
}

/// Oracle that answers whether a candidate reaches the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum OracleKind {
    /// Phones play every candidate
    #[default]
    Phones,
    /// No phone: the recorded trace answers as an activity machine
    Recording,
}

/// Options of ND3MIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nd3minOptions {
    pub scheduler: SchedulerKind,
    pub parts: u32,
}

impl Default for Nd3minOptions {
    fn default() -> Nd3minOptions {
        Nd3minOptions {
            scheduler: SchedulerKind::default(),
            parts: DEFAULT_PARTS as u32,
        }
    }
}
