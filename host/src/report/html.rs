//! The report of a run as one page that stands alone: style and drawings inside, no script, nothing fetched.

mod aim;
mod app;
mod canvas;
mod crash;
mod curve;
mod finger;
mod harmless;
mod headline;
mod icon;
mod keyboard;
mod label;
mod page;
#[cfg(test)]
mod sample;
mod scene;
mod screen;
mod shrinking;
mod stack;
mod strip;
mod suite;
mod summary;
#[cfg(test)]
mod tests;
mod widget;
pub(crate) mod words;

use crate::report::data::ReportData;

/// The whole page, ready to be written to a file.
pub fn render(report: &ReportData) -> String {
    page::page(report).into_string()
}
