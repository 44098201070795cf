//! The run of `retap demo`: explores apps with random events, then reduces every finding.

use retap_shared::phone_info::PhoneInfo;
use retap_shared::verdict::Outcome;

use crate::command_error::CommandError;
use crate::device_spec::{DeviceSpec, PhoneSelection};
use crate::operations::{
    ActiveRun, CommandResult, ExplorationPlan, ExploreResult, ReductionOracle, ReductionPlan,
    exploration_section, explore, reduce_one, render_report, summary,
};
use crate::options::{DEFAULT_SESSION_EVENTS, ExplorerKind};
use crate::report::data::AppSection;
use crate::run::findings::StoredFinding;
use crate::wording::pluralise;

/// Events between two clean starts on phones whose events take real time: each attempt of a reduction takes as long as the
/// trace that it plays.
const LINKED_SESSION_EVENTS: u32 = 50;

/// One app of the demo, explored and reduced.
#[derive(Debug)]
pub struct DemoApp {
    pub name: String,
    device: DeviceSpec,
    pub explored: ExploreResult,
    pub findings: Vec<StoredFinding>,
    phones: Vec<(String, PhoneInfo)>,
}

/// Explores the app of each phone, reduces all findings, and writes the page.
pub async fn run_demo(
    run: &ActiveRun,
    devices: &[DeviceSpec],
    events: u64,
) -> Result<CommandResult<Vec<DemoApp>>, CommandError> {
    let mut apps = Vec::new();
    let mut error = None;
    for device in devices {
        if error.is_some() || run.cancellation().is_cancelled() {
            break;
        }
        match explore_app(run, device, events).await {
            Ok((app, failure)) => {
                apps.push(app);
                error = failure;
            }
            Err(failure) if failure.is_interruption() => {}
            // Nothing has been found yet: there is no result but the error.
            Err(failure) if apps.is_empty() => return Err(failure),
            Err(failure) => error = Some(failure),
        }
    }
    let count = apps.iter().map(|app| app.findings.len()).sum();
    if error.is_none() {
        note_findings(run, &apps);
        let reduced = reduce_apps(run, &mut apps, count).await;
        error = reduced.err().filter(|error| !error.is_interruption());
    }
    let outcome = if error.is_some() || run.cancellation().is_cancelled() {
        Outcome::Interrupted
    } else {
        Outcome::Done
    };
    let written = write_page(run, devices, &apps, outcome);
    Ok(CommandResult {
        outcome,
        finding_count: count,
        value: apps,
        error: error.or(written.err()),
    })
}

/// Reduces the findings of all apps. Findings that were reduced before an error stay so.
async fn reduce_apps(
    run: &ActiveRun,
    apps: &mut [DemoApp],
    count: usize,
) -> Result<(), CommandError> {
    let mut number = 0;
    for app in apps {
        reduce_findings(run, app, &mut number, count).await?;
    }
    Ok(())
}

fn write_page(
    run: &ActiveRun,
    devices: &[DeviceSpec],
    apps: &[DemoApp],
    outcome: Outcome,
) -> Result<(), CommandError> {
    let phones = apps.iter().flat_map(|app| app.phones.clone()).collect();
    let sections = apps.iter().map(|app| AppSection {
        findings: app.findings.clone(),
        devices: Some(app.device.clone().into()),
        ..exploration_section(&app.explored)
    });
    let title = match devices {
        [device] => format!("What Retap found on {device}"),
        _ => "What Retap found in three simulated apps".to_owned(),
    };
    run.write_page(&render_report(
        run,
        &title,
        outcome,
        phones,
        sections.collect(),
    ))?;
    Ok(())
}

/// Explores the app of one phone. An error that ended the exploration early comes with what was found until then.
async fn explore_app(
    run: &ActiveRun,
    device: &DeviceSpec,
    events: u64,
) -> Result<(DemoApp, Option<CommandError>), CommandError> {
    let name = device.short_name();
    let about = retap_simulator::about(&name).unwrap_or("one real app");
    let phones = run
        .connect(&PhoneSelection::one_each(device.clone()))
        .await?;
    let app = phones.app(None)?;
    run.heading(&format!("\nExploring {}: {about}", app.label));
    run.emit_started(phones.names());
    let plan = ExplorationPlan {
        session_events: if device.is_linked() {
            LINKED_SESSION_EVENTS
        } else {
            DEFAULT_SESSION_EVENTS
        },
        ..ExplorationPlan::new(app, ExplorerKind::Random, events)
    };
    let seed = run.seed().derive(&name, 0);
    let mut explored = explore(run, &phones.pool, &plan, seed, None).await?;
    let error = explored.error.take();
    run.note(&format!("   {}", summary::exploration_line(&explored)));
    let findings = explored
        .findings
        .iter()
        .map(|(finding, _)| finding.clone())
        .collect();
    let app = DemoApp {
        name,
        device: device.clone(),
        explored,
        findings,
        phones: phones.infos,
    };
    Ok((app, error))
}

fn note_findings(run: &ActiveRun, apps: &[DemoApp]) {
    let findings = || apps.iter().flat_map(|app| &app.findings);
    let times: u64 = findings()
        .map(|finding| u64::from(finding.occurrences))
        .sum();
    let found = match (times, findings().count()) {
        (_, 0) => {
            return run.note("\nNothing failed. Another seed may find something.");
        }
        (1, _) => "It failed once.".to_owned(),
        (_, 1) => format!(
            "It failed {}, always in the same way.",
            pluralise(times, "time")
        ),
        (_, ways) => format!(
            "The apps failed {}. By their stack traces these are {}.",
            pluralise(times, "time"),
            pluralise(ways as u64, "different finding"),
        ),
    };
    run.note(&format!(
        "\n{found}\n\
         The traces are long, and most of their steps do not matter. Retap removes steps, replays the rest,\n\
         and keeps what still fails, until no step can be removed.",
    ));
}

async fn reduce_findings(
    run: &ActiveRun,
    app: &mut DemoApp,
    number: &mut usize,
    count: usize,
) -> Result<(), CommandError> {
    let selection = PhoneSelection::one_each(app.device.clone());
    let phones = run.connect(&selection).await?;
    for finding in &mut app.findings {
        if run.cancellation().is_cancelled() {
            return Ok(());
        }
        *number += 1;
        let label = &app.explored.app.label;
        let kind = finding.finding.kind;
        let steps = pluralise(finding.trace.steps.len() as u64, "step");
        run.heading(&format!(
            "\n{number} of {count}: {label} ends in this {kind} after {steps}. Which of them matter?"
        ));
        let reduced = reduce_one(
            run,
            ReductionOracle::Phones(&phones.pool),
            finding.trace.clone(),
            Some(finding.clone()),
            &ReductionPlan::default(),
        )
        .await?;
        run.console().result(&summary::reduced_trace(&reduced))?;
        if let Some(reduced) = reduced.finding {
            *finding = reduced;
        }
        if let Some(error) = reduced.error {
            return Err(error);
        }
    }
    Ok(())
}
