//! Summary of one trace's reduction, for people.

use retap_reduce::trace_reduction::{ReproductionCheck, ResultConfidence};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use super::{claim, headline};
use crate::operations::ReducedTrace;
use crate::report::html::step_text;
use crate::target;
use crate::wording::pluralise;

/// Maximum number of steps that are listed.
const STEP_LIMIT: usize = 30;

/// The reduced trace: how short it is, how often it reproduces, and its steps.
pub fn reduced_trace(reduced: &ReducedTrace) -> String {
    let name = reduced_trace_name(reduced);
    let reduction = &reduced.reduction;
    if reduction.outcome == Outcome::DoesNotReproduce {
        return format!(
            "{name}\n  did not reproduce: {}",
            success_rate(&reduction.original)
        );
    }
    let original = pluralise(reduced.original_steps as u64, "step");
    let steps = pluralise(reduction.trace.steps.len() as u64, "step");
    let claim = reduction.claim.as_ref().map_or_else(String::new, |claim| {
        format!("\n  {}", claim::reduction_claim(claim))
    });
    let published = reduction.result.as_ref().zip(reduction.confidence);
    let published = published.map_or_else(String::new, |(check, sure)| {
        let confidence = confidence(sure);
        format!(
            "\n  as published for `nd3min`: {} {confidence}",
            success_rate(check)
        )
    });
    let spent = match reduction.outcome {
        Outcome::BudgetSpent => ", when the budget was spent",
        _ => "",
    };
    let simplified = match reduction.simplified {
        0 => String::new(),
        some => format!(", {some} simplified"),
    };
    format!(
        "{name}\n  {original} → {steps}{simplified}{spent}{claim}{published}\n{}",
        step_list(&reduction.trace)
    )
}

/// Name of a reduced trace: the headline of its finding, or its target.
pub fn reduced_trace_name(reduced: &ReducedTrace) -> String {
    reduced.finding.as_ref().map_or_else(
        || format!("trace to {}", target::describe(&reduced.target)),
        |stored| headline(&stored.finding),
    )
}

/// `(0.99/0.96)`: that it reproduces in 85 of 100 runs, and that it is 1-minimal. Truncated, not rounded.
pub fn confidence(confidence: ResultConfidence) -> String {
    let digits = |probability: f64| {
        let hundredths = (probability * 100.0 + 1e-9) as u32;
        if hundredths == 100 {
            "1.0".to_owned()
        } else {
            format!("0.{hundredths:02}")
        }
    };
    format!(
        "({}/{})",
        digits(confidence.good),
        confidence.minimal.map_or_else(|| "-".to_owned(), digits)
    )
}

/// `2 of 3 runs`.
pub fn success_rate(check: &ReproductionCheck) -> String {
    format!(
        "{} of {}",
        check.successes,
        pluralise(u64::from(check.runs), "run")
    )
}

/// One step a line, numbered; of a long trace the last steps.
fn step_list(trace: &Trace) -> String {
    let left_out = trace.steps.len().saturating_sub(STEP_LIMIT);
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(format!(
            "        … {} before",
            pluralise(left_out as u64, "step")
        ));
    }
    let listed = trace.steps.iter().enumerate().skip(left_out);
    lines
        .extend(listed.map(|(number, step)| {
            format!("    {:>3}. {}", number + 1, step_text::step_text(step))
        }));
    lines.join("\n")
}
