//! A reduced suite and its files in `suite/` of a run: a `.retap` file for each trace, and a manifest that names the
//! origin of every step. The page and the table of `retap reduce-suite` are made from the same value.

use std::path::Path;

use retap_reduce::suite::{
    ReplayTally, SuiteCoverage, SuiteMeasure, SuitePhaseReport, SuiteReduction, SuiteTrace,
    TraceDisposition,
};
use retap_shared::trace::App;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::options::ReduceSuiteOptions;
use crate::run::directory::{RunDirectory, RunDirectoryError};
use crate::wording::{group_thousands, pluralise};

/// Directory of the reduced suite, inside the run.
pub const SUITE_DIRECTORY: &str = "suite";
/// Manifest of the reduced suite, inside `suite/`.
pub const SUITE_MANIFEST: &str = "manifest.json";

/// Result of a suite reduction.
#[derive(Clone, Debug)]
pub struct ReducedSuite {
    pub reduction: SuiteReduction,
    /// The files that were read, in their order.
    pub names: Vec<String>,
    pub app: App,
    pub algorithm: String,
}

impl ReducedSuite {
    /// Name of a reduced trace's file inside `suite/`.
    pub fn file_name(number: usize) -> String {
        format!("{:03}.retap", number + 1)
    }

    /// Path of a reduced trace's file inside the run.
    pub fn file_path(number: usize) -> String {
        format!("{SUITE_DIRECTORY}/{}", ReducedSuite::file_name(number))
    }

    /// Name of a file that was read, without the directories above it.
    pub fn original_name(&self, original: u32) -> &str {
        let name = self.names.get(original as usize).map_or("", String::as_str);
        Path::new(name)
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(name)
    }

    /// True if the reduction has a result, so that there are files of it.
    pub fn is_written(&self) -> bool {
        matches!(self.reduction.outcome, Outcome::Done | Outcome::BudgetSpent)
    }

    /// Tally of the check over all traces: `670 of 670 replays visited the same screens`.
    pub fn check_text(&self) -> String {
        let check = &self.reduction.check;
        match check.runs {
            0 => "not made: the budget was spent".to_owned(),
            runs => format!(
                "{} of {} visited the same screens",
                group_thousands(u64::from(check.followed)),
                pluralise(u64::from(runs), "replay"),
            ),
        }
    }

    /// A line for each trace that not all replays of the check followed.
    pub fn flaky_lines(&self) -> Vec<String> {
        let line = |(number, tally): (usize, &ReplayTally)| {
            let file = ReducedSuite::file_name(number);
            let followed = tally.followed;
            let runs = tally.runs();
            let left = divergences_text(tally);
            format!("{file}: {followed} of {runs}; left its path {left}")
        };
        self.flaky().map(line).collect()
    }

    /// The same for `--json` and the manifest.
    pub fn flaky_json(&self) -> Vec<Value> {
        let object = |(number, tally): (usize, &ReplayTally)| json!({ "file": ReducedSuite::file_name(number), "replays": tally_json(tally) });
        self.flaky().map(object).collect()
    }

    /// Numbers and tallies of the traces that not all replays of the check followed.
    fn flaky(&self) -> impl Iterator<Item = (usize, &ReplayTally)> {
        let tallies = self.reduction.traces.iter().map(|reduced| &reduced.check);
        tallies.enumerate().filter(|(_, tally)| tally.is_flaky())
    }

    /// Writes traces and manifest; nothing if the reduction did not come to its end.
    pub fn write(
        &self,
        run: &RunDirectory,
        options: &ReduceSuiteOptions,
    ) -> Result<(), RunDirectoryError> {
        if !self.is_written() {
            return Ok(());
        }
        for (number, reduced) in self.reduction.traces.iter().enumerate() {
            run.write(
                &ReducedSuite::file_path(number),
                reduced.trace.to_text().as_bytes(),
            )?;
        }
        let manifest = format!("{:#}\n", manifest(self, options));
        run.write(
            &format!("{SUITE_DIRECTORY}/{SUITE_MANIFEST}"),
            manifest.as_bytes(),
        )
    }
}

fn manifest(suite: &ReducedSuite, options: &ReduceSuiteOptions) -> Value {
    let reduction = &suite.reduction;
    json!({
        "format": 1,
        "app": suite.app.package,
        "version_code": suite.app.version_code,
        "algorithm": options.algorithm.to_string(),
        "abstraction": options.abstraction,
        "replays": options.replays,
        "fragments": options.fragments,
        "before": measure_json(&reduction.before),
        "after": measure_json(&reduction.after),
        "not_replayable": reduction.not_replayable,
        "check": { "successes": reduction.check.followed, "runs": reduction.check.runs },
        "unconfirmed": coverage_json(&reduction.check.unconfirmed),
        "phases": reduction.phases.iter().map(phase).collect::<Vec<_>>(),
        "traces": reduction.traces.iter().enumerate().map(|(number, kept)| trace(suite, number, kept)).collect::<Vec<_>>(),
        "originals": reduction.dispositions.iter().enumerate().map(|(number, disposition)| original(suite, number, disposition)).collect::<Vec<_>>(),
    })
}

/// `at step 5 (2 times), at the start`
fn divergences_text(tally: &ReplayTally) -> String {
    let place = |(step, times): (&u32, &u32)| {
        let place = match step {
            0 => "at the start".to_owned(),
            step => format!("at step {step}"),
        };
        match times {
            1 => place,
            times => format!("{place} ({times} times)"),
        }
    };
    let places: Vec<String> = tally.diverged.iter().map(place).collect();
    places.join(", ")
}

fn tally_json(tally: &ReplayTally) -> Value {
    json!({ "successes": tally.followed, "runs": tally.runs(), "diverged_at_step": tally.diverged })
}

/// Covered items by name.
pub fn coverage_json(coverage: &SuiteCoverage) -> Value {
    let SuiteCoverage { app, findings } = coverage;
    let screens = app.screens.iter().map(|screen| format!("{screen:016x}"));
    json!({
        "activities": app.activities, "screens": screens.collect::<Vec<_>>(), "branches": app.branches,
        "crashes": findings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Covered items in words, with the names of activities and findings: `the activity \`a/.B\`, 2 screens`.
pub fn coverage_text(coverage: &SuiteCoverage) -> String {
    let SuiteCoverage { app, findings } = coverage;
    let activities = app.activities.iter();
    let activities = activities.map(|activity| format!("the activity `{activity}`"));
    let findings = findings
        .iter()
        .map(|finding| format!("the finding {finding}"));
    let counted = [
        (app.screens.len(), "screen"),
        (app.branches.len(), "branch"),
    ];
    let counted = counted
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| match (count, name) {
            (1, name) => format!("1 {name}"),
            (count, "branch") => format!("{count} branches"),
            (count, name) => format!("{count} {name}s"),
        });
    let parts: Vec<String> = activities.chain(findings).chain(counted).collect();
    parts.join(", ")
}

/// Size and coverage of a suite, for the manifest and for `--json`.
pub fn measure_json(measure: &SuiteMeasure) -> Value {
    let SuiteMeasure {
        traces,
        transitions,
        took,
        covered,
    } = measure;
    let SuiteCoverage { app, findings } = covered;
    json!({
        "traces": traces,
        "transitions": transitions,
        "restarts": traces,
        "seconds": took.0 as f64 / 1e6,
        "coverage": {
            "activities": app.activities.len(), "screens": app.screens.len(),
            "branches": app.branches.len(), "crashes": findings.len(),
        },
    })
}

fn phase(report: &SuitePhaseReport) -> Value {
    let SuitePhaseReport {
        phase,
        traces,
        transitions,
        greedy,
        cost,
    } = report;
    json!({
        "phase": phase.name(), "traces": traces, "transitions": transitions, "greedy": greedy,
        "runs": cost.runs, "events": cost.events, "phone_seconds": cost.took.0 as f64 / 1e6,
    })
}

fn trace(suite: &ReducedSuite, number: usize, kept: &SuiteTrace) -> Value {
    let fragments: Vec<Value> = kept
        .fragments
        .iter()
        .map(|part| {
            let name = suite.names.get(part.trace as usize);
            // Counted from one, as people and `retap screen` count steps.
            json!({ "from": name, "first_step": part.steps.start + 1, "last_step": part.steps.end })
        })
        .collect();
    json!({
        "file": ReducedSuite::file_name(number), "steps": kept.trace.steps.len(), "seconds": kept.took.0 as f64 / 1e6,
        "covers_alone": kept.unique_coverage, "check": tally_json(&kept.check), "fragments": fragments,
        "simplified": kept.simplified.iter().map(|step| step + 1).collect::<Vec<_>>(),
    })
}

fn original(suite: &ReducedSuite, number: usize, disposition: &TraceDisposition) -> Value {
    let used: Vec<Value> = disposition
        .in_result
        .iter()
        .map(|&(file, steps)| json!({ "file": ReducedSuite::file_name(file as usize), "steps": steps }))
        .collect();
    json!({
        "file": suite.names.get(number), "steps": disposition.steps, "replayable": disposition.replayable, "used_in": used,
    })
}
