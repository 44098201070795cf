//! The apps that a simulated phone can have.

mod calculator;
mod camera;
mod extra_screens;
mod mail;
mod notes;
mod player;
mod recorder;
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

/// Apps whose crashes depend on more than the steps: on their pace, or on what earlier runs have left. Benchmarks and ground
/// truth do not count them.
pub(crate) const UNCOUNTED_ENTRIES: &[SimulatedAppEntry] = &[camera::ENTRY, recorder::ENTRY];

pub(crate) const ENTRIES: &[SimulatedAppEntry] = &[
    notes::ENTRY,
    shop::ENTRY,
    mail::ENTRY,
    player::ENTRY,
    settings::ENTRY,
    calculator::ENTRY,
];
