//! What a job is asked to do, complete: command line, `retap.toml` and defaults already put together.
//! `run.json` keeps it, so that a run can be gone on with.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::ValueEnum;
use retap_model::Abstraction;
use serde::{Deserialize, Serialize};

pub const COUNTS: RangeInclusive<u64> = 1..=1_000;
pub const EVENTS: RangeInclusive<u64> = 1..=1_000_000_000;
pub const MINUTES: RangeInclusive<u64> = 1..=100_000;
pub const SESSION_EVENTS: RangeInclusive<u64> = 1..=100_000;
pub const RUNS: RangeInclusive<u64> = 1..=10_000;

pub const DEFAULT_EVENTS: u64 = 5_000;
pub const DEFAULT_SESSION_EVENTS: u32 = 500;
pub const DEFAULT_RUNS: u32 = 1;
pub const DEFAULT_TIMES: u32 = 3;
pub const DEFAULT_PARTS: u32 = 5;
/// Of a suite's reduction: the paper's.
pub const DEFAULT_REPLAYS: u32 = 10;
pub const DEFAULT_FRAGMENTS: u32 = 3;
/// Where every candidate is run several times anyway: the paper's.
pub const NOISY_RUNS: u32 = 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum RunOptions {
    Demo(DemoOptions),
    Explore(Box<ExploreOptions>),
    Reduce(ReduceOptions),
    ReduceSuite(ReduceSuiteOptions),
}

/// Which phones, as `--device` and `--count` name them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhoneSelection {
    pub device: String,
    pub count: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DemoOptions {
    /// For each app.
    pub events: u64,
    /// The phone, if not the simulated ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExploreOptions {
    pub devices: PhoneSelection,
    /// Package or name; without one the only app of the phone.
    pub app: Option<String>,
    pub explorer: ExplorerKind,
    pub events: u64,
    /// How long each phone works, instead of `events`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    pub session_events: u32,
    /// What was done from each clean start on becomes a file.
    #[serde(default)]
    pub keep_traces: bool,
    #[serde(default, skip_serializing_if = "ExplorerOptions::is_default")]
    pub tuning: ExplorerOptions,
    #[serde(default, skip_serializing_if = "AppConstraints::is_default")]
    pub care: AppConstraints,
    /// Each new crash is cut down at once.
    #[serde(default)]
    pub reduce: bool,
    /// What only an allowed phone is put through.
    #[serde(default)]
    pub allow: Vec<PhonePermission>,
}

/// What must not happen to a personal phone unless it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum PhonePermission {
    /// System events: network, memory, language, time zone, doze, broadcasts; keys that call or switch off; exploring the
    /// settings, the dialer and the like.
    System,
}

/// What `retap.toml` says about the app under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppConstraints {
    /// As they are written: `id:NAME`, `text:LABEL`, `class:NAME`.
    pub forbidden_widgets: Vec<String>,
    pub forbidden_activities: Vec<String>,
    pub forbidden_texts: Vec<String>,
    /// What is typed into which fields.
    pub texts: Vec<(String, String)>,
    /// Targets that must never be reached.
    pub never: Vec<String>,
    /// What every screen, or every one of an activity, must show.
    pub always: Vec<String>,
    /// The text of the trace that is played after every clean start.
    pub before: Option<String>,
    /// The texts of the traces to start from.
    pub from: Vec<String>,
}

impl AppConstraints {
    fn is_default(&self) -> bool {
        *self == AppConstraints::default()
    }
}

/// What can be set about an explorer; what is not said is as published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplorerOptions {
    /// Shares of Monkey's events, by their names.
    pub shares: Vec<(String, f64)>,
    /// Milliseconds between two of Monkey's events.
    pub throttle: Option<u32>,
    /// APE's settings by their names.
    pub ape: Vec<(String, String)>,
    /// What time travel is over.
    pub over: Option<ExplorerKind>,
    /// The text of the abstraction to start from.
    pub abstraction: Option<String>,
}

impl ExplorerOptions {
    fn is_default(&self) -> bool {
        *self == ExplorerOptions::default()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReduceOptions {
    /// Without one, for each trace the simulated phone that has its app.
    pub device: Option<String>,
    pub count: u32,
    /// As the user named it; the traces themselves are copied into the run.
    pub source: PathBuf,
    /// Without one, what each trace says it reaches.
    pub target: Option<String>,
    pub algorithm: Algorithm,
    pub runs: u32,
    pub successes: u32,
    /// Maximum number of concurrent runs; default: the number of phones.
    #[serde(default)]
    pub parallel: Option<u32>,
    /// How many of the first runs of the whole trace must do it.
    #[serde(default)]
    pub original_successes: Option<u32>,
    /// Only for `nd3min`.
    #[serde(default)]
    pub nd3min: Nd3minOptions,
    /// The result must do it no less often than the original, however often that is.
    #[serde(default)]
    pub keep_rate: bool,
    /// Steps are left out, not made simpler.
    #[serde(default)]
    pub only_delete: bool,
    /// The text of the prior, complete: `paper` needs none.
    #[serde(default)]
    pub prior: Option<String>,
    /// Only for those that go by a tree of states.
    #[serde(default)]
    pub hierarchy: Hierarchy,
    #[serde(default)]
    pub oracle: OracleKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReduceSuiteOptions {
    /// Without one, the simulated phone that has the suite's app.
    pub device: Option<String>,
    pub count: u32,
    /// As the user named them; the traces themselves are copied into the run.
    pub sources: Vec<PathBuf>,
    pub algorithm: SuiteAlgorithm,
    pub replays: u32,
    pub fragments: u32,
    /// Complete, also where it came from a file.
    pub abstraction: Abstraction,
    /// Steps are left out, not made simpler.
    #[serde(default)]
    pub only_delete: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SuiteAlgorithm {
    /// Every trace is played once, walks through what was seen cover it anew, and only the result is proven in full.
    Auto,
    /// As in the paper: replayable beginnings, redundant traces, loops, bounded splicing.
    Detreduce,
}

impl SuiteAlgorithm {
    pub fn name(self) -> &'static str {
        match self {
            SuiteAlgorithm::Auto => "auto",
            SuiteAlgorithm::Detreduce => "detreduce",
        }
    }
}

/// What counts as a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Hierarchy {
    #[default]
    Activity,
    /// The screen as it was recorded.
    Screen,
}

/// Who says whether a candidate still does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum OracleKind {
    #[default]
    Phones,
    /// The recording itself: an activity machine, and no phone.
    Recording,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nd3minOptions {
    pub scheduler: Scheduler,
    pub parts: u32,
}

impl Default for Nd3minOptions {
    fn default() -> Nd3minOptions {
        Nd3minOptions {
            scheduler: Scheduler::Heuristic,
            parts: DEFAULT_PARTS,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduler {
    /// One run of each candidate in turn.
    RoundRobin,
    /// All runs of one candidate after the other.
    Greedy,
    /// Prove what looks good, throw out what does not.
    Heuristic,
    /// The policy that needs the fewest rounds; solved once and kept.
    Optimal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ExplorerKind {
    /// A random choice among the widgets that are on the screen, in sessions.
    Random,
    /// Android's own Monkey.
    Monkey,
    /// Monkey and system events: calls, network, memory, language.
    #[serde(rename = "monkey+system")]
    #[value(name = "monkey+system")]
    MonkeySystem,
    /// Monkey that starts clean when it is stuck.
    #[serde(rename = "monkey+restart")]
    #[value(name = "monkey+restart")]
    MonkeyRestart,
    /// By a model whose states are split and put together as it learns.
    Ape,
    /// Monkey and system events, going back to promising states when stuck.
    Timetravel,
    /// Retap's own: time travel under a model, guided by what is new.
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Retap's own: the shortest recorded path, then deletion by probabilities, until nothing can be removed
    Auto,
    /// Plain delta debugging (ddmin)
    Dd,
    /// Delta debugging in rounds of runs, for flaky targets
    Nd3min,
    /// SimplyDroid: hierarchical delta debugging by a tree of states, in parts of equally many nodes
    Hdd,
    /// SimplyDroid: as `hdd`, in parts of equally many events
    Bhdd,
    /// SimplyDroid: as `hdd`, but only the transitions between levels are kept where that suffices
    Lhdd,
    /// As `lhdd`, without first trying the last nodes of a level
    LhddNoPreselection,
}

impl RunOptions {
    /// The command's name, as a user types it.
    pub fn command(&self) -> &'static str {
        match self {
            RunOptions::Demo(_) => "demo",
            RunOptions::Explore(_) => "explore",
            RunOptions::Reduce(_) => "reduce",
            RunOptions::ReduceSuite(_) => "reduce-suite",
        }
    }
}

impl ExplorerKind {
    /// Where none is named. Only `random` is explored in sessions: who speaks of them means it.
    pub fn default_for(session_events: Option<u32>) -> ExplorerKind {
        if session_events.is_some() {
            ExplorerKind::Random
        } else {
            ExplorerKind::Auto
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ExplorerKind::Random => "random",
            ExplorerKind::Monkey => "monkey",
            ExplorerKind::MonkeySystem => "monkey+system",
            ExplorerKind::MonkeyRestart => "monkey+restart",
            ExplorerKind::Ape => "ape",
            ExplorerKind::Timetravel => "timetravel",
            ExplorerKind::Auto => "auto",
        }
    }
}

impl Algorithm {
    /// Runs of a candidate and successes among them, with defaults for what is not given.
    pub fn rules(self, runs: Option<u32>, successes: Option<u32>) -> (u32, u32) {
        match self {
            Algorithm::Nd3min => {
                let runs = runs.unwrap_or(NOISY_RUNS);
                (runs, successes.unwrap_or((runs * 9).div_ceil(10)))
            }
            _ => {
                let runs = runs.unwrap_or(DEFAULT_RUNS);
                (runs, successes.unwrap_or(runs))
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Dd => "dd",
            Algorithm::Nd3min => "nd3min",
            Algorithm::Hdd => "hdd",
            Algorithm::Bhdd => "bhdd",
            Algorithm::Lhdd => "lhdd",
            Algorithm::LhddNoPreselection => "lhdd-no-preselection",
        }
    }

    /// Whether it goes by a tree of states.
    pub fn is_hierarchical(self) -> bool {
        !matches!(self, Algorithm::Auto | Algorithm::Dd | Algorithm::Nd3min)
    }
}
