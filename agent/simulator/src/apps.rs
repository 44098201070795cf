//! The apps that a simulated phone can have.

mod calculator;
mod camera;
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

/// The app whose crash depends on the pace of its taps. Benchmarks and ground truth, which wait for a settled screen after
/// each step, do not count it.
pub(crate) const PACED_ENTRY: SimulatedAppEntry = camera::ENTRY;

pub(crate) const ENTRIES: &[SimulatedAppEntry] = &[
    notes::ENTRY,
    shop::ENTRY,
    mail::ENTRY,
    player::ENTRY,
    settings::ENTRY,
    calculator::ENTRY,
];
