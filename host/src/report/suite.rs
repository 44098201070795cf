//! What a suite was cut down to, in words for people.

use retap_reduce::suite::{SuiteCoverage, SuiteMeasure, SuiteReduction};
use retap_shared::verdict::Outcome;

use crate::operations::ReducedSuite;
use crate::wording::{group_thousands, pluralise};

/// The table at the end of a suite's reduction.
pub fn suite_table(smaller: &ReducedSuite) -> String {
    let SuiteReduction {
        outcome,
        before,
        after,
        dispositions: fates,
        not_replayable,
        simplified,
        replays,
        cost: spent,
        ..
    } = &smaller.reduction;
    if *outcome == Outcome::DoesNotReproduce {
        return format!(
            "nothing of {} can be replayed",
            pluralise(u64::from(before.traces), "trace")
        );
    }
    let left = if *outcome == Outcome::Interrupted {
        "so far"
    } else {
        "after"
    };
    let mut lines = vec![format!("  {:<22}{:>12}{:>12}", "", "before", left)];
    lines.extend(rows(before, after).map(|(name, before, after, times)| {
        format!(
            "  {name:<22}{before:>12}{after:>12}{}",
            times.map_or_else(String::new, |times| format!("   {times}"))
        )
    }));
    let whole = fates
        .iter()
        .filter(|fate| fate.replayable == fate.steps)
        .count();
    let share = format!(
        "{} of {} to their end",
        group_thousands(whole as u64),
        pluralise(fates.len() as u64, "trace")
    );
    lines.push(format!("  {:<22}{share}", "can be replayed"));
    if *not_replayable > 0 {
        let lost = format!(
            "{} that no trace shows every time",
            pluralise(u64::from(*not_replayable), "thing")
        );
        lines.push(format!("  {:<22}{lost}", "not counted"));
    }
    if *simplified > 0 {
        let simpler = format!(
            "{}: shorter texts, taps, shorter waits",
            pluralise(u64::from(*simplified), "step")
        );
        lines.push(format!("  {:<22}{simpler}", "made simpler"));
    }
    let proof = format!(
        "{} of {} visited the same screens",
        replays.0,
        pluralise(u64::from(replays.1), "run")
    );
    lines.push(format!("  {:<22}{proof}", "proof"));
    let cost = format!(
        "{}, {}, {} of phone time",
        pluralise(spent.runs, "run"),
        pluralise(spent.events, "event"),
        spent.took
    );
    lines.push(format!("  {:<22}{cost}", "this took"));
    lines.join("\n")
}

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
    let kinds = |measure: &SuiteMeasure| {
        let SuiteCoverage {
            app,
            findings: problems,
        } = &measure.covered;
        [
            app.activities.len(),
            app.screens.len(),
            app.branches.len(),
            problems.len(),
        ]
        .map(|count| count as u64)
    };
    let old = kinds(before);
    let new = kinds(after);
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
        number("crashes", old[3], new[3], false),
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
