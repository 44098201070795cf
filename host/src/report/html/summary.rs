//! The top of the report: what was run, what came of it in one sentence, and every crash in one table.

use maud::{Markup, html};
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;

use super::finding::{self, NumberedFinding};
use super::headline::FindingHeadline;
use super::step_text::pluralise;
use super::{app, sanitise_html};
use crate::report::data::{AppSection, PhoneSection, ReportData, SuiteSection, SuiteSize};
use crate::wording::group_thousands;

/// More phones than this are counted, not named.
const MOST_PHONES: usize = 12;

/// What came of the run in one sentence.
pub(crate) fn sentence(report: &ReportData) -> String {
    if let [
        AppSection {
            suite: Some(suite), ..
        },
    ] = report.apps.as_slice()
    {
        return suite_sentence(suite);
    }
    let crashes: u64 = report
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
    if crashes == 0 {
        return format!("No crash{place}{after}.");
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
        pluralise(crashes, "distinct crash", "distinct crashes")
    )
}

fn suite_sentence(suite: &SuiteSection) -> String {
    let SuiteSection { before, after, .. } = suite;
    let size = |measure: &SuiteSize| {
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

/// The steps of all traces that were reduced, before and after.
fn steps_before_and_after(report: &ReportData) -> (u64, u64) {
    let crashes = report.apps.iter().flat_map(|app| &app.findings);
    crashes.fold((0, 0), |(from, to), crash| match &crash.reduced {
        Some(reduced) => (
            from + crash.original.steps.len() as u64,
            to + reduced.trace.steps.len() as u64,
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

/// The crashes of all apps, `left_out` of which are not among `crashes`.
pub(crate) fn table(crashes: &[NumberedFinding<'_>], left_out: usize) -> Markup {
    html! {
        @if !crashes.is_empty() {
            section.summary {
                h2 { "Crashes" }
                table {
                    thead {
                        tr {
                            th { "Kind" } th { "What failed" } th { "App" }
                            th.count { "Steps" } th.count { "Seen" } th.count { "Replays" }
                        }
                    }
                    tbody { @for numbered in crashes { (row(*numbered)) } }
                }
                @if left_out > 0 { p.none { "and " (pluralise(left_out as u64, "more crash", "more crashes")) "." } }
            }
        }
    }
}

fn row(numbered: NumberedFinding<'_>) -> Markup {
    let crash = numbered.finding;
    let headline = FindingHeadline::of(&crash.finding);
    let found = group_thousands(crash.original.steps.len() as u64);
    html! {
        tr {
            td { (finding::kind(crash.finding.kind)) }
            th scope="row" {
                a href={ "#" (numbered.anchor()) } { (finding::title(&headline)) }
                @if !headline.message.is_empty() { span.message { bdi { (headline.message) } } }
            }
            td { bdi { (app::name(numbered.app)) } }
            td.count data-name="Steps" {
                @match &crash.reduced {
                    Some(reduced) => { (found) " → " strong { (reduced.trace.steps.len()) } }
                    None => (found),
                }
            }
            td.count data-name="Seen" { (group_thousands(u64::from(crash.occurrences))) "×" }
            td.count data-name="Replays" {
                @match crash.reduced.as_ref().and_then(|reduced| reduced.replays) {
                    Some(replays) => (finding::replay_badge(replays)),
                    None => "–",
                }
            }
        }
    }
}
