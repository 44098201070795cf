//! Content of a run's page: what `operations` collects from the results, and what `html` draws.
//! Findings and reduced suites are drawn as the run keeps them. The exploration has a section of its own because the page
//! must not depend on the operation that made it. Paths are relative to the run directory.

use std::path::PathBuf;

use retap_model::CoveragePoint;
use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;

use crate::device_spec::DeviceList;
use crate::run::findings::StoredFinding;
use crate::run::reduced_suite::ReducedSuite;

/// Everything on the page of a run.
#[derive(Clone, Debug)]
pub struct ReportData {
    /// The page's heading, such as `Three simulated apps`.
    pub title: String,
    /// The command line as it was typed.
    pub command: String,
    pub seed: u64,
    pub outcome: Outcome,
    /// Real time of the run; zero if unknown.
    pub took: Micros,
    /// Directory of the run, for commands that use its files.
    pub directory: PathBuf,
    pub phones: Vec<PhoneSection>,
    pub apps: Vec<AppSection>,
}

/// A phone of the run.
#[derive(Clone, Debug)]
pub struct PhoneSection {
    /// As `--device` names it.
    pub name: String,
    /// `PhoneInfo::default()` if the phone was not asked.
    pub info: PhoneInfo,
}

/// An app and what the run did with it.
#[derive(Clone, Debug, Default)]
pub struct AppSection {
    /// Name that the app shows to people; if empty, the package is shown.
    pub label: Text,
    pub app: App,
    /// None for a run that only reduced or replayed.
    pub exploration: Option<ExplorationSection>,
    pub suite: Option<ReducedSuite>,
    /// Each distinct finding once, in the order in which they were found.
    pub findings: Vec<StoredFinding>,
    /// Phones on which the findings can be replayed; none if any phone with the app will do.
    pub devices: Option<DeviceList>,
}

/// An exploration in numbers.
#[derive(Clone, Debug, Default)]
pub struct ExplorationSection {
    pub explorer: String,
    pub sessions: u32,
    pub events: u64,
    /// Phone time of all phones together; zero if unknown.
    pub took: Micros,
    /// Number of activities and branches that the app has; 0 where the phone does not know.
    pub activities_total: u32,
    pub branches_total: u32,
    /// Starts of the app and travel to earlier states, in words; empty if unknown.
    pub starts: String,
    pub travel: String,
    /// In the order of events, cumulative. The last point holds the totals.
    pub curve: Vec<CoveragePoint>,
}
