//! One finding: headline, reduction, the strip of screens that leads to it, stack, log, and how to replay it.

use std::path::Path;

use maud::{Markup, html};
use retap_reduce::trace_reduction::{PhoneTally, Reduction, ReproductionCheck};
use retap_shared::finding::{Finding, FindingKind};
use retap_shared::trace::TraceClaim;

use super::step_text::pluralise;
use super::strip::{IllustratedTrace, breakable, strip};
use super::{reduction_curve, sanitise_html, scene};
use crate::report::data::{AppSection, ReportData};
use crate::report::headline::FindingHeadline;
use crate::report::stack::{self, StackLine};
use crate::run::findings::StoredFinding;
use crate::run::known_finding::FindingStatus;
use crate::shell_command;
use crate::wording::group_thousands;

/// Maximum number of findings on a page; a longer page could not be opened on a phone.
const FINDING_LIMIT: usize = 100;

/// Maximum number of characters of a command: two paths of the longest kind.
const COMMAND_LENGTH: usize = 8_192;

/// Maximum number of stack lines on the page.
const STACK_LINES: usize = 300;

/// A finding and its number in the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedFinding<'a> {
    pub(crate) app: &'a AppSection,
    pub(crate) finding: &'a StoredFinding,
    /// From 1, over all apps.
    pub(crate) number: usize,
    /// Directory of the run.
    pub(crate) directory: &'a Path,
}

impl<'a> NumberedFinding<'a> {
    /// Findings of all apps, up to the limit of the page.
    pub(crate) fn all(report: &'a ReportData) -> Vec<NumberedFinding<'a>> {
        let findings = report
            .apps
            .iter()
            .flat_map(|app| app.findings.iter().map(move |finding| (app, finding)));
        findings
            .zip(1..=FINDING_LIMIT)
            .map(|((app, finding), number)| NumberedFinding {
                app,
                finding,
                number,
                directory: &report.directory,
            })
            .collect()
    }

    pub(crate) fn anchor(&self) -> String {
        format!("crash-{}", self.number)
    }
}

pub(crate) fn finding(numbered: NumberedFinding<'_>) -> Markup {
    let stored = numbered.finding;
    let headline = FindingHeadline::of(&stored.finding);
    let check = last_check(stored);
    html! {
        article.crash id=(numbered.anchor()) {
            header {
                p.kicker { (kind(stored.finding.kind)) " " span.id title="fingerprint" { (stored.fingerprint) } }
                h3 { (title(&headline)) }
                @if !headline.message.is_empty() { p.message { bdi { (headline.message) } } }
            }
            (facts(numbered, &headline))
            @if let Some(reduced) = &stored.reduced { (reduction_curve::reduction_curve(reduced)) }
            (strip(&IllustratedTrace::of(stored), &stored.finding, check.as_ref()))
            @if stored.reduced.is_none() { (scene::drawn(numbered)) }
            div.after {
                (replay(numbered))
                (stack_trace(&stored.finding))
                (scene::log(&stored.scene))
            }
        }
    }
}

/// All runs of the reduced trace, if there were any.
pub(crate) fn last_check(stored: &StoredFinding) -> Option<ReproductionCheck> {
    let reduction = &stored.reduced.as_ref()?.reduction;
    match claim_of(reduction) {
        Some(claim) => Some(ReproductionCheck {
            successes: claim.tally.successes,
            runs: claim.tally.runs,
            failure: None,
        }),
        None => reduction.result.clone(),
    }
}

/// The claim of a reduction. A reduction that is read from its files has it in the header of its trace.
fn claim_of(reduction: &Reduction) -> Option<TraceClaim> {
    let claim = reduction.claim.as_ref().map(TraceClaim::from);
    claim.or(reduction.trace.header.claim)
}

/// `84 % (71 to 92 %), flaky; 85 % asked`
fn claimed_rate(claim: &TraceClaim, suspect_phones: &[PhoneTally]) -> Markup {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let [low, high] = claim.interval;
    let low = format!("{:.0}", (low.value() * 100.0 + 1e-6).floor());
    let fresh = claim.fresh_starts;
    html! {
        (percent(claim.tally.rate())) " % (" (low) " to " (percent(high.value())) " %), " (claim.standing)
        "; " (percent(claim.required_rate.value())) " % asked"
        @if claim.phones > 1 { "; " (claim.phones) " phones" }
        @if claim.phones > 0 {
            @if fresh.runs == 0 { "; none on a freshly started phone" }
            @else { "; " (fresh.successes) " of " (fresh.runs) " on freshly started phones" }
        }
        @for suspect in suspect_phones { "; hardly ever on " bdi { (suspect.phone) } }
    }
}

/// `IllegalStateException in Editor.save`
pub(crate) fn title(headline: &FindingHeadline) -> Markup {
    html! {
        bdi { (breakable(&headline.what)) }
        @if !headline.function.is_empty() { span.in { " in " } bdi { (breakable(&headline.function)) } }
    }
}

pub(crate) fn kind(kind: FindingKind) -> Markup {
    let (class, words) = match kind {
        FindingKind::Crash => ("java", "Crash"),
        FindingKind::NativeCrash => ("native", "Native crash"),
        FindingKind::Anr => ("anr", "ANR"),
        FindingKind::Rule => ("rule", "Rule"),
    };
    html! { span.kind.(class) { (words) } }
}

/// `✓ 3 of 3`, with a word for readers who cannot see the colour.
pub(crate) fn replay_badge(check: &ReproductionCheck) -> Markup {
    let (class, sign, word) = match check.successes {
        0 => ("bad", "✗", "never"),
        some if some >= check.runs => ("good", "✓", "always"),
        _ => ("some", "~", "sometimes"),
    };
    html! {
        span.proof.(class) {
            span aria-hidden="true" { (sign) " " } (check.successes) " of " (check.runs)
            span.unseen { " (" (word) ")" }
        }
    }
}

/// `new`, or since when it is known.
fn status_badge(status: &FindingStatus) -> Markup {
    match status {
        FindingStatus::New => html! { strong { "new" } },
        FindingStatus::Known { since } => {
            html! { "known since " (sanitise_html::sanitise_line(since, 60)) }
        }
    }
}

fn facts(numbered: NumberedFinding<'_>, headline: &FindingHeadline) -> Markup {
    let stored = numbered.finding;
    let original_steps = stored.trace.steps.len() as u64;
    html! {
        dl.facts {
            @if let Some(reduced) = &stored.reduced {
                @let steps = reduced.reduction.trace.steps.len() as u64;
                div.cut {
                    dt { "Steps" }
                    dd { (group_thousands(original_steps)) " → " strong { (group_thousands(steps)) } (bars(original_steps, steps)) }
                }
                @if reduced.reduction.runs > 0 { (fact("Reduced in", &html! { (pluralise(reduced.reduction.runs, "run", "runs")) })) }
                @if let Some(check) = last_check(stored) { (fact("Replays", &replay_badge(&check))) }
                @if let Some(claim) = claim_of(&reduced.reduction) {
                    @let suspects = reduced.reduction.claim.as_ref().map_or(&[][..], |claim| &claim.suspect_phones);
                    (fact("Rate", &claimed_rate(&claim, suspects)))
                }
            } @else {
                (fact("Found after", &html! { (pluralise(original_steps, "step", "steps")) }))
            }
            @if let Some(status) = &stored.status { (fact("Status", &status_badge(status))) }
            (fact("Seen", &html! { (pluralise(u64::from(stored.occurrences), "time", "times")) }))
            @if !headline.source.is_empty() { (fact("Source", &html! { bdi { (headline.source) } })) }
            @if stored.finding.process != numbered.app.app.package && !stored.finding.process.is_empty() {
                (fact("Process", &html! { bdi { (sanitise_html::sanitise_line(&stored.finding.process, 80)) } }))
            }
        }
    }
}

fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// Length of the reduced trace as a bar within the bar of the original.
fn bars(original: u64, reduced: u64) -> Markup {
    let share = (reduced.saturating_mul(1000) / original.max(1)).clamp(8, 1000);
    html! {
        svg.bars aria-hidden="true" viewBox="0 0 1000 10" preserveAspectRatio="none" {
            rect.was width="1000" height="10" {}
            rect.is width=(share) height="10" {}
        }
    }
}

/// The command that replays the finding, ready to be pasted in any directory.
fn replay(numbered: NumberedFinding<'_>) -> Markup {
    let file = numbered.directory.join(numbered.finding.best_file());
    let command = shell_command::replay(
        &file,
        numbered.app.devices.as_ref(),
        numbered.finding.mapping.as_deref(),
    );
    html! {
        p.replay {
            span { "See it again" }
            code { bdi { (sanitise_html::sanitise_line(&command, COMMAND_LENGTH)) } }
        }
    }
}

fn stack_trace(finding: &Finding) -> Markup {
    let (lines, left_out) = sanitise_html::sanitise_lines(&finding.stack, STACK_LINES, 400);
    let is_own = |line: &&String| matches!(stack::parse(line, &finding.process), StackLine::Frame(frame) if frame.own);
    let own = lines.iter().filter(is_own).count();
    html! {
        @if !lines.is_empty() {
            details.stack {
                summary {
                    "Stack trace "
                    span { (pluralise((lines.len() + left_out) as u64, "line", "lines")) ", " (own) " in the app" }
                }
                pre tabindex="0" aria-label="Stack trace" {
                    @for line in &lines { (stack_line(line, &finding.process)) "\n" }
                    @if left_out > 0 { i { "… " (pluralise(left_out as u64, "more line", "more lines")) } "\n" }
                }
            }
        }
    }
}

fn stack_line(line: &str, process: &str) -> Markup {
    let text = html! { bdi { (line) } };
    match stack::parse(line, process) {
        StackLine::Frame(frame) if frame.own => html! { mark { (text) } },
        StackLine::Frame(_) => html! { span { (text) } },
        StackLine::Other(other) if other.starts_with("Caused by: ") => html! { b { (text) } },
        StackLine::Other(_) => text,
    }
}
