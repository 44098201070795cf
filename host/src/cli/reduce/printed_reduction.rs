//! The result of a reduction as `retap reduce` prints it: in words, as a JSON object, and as the error where a trace does not
//! reproduce.

use std::path::Path;

use retap_reduce::trace_reduction::ReproductionCheck;
use retap_shared::verdict::Outcome;
use serde_json::json;

use crate::cli::claim_json;
use crate::command_error::UserError;
use crate::exit::CommandExit;
use crate::operations::{ReducedTrace, describe_verdict, summary};
use crate::shell_command;

/// The mapping that the trace's finding was retraced with.
fn mapping_of(one: &ReducedTrace) -> Option<&Path> {
    one.finding.as_ref()?.mapping.as_deref()
}

/// The steps of the reduced trace, and its file.
pub(super) fn to_words(one: &ReducedTrace, run: &Path) -> String {
    let reduced = summary::reduced_trace(one);
    if one.file.is_empty() {
        format!("{reduced}\n")
    } else {
        let file = run.join(&one.file);
        let command = shell_command::replay(&file, one.devices.as_ref(), mapping_of(one));
        format!(
            "{reduced}\n  {}\n  see it again: {command}\n",
            file.display()
        )
    }
}

pub(super) fn to_json(one: &ReducedTrace, run: &Path) -> String {
    let check =
        |check: &ReproductionCheck| json!({ "successes": check.successes, "runs": check.runs });
    json!({
        "result": "reduce",
        "outcome": one.reduction.outcome,
        "target": one.target,
        "from": one.original_steps,
        "to": one.reduction.trace.steps.len(),
        "simplified": one.reduction.simplified,
        "runs": one.reduction.runs,
        "original": (one.reduction.original.runs > 0).then(|| check(&one.reduction.original)),
        "replays": one.reduction.result.as_ref().map(check),
        "claim": one.reduction.claim.as_ref().map(claim_json::reduction_claim),
        "check": one.reduction.result.as_ref().zip(one.reduction.confidence).map(|(result, sure)| format!("{} {}", result.successes, summary::confidence(sure))),
        "file": (!one.file.is_empty()).then(|| run.join(&one.file).to_string_lossy().into_owned()),
        "replay": (!one.file.is_empty()).then(|| shell_command::replay(&run.join(&one.file), one.devices.as_ref(), mapping_of(one))),
        "pace": one.reduction.trace.header.pace,
        "run": run.to_string_lossy(),
    })
    .to_string()
}

#[derive(Debug, thiserror::Error)]
#[error("{}", if .which.len() == 1 { "the trace does not reproduce" } else { "some traces do not reproduce" })]
pub(super) struct NotReproduced {
    which: Vec<String>,
}

impl NotReproduced {
    pub(super) fn among(reduced: &[ReducedTrace]) -> Option<NotReproduced> {
        let which: Vec<String> = reduced
            .iter()
            .filter(|one| one.reduction.outcome == Outcome::DoesNotReproduce)
            .map(|one| {
                let instead = one
                    .reduction
                    .original
                    .failure
                    .as_ref()
                    .map(describe_verdict)
                    .unwrap_or_default();
                let what = summary::reduced_trace_name(one);
                let share = summary::success_rate(&one.reduction.original);
                format!("{what}: reproduced in {share}; first failure: {instead}")
            })
            .collect();
        (!which.is_empty()).then_some(NotReproduced { which })
    }
}

impl UserError for NotReproduced {
    fn exit(&self) -> CommandExit {
        CommandExit::DoesNotReproduce
    }

    fn details(&self) -> Vec<String> {
        self.which.clone()
    }

    fn help(&self) -> String {
        "see whether app and phone are those that the trace was made with".into()
    }
}
