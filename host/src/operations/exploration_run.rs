//! The run of `retap explore`: the exploration, the reduction of findings while phones are idle, and the page.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::command_error::CommandError;
use crate::devices::ConnectedPhones;
use crate::operations::{
    ActiveRun, CommandResult, ExplorationPlan, ExploreResult, ReductionOracle, ReductionPlan,
    exploration_section, explore, reduce_one, render_report, summary,
};
use crate::options::{ExploreOptions, PhonePermission};
use crate::report::data::AppSection;
use crate::run::findings::{self, StoredFinding};
use crate::wording::pluralise;

/// Explores the app, reduces its findings if the options say so, and writes the page.
pub async fn run_exploration(
    run: &ActiveRun,
    options: &ExploreOptions,
) -> Result<CommandResult<ExploreResult>, CommandError> {
    let phones = run.connect(&options.devices).await?;
    let app = phones.app(options.app.as_deref())?;
    let allow_system =
        !phones.has_personal_phone() || options.allow.contains(&PhonePermission::System);
    let plan = ExplorationPlan::of(options, app, allow_system);
    plan.check()?;
    run.retrace_findings_of(&plan.app.app)?;
    run.emit_started(phones.names());
    run.heading(&heading(&plan));
    let exploring = explore_and_reduce(run, &phones, &plan, options.reduce);
    let mut explored = Box::pin(exploring).await?;
    let outcome = explored.exploration.outcome;
    let section = AppSection {
        devices: Some(options.devices.device.clone()),
        ..exploration_section(&explored)
    };
    let page = render_report(
        run,
        &format!("{} explored", explored.app.label),
        outcome,
        phones.infos,
        vec![section],
    );
    let written = run.write_page(&page);
    Ok(CommandResult {
        outcome,
        finding_count: explored.findings.len(),
        error: explored.error.take().or(written.err()),
        value: explored,
    })
}

fn heading(plan: &ExplorationPlan) -> String {
    let limit = match plan.minutes {
        Some(minutes) => pluralise(u64::from(minutes), "minute") + " of phone time",
        None => pluralise(plan.events, "event"),
    };
    format!("Exploring {}: {limit}", plan.app.label)
}

/// Explores, and reduces each finding meanwhile if `reduce` is set.
async fn explore_and_reduce(
    run: &ActiveRun,
    phones: &ConnectedPhones,
    plan: &ExplorationPlan,
    reduce: bool,
) -> Result<ExploreResult, CommandError> {
    let (sender, found_findings) = unbounded_channel();
    let sender = reduce.then_some(sender);
    // The exploration owns the only sender: with its end, or at once without `reduce`, no more findings can come.
    let exploring = explore(run, &phones.pool, plan, run.seed(), sender);
    let (explored, reduced) = tokio::join!(exploring, reduce_findings(run, phones, found_findings));
    let mut explored = explored?;
    for (finding, _) in &explored.findings {
        if let Some(stack) = run.obfuscated_stack(finding.fingerprint) {
            findings::write_obfuscated_stack(run.directory(), finding.fingerprint, &stack)?;
        }
    }
    let (reduced, error) = reduced;
    explored.error = explored.error.or(error);
    for reduced in reduced {
        let is_same =
            |(finding, _): &&mut (StoredFinding, _)| finding.fingerprint == reduced.fingerprint;
        if let Some((finding, _)) = explored.findings.iter_mut().find(is_same) {
            finding.trace = reduced.trace;
            finding.reduced = reduced.reduced;
            let written = finding.write(run.directory());
            explored.error = explored.error.or(written.err().map(CommandError::from));
        }
    }
    Ok(explored)
}

/// Reduces each finding as soon as a phone is idle, until no more can come or an error ends it.
async fn reduce_findings(
    run: &ActiveRun,
    phones: &ConnectedPhones,
    mut found_findings: UnboundedReceiver<StoredFinding>,
) -> (Vec<StoredFinding>, Option<CommandError>) {
    let mut all = Vec::new();
    while let Some(finding) = found_findings.recv().await {
        if run.cancellation().is_cancelled() {
            continue;
        }
        let steps = pluralise(finding.trace.steps.len() as u64, "step");
        let headline = summary::headline(&finding.finding);
        run.heading(&format!("{headline}: which of {steps} matter?"));
        let trace = finding.trace.clone();
        let oracle = ReductionOracle::Phones(&phones.pool);
        let plan = ReductionPlan::default();
        let reduced = match reduce_one(run, oracle, trace, Some(finding), &plan).await {
            Ok(reduced) => reduced,
            Err(error) => return (all, Some(error)),
        };
        // A note and no result: the result of the run is the table, or one object, at its end.
        run.note(&summary::reduced_trace(&reduced));
        all.extend(reduced.finding);
        if reduced.error.is_some() {
            return (all, reduced.error);
        }
    }
    (all, None)
}
