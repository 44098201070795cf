//! The apps that a simulated phone can have.

mod calculator;
mod extra_screens;
mod mail;
mod notes;
mod player;
mod settings;
mod shop;

use std::sync::Arc;

use crate::declarative::AppDefinition;
use crate::framework::AppProcess;
use crate::planted_crash::PlantedCrashScript;

/// An app that a simulated phone can have.
pub(crate) struct SimulatedAppEntry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) install: fn() -> Box<dyn AppProcess>,
    pub(crate) planted_crashes: &'static [PlantedCrashScript],
    /// Definition of the part that is declarative.
    pub(crate) definition: Option<fn() -> Arc<AppDefinition>>,
}

pub(crate) const ENTRIES: &[SimulatedAppEntry] = &[
    notes::ENTRY,
    shop::ENTRY,
    mail::ENTRY,
    player::ENTRY,
    settings::ENTRY,
    calculator::ENTRY,
];
