//! A reduced suite on disk: a `.retap` file for each trace, and a manifest that says where every step of it came from.

use retap_reduce::suite::{Covered, Fate, Kept, Measure, PhaseReport, SuiteReduction};
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use super::{SUITE, Smaller};
use crate::failure::Failure;
use crate::run::directory::Directory;
use crate::settings::ReduceSuite;

/// Inside `suite/`.
pub const MANIFEST: &str = "manifest.json";

pub(super) fn write(
    run: &Directory,
    smaller: &Smaller,
    settings: &ReduceSuite,
) -> Result<(), Failure> {
    let SuiteReduction { outcome, kept, .. } = &smaller.reduction;
    if !matches!(outcome, Outcome::Done | Outcome::BudgetSpent) {
        return Ok(());
    }
    for (number, one) in kept.iter().enumerate() {
        run.write(
            &format!("{SUITE}/{}", Smaller::file(number)),
            one.trace.to_text().as_bytes(),
        )?;
    }
    let manifest = format!("{:#}\n", manifest(smaller, settings));
    Ok(run.write(&format!("{SUITE}/{MANIFEST}"), manifest.as_bytes())?)
}

fn manifest(smaller: &Smaller, settings: &ReduceSuite) -> Value {
    let reduction = &smaller.reduction;
    json!({
        "format": 1,
        "app": smaller.app.package,
        "version_code": smaller.app.version_code,
        "algorithm": settings.algorithm.name(),
        "abstraction": settings.abstraction,
        "replays": settings.replays,
        "fragments": settings.fragments,
        "before": measure(&reduction.before),
        "after": measure(&reduction.after),
        "not_replayable": reduction.not_replayable,
        "phases": reduction.phases.iter().map(phase).collect::<Vec<_>>(),
        "traces": reduction.kept.iter().enumerate().map(|(number, kept)| trace(smaller, number, kept)).collect::<Vec<_>>(),
        "originals": reduction.fates.iter().enumerate().map(|(number, fate)| original(smaller, number, fate)).collect::<Vec<_>>(),
    })
}

pub fn measure(measure: &Measure) -> Value {
    let Measure {
        traces,
        transitions,
        took,
        covered,
    } = measure;
    let Covered { app, problems } = covered;
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

fn phase(report: &PhaseReport) -> Value {
    let PhaseReport {
        phase,
        traces,
        transitions,
        spent,
    } = report;
    json!({
        "phase": phase.name(), "traces": traces, "transitions": transitions,
        "runs": spent.runs, "events": spent.events, "phone_seconds": spent.took.0 as f64 / 1e6,
    })
}

fn trace(smaller: &Smaller, number: usize, kept: &Kept) -> Value {
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
        "file": Smaller::file(number), "steps": kept.trace.steps.len(), "seconds": kept.took.0 as f64 / 1e6,
        "covers_alone": kept.alone, "fragments": fragments,
        "simplified": kept.simplified.iter().map(|step| step + 1).collect::<Vec<_>>(),
    })
}

fn original(smaller: &Smaller, number: usize, fate: &Fate) -> Value {
    let used: Vec<Value> = fate
        .in_result
        .iter()
        .map(|&(file, steps)| json!({ "file": Smaller::file(file as usize), "steps": steps }))
        .collect();
    json!({
        "file": smaller.names.get(number), "steps": fate.steps, "replayable": fate.replayable, "used_in": used,
    })
}
