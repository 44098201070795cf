//! The frame of the page: head, masthead, sections, foot.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::finding::NumberedFinding;
use super::{app, icon, page_data, sanitise_html, script, summary};
use crate::report::data::ReportData;

const STYLE: &str = include_str!("style.css");
const VIEWER_STYLE: &str = include_str!("../../../page/src/viewer.css");

pub(crate) fn page(report: &ReportData) -> Markup {
    let title = sanitise_html::sanitise_line(&report.title, 120);
    let findings = NumberedFinding::all(report);
    let left_out = report
        .apps
        .iter()
        .map(|app| app.findings.len())
        .sum::<usize>()
        - findings.len();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Retap" }
                style { (PreEscaped(STYLE)) (PreEscaped(VIEWER_STYLE)) }
            }
            body {
                (icon::definitions())
                header.masthead { (mark()) (heading(report, &title)) }
                main {
                    (summary::facts(report))
                    (summary::table(&findings, left_out))
                    @for app in &report.apps { (app::section(app, &findings)) }
                }
                footer {
                    "Made by Retap " (env!("CARGO_PKG_VERSION")) ". "
                    "Screens are drawn from the UI tree, unless the phone gave screenshots."
                }
                (page_data::page_data(&findings))
                (script::script())
            }
        }
    }
}

/// Forbids fetching, and all scripts but the page's own, whatever texts of an app are on the page.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{}'",
        script::source_hash()
    )
}

fn heading(report: &ReportData, title: &str) -> Markup {
    html! {
        h1 { bdi { (title) } }
        p.sentence { bdi { (summary::sentence(report)) } }
    }
}

/// The name of the program with its mark.
fn mark() -> Markup {
    html! {
        p.mark {
            svg aria-hidden="true" viewBox="0 0 24 24" {
                circle.outer cx="12" cy="12" r="10" {}
                circle.inner cx="12" cy="12" r="4.5" {}
            }
            "Retap"
        }
    }
}
