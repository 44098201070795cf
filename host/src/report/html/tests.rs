//! The page: well-formed whatever an app shows, complete without a network, small enough to be sent around.

mod hostile;
mod nesting;

use std::path::Path;

use nesting::{PageInventory, read};
use retap_shared::action::{Action, Key};
use retap_shared::bytes::Png;
use retap_shared::finding::FindingKind;
use retap_shared::geometry::{Rotation, Size};
use retap_shared::locate::LocatedBy;
use retap_shared::screen::{NodeFlags, WindowKind};
use retap_shared::trace::Step;
use retap_shared::verdict::Outcome;

use super::sample::{self, SampleTrace, ScreenBuilder, UPRIGHT};
use super::{finding, render, script};
use crate::report::data::{AppSection, ReportData};
use crate::run::findings::StoredFinding;

fn report_with(trace: &SampleTrace) -> ReportData {
    let finding = StoredFinding {
        reduced: Some(sample::reduction(trace)),
        ..sample::stored_finding(FindingKind::Crash)
    };
    ReportData {
        apps: vec![sample::app("Notes", vec![finding])],
        ..sample::report()
    }
}

/// Checks what holds for every page. Returns the page without the script and its data: what is readable without them.
fn checked(report: &ReportData) -> (String, PageInventory) {
    let page = render(report);
    let seen = read(&page);
    let (page, data, script) = parts(&page);
    assert!(!data.contains(['<', '>', '&']), "markup in the data");
    serde_json::from_str::<serde_json::Value>(&data).expect("the data is JSON");
    assert!(page.contains(&script::source_hash()) && script::matches(&script));
    // Parts of the page itself: a place in it, or a picture.
    let is_picture = |target: &&String| target.starts_with("data:image/png;base64,");
    assert_eq!(
        seen.dangling()
            .into_iter()
            .find(|target| !is_picture(target)),
        None
    );
    let is_inside = |target: &String| target.starts_with('#') || is_picture(&target);
    assert!(seen.targets.iter().all(is_inside), "{:?}", seen.targets);
    let odd = page.chars().find(|one| one.is_control() && *one != '\n');
    assert_eq!(odd, None, "a control character");
    (page, seen)
}

/// The page without scripts, the data, and the script.
fn parts(page: &str) -> (String, String, String) {
    let (before, rest) = page
        .split_once("<script type=\"application/json\" id=\"retap-data\">")
        .expect("the page has data");
    let (data, rest) = rest.split_once("</script><script>").expect("then a script");
    let (script, after) = rest.split_once("</script>").expect("that ends");
    (format!("{before}{after}"), data.into(), script.into())
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_from_elsewhere() {
    let (page, seen) = checked(&sample::report());
    for foreign in ["http:", "https:", "url(", "@import", "src="] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for element in [
        "script", "img", "iframe", "link", "object", "embed", "form", "a", "table", "svg",
    ] {
        assert_eq!(
            seen.elements.contains(element),
            ["script", "a", "table", "svg"].contains(&element),
            "{element}"
        );
    }
}

#[test]
fn a_report_names_the_command_and_the_findings() {
    let (page, _) = checked(&sample::report());
    for words in [
        "retap demo --seed 7",
        "simulated phone, API 34, 1080 × 2280",
        "3 distinct findings in 4 apps after 16,000 events, cut down from 426 steps to 16.",
        "213 → <strong>8</strong>",
        "3 of 3",
        "Index: 2, Size: 2",
        "No finding in this app.",
        "<mark><bdi> at com.example.notes.NoteAdapter.remove(NoteAdapter.java:88)</bdi></mark>",
        "<b>tap</b> <bdi>Button “Delete”</bdi>",
    ] {
        assert!(page.contains(words), "{words} is missing");
    }
    let file = sample::stored_finding(FindingKind::Crash).best_file();
    assert!(file.ends_with("/reduced.retap"));
    let command = format!("<bdi>retap replay /runs/7/{file} --device sim:notes</bdi>");
    assert!(page.contains(&command));
}

#[test]
fn a_crash_looks_like_this() {
    let list = sample::list(&["Shopping list"]);
    let trace = SampleTrace {
        steps: vec![sample::tap(&list, "ImageButton", "New note")],
        screens: vec![list],
        located_by: vec![LocatedBy::Widget],
        ..SampleTrace::default()
    };
    let stored = StoredFinding {
        reduced: Some(sample::reduction(&trace)),
        ..sample::stored_finding(FindingKind::Crash)
    };
    let app = AppSection {
        label: "Notes".into(),
        ..AppSection::default()
    };
    let shown = finding::finding(finding::NumberedFinding {
        app: &app,
        finding: &stored,
        number: 1,
        directory: Path::new("/run"),
    })
    .into_string();
    let lines = shown
        .replace("><", ">\n<")
        .replace(&stored.fingerprint.to_string(), "FINGERPRINT");
    insta::assert_snapshot!(lines);
}

#[test]
fn screens_without_an_extent_or_missing_ones_fall_back_to_words() {
    let mut trace = sample::sample_trace();
    trace.screens.truncate(2);
    trace.screens[1] = ScreenBuilder::new(
        "Flat",
        Size {
            width: 0,
            height: 2280,
        },
    )
    .build();
    let (page, _) = checked(&report_with(&trace));
    assert_eq!(page.matches("<svg class=\"phone\"").count(), 1);
    assert_eq!(page.matches("No picture of this screen").count(), 7);

    let (page, _) = checked(&report_with(&SampleTrace {
        screens: vec![],
        ..sample::sample_trace()
    }));
    assert_eq!(page.matches("<svg class=\"phone\"").count(), 0);
    assert!(
        page.contains("8 steps</span> in words") || page.contains("8 steps in words"),
        "{page}"
    );
    assert!(page.contains("<li><b>tap</b> <bdi>Button “Delete”</bdi></li>"));
}

#[test]
fn a_run_without_phones_apps_crashes_or_curves_still_makes_a_page() {
    let nothing = ReportData {
        phones: vec![],
        apps: vec![],
        title: String::new(),
        ..sample::report()
    };
    assert!(checked(&nothing).0.contains("No finding in 0 apps."));
    let calm = ReportData {
        apps: vec![sample::app("Notes", vec![])],
        ..sample::report()
    };
    assert!(
        checked(&calm)
            .0
            .contains("No finding in Notes after 4,000 events.")
    );
    let unexplored = AppSection {
        exploration: None,
        ..sample::app("", vec![sample::stored_finding(FindingKind::Anr)])
    };
    let interrupted = ReportData {
        outcome: Outcome::Interrupted,
        apps: vec![unexplored],
        ..sample::report()
    };
    assert!(checked(&interrupted).0.contains("<dd>interrupted</dd>"));
    checked(&report_with(&SampleTrace::default()));
}

#[test]
fn a_finding_that_did_not_reproduce_is_shown_as_doubtful() {
    let replayed = |successes| {
        let mut report = report_with(&sample::sample_trace());
        let reduced = &mut report.apps[0].findings[0].reduced;
        if let Some(check) = reduced
            .as_mut()
            .and_then(|reduced| reduced.reduction.result.as_mut())
        {
            check.successes = successes;
        }
        checked(&report).0
    };
    let never = replayed(0);
    let once = replayed(1);
    assert!(
        never.contains("boom doubtful") && never.contains("It did not reproduce in 3 replays.")
    );
    assert!(!once.contains("boom doubtful") && once.contains("proof some"));
}

#[test]
fn a_crowded_screen_says_what_it_leaves_out() {
    let mut screen =
        ScreenBuilder::new("Crowd", UPRIGHT).window(WindowKind::Application, [0, 0, 1080, 2280]);
    for number in 0..5_000 {
        let x = number % 50 * 20;
        let y = number / 50 * 20;
        screen = screen.node(
            0,
            "TextView",
            "a label",
            [x, y, x + 20, y + 20],
            NodeFlags::empty(),
        );
    }
    let trace = SampleTrace {
        steps: vec![Step::new(Action::Key(Key::Back))],
        screens: vec![screen.build()],
        ..SampleTrace::default()
    };
    let (page, _) = checked(&report_with(&trace));
    assert!(page.contains("4,600 more parts not drawn"), "{page}");
    assert!(page.len() < 200_000, "{} bytes", page.len());
}

#[test]
fn a_long_trace_shows_its_end_in_pictures_and_its_beginning_in_words() {
    let steps = vec![Step::new(Action::Rotate(Rotation::Right)); 300];
    let trace = SampleTrace {
        screens: vec![sample::list(&["A note"]); 301],
        steps,
        ..SampleTrace::default()
    };
    let (page, _) = checked(&report_with(&trace));
    assert!(page.contains("The first 260 steps, in words"));
    assert!(page.contains("<ol class=\"strip\" start=\"261\">"));
    assert_eq!(page.matches("<svg class=\"phone\"").count(), 41);
}

#[test]
fn findings_beyond_the_first_hundred_are_counted() {
    let one = || StoredFinding {
        reduced: None,
        trace: sample::trace(Vec::new()),
        ..sample::stored_finding(FindingKind::Crash)
    };
    let apps = vec![
        sample::app("Notes", vec![one(); 70]),
        sample::app("Mail", vec![one(); 90]),
    ];
    let (page, _) = checked(&ReportData {
        apps,
        ..sample::report()
    });
    assert_eq!(page.matches("<article").count(), 100);
    assert!(page.contains("160 distinct findings") && page.contains("and 60 more findings."));
    assert!(page.contains("60 more findings are in the run directory."));
}

#[test]
fn a_report_of_many_findings_stays_small() {
    let mut trace = sample::sample_trace();
    let last = trace.screens.pop();
    trace.screens.truncate(6);
    trace.steps.truncate(6);
    trace.screens = [
        trace.screens.clone(),
        trace.screens,
        last.into_iter().collect(),
    ]
    .concat();
    trace.steps = [trace.steps.clone(), trace.steps].concat();
    let mut report = report_with(&trace);
    let crash = report.apps[0].findings[0].clone();
    report.apps[0].findings = vec![crash; 20];
    let (page, _) = checked(&report);
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
}

#[test]
fn a_screenshot_replaces_a_drawing() {
    let drawn = checked(&report_with(&sample::sample_trace())).0;
    let pictures = vec![Png(vec![1, 2, 3])];
    let (page, _) = checked(&report_with(&SampleTrace {
        pictures,
        ..sample::sample_trace()
    }));
    assert_eq!(page.matches("data:image/png;base64,AQID").count(), 1);
    assert_eq!(
        page.matches("class=\"phone\"").count(),
        drawn.matches("class=\"phone\"").count()
    );
}
