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
    for device in devices {
        if !run.cancellation().is_cancelled() {
            match explore_app(run, device, events).await {
                Err(error) if error.is_interruption() => {}
                explored => apps.push(explored?),
            }
        }
    }
    note_findings(run, &apps);
    let count = apps.iter().map(|app| app.findings.len()).sum();
    let mut number = 0;
    for app in &mut apps {
        match reduce_findings(run, app, &mut number, count).await {
            Err(error) if error.is_interruption() => {}
            reduced => reduced?,
        }
    }
    let outcome = if run.cancellation().is_cancelled() {
        Outcome::Interrupted
    } else {
        Outcome::Done
    };
    write_page(run, devices, &apps, outcome)?;
    Ok(CommandResult {
        outcome,
        finding_count: count,
        value: apps,
        error: None,
    })
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

async fn explore_app(
    run: &ActiveRun,
    device: &DeviceSpec,
    events: u64,
) -> Result<DemoApp, CommandError> {
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
    if let Some(error) = explored.error.take() {
        return Err(error);
    }
    run.note(&format!("   {}", summary::exploration_line(&explored)));
    let findings = explored
        .findings
        .iter()
        .map(|(finding, _)| finding.clone())
        .collect();
    Ok(DemoApp {
        name,
        device: device.clone(),
        explored,
        findings,
        phones: phones.infos,
    })
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
        if let Some(error) = reduced.error {
            return Err(error);
        }
        if let Some(reduced) = reduced.finding {
            *finding = reduced;
        }
    }
    Ok(())
}
