//! Table of the traces to all activities or screens of a run, for people.

use retap_shared::target::Target;
use retap_shared::verdict::Outcome;

use super::reduced_trace::success_rate;
use crate::operations::ReducedTrace;
use crate::sanitise_terminal::{self, INLINE_WIDTH};

/// A line for each trace that leads to an activity or a screen: what it reaches, its steps before and after, and its tally. None
/// if there are no several such traces.
pub fn reached_table(reduced: &[ReducedTrace]) -> Option<String> {
    let is_place = |one: &&ReducedTrace| {
        matches!(one.target, Target::Activity(_) | Target::Screen(_)) && one.finding.is_none()
    };
    let places: Vec<&ReducedTrace> = reduced.iter().filter(is_place).collect();
    if places.len() < 2 {
        return None;
    }
    let names: Vec<String> = places.iter().map(|one| name(&one.target)).collect();
    let longest = names.iter().map(|name| name.chars().count());
    let width = longest.max().unwrap_or_default().max("reached".len());
    let mut lines = vec![format!(
        "  {:<width$}  {:>6}  {:>5}  reproduced in",
        "reached", "before", "after"
    )];
    for (one, name) in places.iter().zip(&names) {
        let reduction = &one.reduction;
        let (after, tally) = match reduction.outcome {
            Outcome::DoesNotReproduce => ("–".to_owned(), success_rate(&reduction.original)),
            _ => {
                let tally = reduction.result.as_ref().map(success_rate);
                (
                    reduction.trace.steps.len().to_string(),
                    tally.unwrap_or_default(),
                )
            }
        };
        let before = one.original_steps;
        lines.push(format!(
            "  {name:<width$}  {before:>6}  {after:>5}  {tally}"
        ));
    }
    Some(lines.join("\n"))
}

/// Name of an activity without its package, or of the widget that tells a screen.
fn name(target: &Target) -> String {
    let text = match target {
        Target::Activity(activity) => activity.rsplit('/').next().unwrap_or_default().to_owned(),
        Target::Screen(widget) if widget.text.is_empty() => {
            widget.id.rsplit('/').next().unwrap_or_default().to_owned()
        }
        Target::Screen(widget) => format!("{:?}", widget.text),
        other => other.to_string(),
    };
    sanitise_terminal::sanitise_line(&text, INLINE_WIDTH)
}
