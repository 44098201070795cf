//! Summary of a suite reduction, for people.

use retap_reduce::suite::{SuiteCoverage, SuiteMeasure, SuiteReduction};
use retap_shared::verdict::Outcome;

use crate::run::reduced_suite::{ReducedSuite, coverage_text};
use crate::sanitise_terminal;
use crate::wording::{group_thousands, pluralise};

/// Maximum width of a list of names.
const NAMED_WIDTH: usize = 400;

/// The table at the end of a suite reduction.
pub fn suite_table(suite: &ReducedSuite) -> String {
    let SuiteReduction {
        outcome,
        before,
        after,
        ..
    } = &suite.reduction;
    if *outcome == Outcome::DoesNotReproduce {
        return format!(
            "none of {} can be replayed",
            pluralise(u64::from(before.traces), "trace")
        );
    }
    let column = if *outcome == Outcome::Interrupted {
        "so far"
    } else {
        "after"
    };
    let mut lines = vec![format!("  {:<22}{:>12}{:>12}", "", "before", column)];
    lines.extend(rows(before, after).map(|(name, before, after, times)| {
        format!(
            "  {name:<22}{before:>12}{after:>12}{}",
            times.map_or_else(String::new, |times| format!("   {times}"))
        )
    }));
    lines.extend(
        remarks(suite)
            .into_iter()
            .map(|(name, value)| format!("  {name:<22}{value}")),
    );
    lines.join("\n")
}

/// Lines below the table: what can be replayed, what was checked, and the cost.
fn remarks(suite: &ReducedSuite) -> Vec<(&'static str, String)> {
    let reduction = &suite.reduction;
    let dispositions = &reduction.dispositions;
    let replayable = dispositions
        .iter()
        .filter(|disposition| disposition.replayable == disposition.steps)
        .count();
    let mut remarks = vec![(
        "can be replayed",
        format!(
            "{} of {} to their end",
            group_thousands(replayable as u64),
            pluralise(dispositions.len() as u64, "trace")
        ),
    )];
    if reduction.not_replayable > 0 {
        let items = pluralise(u64::from(reduction.not_replayable), "item");
        remarks.push((
            "not counted",
            format!("{items} that no trace covers reliably"),
        ));
    }
    if reduction.simplified > 0 {
        let steps = pluralise(u64::from(reduction.simplified), "step");
        remarks.push((
            "simplified",
            format!("{steps}: shorter texts, taps, shorter waits"),
        ));
    }
    if reduction.greedy() > 0 {
        let traces = pluralise(u64::from(reduction.greedy()), "trace");
        remarks.push((
            "cut greedily",
            format!("{traces}, where the search reached its limits"),
        ));
    }
    remarks.extend(check_remarks(suite));
    let cost = &reduction.cost;
    remarks.push((
        "cost",
        format!(
            "{}, of which {} left their path, {}, {} of phone time",
            pluralise(cost.runs, "run"),
            group_thousands(cost.diverged),
            pluralise(cost.events, "event"),
            cost.took
        ),
    ));
    remarks
}

/// Lines about the check, and about coverage that it did not confirm.
fn check_remarks(suite: &ReducedSuite) -> Vec<(&'static str, String)> {
    let reduction = &suite.reduction;
    let mut remarks = Vec::new();
    if reduction.outcome == Outcome::BudgetSpent {
        let result = "the best suite so far is the result".to_owned();
        remarks.push(("budget spent", result));
    }
    if suite.is_written() {
        remarks.push(("check", suite.check_text()));
    }
    let flaky = suite.flaky_lines().into_iter();
    remarks.extend(flaky.map(|line| ("flaky", line)));
    let named = |coverage| sanitise_terminal::sanitise_line(&coverage_text(coverage), NAMED_WIDTH);
    let unconfirmed = &reduction.check.unconfirmed;
    if reduction.check.runs > 0 && !unconfirmed.is_empty() {
        remarks.push(("not always covered", named(unconfirmed)));
    }
    let lost = reduction.lost();
    if !lost.is_empty() {
        remarks.push(("coverage lost", named(&lost)));
    }
    remarks
}

/// Name, value before, value after, ratio.
type SuiteTableRow = (&'static str, String, String, Option<String>);

fn rows(before: &SuiteMeasure, after: &SuiteMeasure) -> impl Iterator<Item = SuiteTableRow> {
    let number = |name, one: u64, other: u64, ratio: bool| {
        (
            name,
            group_thousands(one),
            group_thousands(other),
            ratio.then(|| times(one as f64, other as f64)),
        )
    };
    let coverage = |measure: &SuiteMeasure| {
        let SuiteCoverage { app, findings } = &measure.covered;
        [
            app.activities.len(),
            app.screens.len(),
            app.branches.len(),
            findings.len(),
        ]
        .map(|count| count as u64)
    };
    let old = coverage(before);
    let new = coverage(after);
    [
        number(
            "traces, restarts",
            u64::from(before.traces),
            u64::from(after.traces),
            true,
        ),
        number("transitions", before.transitions, after.transitions, true),
        (
            "time of one replay",
            before.took.to_string(),
            after.took.to_string(),
            Some(times(before.took.0 as f64, after.took.0 as f64)),
        ),
        number("activities", old[0], new[0], false),
        number("screens", old[1], new[1], false),
        number("branches", old[2], new[2], false),
        number("findings", old[3], new[3], false),
    ]
    .into_iter()
}

/// `16.9 times less`
fn times(before: f64, after: f64) -> String {
    if after > 0.0 {
        format!("{:.1} times less", before / after)
    } else {
        "nothing left".to_owned()
    }
}
