//! Options of runs, complete: the command line over `retap.toml` over the defaults that stand here. `run.json` keeps them, so
//! that a run can be resumed.

mod code_coverage;
mod explore;
mod keep;
mod mapping;
mod reduce;
mod reduce_suite;

use std::ops::RangeInclusive;

use clap::ValueEnum;
pub use code_coverage::CodeCoverage;
pub use explore::{
    AppConstraints, DEFAULT_EVENTS, DEFAULT_SESSION_EVENTS, DEFAULT_THROTTLE_MS, ExploreOptions,
    ExplorerKind, ExplorerOptions,
};
pub use keep::{DEFAULT_KEEP_AGE, DEFAULT_KEEP_SIZE, KeepAge, KeepSize};
pub use mapping::MappingOptions;
pub use reduce::{Nd3minOptions, OracleKind, ReduceOptions};
pub use reduce_suite::ReduceSuiteOptions;
use serde::{Deserialize, Serialize};

use crate::device_spec::DeviceList;

pub const COUNTS: RangeInclusive<u64> = 1..=1_000;
pub const EVENTS: RangeInclusive<u64> = 1..=1_000_000_000;
pub const MINUTES: RangeInclusive<u64> = 1..=100_000;
pub const SESSION_EVENTS: RangeInclusive<u64> = 1..=100_000;
pub const RUNS: RangeInclusive<u64> = 1..=10_000;

/// Phones of one spec.
pub const DEFAULT_COUNT: u32 = 1;
/// Runs of each trace by `retap replay`.
pub const DEFAULT_TIMES: u32 = 3;

/// Options of a run, by its command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum RunOptions {
    Demo(DemoOptions),
    Explore(Box<ExploreOptions>),
    Reduce(ReduceOptions),
    ReduceSuite(ReduceSuiteOptions),
}

impl RunOptions {
    /// What the phones of the run note of the app's code.
    pub fn coverage(&self) -> CodeCoverage {
        match self {
            RunOptions::Explore(explore) => explore.coverage,
            RunOptions::Demo(_) | RunOptions::Reduce(_) | RunOptions::ReduceSuite(_) => {
                CodeCoverage::default()
            }
        }
    }

    /// Name of the command, as a user types it.
    pub fn command(&self) -> &'static str {
        match self {
            RunOptions::Demo(_) => "demo",
            RunOptions::Explore(_) => "explore",
            RunOptions::Reduce(_) => "reduce",
            RunOptions::ReduceSuite(_) => "reduce-suite",
        }
    }
}

/// A number among options: its name, its value, and the values that are possible.
type OptionNumber = (&'static str, u64, RangeInclusive<u64>);

impl RunOptions {
    /// The first number that the command line would not take: options may come from a file that somebody changed.
    pub fn first_out_of_range(&self) -> Option<OptionNumber> {
        let mut numbers = match self {
            RunOptions::Demo(demo) => vec![("events", demo.events, EVENTS)],
            RunOptions::Explore(explore) => explore.numbers(),
            RunOptions::Reduce(reduce) => reduce.numbers(),
            RunOptions::ReduceSuite(suite) => suite.numbers(),
        };
        numbers.retain(|(_, value, range)| !range.contains(value));
        numbers.into_iter().next()
    }
}

impl RunOptions {
    /// Mappings of the app's builds; none for commands that do not retrace.
    pub fn mappings(&self) -> Option<&MappingOptions> {
        let mappings = match self {
            RunOptions::Explore(options) => &options.mappings,
            RunOptions::Reduce(options) => &options.mappings,
            RunOptions::ReduceSuite(options) => &options.mappings,
            RunOptions::Demo(_) => return None,
        };
        (!mappings.is_empty()).then_some(mappings)
    }
}

/// Options of `retap demo`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoOptions {
    /// Events of each app.
    pub events: u64,
    /// The phone, instead of the simulated ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceList>,
}

/// Permissions for phones that may be somebody's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum PhonePermission {
    /// System events: network, memory, language, time zone, doze, broadcasts; keys that call or switch off; exploring the
    /// settings, the dialer and the like
    System,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As earlier versions have written them.
    #[test]
    fn options_of_earlier_runs_are_read() {
        for text in [
            r#"{"command":"demo","events":5000}"#,
            r#"{"command":"explore","devices":{"device":"sim:notes","count":2},"app":null,"explorer":"monkey+system",
                "events":5000,"session_events":500,"tuning":{"throttle":100,"over":"ape"},
                "care":{"forbidden_texts":["buy"],"texts":[["user","me"]]},"allow":["system"]}"#,
            r#"{"command":"explore","devices":{"device":"R58M?user=1&user=10,B?keep=yes","count":1},"app":"x",
                "explorer":"timetravel","events":1,"session_events":500}"#,
            r#"{"command":"reduce","device":null,"count":1,"source":"found","target":"crash",
                "algorithm":"lhdd_no_preselection","runs":1,"successes":1,"hierarchy":"screen","oracle":"recording",
                "nd3min":{"scheduler":"round-robin","parts":5}}"#,
            r#"{"command":"reduce","device":"jvm:a.apk","count":1,"source":"found","target":null,
                "algorithm":"nd3min","runs":20,"successes":18}"#,
            r#"{"command":"reduce_suite","device":"udp:127.0.0.1:9?pairing=F","count":1,"sources":["a"],
                "algorithm":"detreduce","replays":10,"fragments":3,"abstraction":"activity"}"#,
        ] {
            let options: Result<RunOptions, _> = serde_json::from_str(text);
            assert!(options.is_ok(), "{text}: {options:?}");
            let written = serde_json::to_string(options.as_ref().unwrap()).unwrap();
            assert_eq!(
                serde_json::from_str::<RunOptions>(&written).unwrap(),
                options.unwrap()
            );
        }
    }
}
