//! The run of `retap explore`: the exploration, the reduction of new findings while phones are idle, and the page.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::command_error::CommandError;
use crate::devices::ConnectedPhones;
use crate::operations::{
    ActiveRun, CommandResult, ExplorationPlan, ExploreResult, ReductionOracle, ReductionPlan,
    exploration_section, explore, reduce_one, render_report, summary,
};
use crate::options::{ExploreOptions, PhonePermission};
use crate::run::findings::StoredFinding;
use crate::wording::pluralise;

/// Explores the app, reduces new findings if the options say so, and writes the page.
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
    run.emit_started(phones.names());
    run.heading(&heading(&plan));
    let explored = explore_and_reduce(run, &phones, &plan, options.reduce).await?;
    let outcome = explored.exploration.outcome;
    let page = render_report(
        run,
        &format!("{} explored", explored.app.label),
        outcome,
        phones.infos,
        vec![exploration_section(&explored)],
    );
    run.write_page(&page)?;
    Ok(CommandResult {
        outcome,
        finding_count: explored.findings.len(),
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

/// Explores, and reduces each new finding meanwhile if `reduce` is set.
async fn explore_and_reduce(
    run: &ActiveRun,
    phones: &ConnectedPhones,
    plan: &ExplorationPlan,
    reduce: bool,
) -> Result<ExploreResult, CommandError> {
    let (sender, new_findings) = unbounded_channel();
    let sender = reduce.then_some(sender);
    // The exploration owns the only sender: with its end, or at once without `reduce`, no more findings can come.
    let exploring = explore(run, &phones.pool, plan, run.seed(), sender);
    let (explored, reduced) =
        tokio::join!(exploring, reduce_new_findings(run, phones, new_findings));
    let mut explored = explored?;
    for reduced in reduced? {
        let is_same =
            |(finding, _): &&mut (StoredFinding, _)| finding.fingerprint == reduced.fingerprint;
        if let Some((finding, _)) = explored.findings.iter_mut().find(is_same) {
            finding.trace = reduced.trace;
            finding.reduced = reduced.reduced;
            finding.write(run.directory())?;
        }
    }
    Ok(explored)
}

/// Reduces each finding as soon as a phone is idle, until no more can come.
async fn reduce_new_findings(
    run: &ActiveRun,
    phones: &ConnectedPhones,
    mut new_findings: UnboundedReceiver<StoredFinding>,
) -> Result<Vec<StoredFinding>, CommandError> {
    let mut all = Vec::new();
    while let Some(finding) = new_findings.recv().await {
        if run.cancellation().is_cancelled() {
            continue;
        }
        let steps = pluralise(finding.trace.steps.len() as u64, "step");
        let headline = summary::headline(&finding.finding);
        run.heading(&format!("{headline}: which of {steps} matter?"));
        let trace = finding.trace.clone();
        let oracle = ReductionOracle::Phones(&phones.pool);
        let plan = ReductionPlan::default();
        let reduced = reduce_one(run, oracle, trace, Some(finding), &plan).await?;
        // A note and no result: the result of the run is the table, or one object, at its end.
        run.note(&summary::reduced_trace(&reduced));
        all.extend(reduced.finding);
    }
    Ok(all)
}
