//! What a run came to, in words for people and as JSON for programs.

use retap_explore::{ExplorationCounts, ExplorationResult, FindingRecord};
use retap_model::CoveragePoint;
use retap_reduce::trace_reduction::{ReproductionCheck, ResultConfidence};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::operations::{ExploreResult, ReducedTrace};
use crate::report::html::step_text as step_words;
use crate::run::findings::StoredFinding;
use crate::run::store::KnownFinding;
use crate::sanitise_terminal::{self, INLINE_WIDTH};
use crate::target;
use crate::wording::{group_thousands, pluralise};

/// As many steps as somebody reads one after the other.
const STEP_LIMIT: usize = 30;

/// The table at the end of an exploration.
pub fn exploration_table(explored: &ExploreResult) -> String {
    let ExploreResult {
        app,
        exploration,
        findings: crashes,
        ..
    } = explored;
    let CoveragePoint {
        activities,
        screens,
        branches,
        ..
    } = totals(exploration);
    let rows = [
        ("events", events(explored)),
        ("activities", of(activities, app.activities.len())),
        ("screens", group_thousands(u64::from(screens))),
        ("branches", of(branches, app.branches as usize)),
        ("problems", problems(crashes)),
        (
            "speed",
            format!(
                "{} events a second",
                group_thousands(events_per_second(explored))
            ),
        ),
        ("phone time", exploration.took.to_string()),
        ("starts", starts(&exploration.counts)),
        ("travel", travel(&exploration.counts)),
    ];
    let label = sanitise_terminal::sanitise_line(&app.label, INLINE_WIDTH);
    let package = sanitise_terminal::sanitise_line(&app.app.package, INLINE_WIDTH);
    let mut lines = vec![format!("{label} ({package})")];
    lines.extend(
        rows.into_iter()
            .map(|(name, value)| format!("  {name:<12}{value}")),
    );
    lines.extend(crashes.iter().map(|(crash, known)| problem(crash, *known)));
    if !exploration.unconfirmed.is_empty() {
        lines.push(
            "  not from a clean start, and so not counted (see `apart` in the run):".to_owned(),
        );
        let headline = |found: &FindingRecord| {
            format!(
                "  {} {}",
                found.fingerprint,
                headline(&StoredFinding::from(found))
            )
        };
        lines.extend(exploration.unconfirmed.iter().map(headline));
    }
    lines.join("\n")
}

/// The same in a line.
pub fn exploration_line(explored: &ExploreResult) -> String {
    let ExploreResult {
        app, exploration, ..
    } = explored;
    let CoveragePoint {
        activities,
        screens,
        branches,
        ..
    } = totals(exploration);
    format!(
        "{} events, {} of phone time: {} activities, {} screens, {} branches",
        group_thousands(exploration.events),
        exploration.took,
        of(activities, app.activities.len()),
        group_thousands(u64::from(screens)),
        of(branches, app.branches as usize),
    )
}

pub fn exploration_json(explored: &ExploreResult, seed: u64) -> Value {
    let ExploreResult {
        app,
        exploration,
        findings: crashes,
        sessions,
        took,
        explorer,
        ..
    } = explored;
    let CoveragePoint {
        activities,
        screens,
        branches,
        ..
    } = totals(exploration);
    json!({
        "result": "explore",
        "outcome": exploration.outcome,
        "app": app.app.package,
        "explorer": explorer.name(),
        "seed": seed,
        "events": exploration.events,
        "sessions": sessions,
        "activities": activities,
        "activities_total": app.activities.len(),
        "screens": screens,
        "branches": branches,
        "branches_total": app.branches,
        "problems": crashes.iter().map(|(crash, known)| finding_json(crash, *known)).collect::<Vec<_>>(),
        "seconds": took.as_secs_f64(),
        "events_per_second": events_per_second(explored),
        "phone_seconds": exploration.took.0 as f64 / 1e6,
        "clean_starts": exploration.counts.clean_starts,
        "restarts": exploration.counts.restarts,
        "snapshots": exploration.counts.snapshots,
        "snapshots_of_data": exploration.counts.app_data_snapshots,
        "restores": exploration.counts.restores,
        "replays": exploration.counts.replayed_paths,
        "not_from_a_clean_start": exploration.unconfirmed.iter().map(|found| found.fingerprint).collect::<Vec<_>>(),
    })
}

/// One step a line, numbered, as a person would do them. A trace too long to be read is told by its last steps.
fn steps(trace: &Trace) -> String {
    let left_out = trace.steps.len().saturating_sub(STEP_LIMIT);
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(format!(
            "        … {} before",
            pluralise(left_out as u64, "step")
        ));
    }
    let shown = trace.steps.iter().enumerate().skip(left_out);
    lines.extend(
        shown.map(|(number, step)| {
            format!("    {:>3}. {}", number + 1, step_words::step_text(step))
        }),
    );
    lines.join("\n")
}

/// What a trace was cut down to, and the steps that are left.
pub fn reduced_trace(one: &ReducedTrace) -> String {
    if one.outcome == Outcome::DoesNotReproduce {
        return format!(
            "{}\n  does not reproduce: {}",
            name(one),
            share(&one.original)
        );
    }
    let from = pluralise(one.original_steps as u64, "step");
    let to = pluralise(one.trace.steps.len() as u64, "step");
    let proof = one.result.as_ref().map_or_else(String::new, |check| {
        let sure = one
            .certainty
            .map_or_else(String::new, |sure| format!(" {}", certainty(sure)));
        format!(", proven in {}{sure}", share(check))
    });
    let simpler = match one.simplified {
        0 => String::new(),
        some => format!(", {some} of them made simpler"),
    };
    format!(
        "{}\n  {from} → {to}{simpler}{proof}\n{}",
        name(one),
        steps(&one.trace)
    )
}

/// What a trace is for: its crash if it is one.
pub fn name(one: &ReducedTrace) -> String {
    one.finding.as_ref().map_or_else(
        || format!("the way to {}", target::describe(&one.target)),
        headline,
    )
}

/// `(0.99/0.96)`: that it does it in 85 of 100 runs, and that no single step can go. Cut off, not rounded.
pub fn certainty(sure: ResultConfidence) -> String {
    let digits = |probability: f64| {
        let hundredths = (probability * 100.0 + 1e-9) as u32;
        if hundredths == 100 {
            "1.0".to_owned()
        } else {
            format!("0.{hundredths:02}")
        }
    };
    format!("({}/{})", digits(sure.good), digits(sure.minimal))
}

/// `2 of 3 runs`.
pub fn share(check: &ReproductionCheck) -> String {
    format!(
        "{} of {}",
        check.successes,
        pluralise(u64::from(check.runs), "run")
    )
}

/// Kind and first line.
pub fn headline(crash: &StoredFinding) -> String {
    format!(
        "{}: {}",
        crash.finding.kind,
        sanitise_terminal::sanitise_line(&crash.finding.summary, INLINE_WIDTH)
    )
}

fn problem(crash: &StoredFinding, known: Option<KnownFinding>) -> String {
    let since = known.map_or_else(String::new, |known| {
        format!(
            ", known since {} ({})",
            known.first_seen.to_text(),
            pluralise(known.occurrences, "time")
        )
    });
    let times = pluralise(u64::from(crash.occurrences), "time");
    let steps = pluralise(crash.trace.steps.len() as u64, "step");
    let cut = crash.reduced.as_ref().map_or_else(String::new, |reduced| {
        format!(
            ", cut to {}",
            pluralise(reduced.trace.steps.len() as u64, "step")
        )
    });
    format!(
        "  {} {}\n    {times}, first after {steps}{cut}{since}",
        crash.fingerprint,
        headline(crash)
    )
}

pub fn finding_json(crash: &StoredFinding, known: Option<KnownFinding>) -> Value {
    json!({
        "id": crash.fingerprint,
        "kind": crash.finding.kind,
        "summary": crash.finding.summary,
        "times": crash.occurrences,
        "steps": crash.trace.steps.len(),
        "known_since": known.map(|known| known.first_seen.to_text()),
    })
}

fn events(explored: &ExploreResult) -> String {
    let ExploreResult {
        exploration,
        planned_events: wanted,
        sessions,
        ..
    } = explored;
    let played = group_thousands(exploration.events);
    match exploration.outcome {
        Outcome::Interrupted => match wanted {
            Some(wanted) => format!("{played} of {}, stopped", group_thousands(*wanted)),
            None => format!("{played}, stopped"),
        },
        _ if *sessions == 0 => played,
        _ => format!("{played} in {}", pluralise(*sessions, "session")),
    }
}

/// `12 clean, 3 with the data that was there, 40 s`
pub fn starts(counts: &ExplorationCounts) -> String {
    let ExplorationCounts {
        clean_starts,
        restarts,
        starting_time: starting,
        ..
    } = counts;
    match restarts {
        0 => format!(
            "{} clean, {starting}",
            group_thousands(u64::from(*clean_starts))
        ),
        _ => format!("{clean_starts} clean, {restarts} with the data that was there, {starting}"),
    }
}

/// How states were gone back to, and what was taken for it.
pub fn travel(counts: &ExplorationCounts) -> String {
    let ExplorationCounts {
        snapshots: saves,
        app_data_snapshots: data_saves,
        snapshot_time: saving,
        restores,
        restore_time: restoring,
        replayed_paths: replays,
        replayed_events: replayed,
        ..
    } = *counts;
    let taken = match data_saves {
        0 => pluralise(u64::from(saves), "snapshot"),
        some if some == saves => pluralise(u64::from(saves), "snapshot") + " of the app's data",
        some => {
            pluralise(u64::from(saves), "snapshot") + &format!(", {some} of the app's data only")
        }
    };
    let mut ways = Vec::new();
    if restores > 0 {
        let times = pluralise(u64::from(restores), "time");
        ways.push(format!(
            "{times} back to one of {taken} ({saving} to save, {restoring} to restore)"
        ));
    }
    if replays > 0 {
        let times = pluralise(u64::from(replays), "time");
        let events = pluralise(replayed, "event");
        ways.push(format!(
            "{times} by a clean start and the recorded way ({events})"
        ));
    }
    match (ways.is_empty(), saves > 0 && restores == 0) {
        (true, false) => "none".to_owned(),
        (true, true) => format!("none; {taken} taken in vain ({saving})"),
        (false, true) => format!("{}; {taken} taken in vain ({saving})", ways.join(", ")),
        (false, false) => ways.join(", "),
    }
}

fn problems(crashes: &[(StoredFinding, Option<KnownFinding>)]) -> String {
    let times: u64 = crashes
        .iter()
        .map(|(crash, _)| u64::from(crash.occurrences))
        .sum();
    match crashes.len() {
        0 => "none".to_owned(),
        different => format!("{different} different, met {}", pluralise(times, "time")),
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
    // What an earlier process has done is no merit of this one.
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
    fn travel_is_told_by_the_way_it_was_done() {
        let none = ExplorationCounts::default();
        let second = Micros::from_millis(1_000);
        let saved = ExplorationCounts {
            snapshots: 4,
            snapshot_time: second,
            ..none
        };
        let told = [
            (none, "none"),
            (saved, "none; 4 snapshots taken in vain (1.0 s)"),
            (
                ExplorationCounts {
                    restores: 2,
                    restore_time: second,
                    ..saved
                },
                "2 times back to one of 4 snapshots (1.0 s to save, 1.0 s to restore)",
            ),
            (
                ExplorationCounts {
                    restores: 1,
                    restore_time: second,
                    app_data_snapshots: 4,
                    ..saved
                },
                "1 time back to one of 4 snapshots of the app's data (1.0 s to save, 1.0 s to restore)",
            ),
            (
                ExplorationCounts {
                    replayed_paths: 3,
                    replayed_events: 40,
                    ..none
                },
                "3 times by a clean start and the recorded way (40 events)",
            ),
        ];
        for (counts, words) in told {
            assert_eq!(travel(&counts), words);
        }
    }
}
