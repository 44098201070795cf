//! What a run came to, in words for people and as JSON for programs.

use retap_explore::{Counts, Exploration, Found};
use retap_model::CoveragePoint;
use retap_reduce::trace::{Certainty, Check};
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::job::{Explored, Shortened};
use crate::plain::{self, SHORT};
use crate::report::html::words as step_words;
use crate::run::crashes::Crash;
use crate::run::store::Known;
use crate::target;
use crate::words::{counted, thousands};

/// As many steps as somebody reads one after the other.
const READABLE: usize = 30;

/// The table at the end of an exploration.
pub fn explored(explored: &Explored) -> String {
    let Explored {
        app,
        exploration,
        crashes,
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
        ("screens", thousands(u64::from(screens))),
        ("branches", of(branches, app.branches as usize)),
        ("problems", problems(crashes)),
        (
            "speed",
            format!("{} events a second", thousands(events_per_second(explored))),
        ),
        ("phone time", exploration.took.to_string()),
        ("starts", starts(&exploration.counts)),
        ("travel", travel(&exploration.counts)),
    ];
    let label = plain::line(&app.label, SHORT);
    let package = plain::line(&app.app.package, SHORT);
    let mut lines = vec![format!("{label} ({package})")];
    lines.extend(
        rows.into_iter()
            .map(|(name, value)| format!("  {name:<12}{value}")),
    );
    lines.extend(crashes.iter().map(|(crash, known)| problem(crash, *known)));
    if !exploration.apart.is_empty() {
        lines.push(
            "  not from a clean start, and so not counted (see `apart` in the run):".to_owned(),
        );
        let headline =
            |found: &Found| format!("  {} {}", found.fingerprint, headline(&Crash::from(found)));
        lines.extend(exploration.apart.iter().map(headline));
    }
    lines.join("\n")
}

/// The same in a line.
pub fn in_a_line(explored: &Explored) -> String {
    let Explored {
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
        thousands(exploration.events),
        exploration.took,
        of(activities, app.activities.len()),
        thousands(u64::from(screens)),
        of(branches, app.branches as usize),
    )
}

pub fn explored_json(explored: &Explored, seed: u64) -> Value {
    let Explored {
        app,
        exploration,
        crashes,
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
        "problems": crashes.iter().map(|(crash, known)| crash_json(crash, *known)).collect::<Vec<_>>(),
        "seconds": took.as_secs_f64(),
        "events_per_second": events_per_second(explored),
        "phone_seconds": exploration.took.0 as f64 / 1e6,
        "clean_starts": exploration.counts.clean_starts,
        "restarts": exploration.counts.restarts,
        "snapshots": exploration.counts.saves,
        "snapshots_of_data": exploration.counts.data_saves,
        "restores": exploration.counts.restores,
        "replays": exploration.counts.replays,
        "not_from_a_clean_start": exploration.apart.iter().map(|found| found.fingerprint).collect::<Vec<_>>(),
    })
}

/// One step a line, numbered, as a person would do them. A trace too long to be read is told by its last steps.
fn steps(trace: &Trace) -> String {
    let left_out = trace.steps.len().saturating_sub(READABLE);
    let mut lines = Vec::new();
    if left_out > 0 {
        lines.push(format!(
            "        … {} before",
            counted(left_out as u64, "step")
        ));
    }
    let shown = trace.steps.iter().enumerate().skip(left_out);
    lines.extend(
        shown.map(|(number, step)| format!("    {:>3}. {}", number + 1, step_words::plain(step))),
    );
    lines.join("\n")
}

/// What a trace was cut down to, and the steps that are left.
pub fn shortened(one: &Shortened) -> String {
    if one.outcome == Outcome::DoesNotReproduce {
        return format!(
            "{}\n  does not reproduce: {}",
            name(one),
            share(&one.original)
        );
    }
    let from = counted(one.from as u64, "step");
    let to = counted(one.trace.steps.len() as u64, "step");
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
pub fn name(one: &Shortened) -> String {
    one.crash.as_ref().map_or_else(
        || format!("the way to {}", target::in_words(&one.target)),
        headline,
    )
}

/// `(0.99/0.96)`: that it does it in 85 of 100 runs, and that no single step can go. Cut off, not rounded.
pub fn certainty(sure: Certainty) -> String {
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
pub fn share(check: &Check) -> String {
    format!(
        "{} of {}",
        check.successes,
        counted(u64::from(check.runs), "run")
    )
}

/// Kind and first line.
pub fn headline(crash: &Crash) -> String {
    format!(
        "{}: {}",
        crash.problem.kind,
        plain::line(&crash.problem.summary, SHORT)
    )
}

fn problem(crash: &Crash, known: Option<Known>) -> String {
    let since = known.map_or_else(String::new, |known| {
        format!(
            ", known since {} ({})",
            known.first_seen.words(),
            counted(known.times, "time")
        )
    });
    let times = counted(u64::from(crash.times), "time");
    let steps = counted(crash.trace.steps.len() as u64, "step");
    let cut = crash.reduced.as_ref().map_or_else(String::new, |reduced| {
        format!(
            ", cut to {}",
            counted(reduced.trace.steps.len() as u64, "step")
        )
    });
    format!(
        "  {} {}\n    {times}, first after {steps}{cut}{since}",
        crash.fingerprint,
        headline(crash)
    )
}

pub fn crash_json(crash: &Crash, known: Option<Known>) -> Value {
    json!({
        "id": crash.fingerprint,
        "kind": crash.problem.kind,
        "summary": crash.problem.summary,
        "times": crash.times,
        "steps": crash.trace.steps.len(),
        "known_since": known.map(|known| known.first_seen.words()),
    })
}

fn events(explored: &Explored) -> String {
    let Explored {
        exploration,
        wanted,
        sessions,
        ..
    } = explored;
    let played = thousands(exploration.events);
    match exploration.outcome {
        Outcome::Interrupted => match wanted {
            Some(wanted) => format!("{played} of {}, stopped", thousands(*wanted)),
            None => format!("{played}, stopped"),
        },
        _ if *sessions == 0 => played,
        _ => format!("{played} in {}", counted(*sessions, "session")),
    }
}

/// `12 clean, 3 with the data that was there, 40 s`
pub fn starts(counts: &Counts) -> String {
    let Counts {
        clean_starts,
        restarts,
        starting,
        ..
    } = counts;
    match restarts {
        0 => format!("{} clean, {starting}", thousands(u64::from(*clean_starts))),
        _ => format!("{clean_starts} clean, {restarts} with the data that was there, {starting}"),
    }
}

/// How states were gone back to, and what was taken for it.
pub fn travel(counts: &Counts) -> String {
    let Counts {
        saves,
        data_saves,
        saving,
        restores,
        restoring,
        replays,
        replayed,
        ..
    } = *counts;
    let taken = match data_saves {
        0 => counted(u64::from(saves), "snapshot"),
        some if some == saves => counted(u64::from(saves), "snapshot") + " of the app's data",
        some => counted(u64::from(saves), "snapshot") + &format!(", {some} of the app's data only"),
    };
    let mut ways = Vec::new();
    if restores > 0 {
        let times = counted(u64::from(restores), "time");
        ways.push(format!(
            "{times} back to one of {taken} ({saving} to save, {restoring} to restore)"
        ));
    }
    if replays > 0 {
        let times = counted(u64::from(replays), "time");
        let events = counted(replayed, "event");
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

fn problems(crashes: &[(Crash, Option<Known>)]) -> String {
    let times: u64 = crashes
        .iter()
        .map(|(crash, _)| u64::from(crash.times))
        .sum();
    match crashes.len() {
        0 => "none".to_owned(),
        different => format!("{different} different, met {}", counted(times, "time")),
    }
}

fn totals(exploration: &Exploration) -> CoveragePoint {
    exploration.curve.last().copied().unwrap_or_default()
}

fn of(reached: u32, total: usize) -> String {
    let reached = thousands(u64::from(reached));
    if total == 0 {
        reached
    } else {
        format!("{reached} of {}", thousands(total as u64))
    }
}

fn events_per_second(explored: &Explored) -> u64 {
    let seconds = explored.took.as_secs_f64();
    // What an earlier process has done is no merit of this one.
    let events = explored.exploration.events - explored.exploration.recalled;
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
        let none = Counts::default();
        let second = Micros::from_millis(1_000);
        let saved = Counts {
            saves: 4,
            saving: second,
            ..none
        };
        let told = [
            (none, "none"),
            (saved, "none; 4 snapshots taken in vain (1.0 s)"),
            (
                Counts {
                    restores: 2,
                    restoring: second,
                    ..saved
                },
                "2 times back to one of 4 snapshots (1.0 s to save, 1.0 s to restore)",
            ),
            (
                Counts {
                    restores: 1,
                    restoring: second,
                    data_saves: 4,
                    ..saved
                },
                "1 time back to one of 4 snapshots of the app's data (1.0 s to save, 1.0 s to restore)",
            ),
            (
                Counts {
                    replays: 3,
                    replayed: 40,
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
