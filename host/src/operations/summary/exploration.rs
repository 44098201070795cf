//! Summary of an exploration: a table and a line for people, JSON for programs.

use retap_explore::{ExplorationCounts, ExplorationResult};
use retap_model::CoveragePoint;
use retap_reduce::named_choice::NamedChoice as _;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use super::headline;
use crate::operations::ExploreResult;
use crate::run::findings::StoredFinding;
use crate::run::known_finding::KnownFinding;
use crate::sanitise_terminal::{self, INLINE_WIDTH};
use crate::wording::{group_thousands, pluralise};

/// The table at the end of an exploration.
pub fn exploration_table(explored: &ExploreResult) -> String {
    let app = &explored.app;
    let label = sanitise_terminal::sanitise_line(&app.label, INLINE_WIDTH);
    let package = sanitise_terminal::sanitise_line(&app.app.package, INLINE_WIDTH);
    let mut lines = vec![format!("{label} ({package})")];
    lines.extend(
        table_rows(explored)
            .into_iter()
            .map(|(name, value)| format!("  {name:<12}{value}")),
    );
    lines.extend(
        explored
            .findings
            .iter()
            .map(|(finding, known)| finding_lines(finding, *known)),
    );
    let unconfirmed = &explored.exploration.unconfirmed;
    if !unconfirmed.is_empty() {
        lines.push(
            "  unconfirmed, not reproduced from a clean start (files in `unconfirmed/` of the run):"
                .to_owned(),
        );
        lines.extend(
            unconfirmed
                .iter()
                .map(|record| format!("  {} {}", record.fingerprint, headline(&record.finding))),
        );
    }
    lines.join("\n")
}

fn table_rows(explored: &ExploreResult) -> [(&'static str, String); 9] {
    let ExploreResult {
        app,
        exploration,
        coverage,
        ..
    } = explored;
    let total = totals(exploration);
    let speed = group_thousands(events_per_second(explored));
    [
        ("events", events(explored)),
        ("activities", of(total.activities, app.activities.len())),
        ("screens", group_thousands(u64::from(total.screens))),
        (coverage.noun(), of(total.branches, app.branches as usize)),
        ("findings", finding_counts(&explored.findings)),
        ("speed", format!("{speed} events a second")),
        ("phone time", exploration.took.to_string()),
        ("starts", starts(&exploration.counts)),
        ("travel", travel(&exploration.counts)),
    ]
}

/// The same in a line.
pub fn exploration_line(explored: &ExploreResult) -> String {
    let ExploreResult {
        app, exploration, ..
    } = explored;
    let total = totals(exploration);
    format!(
        "{} events, {} of phone time: {} activities, {} screens, {} {}",
        group_thousands(exploration.events),
        exploration.took,
        of(total.activities, app.activities.len()),
        group_thousands(u64::from(total.screens)),
        of(total.branches, app.branches as usize),
        explored.coverage.noun(),
    )
}

/// The result as one JSON object.
pub fn exploration_json(explored: &ExploreResult, seed: u64) -> Value {
    let ExploreResult {
        app,
        exploration,
        findings,
        sessions,
        took,
        explorer,
        ..
    } = explored;
    let total = totals(exploration);
    let problems: Vec<Value> = findings
        .iter()
        .map(|(finding, known)| finding_json(finding, *known))
        .collect();
    let unconfirmed = exploration.unconfirmed.iter();
    json!({
        "result": "explore",
        "outcome": exploration.outcome,
        "app": app.app.package,
        "explorer": explorer.name(),
        "seed": seed,
        "events": exploration.events,
        "sessions": sessions,
        "activities": total.activities,
        "activities_total": app.activities.len(),
        "screens": total.screens,
        "coverage": explored.coverage.name(),
        "branches": total.branches,
        "branches_total": app.branches,
        "problems": problems,
        "seconds": took.as_secs_f64(),
        "events_per_second": events_per_second(explored),
        "phone_seconds": exploration.took.0 as f64 / 1e6,
        "refused_events": exploration.counts.refused_events,
        "clean_starts": exploration.counts.clean_starts,
        "restarts": exploration.counts.restarts,
        "snapshots": exploration.counts.snapshots,
        "snapshots_of_data": exploration.counts.app_data_snapshots,
        "restores": exploration.counts.restores,
        "replays": exploration.counts.replayed_paths,
        "not_from_a_clean_start": unconfirmed.map(|record| record.fingerprint).collect::<Vec<_>>(),
    })
}

fn finding_json(finding: &StoredFinding, known: Option<KnownFinding>) -> Value {
    json!({
        "id": finding.fingerprint,
        "kind": finding.finding.kind,
        "summary": finding.finding.summary,
        "times": finding.occurrences,
        "steps": finding.trace.steps.len(),
        "status": if known.is_some() { "known" } else { "new" },
        "known_since": known.map(KnownFinding::since),
    })
}

fn finding_lines(finding: &StoredFinding, known: Option<KnownFinding>) -> String {
    let known = known.map_or_else(
        || ", new".to_owned(),
        |known| format!(", known since {known}"),
    );
    let times = pluralise(u64::from(finding.occurrences), "time");
    let steps = pluralise(finding.trace.steps.len() as u64, "step");
    let reduced = finding
        .reduced
        .as_ref()
        .map_or_else(String::new, |reduced| {
            let steps = reduced.reduction.trace.steps.len() as u64;
            format!(", reduced to {}", pluralise(steps, "step"))
        });
    format!(
        "  {} {}\n    seen {times}, first after {steps}{reduced}{known}",
        finding.fingerprint,
        headline(&finding.finding)
    )
}

fn events(explored: &ExploreResult) -> String {
    let ExploreResult {
        exploration,
        planned_events,
        sessions,
        ..
    } = explored;
    let played = group_thousands(exploration.events);
    let played = match exploration.counts.refused_events {
        0 => played,
        refused => format!(
            "{played} ({} not taken by the phone)",
            group_thousands(refused)
        ),
    };
    match exploration.outcome {
        Outcome::Interrupted => match planned_events {
            Some(planned) => format!("{played} of {}, interrupted", group_thousands(*planned)),
            None => format!("{played}, interrupted"),
        },
        _ if *sessions == 0 => played,
        _ => format!("{played} in {}", pluralise(*sessions, "session")),
    }
}

/// `12 clean starts, 3 restarts, 40 s`
pub fn starts(counts: &ExplorationCounts) -> String {
    let clean_starts = pluralise(u64::from(counts.clean_starts), "clean start");
    let time = counts.starting_time;
    match counts.restarts {
        0 => format!("{clean_starts}, {time}"),
        restarts => {
            let restarts = pluralise(u64::from(restarts), "restart");
            format!("{clean_starts}, {restarts}, {time}")
        }
    }
}

/// Travel by its means, and snapshots that were never restored.
pub fn travel(counts: &ExplorationCounts) -> String {
    let snapshots = snapshots(counts);
    let mut travels = Vec::new();
    if counts.restores > 0 {
        travels.push(format!(
            "{} from {snapshots} ({} to save, {} to restore)",
            pluralise(u64::from(counts.restores), "restore"),
            counts.snapshot_time,
            counts.restore_time
        ));
    }
    if counts.replayed_paths > 0 {
        travels.push(format!(
            "{} from a clean start ({})",
            pluralise(u64::from(counts.replayed_paths), "replay"),
            pluralise(counts.replayed_events, "event")
        ));
    }
    if travels.is_empty() {
        travels.push("none".to_owned());
    }
    let travels = travels.join(", ");
    if counts.snapshots > 0 && counts.restores == 0 {
        format!(
            "{travels}; {snapshots}, not used ({})",
            counts.snapshot_time
        )
    } else {
        travels
    }
}

fn snapshots(counts: &ExplorationCounts) -> String {
    let all = u64::from(counts.snapshots);
    match counts.app_data_snapshots {
        0 => pluralise(all, "snapshot"),
        of_data if of_data == counts.snapshots => pluralise(all, "app-data snapshot"),
        of_data => format!("{}, {of_data} of app data only", pluralise(all, "snapshot")),
    }
}

fn finding_counts(findings: &[(StoredFinding, Option<KnownFinding>)]) -> String {
    let times: u64 = findings
        .iter()
        .map(|(finding, _)| u64::from(finding.occurrences))
        .sum();
    match findings.len() {
        0 => "none".to_owned(),
        distinct => format!("{distinct} distinct, seen {}", pluralise(times, "time")),
    }
}

fn totals(exploration: &ExplorationResult) -> CoveragePoint {
    exploration.curve.last().copied().unwrap_or_default()
}

fn of(reached: u32, total: usize) -> String {
    let reached = group_thousands(u64::from(reached));
    if total == 0 {
        reached
    } else {
        format!("{reached} of {}", group_thousands(total as u64))
    }
}

fn events_per_second(explored: &ExploreResult) -> u64 {
    let seconds = explored.took.as_secs_f64();
    // Events that an earlier process played took none of this process's time.
    let events = explored.exploration.events - explored.exploration.recalled_events;
    if seconds > 0.0 {
        (events as f64 / seconds) as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use retap_shared::micros::Micros;

    use super::*;

    #[test]
    fn travel_is_summarised_by_its_means() {
        let none = ExplorationCounts::default();
        let second = Micros::from_millis(1_000);
        let saved = ExplorationCounts {
            snapshots: 4,
            snapshot_time: second,
            ..none
        };
        let cases = [
            (none, "none"),
            (saved, "none; 4 snapshots, not used (1.0 s)"),
            (
                ExplorationCounts {
                    restores: 2,
                    restore_time: second,
                    ..saved
                },
                "2 restores from 4 snapshots (1.0 s to save, 1.0 s to restore)",
            ),
            (
                ExplorationCounts {
                    restores: 1,
                    restore_time: second,
                    app_data_snapshots: 4,
                    ..saved
                },
                "1 restore from 4 app-data snapshots (1.0 s to save, 1.0 s to restore)",
            ),
            (
                ExplorationCounts {
                    replayed_paths: 3,
                    replayed_events: 40,
                    ..none
                },
                "3 replays from a clean start (40 events)",
            ),
        ];
        for (counts, words) in cases {
            assert_eq!(travel(&counts), words);
        }
    }
}
