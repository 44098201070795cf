//! One app: what was explored of it, and its crashes.

use maud::{Markup, html};
use retap_shared::micros::Micros;

use super::finding::{self, NumberedFinding};
use super::step_text::pluralise;
use super::{coverage_chart, sanitise_html, suite};
use crate::report::data::{AppSection, ExplorationSection};
use crate::wording::group_thousands;

/// `crashes` are those of all apps; the app's own are shown.
pub(crate) fn section(app: &AppSection, crashes: &[NumberedFinding<'_>]) -> Markup {
    let own = crashes
        .iter()
        .filter(|numbered| std::ptr::eq(numbered.app, app));
    let left_out = app.findings.len() - own.clone().count();
    html! {
        section.app {
            header {
                h2 { bdi { (name(app)) } }
                p.package {
                    bdi { (sanitise_html::sanitise_line(&app.app.package, 100)) }
                    @if app.app.version_code > 0 { " · version " (app.app.version_code) }
                }
            }
            @if let Some(explored) = &app.exploration { (exploration(explored)) }
            @if let Some(smaller) = &app.suite { (suite::suite(smaller)) }
            @if app.findings.is_empty() && app.suite.is_none() { p.none { "No crash was found in this app." } }
            @for numbered in own { (finding::finding(*numbered)) }
            @if left_out > 0 {
                p.none { (pluralise(left_out as u64, "more crash is", "more crashes are")) " in the run directory." }
            }
        }
    }
}

pub(crate) fn name(app: &AppSection) -> String {
    let named = [app.label.trim(), app.app.package.trim()]
        .into_iter()
        .find(|name| !name.is_empty());
    sanitise_html::sanitise_line(named.unwrap_or("Unnamed app"), 60)
}

fn exploration(explored: &ExplorationSection) -> Markup {
    html! {
        p.explored {
            strong { (group_thousands(explored.events)) } " events"
            @if explored.sessions > 0 { " in " (pluralise(u64::from(explored.sessions), "session", "sessions")) }
            @if !explored.explorer.is_empty() {
                ", chosen by the explorer " code { (sanitise_html::sanitise_line(&explored.explorer, 60)) }
            }
            @if explored.took > Micros::ZERO { "; " (explored.took) " on the phones’ clocks" }
            "."
            @if !explored.starts.is_empty() { " Starts: " (explored.starts) ". Travel: " (explored.travel) "." }
        }
        (coverage_chart::charts(explored))
    }
}
