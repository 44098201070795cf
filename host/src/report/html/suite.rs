//! A suite that was cut down: before and after in a table, each trace that is left with its steps and where they came from,
//! and what became of every file that was read.

use maud::{Markup, html};
use retap_shared::micros::Micros;

use super::sanitise_html;
use super::step_text::{self, pluralise};
use crate::report::data::{SuiteSection, SuiteSize, SuiteTraceSection};
use crate::wording::group_thousands;

/// More files than this are counted, not listed.
const MOST: usize = 1_000;

pub(crate) fn suite(suite: &SuiteSection) -> Markup {
    let SuiteSection { before, after, .. } = suite;
    html! {
        p.explored {
            "Cut down by " code { (sanitise_html::sanitise_line(&suite.algorithm, 60)) } " in "
            strong { (pluralise(suite.runs, "run", "runs")) } ", " (suite.phone_time) " on the phones’ clocks. "
            "Proof: " (suite.replays.successes) " of " (suite.replays.runs) " runs of what is left visited the same screens."
            @if suite.not_replayable > 0 {
                " " (pluralise(u64::from(suite.not_replayable), "thing was", "things were"))
                " seen that no trace shows every time; nothing can keep these."
            }
        }
        table.suite {
            thead { tr { th {} th.count { "Before" } th.count { "After" } th.count { "Times less" } } }
            tbody { @for row in rows(before, after) { (row) } }
        }
        h3 { "How it went" }
        table.suite {
            thead { tr { th { "After" } th.count { "Traces" } th.count { "Transitions" } th.count { "Runs so far" } } }
            tbody {
                @for (phase, traces, transitions, runs) in &suite.phases {
                    tr {
                        th scope="row" { (phase) }
                        td.count data-name="Traces" { (group_thousands(u64::from(*traces))) }
                        td.count data-name="Transitions" { (group_thousands(*transitions)) }
                        td.count data-name="Runs so far" { (group_thousands(*runs)) }
                    }
                }
            }
        }
        h3 { "What is left" }
        @for (number, kept) in suite.kept.iter().enumerate() { (left(number, kept)) }
        h3 { "What became of the " (pluralise(suite.originals.len() as u64, "trace", "traces")) }
        p.explored {
            (group_thousands(u64::from(suite.unchanged_traces))) " are in the result with all their steps, "
            (group_thousands(u64::from(suite.shortened_traces))) " with some of them, "
            (group_thousands(u64::from(suite.dropped_traces))) " are not needed."
        }
        (originals(suite))
    }
}

fn rows(before: &SuiteSize, after: &SuiteSize) -> Vec<Markup> {
    let counts = |name: &str, one: u64, other: u64, ratio: bool| {
        row(
            name,
            &group_thousands(one),
            &group_thousands(other),
            &if ratio {
                times(one as f64, other as f64)
            } else {
                String::new()
            },
        )
    };
    vec![
        counts(
            "Traces, restarts",
            u64::from(before.traces),
            u64::from(after.traces),
            true,
        ),
        counts("Transitions", before.transitions, after.transitions, true),
        row(
            "Time of one replay",
            &before.took.to_string(),
            &after.took.to_string(),
            &times(before.took.0 as f64, after.took.0 as f64),
        ),
        counts(
            "Activities",
            u64::from(before.activities),
            u64::from(after.activities),
            false,
        ),
        counts(
            "Screens",
            u64::from(before.screens),
            u64::from(after.screens),
            false,
        ),
        counts(
            "Branches",
            u64::from(before.branches),
            u64::from(after.branches),
            false,
        ),
        counts(
            "Crashes",
            u64::from(before.crashes),
            u64::from(after.crashes),
            false,
        ),
    ]
}

fn row(name: &str, before: &str, after: &str, times: &str) -> Markup {
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

fn left(number: usize, kept: &SuiteTraceSection) -> Markup {
    html! {
        details.kept open[number == 0] {
            summary {
                strong { "Trace " (number + 1) } ": " (pluralise(kept.steps.len() as u64, "step", "steps"))
                @if kept.took > Micros::ZERO { ", " (kept.took) }
                ", covers " (pluralise(u64::from(kept.covers_alone), "thing", "things")) " that no other does"
                " · " code { bdi { (sanitise_html::sanitise_line(&kept.file, 100)) } }
            }
            p.package {
                @if kept.fragments.len() > 1 { "Spliced of " } @else { "From " }
                @for (place, (file, first, last)) in kept.fragments.iter().enumerate() {
                    @if place > 0 { ", " }
                    bdi { (sanitise_html::sanitise_line(file, 80)) }
                    @if first == last { " (step " (first) ")" } @else { " (steps " (first) " to " (last) ")" }
                }
            }
            ol { @for step in &kept.steps { li { (step_text::step_markup(step)) } } }
        }
    }
}

fn originals(suite: &SuiteSection) -> Markup {
    html! {
        details.kept {
            summary { "Every trace that was read" }
            table.suite {
                thead { tr { th { "File" } th.count { "Steps" } th.count { "Replayable" } th.count { "In the result" } } }
                tbody {
                    @for (file, steps, replayable, used) in suite.originals.iter().take(MOST) {
                        tr {
                            th scope="row" { bdi { (sanitise_html::sanitise_line(file, 80)) } }
                            td.count data-name="Steps" { (steps) }
                            td.count data-name="Replayable" { (replayable) }
                            td.count data-name="In the result" { @if *used > 0 { strong { (used) } } @else { "–" } }
                        }
                    }
                }
            }
            @if suite.originals.len() > MOST { p.none { "and " (suite.originals.len() - MOST) " more, in the manifest." } }
        }
    }
}
