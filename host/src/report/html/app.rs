//! One app: its exploration, its reduced suite, and its findings.

use maud::{Markup, html};
use retap_shared::micros::Micros;

use super::finding::{self, NumberedFinding};
use super::step_text::pluralise;
use super::{coverage_chart, sanitise_html, suite};
use crate::report::data::{AppSection, ExplorationSection};
use crate::wording::group_thousands;

/// Section of an app. `findings` are those of all apps; only the app's own are shown.
pub(crate) fn section(app: &AppSection, findings: &[NumberedFinding<'_>]) -> Markup {
    let own = findings
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
            @if let Some(section) = &app.exploration { (exploration(section)) }
            @if let Some(reduced) = &app.suite { (suite::suite(reduced)) }
            @if app.findings.is_empty() && app.suite.is_none() { p.none { "No finding in this app." } }
            @for numbered in own { (finding::finding(*numbered)) }
            @if left_out > 0 {
                p.none { (pluralise(left_out as u64, "more finding is", "more findings are")) " in the run directory." }
            }
        }
    }
}

/// Label of an app, or its package.
pub(crate) fn name(app: &AppSection) -> String {
    let named = [app.label.trim(), app.app.package.trim()]
        .into_iter()
        .find(|name| !name.is_empty());
    sanitise_html::sanitise_line(named.unwrap_or("Unnamed app"), 60)
}

fn exploration(section: &ExplorationSection) -> Markup {
    html! {
        p.explored {
            strong { (group_thousands(section.events)) } " events"
            @if section.sessions > 0 { " in " (pluralise(u64::from(section.sessions), "session", "sessions")) }
            @if !section.explorer.is_empty() {
                ", chosen by the explorer " code { (sanitise_html::sanitise_line(&section.explorer, 60)) }
            }
            @if section.took > Micros::ZERO { "; " (section.took) " of phone time" }
            "."
            @if !section.starts.is_empty() { " Starts: " (section.starts) ". Travel: " (section.travel) "." }
        }
        (coverage_chart::charts(section))
    }
}
