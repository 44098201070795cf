//! The apps that a simulated phone can have.

mod calculator;
mod extra_screens;
mod mail;
mod notes;
mod player;
mod settings;
mod shop;

use std::sync::Arc;

use retap_shared::finding::FindingKind;

use crate::declarative::AppDefinition;
use crate::framework::AppProcess;
use crate::ground_truth::ScriptedAction;

/// An app as it is offered.
pub(crate) struct SimulatedAppEntry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) install: fn() -> Box<dyn AppProcess>,
    pub(crate) planted_crashes: &'static [PlantedCrashScript],
    /// What of it is told as data.
    pub(crate) definition: Option<fn() -> Arc<AppDefinition>>,
}

/// A crash that was put there on purpose, and the shortest way to it from a clean start.
pub(crate) struct PlantedCrashScript {
    pub(crate) name: &'static str,
    pub(crate) kind: FindingKind,
    pub(crate) shortest: &'static [ScriptedAction],
}

pub(crate) const ENTRIES: &[SimulatedAppEntry] = &[
    notes::ENTRY,
    shop::ENTRY,
    mail::ENTRY,
    player::ENTRY,
    settings::ENTRY,
    calculator::ENTRY,
];
