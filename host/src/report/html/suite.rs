//! A reduced suite: sizes before and after, the phases, each trace with the origin of its steps, and what became of every
//! file that was read.

use maud::{Markup, html};
use retap_reduce::suite::{SuiteMeasure, SuitePhaseReport, SuiteTrace, TraceDisposition};
use retap_shared::micros::Micros;
use retap_shared::verdict::Outcome;

use super::sanitise_html;
use super::step_text::{self, pluralise};
use crate::run::reduced_suite::{ReducedSuite, coverage_text};
use crate::wording::group_thousands;

/// Maximum number of files that are listed; the others are counted.
const LISTED_FILES: usize = 1_000;

pub(crate) fn suite(suite: &ReducedSuite) -> Markup {
    let reduction = &suite.reduction;
    html! {
        p.explored {
            "Reduced by " code { (sanitise_html::sanitise_line(&suite.algorithm, 60)) } " in "
            strong { (pluralise(reduction.cost.runs, "run", "runs")) } ", " (reduction.cost.took) " of phone time. "
            @if reduction.outcome == Outcome::BudgetSpent { "The budget was spent: this is the best suite so far. " }
            @if suite.is_written() { "Check: " (suite.check_text()) "." }
            @if reduction.not_replayable > 0 {
                " " (pluralise(u64::from(reduction.not_replayable), "covered item", "covered items"))
                " cannot be replayed reliably by any trace and cannot be kept."
            }
            @if reduction.greedy() > 0 {
                " " (pluralise(u64::from(reduction.greedy()), "trace was", "traces were"))
                " cut greedily, where the search reached its limits."
            }
        }
        (doubts(suite))
        table.suite {
            thead { tr { th {} th.count { "Before" } th.count { "After" } th.count { "Times less" } } }
            tbody { @for row in sizes(&reduction.before, &reduction.after) { (row) } }
        }
        h3 { "Phases" }
        table.suite {
            thead { tr { th { "After" } th.count { "Traces" } th.count { "Transitions" } th.count { "Runs so far" } } }
            tbody { @for report in &reduction.phases { (phase(report)) } }
        }
        h3 { "Reduced suite" }
        @for (number, reduced) in reduction.traces.iter().enumerate() { (trace(suite, number, reduced)) }
        h3 { "Original " (pluralise(reduction.dispositions.len() as u64, "trace", "traces")) }
        (usage(&reduction.dispositions))
        (originals(suite))
    }
}

/// Traces that not all replays of the check followed, and coverage that is not sure or lost.
fn doubts(suite: &ReducedSuite) -> Markup {
    let reduction = &suite.reduction;
    let unconfirmed = &reduction.check.unconfirmed;
    let lost = reduction.lost();
    let named = |coverage| sanitise_html::sanitise_line(&coverage_text(coverage), 1_000);
    html! {
        @for line in suite.flaky_lines() { p.explored { "Flaky: " (line) "." } }
        @if reduction.check.runs > 0 && !unconfirmed.is_empty() {
            p.explored { "Not covered in every replay of a trace: " bdi { (named(unconfirmed)) } "." }
        }
        @if !lost.is_empty() { p.explored { "Coverage lost: " bdi { (named(&lost)) } "." } }
    }
}

fn sizes(before: &SuiteMeasure, after: &SuiteMeasure) -> Vec<Markup> {
    let coverage = |name: &str, count: fn(&SuiteMeasure) -> usize| {
        let number = |measure| group_thousands(count(measure) as u64);
        size(name, &number(before), &number(after), "")
    };
    let ratio = |name: &str, before: u64, after: u64| {
        let times = times(before as f64, after as f64);
        size(
            name,
            &group_thousands(before),
            &group_thousands(after),
            &times,
        )
    };
    vec![
        ratio(
            "Traces, restarts",
            u64::from(before.traces),
            u64::from(after.traces),
        ),
        ratio("Transitions", before.transitions, after.transitions),
        size(
            "Time of one replay",
            &before.took.to_string(),
            &after.took.to_string(),
            &times(before.took.0 as f64, after.took.0 as f64),
        ),
        coverage("Activities", |measure| measure.covered.app.activities.len()),
        coverage("Screens", |measure| measure.covered.app.screens.len()),
        coverage("Branches", |measure| measure.covered.app.branches.len()),
        coverage("Findings", |measure| measure.covered.findings.len()),
    ]
}

fn size(name: &str, before: &str, after: &str, times: &str) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            td.count data-name="Before" { (before) }
            td.count data-name="After" { strong { (after) } }
            td.count data-name="Times less" { (times) }
        }
    }
}

fn times(before: f64, after: f64) -> String {
    if after > 0.0 {
        format!("{:.1}", before / after)
    } else {
        String::new()
    }
}

fn phase(report: &SuitePhaseReport) -> Markup {
    html! {
        tr {
            th scope="row" { (report.phase.name()) }
            td.count data-name="Traces" { (group_thousands(u64::from(report.traces))) }
            td.count data-name="Transitions" { (group_thousands(report.transitions)) }
            td.count data-name="Runs so far" { (group_thousands(report.cost.runs)) }
        }
    }
}

fn trace(suite: &ReducedSuite, number: usize, reduced: &SuiteTrace) -> Markup {
    let steps = &reduced.trace.steps;
    html! {
        details.kept open[number == 0] {
            summary {
                strong { "Trace " (number + 1) } ": " (pluralise(steps.len() as u64, "step", "steps"))
                @if reduced.took > Micros::ZERO { ", " (reduced.took) }
                ", alone covers " (pluralise(u64::from(reduced.unique_coverage), "item", "items"))
                " · " code { bdi { (ReducedSuite::file_path(number)) } }
            }
            p.package {
                @if reduced.fragments.len() > 1 { "Spliced from " } @else { "From " }
                @for (place, part) in reduced.fragments.iter().enumerate() {
                    @let first = part.steps.start + 1;
                    @let last = part.steps.end;
                    @if place > 0 { ", " }
                    bdi { (sanitise_html::sanitise_line(suite.original_name(part.trace), 80)) }
                    @if first == last { " (step " (first) ")" } @else { " (steps " (first) " to " (last) ")" }
                }
            }
            ol { @for step in steps { li { (step_text::step_markup(step)) } } }
        }
    }
}

/// Number of originals by how many of their steps are in the result.
fn usage(dispositions: &[TraceDisposition]) -> Markup {
    let count = |is: fn(&TraceDisposition) -> bool| {
        group_thousands(
            dispositions
                .iter()
                .filter(|disposition| is(disposition))
                .count() as u64,
        )
    };
    html! {
        p.explored {
            (count(|one| used_steps(one) >= one.steps.max(1))) " are in the result with all their steps, "
            (count(|one| (1..one.steps).contains(&used_steps(one)))) " with some of them, "
            (count(|one| used_steps(one) == 0)) " are not needed."
        }
    }
}

/// Number of steps of an original that are in the result.
fn used_steps(disposition: &TraceDisposition) -> u32 {
    disposition.in_result.iter().map(|(_, steps)| steps).sum()
}

fn originals(suite: &ReducedSuite) -> Markup {
    let dispositions = &suite.reduction.dispositions;
    html! {
        details.kept {
            summary { "All original traces" }
            table.suite {
                thead { tr { th { "File" } th.count { "Steps" } th.count { "Replayable" } th.count { "In the result" } } }
                tbody {
                    @for (number, disposition) in (0..).zip(dispositions).take(LISTED_FILES) {
                        @let used = used_steps(disposition);
                        tr {
                            th scope="row" { bdi { (sanitise_html::sanitise_line(suite.original_name(number), 80)) } }
                            td.count data-name="Steps" { (disposition.steps) }
                            td.count data-name="Replayable" { (disposition.replayable) }
                            td.count data-name="In the result" { @if used > 0 { strong { (used) } } @else { "–" } }
                        }
                    }
                }
            }
            @if dispositions.len() > LISTED_FILES {
                p.none { "and " (dispositions.len() - LISTED_FILES) " more, in the manifest." }
            }
        }
    }
}
