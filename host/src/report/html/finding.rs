//! One crash: what failed, how far it was cut down, the strip of screens that leads to it, its stack, and how to
//! replay it.

use maud::{Markup, html};
use retap_shared::verdict::{Finding, FindingKind};

use super::headline::FindingHeadline;
use super::stack::{self, StackLine};
use super::step_text::pluralise;
use super::strip::{breakable, strip};
use super::{reduction_curve, sanitise_html, scene};
use crate::report::data::{AppSection, FindingSection, IllustratedTrace, ReplayTally};
use crate::wording::group_thousands;

/// A page with more crashes than this nobody would read, nor a phone open.
const FINDING_LIMIT: usize = 100;

/// Longest stack that is written out.
const STACK_LINES: usize = 300;

/// A crash and its place in the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedFinding<'a> {
    pub(crate) app: &'a AppSection,
    pub(crate) finding: &'a FindingSection,
    /// From 1, over all apps.
    pub(crate) number: usize,
}

impl<'a> NumberedFinding<'a> {
    /// The crashes of all apps that have a place on the page.
    pub(crate) fn all(apps: &'a [AppSection]) -> Vec<NumberedFinding<'a>> {
        let crashes = apps
            .iter()
            .flat_map(|app| app.findings.iter().map(move |crash| (app, crash)));
        crashes
            .zip(1..=FINDING_LIMIT)
            .map(|((app, crash), number)| NumberedFinding {
                app,
                finding: crash,
                number,
            })
            .collect()
    }

    pub(crate) fn anchor(&self) -> String {
        format!("crash-{}", self.number)
    }
}

pub(crate) fn finding(numbered: NumberedFinding<'_>) -> Markup {
    let crash = numbered.finding;
    let headline = FindingHeadline::of(&crash.finding);
    let trail = crash
        .reduced
        .as_ref()
        .map_or(&crash.original, |reduced| &reduced.trace);
    html! {
        article.crash id=(numbered.anchor()) {
            header {
                p.kicker { (kind(crash.finding.kind)) " " span.id title="fingerprint" { (crash.fingerprint) } }
                h3 { (title(&headline)) }
                @if !headline.message.is_empty() { p.message { bdi { (headline.message) } } }
            }
            (facts(numbered, &headline))
            @if let Some(reduced) = &crash.reduced { (reduction_curve::reduction_curve(&reduced.curve)) }
            @if let Some(note) = &crash.note { p.hint { bdi { (sanitise_html::sanitise_line(note, 500)) } } }
            (strip(trail, &crash.finding, crash.reduced.as_ref().and_then(|reduced| reduced.replays)))
            @if crash.reduced.is_none() { (scene::drawn(numbered)) }
            div.after {
                @if !trail.file.is_empty() { (replay(trail)) }
                (stack_trace(&crash.finding))
                (scene::log(&crash.scene))
            }
        }
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

/// `✓ 3 of 3`, and a word for those who do not see the colour.
pub(crate) fn replay_badge(replays: ReplayTally) -> Markup {
    let (class, sign, word) = match replays.successes {
        0 => ("bad", "✗", "never"),
        some if some >= replays.runs => ("good", "✓", "always"),
        _ => ("some", "~", "sometimes"),
    };
    html! {
        span.proof.(class) {
            span aria-hidden="true" { (sign) " " } (replays.successes) " of " (replays.runs)
            span.unseen { " (" (word) ")" }
        }
    }
}

fn facts(numbered: NumberedFinding<'_>, headline: &FindingHeadline) -> Markup {
    let crash = numbered.finding;
    let found = crash.original.steps.len() as u64;
    html! {
        dl.facts {
            @if let Some(reduced) = &crash.reduced {
                @let steps = reduced.trace.steps.len() as u64;
                div.cut {
                    dt { "Steps" }
                    dd { (group_thousands(found)) " → " strong { (group_thousands(steps)) } (bars(found, steps)) }
                }
                @if reduced.runs > 0 { (fact("Cut down in", &html! { (pluralise(reduced.runs, "run", "runs")) })) }
                @if let Some(replays) = reduced.replays { (fact("Replays", &replay_badge(replays))) }
            } @else {
                (fact("Found after", &html! { (pluralise(found, "step", "steps")) }))
            }
            (fact("Seen", &html! { (pluralise(u64::from(crash.occurrences), "time", "times")) }))
            @if !headline.source.is_empty() { (fact("Source", &html! { bdi { (headline.source) } })) }
            @if crash.finding.process != numbered.app.app.package && !crash.finding.process.is_empty() {
                (fact("Process", &html! { bdi { (sanitise_html::sanitise_line(&crash.finding.process, 80)) } }))
            }
        }
    }
}

fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// How much of the trace was left, as a bar within a bar.
fn bars(found: u64, reduced: u64) -> Markup {
    let share = (reduced.saturating_mul(1000) / found.max(1)).clamp(8, 1000);
    html! {
        svg.bars aria-hidden="true" viewBox="0 0 1000 10" preserveAspectRatio="none" {
            rect.was width="1000" height="10" {}
            rect.is width=(share) height="10" {}
        }
    }
}

fn replay(trail: &IllustratedTrace) -> Markup {
    html! {
        p.replay {
            span { "See it again" }
            code { "retap replay " bdi { (sanitise_html::sanitise_line(&trail.file, 300)) } }
            small { "in the run directory" }
        }
    }
}

fn stack_trace(problem: &Finding) -> Markup {
    let (lines, left_out) = sanitise_html::sanitise_lines(&problem.stack, STACK_LINES, 400);
    let is_own = |line: &&String| matches!(stack::parse(line, &problem.process), StackLine::Frame(frame) if frame.own);
    let own = lines.iter().filter(is_own).count();
    html! {
        @if !lines.is_empty() {
            details.stack {
                summary {
                    "Stack trace "
                    span { (pluralise((lines.len() + left_out) as u64, "line", "lines")) ", " (own) " in the app" }
                }
                pre tabindex="0" aria-label="Stack trace" {
                    @for line in &lines { (stack_line(line, &problem.process)) "\n" }
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
