//! One app: what was explored of it, and its crashes.

use maud::{Markup, html};
use retap_shared::micros::Micros;

use super::crash::{self, Numbered};
use super::words::counted;
use super::{curve, harmless, suite};
use crate::report::data::{AppSection, Explored};
use crate::words::thousands;

/// `crashes` are those of all apps; the app's own are shown.
pub(crate) fn section(app: &AppSection, crashes: &[Numbered<'_>]) -> Markup {
    let own = crashes
        .iter()
        .filter(|numbered| std::ptr::eq(numbered.app, app));
    let left_out = app.crashes.len() - own.clone().count();
    html! {
        section.app {
            header {
                h2 { bdi { (name(app)) } }
                p.package {
                    bdi { (harmless::line(&app.app.package, 100)) }
                    @if app.app.version_code > 0 { " · version " (app.app.version_code) }
                }
            }
            @if let Some(explored) = &app.exploration { (exploration(explored)) }
            @if let Some(smaller) = &app.suite { (suite::suite(smaller)) }
            @if app.crashes.is_empty() && app.suite.is_none() { p.none { "No crash was found in this app." } }
            @for numbered in own { (crash::crash(*numbered)) }
            @if left_out > 0 {
                p.none { (counted(left_out as u64, "more crash is", "more crashes are")) " in the run directory." }
            }
        }
    }
}

pub(crate) fn name(app: &AppSection) -> String {
    let named = [app.label.trim(), app.app.package.trim()]
        .into_iter()
        .find(|name| !name.is_empty());
    harmless::line(named.unwrap_or("Unnamed app"), 60)
}

fn exploration(explored: &Explored) -> Markup {
    html! {
        p.explored {
            strong { (thousands(explored.events)) } " events"
            @if explored.sessions > 0 { " in " (counted(u64::from(explored.sessions), "session", "sessions")) }
            @if !explored.explorer.is_empty() {
                ", chosen by the explorer " code { (harmless::line(&explored.explorer, 60)) }
            }
            @if explored.took > Micros::ZERO { "; " (explored.took) " on the phones’ clocks" }
            "."
            @if !explored.starts.is_empty() { " Starts: " (explored.starts) ". Travel: " (explored.travel) "." }
        }
        (curve::charts(explored))
    }
}
