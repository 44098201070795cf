//! Options of `retap explore` and their defaults.

use std::path::PathBuf;

use retap_reduce::named_choice::NamedChoice;
use serde::{Deserialize, Serialize};

use super::{
    COUNTS, CodeCoverage, EVENTS, MINUTES, MappingOptions, OptionNumber, PhonePermission,
    SESSION_EVENTS,
};
use crate::device_spec::PhoneSelection;

/// Events of all phones together.
pub const DEFAULT_EVENTS: u64 = 5_000;
/// Events of one session of `random`.
pub const DEFAULT_SESSION_EVENTS: u32 = 500;
/// Time between two of Monkey's events, as published.
pub const DEFAULT_THROTTLE_MS: u32 = 200;

/// Options of `retap explore`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExploreOptions {
    pub devices: PhoneSelection,
    /// Package or name; without one, the only app of the phone.
    pub app: Option<String>,
    pub explorer: ExplorerKind,
    pub events: u64,
    /// Phone time of each phone, instead of `events`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    pub session_events: u32,
    /// The trace from each clean start becomes a file.
    #[serde(default)]
    pub keep_traces: bool,
    #[serde(
        default,
        rename = "tuning",
        skip_serializing_if = "ExplorerOptions::is_default"
    )]
    pub explorer_options: ExplorerOptions,
    #[serde(
        default,
        rename = "care",
        skip_serializing_if = "AppConstraints::is_default"
    )]
    pub constraints: AppConstraints,
    /// Each finding is reduced as soon as a phone is idle.
    #[serde(default)]
    pub reduce: bool,
    #[serde(default)]
    pub allow: Vec<PhonePermission>,
    /// File of the known findings; without one, the store knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "MappingOptions::is_empty")]
    pub mappings: MappingOptions,
    /// What of the app's code is noted.
    #[serde(default, skip_serializing_if = "CodeCoverage::is_default")]
    pub coverage: CodeCoverage,
}

impl ExploreOptions {
    pub(super) fn numbers(&self) -> Vec<OptionNumber> {
        let throttle = self
            .explorer_options
            .throttle
            .unwrap_or(DEFAULT_THROTTLE_MS);
        vec![
            ("count", self.devices.count.into(), COUNTS),
            ("events", self.events, EVENTS),
            ("minutes", self.minutes.unwrap_or(1).into(), MINUTES),
            ("session_events", self.session_events.into(), SESSION_EVENTS),
            ("throttle", throttle.into(), 0..=60_000),
        ]
    }
}

/// Constraints of `retap.toml` on the app under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AppConstraints {
    /// Selectors as they are written: `id:NAME`, `text:LABEL`, `class:NAME`.
    pub forbidden_widgets: Vec<String>,
    pub forbidden_activities: Vec<String>,
    pub forbidden_texts: Vec<String>,
    /// Names of fields, and the text for each.
    pub texts: Vec<(String, String)>,
    /// Targets that must never be reached.
    pub never: Vec<String>,
    /// Texts and widgets that every screen, or every screen of an activity, must show.
    pub always: Vec<String>,
    /// Text of the trace that is played after every clean start.
    pub before: Option<String>,
    /// Texts of the traces to start from.
    pub from: Vec<String>,
}

impl AppConstraints {
    fn is_default(&self) -> bool {
        *self == AppConstraints::default()
    }
}

/// Options of the explorers themselves. Everything that is not given is as published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExplorerOptions {
    /// Shares of Monkey's events, by their names.
    pub shares: Vec<(String, f64)>,
    /// Milliseconds between two of Monkey's events.
    pub throttle: Option<u32>,
    /// APE's parameters, by their names.
    pub ape: Vec<(String, String)>,
    /// Explorer under time travel.
    pub over: Option<ExplorerKind>,
    /// Text of the abstraction to start from.
    pub abstraction: Option<String>,
}

impl ExplorerOptions {
    fn is_default(&self) -> bool {
        *self == ExplorerOptions::default()
    }
}

/// An explorer, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplorerKind {
    Random,
    Monkey,
    #[serde(rename = "monkey+system")]
    MonkeySystem,
    #[serde(rename = "monkey+restart")]
    MonkeyRestart,
    Ape,
    Timetravel,
    Auto,
}

impl ExplorerKind {
    /// Explorer if none is named. Only `random` has sessions, so their length selects it.
    pub fn default_for(session_events: Option<u32>) -> ExplorerKind {
        match session_events {
            Some(_) => ExplorerKind::Random,
            None => ExplorerKind::Auto,
        }
    }
}

impl NamedChoice for ExplorerKind {
    const KIND: &'static str = "explorer";
    const ALL: &'static [ExplorerKind] = &[
        ExplorerKind::Random,
        ExplorerKind::Monkey,
        ExplorerKind::MonkeySystem,
        ExplorerKind::MonkeyRestart,
        ExplorerKind::Ape,
        ExplorerKind::Timetravel,
        ExplorerKind::Auto,
    ];

    fn name(self) -> &'static str {
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

    fn description(self) -> &'static str {
        match self {
            ExplorerKind::Random => "Random actions on the widgets of the screen, in sessions",
            ExplorerKind::Monkey => "Android's Monkey",
            ExplorerKind::MonkeySystem => {
                "Monkey with system events: calls, network, memory, language"
            }
            ExplorerKind::MonkeyRestart => "Monkey with a clean start whenever it is stuck",
            ExplorerKind::Ape => "APE: a model whose states are refined and coarsened as it learns",
            ExplorerKind::Timetravel => {
                "TimeMachine: Monkey with system events, returns to promising states when it is stuck"
            }
            ExplorerKind::Auto => "Retap's own: time travel over a model, guided by coverage",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_the_command_line_and_in_stored_runs_are_the_same() {
        for kind in ExplorerKind::ALL {
            let stored = serde_json::to_value(kind).unwrap();
            assert_eq!(stored, kind.name());
        }
    }
}
