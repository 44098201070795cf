//! The apps that a simulated phone can have.

mod calculator;
mod mail;
mod more;
mod notes;
mod player;
mod settings;
mod shop;

use std::sync::Arc;

use retap_shared::verdict::ProblemKind;

use crate::kit::Process;
use crate::plan::Plan;
use crate::truth::Do;

/// An app as it is offered.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) install: fn() -> Box<dyn Process>,
    pub(crate) planted: &'static [Planted],
    /// What of it is told as data.
    pub(crate) plan: Option<fn() -> Arc<Plan>>,
}

/// A crash that was put there on purpose, and the shortest way to it from a clean start.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) kind: ProblemKind,
    pub(crate) shortest: &'static [Do],
}

pub(crate) const ENTRIES: &[Entry] = &[
    notes::ENTRY,
    shop::ENTRY,
    mail::ENTRY,
    player::ENTRY,
    settings::ENTRY,
    calculator::ENTRY,
];
