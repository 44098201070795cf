//! The apps that a simulated phone can have.

mod mail;
mod notes;
mod shop;

use retap_shared::verdict::ProblemKind;

use crate::kit::Process;
use crate::truth::Do;

/// An app as it is offered.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) install: fn() -> Box<dyn Process>,
    pub(crate) planted: &'static [Planted],
}

/// A crash that was put there on purpose, and the shortest way to it from a clean start.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    pub(crate) kind: ProblemKind,
    pub(crate) shortest: &'static [Do],
}

pub(crate) const ENTRIES: &[Entry] = &[notes::ENTRY, shop::ENTRY, mail::ENTRY];
