//! One crash: what failed, how far it was cut down, the strip of screens that leads to it, its stack, and how to
//! replay it.

use maud::{Markup, html};
use retap_shared::verdict::{Problem, ProblemKind};

use super::headline::Headline;
use super::stack::{self, Line};
use super::strip::{breakable, strip};
use super::words::counted;
use super::{harmless, scene, shrinking};
use crate::report::data::{AppSection, Crash, Replays, Trail};
use crate::words::thousands;

/// A page with more crashes than this nobody would read, nor a phone open.
const MOST: usize = 100;

/// Longest stack that is written out.
const STACK_LINES: usize = 300;

/// A crash and its place in the report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbered<'a> {
    pub(crate) app: &'a AppSection,
    pub(crate) crash: &'a Crash,
    /// From 1, over all apps.
    pub(crate) number: usize,
}

impl<'a> Numbered<'a> {
    /// The crashes of all apps that have a place on the page.
    pub(crate) fn all(apps: &'a [AppSection]) -> Vec<Numbered<'a>> {
        let crashes = apps
            .iter()
            .flat_map(|app| app.crashes.iter().map(move |crash| (app, crash)));
        crashes
            .zip(1..=MOST)
            .map(|((app, crash), number)| Numbered { app, crash, number })
            .collect()
    }

    pub(crate) fn anchor(&self) -> String {
        format!("crash-{}", self.number)
    }
}

pub(crate) fn crash(numbered: Numbered<'_>) -> Markup {
    let crash = numbered.crash;
    let headline = Headline::of(&crash.problem);
    let trail = crash
        .reduced
        .as_ref()
        .map_or(&crash.found, |reduced| &reduced.trail);
    html! {
        article.crash id=(numbered.anchor()) {
            header {
                p.kicker { (kind(crash.problem.kind)) " " span.id title="fingerprint" { (crash.fingerprint) } }
                h3 { (title(&headline)) }
                @if !headline.message.is_empty() { p.message { bdi { (headline.message) } } }
            }
            (facts(numbered, &headline))
            @if let Some(reduced) = &crash.reduced { (shrinking::drawn(&reduced.shrinking)) }
            @if let Some(note) = &crash.note { p.hint { bdi { (harmless::line(note, 500)) } } }
            (strip(trail, &crash.problem, crash.reduced.as_ref().and_then(|reduced| reduced.replays)))
            @if crash.reduced.is_none() { (scene::drawn(numbered)) }
            div.after {
                @if !trail.file.is_empty() { (replay(trail)) }
                (stack_trace(&crash.problem))
                (scene::log(&crash.scene))
            }
        }
    }
}

/// `IllegalStateException in Editor.save`
pub(crate) fn title(headline: &Headline) -> Markup {
    html! {
        bdi { (breakable(&headline.what)) }
        @if !headline.place.is_empty() { span.in { " in " } bdi { (breakable(&headline.place)) } }
    }
}

pub(crate) fn kind(kind: ProblemKind) -> Markup {
    let (class, words) = match kind {
        ProblemKind::Crash => ("java", "Crash"),
        ProblemKind::NativeCrash => ("native", "Native crash"),
        ProblemKind::Anr => ("anr", "ANR"),
    };
    html! { span.kind.(class) { (words) } }
}

/// `✓ 3 of 3`, and a word for those who do not see the colour.
pub(crate) fn proof(replays: Replays) -> Markup {
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

fn facts(numbered: Numbered<'_>, headline: &Headline) -> Markup {
    let crash = numbered.crash;
    let found = crash.found.steps.len() as u64;
    html! {
        dl.facts {
            @if let Some(reduced) = &crash.reduced {
                @let steps = reduced.trail.steps.len() as u64;
                div.cut {
                    dt { "Steps" }
                    dd { (thousands(found)) " → " strong { (thousands(steps)) } (bars(found, steps)) }
                }
                @if reduced.runs > 0 { (fact("Cut down in", &html! { (counted(reduced.runs, "run", "runs")) })) }
                @if let Some(replays) = reduced.replays { (fact("Replays", &proof(replays))) }
            } @else {
                (fact("Found after", &html! { (counted(found, "step", "steps")) }))
            }
            (fact("Seen", &html! { (counted(u64::from(crash.times), "time", "times")) }))
            @if !headline.source.is_empty() { (fact("Source", &html! { bdi { (headline.source) } })) }
            @if crash.problem.process != numbered.app.app.package && !crash.problem.process.is_empty() {
                (fact("Process", &html! { bdi { (harmless::line(&crash.problem.process, 80)) } }))
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

fn replay(trail: &Trail) -> Markup {
    html! {
        p.replay {
            span { "See it again" }
            code { "retap replay " bdi { (harmless::line(&trail.file, 300)) } }
            small { "in the run directory" }
        }
    }
}

fn stack_trace(problem: &Problem) -> Markup {
    let (lines, left_out) = harmless::lines(&problem.stack, STACK_LINES, 400);
    let is_own = |line: &&String| matches!(stack::parse(line, &problem.process), Line::Frame(frame) if frame.own);
    let own = lines.iter().filter(is_own).count();
    html! {
        @if !lines.is_empty() {
            details.stack {
                summary {
                    "Stack trace "
                    span { (counted((lines.len() + left_out) as u64, "line", "lines")) ", " (own) " in the app" }
                }
                pre tabindex="0" aria-label="Stack trace" {
                    @for line in &lines { (stack_line(line, &problem.process)) "\n" }
                    @if left_out > 0 { i { "… " (counted(left_out as u64, "more line", "more lines")) } "\n" }
                }
            }
        }
    }
}

fn stack_line(line: &str, process: &str) -> Markup {
    let text = html! { bdi { (line) } };
    match stack::parse(line, process) {
        Line::Frame(frame) if frame.own => html! { mark { (text) } },
        Line::Frame(_) => html! { span { (text) } },
        Line::Other(other) if other.starts_with("Caused by: ") => html! { b { (text) } },
        Line::Other(_) => text,
    }
}
