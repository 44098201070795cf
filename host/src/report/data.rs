//! What a report says about a run, as plain data. Whoever runs jobs fills it in, `html` draws it.
//! Paths are relative to the run directory.

use retap_explore::FindingContext;
use retap_shared::Text;
use retap_shared::bytes::Png;
use retap_shared::finding::Finding;
use retap_shared::fingerprint::Fingerprint;
use retap_shared::locate::LocatedBy;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::screen::SharedScreen;
use retap_shared::trace::{App, Step};
use retap_shared::verdict::Outcome;

use crate::run::findings::ReductionCurve;

#[derive(Clone, Debug)]
pub struct ReportData {
    /// The page's heading, such as `Three simulated apps`.
    pub title: String,
    /// The command line as it was typed.
    pub command: String,
    pub seed: u64,
    pub outcome: Outcome,
    /// How long the person waited; zero if unknown.
    pub took: Micros,
    pub phones: Vec<PhoneSection>,
    pub apps: Vec<AppSection>,
}

#[derive(Clone, Debug)]
pub struct PhoneSection {
    /// As `--device` names it.
    pub name: String,
    /// Where nobody asked the phone: `PhoneInfo::default()`.
    pub info: PhoneInfo,
}

#[derive(Clone, Debug, Default)]
pub struct AppSection {
    /// As a person calls the app; its package is shown where this is empty.
    pub label: Text,
    pub app: App,
    /// What was explored; none for a run that only reduced or replayed.
    pub exploration: Option<ExplorationSection>,
    /// What a suite was cut down to.
    pub suite: Option<SuiteSection>,
    /// Each distinct crash once, in the order in which they were found.
    pub findings: Vec<FindingSection>,
}

#[derive(Clone, Debug, Default)]
pub struct ExplorationSection {
    pub explorer: String,
    pub sessions: u32,
    pub events: u64,
    /// On the phones' own clocks, all phones together; zero if unknown.
    pub took: Micros,
    /// How many there are; 0 where the phone does not know.
    pub activities_total: u32,
    pub branches_total: u32,
    /// How often the app was started, and how states were gone back to, in words; empty if unknown.
    pub starts: String,
    pub travel: String,
    /// In the order of events, cumulative. The last point holds the totals.
    pub curve: Vec<CoverageCurvePoint>,
}

#[derive(Clone, Debug, Default)]
pub struct SuiteSection {
    pub algorithm: String,
    pub before: SuiteSize,
    pub after: SuiteSize,
    /// What was left after each phase, and the runs until then.
    pub phases: Vec<(String, u32, u64, u64)>,
    pub kept: Vec<SuiteTraceSection>,
    /// Of the files that were read: how many have no step in the result, how many only some, how many all of theirs.
    pub dropped_traces: u32,
    pub shortened_traces: u32,
    pub unchanged_traces: u32,
    /// Each file that was read: its name, its steps, how many of them can be replayed, and how many are in the result.
    pub originals: Vec<(String, u32, u32, u32)>,
    pub not_replayable: u32,
    pub replays: ReplayTally,
    pub runs: u64,
    pub phone_time: Micros,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteSize {
    pub traces: u32,
    pub transitions: u64,
    pub took: Micros,
    pub activities: u32,
    pub screens: u32,
    pub branches: u32,
    pub crashes: u32,
}

/// A trace of a reduced suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteTraceSection {
    /// Inside the run.
    pub file: String,
    pub steps: Vec<Step>,
    pub took: Micros,
    pub covers_alone: u32,
    /// Files that were read, and which of their steps, counted from one.
    pub fragments: Vec<(String, u32, u32)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCurvePoint {
    pub events: u64,
    /// On the phones' own clocks; zero if unknown.
    pub took: Micros,
    pub activities: u32,
    pub screens: u32,
    pub branches: u32,
}

#[derive(Clone, Debug)]
pub struct FindingSection {
    pub fingerprint: Fingerprint,
    pub finding: Finding,
    /// How often the run met it.
    pub occurrences: u32,
    /// The trace as it was found.
    pub original: IllustratedTrace,
    /// What it was cut down to, if that was tried and worked.
    pub reduced: Option<ReducedTraceSection>,
    /// What a reader should know besides, such as why it could not be reduced.
    pub note: Option<String>,
    /// What there was to see when it came.
    pub scene: FindingContext,
}

#[derive(Clone, Debug)]
pub struct ReducedTraceSection {
    pub trace: IllustratedTrace,
    /// How many runs on a phone the reduction took.
    pub runs: u64,
    /// How often the result did it again when it was replayed as proof.
    pub replays: Option<ReplayTally>,
    /// How it became smaller.
    pub curve: ReductionCurve,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayTally {
    pub successes: u32,
    pub runs: u32,
}

/// Steps, and what was on the screen.
#[derive(Clone, Debug, Default)]
pub struct IllustratedTrace {
    pub steps: Vec<Step>,
    /// The screen before each step, then the last one, as `Played::screens`. May be shorter or empty: the steps
    /// without a screen are shown in words.
    pub screens: Vec<SharedScreen>,
    /// What the phone really showed, in the order of `screens`. May be shorter or empty: the others are drawn.
    pub pictures: Vec<Png>,
    /// How each step found its widget, as `Played::hits`. May be shorter or empty.
    pub hits: Vec<LocatedBy>,
    /// The `.retap` file; empty if there is none.
    pub file: String,
}
