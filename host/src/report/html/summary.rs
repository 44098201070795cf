//! The top of the report: command, outcome in one sentence, and a table of all findings.

use maud::{Markup, html};
use retap_reduce::suite::SuiteMeasure;
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;

use super::finding::{self, NumberedFinding};
use super::step_text::pluralise;
use super::{app, sanitise_html};
use crate::report::data::{AppSection, PhoneSection, ReportData};
use crate::report::headline::FindingHeadline;
use crate::run::reduced_suite::ReducedSuite;
use crate::wording::group_thousands;

/// Maximum number of phones that are named; the others are counted.
const MOST_PHONES: usize = 12;

/// Outcome of the run in one sentence.
pub(crate) fn sentence(report: &ReportData) -> String {
    if let [
        AppSection {
            suite: Some(suite), ..
        },
    ] = report.apps.as_slice()
    {
        return suite_sentence(suite);
    }
    let findings: u64 = report
        .apps
        .iter()
        .map(|app| app.findings.len() as u64)
        .sum();
    let events: u64 = report
        .apps
        .iter()
        .filter_map(|app| app.exploration.as_ref())
        .map(|one| one.events)
        .sum();
    let place = match report.apps.as_slice() {
        [only] => format!(" in {}", app::name(only)),
        apps => format!(" in {}", pluralise(apps.len() as u64, "app", "apps")),
    };
    let after = if events > 0 {
        format!(" after {}", pluralise(events, "event", "events"))
    } else {
        String::new()
    };
    if findings == 0 {
        return format!("No finding{place}{after}.");
    }
    let (from, to) = steps_before_and_after(report);
    let reduced = if from > 0 {
        format!(
            ", cut down from {} steps to {}",
            group_thousands(from),
            group_thousands(to)
        )
    } else {
        String::new()
    };
    format!(
        "{}{place}{after}{reduced}.",
        pluralise(findings, "distinct finding", "distinct findings")
    )
}

fn suite_sentence(suite: &ReducedSuite) -> String {
    let before = &suite.reduction.before;
    let after = &suite.reduction.after;
    let size = |measure: &SuiteMeasure| {
        let traces = pluralise(u64::from(measure.traces), "trace", "traces");
        format!(
            "{traces} with {}",
            pluralise(measure.transitions, "step", "steps")
        )
    };
    format!(
        "{} cut down to {}, which take {} instead of {}.",
        size(before),
        size(after),
        after.took,
        before.took
    )
}

/// Steps of all traces that were reduced, before and after.
fn steps_before_and_after(report: &ReportData) -> (u64, u64) {
    let findings = report.apps.iter().flat_map(|app| &app.findings);
    findings.fold((0, 0), |(from, to), finding| match &finding.reduced {
        Some(reduced) => (
            from + finding.trace.steps.len() as u64,
            to + reduced.reduction.trace.steps.len() as u64,
        ),
        None => (from, to),
    })
}

/// Command, seed, phones, time.
pub(crate) fn facts(report: &ReportData) -> Markup {
    html! {
        dl.run {
            div.command { dt { "Command" } dd { code { bdi { (sanitise_html::sanitise_line(&report.command, 400)) } } } }
            div { dt { "Seed" } dd { code { (report.seed) } } }
            @if report.took > Micros::ZERO { div { dt { "Took" } dd { (report.took) } } }
            @if report.outcome != Outcome::Done {
                div { dt { "Ended" } dd { (report.outcome) } }
            }
            div.phones {
                dt { @if report.phones.len() == 1 { "Phone" } @else { "Phones" } }
                dd { (phones(&report.phones)) }
            }
        }
    }
}

fn phones(phones: &[PhoneSection]) -> Markup {
    html! {
        @if phones.is_empty() { "none" }
        ul {
            @for phone in phones.iter().take(MOST_PHONES) {
                li { code { bdi { (sanitise_html::sanitise_line(&phone.name, 80)) } } " " span { (described(phone)) } }
            }
            @if phones.len() > MOST_PHONES { li { "and " (phones.len() - MOST_PHONES) " more" } }
        }
    }
}

/// `simulated phone, API 34, 1080 × 2400`
fn described(phone: &PhoneSection) -> String {
    let info = &phone.info;
    let kind = match info.kind.as_str() {
        "" => "phone of unknown kind".to_owned(),
        "simulated" => "simulated phone".to_owned(),
        "jvm" => "Android framework on a JVM, no real phone".to_owned(),
        "android" => "Android phone".to_owned(),
        other => format!("{} phone", sanitise_html::sanitise_line(other, 30)),
    };
    let model = sanitise_html::sanitise_line(&info.model, 60);
    let model = (!model.is_empty() && !model.eq_ignore_ascii_case(&kind)).then_some(model);
    let api = (info.api_level > 0).then(|| format!("API {}", info.api_level));
    let size = (info.size.width > 0).then(|| format!("{} × {}", info.size.width, info.size.height));
    [Some(kind), model, api, size]
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(", ")
}

/// Table of the findings of all apps. `left_out` more are not among `findings`.
pub(crate) fn table(findings: &[NumberedFinding<'_>], left_out: usize) -> Markup {
    html! {
        @if !findings.is_empty() {
            section.summary {
                h2 { "Findings" }
                table {
                    thead {
                        tr {
                            th { "Kind" } th { "What failed" } th { "App" }
                            th.count { "Steps" } th.count { "Seen" } th.count { "Replays" }
                        }
                    }
                    tbody { @for numbered in findings { (row(*numbered)) } }
                }
                @if left_out > 0 { p.none { "and " (pluralise(left_out as u64, "more finding", "more findings")) "." } }
            }
        }
    }
}

fn row(numbered: NumberedFinding<'_>) -> Markup {
    let stored = numbered.finding;
    let headline = FindingHeadline::of(&stored.finding);
    let original_steps = group_thousands(stored.trace.steps.len() as u64);
    html! {
        tr {
            td { (finding::kind(stored.finding.kind)) }
            th scope="row" {
                a href={ "#" (numbered.anchor()) } { (finding::title(&headline)) }
                @if !headline.message.is_empty() { span.message { bdi { (headline.message) } } }
            }
            td { bdi { (app::name(numbered.app)) } }
            td.count data-name="Steps" {
                @match &stored.reduced {
                    Some(reduced) => { (original_steps) " → " strong { (reduced.reduction.trace.steps.len()) } }
                    None => (original_steps),
                }
            }
            td.count data-name="Seen" { (group_thousands(u64::from(stored.occurrences))) "×" }
            td.count data-name="Replays" {
                @match finding::last_check(stored) {
                    Some(check) => (finding::replay_badge(&check)),
                    None => "–",
                }
            }
        }
    }
}
