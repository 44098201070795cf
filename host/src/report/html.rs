//! The report of a run as one page that stands alone: style, drawings and script inside, nothing fetched. It can be read
//! without its script.

mod app;
mod canvas;
mod coverage_chart;
mod finding;
mod gesture;
mod icon;
mod keyboard;
mod label;
mod page;
mod page_data;
mod reduction_curve;
#[cfg(test)]
mod sample;
pub(super) mod sanitise_html;
mod scene;
mod screen;
mod script;
pub(crate) mod step_text;
mod step_touch;
mod strip;
mod suite;
mod summary;
#[cfg(test)]
mod tests;
mod widget;

use crate::report::data::ReportData;

/// The whole page, ready to be written to a file.
pub fn render(report: &ReportData) -> String {
    page::page(report).into_string()
}
