//! Ground truth: every planted crash is reached by its trace, and differs from all others.

use std::collections::HashSet;

use retap_agent::in_process::InProcessConnection;
use retap_agent::phone::Phone;
use retap_shared::connection::Connection;
use retap_shared::finding::FindingKind;
use retap_shared::locate::LocatedBy;
use retap_shared::protocol::{Play, PlayReply, Settle};
use retap_shared::target::Target;
use retap_shared::trace::{ReplayPace, StartMode};
use retap_shared::verdict::Verdict;
use retap_simulator::{CRASH_DELAY_LIMIT, PlantedCrash, app_names, ground_truth, open};

use crate::drive;

#[test]
fn every_app_has_its_documented_parts() {
    for app in app_names() {
        let truth = ground_truth(app).unwrap();
        assert!(
            (15..=60).contains(&truth.activities.len()),
            "`{app}`: {} activities",
            truth.activities.len()
        );
        assert!(
            (300..=3_000).contains(&truth.branches),
            "`{app}`: {} branches",
            truth.branches
        );
        assert!(
            (8..=20).contains(&truth.crashes.len()),
            "`{app}`: {} crashes",
            truth.crashes.len()
        );
        for kind in [
            FindingKind::Crash,
            FindingKind::NativeCrash,
            FindingKind::Anr,
        ] {
            assert!(
                truth.crashes.iter().any(|crash| crash.kind == kind),
                "`{app}` has no {kind}"
            );
        }
    }
}

#[test]
fn the_page_on_the_simulator_has_the_real_counts() {
    let page = include_str!("../../../../docs/how-it-works/simulator.md");
    for app in app_names() {
        let truth = ground_truth(app).unwrap();
        let counts = (truth.activities.len(), truth.branches, truth.crashes.len());
        let row = format!("| `{app}` | {} | {} | {} |", counts.0, counts.1, counts.2);
        assert!(
            page.contains(&row),
            "docs/how-it-works/simulator.md lacks {row}"
        );
        for crash in truth.crashes {
            let is_listed = page.lines().any(|line| {
                line.starts_with(&format!("| {app} | {} |", crash.name))
                    && line.ends_with(&format!(" {} |", crash.shortest.len()))
            });
            assert!(
                is_listed,
                "docs/how-it-works/simulator.md lacks `{}` of `{app}`, {}",
                crash.name,
                crash.shortest.len()
            );
        }
    }
}

#[test]
fn crashes_are_from_one_to_twenty_five_events_away() {
    let lengths: HashSet<usize> = all_crashes()
        .map(|(_, crash)| crash.shortest.len())
        .collect();
    assert!(lengths.contains(&1));
    assert!(lengths.iter().any(|length| (20..=25).contains(length)));
    assert!(lengths.iter().all(|length| (1..=25).contains(length)));
}

#[test]
fn no_two_crashes_have_one_fingerprint() {
    let mut seen = HashSet::new();
    for (app, crash) in all_crashes() {
        assert!(
            seen.insert(crash.fingerprint),
            "`{}` of `{app}` is like another",
            crash.name
        );
    }
}

#[tokio::test(start_paused = true)]
async fn each_shortest_trace_reaches_its_crash_and_no_other() {
    for (app, crash) in all_crashes() {
        let name = crash.name;
        let played = play(app, &crash, Some(Target::Problem(crash.fingerprint))).await;
        assert_eq!(
            played.verdict,
            Verdict::TargetReached,
            "`{name}` of `{app}`"
        );
        assert_eq!(
            played.played as usize,
            crash.shortest.len(),
            "`{name}` of `{app}` came early"
        );
        assert!(
            !played.located_by.contains(&LocatedBy::Place),
            "`{name}` of `{app}` misses a widget"
        );

        let played = play(app, &crash, None).await;
        let Verdict::Problem(finding) = played.verdict else {
            panic!("`{name}`: {:?}", played.verdict)
        };
        assert_eq!(
            (finding.kind, finding.fingerprint()),
            (crash.kind, crash.fingerprint),
            "`{name}`"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn no_trace_reaches_its_crash_without_its_last_event() {
    for (app, mut crash) in all_crashes() {
        crash.shortest.pop();
        let played = play(app, &crash, Some(Target::AnyProblem)).await;
        assert_ne!(
            played.verdict,
            Verdict::TargetReached,
            "`{}` of `{app}`",
            crash.name
        );
    }
}

/// Through the agent's own handlers.
async fn play(app: &str, crash: &PlantedCrash, target: Option<Target>) -> PlayReply {
    let mut phone = open(app).unwrap();
    let app = drive::app(&mut phone);
    phone.watch(&app.package);
    let play = Play {
        app,
        start: StartMode::Clean,
        steps: crash.shortest.clone(),
        target,
        pace: ReplayPace::Quiet,
        settle: Settle::default(),
        final_wait: CRASH_DELAY_LIMIT,
        record: false,
    };
    let reply = InProcessConnection::new(Box::new(phone))
        .request(play.into())
        .await
        .unwrap();
    PlayReply::try_from(reply).unwrap()
}

fn all_crashes() -> impl Iterator<Item = (&'static str, PlantedCrash)> {
    app_names().iter().flat_map(|app| {
        ground_truth(app)
            .unwrap()
            .crashes
            .into_iter()
            .map(move |crash| (*app, crash))
    })
}
