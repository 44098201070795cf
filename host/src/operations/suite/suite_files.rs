//! A reduced suite on disk: a `.retap` file for each trace, and a manifest that says where every step of it came from.

use retap_reduce::suite::{
    SuiteCoverage, SuiteMeasure, SuitePhaseReport, SuiteReduction, SuiteTrace, TraceDisposition,
};
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use super::{ReducedSuite, SUITE_DIRECTORY};
use crate::command_error::CommandError;
use crate::options::ReduceSuiteOptions;
use crate::run::directory::RunDirectory;

/// Inside `suite/`.
pub const SUITE_MANIFEST: &str = "manifest.json";

pub(super) fn write(
    run: &RunDirectory,
    smaller: &ReducedSuite,
    settings: &ReduceSuiteOptions,
) -> Result<(), CommandError> {
    let SuiteReduction {
        outcome,
        traces: kept,
        ..
    } = &smaller.reduction;
    if !matches!(outcome, Outcome::Done | Outcome::BudgetSpent) {
        return Ok(());
    }
    for (number, one) in kept.iter().enumerate() {
        run.write(
            &format!("{SUITE_DIRECTORY}/{}", ReducedSuite::file_name(number)),
            one.trace.to_text().as_bytes(),
        )?;
    }
    let manifest = format!("{:#}\n", manifest(smaller, settings));
    Ok(run.write(
        &format!("{SUITE_DIRECTORY}/{SUITE_MANIFEST}"),
        manifest.as_bytes(),
    )?)
}

fn manifest(smaller: &ReducedSuite, settings: &ReduceSuiteOptions) -> Value {
    let reduction = &smaller.reduction;
    json!({
        "format": 1,
        "app": smaller.app.package,
        "version_code": smaller.app.version_code,
        "algorithm": settings.algorithm.name(),
        "abstraction": settings.abstraction,
        "replays": settings.replays,
        "fragments": settings.fragments,
        "before": measure_json(&reduction.before),
        "after": measure_json(&reduction.after),
        "not_replayable": reduction.not_replayable,
        "phases": reduction.phases.iter().map(phase).collect::<Vec<_>>(),
        "traces": reduction.traces.iter().enumerate().map(|(number, kept)| trace(smaller, number, kept)).collect::<Vec<_>>(),
        "originals": reduction.dispositions.iter().enumerate().map(|(number, fate)| original(smaller, number, fate)).collect::<Vec<_>>(),
    })
}

pub fn measure_json(measure: &SuiteMeasure) -> Value {
    let SuiteMeasure {
        traces,
        transitions,
        took,
        covered,
    } = measure;
    let SuiteCoverage {
        app,
        findings: problems,
    } = covered;
    json!({
        "traces": traces,
        "transitions": transitions,
        "restarts": traces,
        "seconds": took.0 as f64 / 1e6,
        "coverage": {
            "activities": app.activities.len(), "screens": app.screens.len(),
            "branches": app.branches.len(), "crashes": problems.len(),
        },
    })
}

fn phase(report: &SuitePhaseReport) -> Value {
    let SuitePhaseReport {
        phase,
        traces,
        transitions,
        cost: spent,
    } = report;
    json!({
        "phase": phase.name(), "traces": traces, "transitions": transitions,
        "runs": spent.runs, "events": spent.events, "phone_seconds": spent.took.0 as f64 / 1e6,
    })
}

fn trace(smaller: &ReducedSuite, number: usize, kept: &SuiteTrace) -> Value {
    let fragments: Vec<Value> = kept
        .fragments
        .iter()
        .map(|part| {
            let name = smaller.names.get(part.trace as usize);
            // Counted from one, as people and `retap screen` count steps.
            json!({ "from": name, "first_step": part.steps.start + 1, "last_step": part.steps.end })
        })
        .collect();
    json!({
        "file": ReducedSuite::file_name(number), "steps": kept.trace.steps.len(), "seconds": kept.took.0 as f64 / 1e6,
        "covers_alone": kept.unique_coverage, "fragments": fragments,
        "simplified": kept.simplified.iter().map(|step| step + 1).collect::<Vec<_>>(),
    })
}

fn original(smaller: &ReducedSuite, number: usize, fate: &TraceDisposition) -> Value {
    let used: Vec<Value> = fate
        .in_result
        .iter()
        .map(|&(file, steps)| json!({ "file": ReducedSuite::file_name(file as usize), "steps": steps }))
        .collect();
    json!({
        "file": smaller.names.get(number), "steps": fate.steps, "replayable": fate.replayable, "used_in": used,
    })
}
