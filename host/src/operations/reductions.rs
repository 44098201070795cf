//! All reductions of one job, one trace after the other, each with its files written as soon as it is done.

use retap_explore::FindingContext;
use retap_reduce::oracle::ACTIVITY_MACHINE;
use retap_reduce::trace_reduction::{ReproductionCheck, ResultConfidence};
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use crate::command_error::CommandError;
use crate::operations::reduction_source::{ReductionSource, device_for};
use crate::operations::{
    ActiveRun, AppReport, CommandResult, ReductionOracle, ReductionPlan, ReductionResult, reduce,
    render_report,
};
use crate::options::{OracleKind, PhoneSelection, ReduceOptions};
use crate::report::console::LineStyle;
use crate::run::findings::StoredFinding;
use crate::target;
use crate::wording::pluralise;

/// Where the result of a trace that is no crash of a run goes.
const REDUCED: &str = "traces/reduced.retap";

/// What one trace was cut down to.
#[derive(Debug)]
pub struct ReducedTrace {
    pub outcome: Outcome,
    pub target: Target,
    /// With what it was cut down to, if it is a crash.
    pub finding: Option<StoredFinding>,
    pub original_steps: usize,
    pub trace: Trace,
    /// The result, inside the run; empty if there is none.
    pub file: String,
    /// How many of its steps were made simpler.
    pub simplified: usize,
    pub runs: u64,
    pub original: ReproductionCheck,
    pub result: Option<ReproductionCheck>,
    pub certainty: Option<ResultConfidence>,
}

pub async fn reduce_all(
    job: &ActiveRun,
    settings: &ReduceOptions,
) -> Result<CommandResult<Vec<ReducedTrace>>, CommandError> {
    let source = ReductionSource::read_copy(job.run().directory())?;
    let rules = ReductionPlan::prepare(job, settings)?;
    let mut phones_used: Vec<(String, PhoneInfo)> = Vec::new();
    let mut shortened = Vec::new();
    let items = source.items();
    let all = items.len();
    for (number, (trace, crash)) in items.into_iter().enumerate() {
        let phones = match settings.oracle {
            OracleKind::Recording => {
                job.emit_started(vec![ACTIVITY_MACHINE.to_owned()]);
                None
            }
            OracleKind::Phones => {
                let device = device_for(&trace, settings.device.as_deref())?;
                let phones = job
                    .connect(&PhoneSelection {
                        device,
                        count: settings.count,
                    })
                    .await?;
                phones.app_of(&trace, job.sink())?;
                if !phones.infos.iter().all(|phone| phones_used.contains(phone)) {
                    job.emit_started(phones.names());
                    phones_used.extend(phones.infos.clone());
                }
                Some(phones)
            }
        };
        let target = Target::resolve(settings.target.as_deref(), trace.header.target.as_ref())?;
        let aimed = with_target(trace, &target);
        let steps = pluralise(aimed.steps.len() as u64, "step");
        let target = target::describe(&target);
        let on = if phones.is_none() {
            ", on an activity machine and no phone"
        } else {
            ""
        };
        let heading = format!(
            "{} of {all}: cutting down {steps} to those that lead to {target}{on}",
            number + 1
        );
        job.console().print(LineStyle::Heading, &heading);
        let ground = phones
            .as_ref()
            .map_or(ReductionOracle::Recording, |phones| {
                ReductionOracle::Phones(&phones.pool)
            });
        let one = reduce_one(job, ground, aimed, crash, &rules).await?;
        let outcome = one.outcome;
        shortened.push(one);
        if outcome == Outcome::Interrupted {
            break;
        }
    }
    let outcome = worst_outcome(&shortened);
    let sections = AppReport::of_findings(shortened.iter().filter_map(|one| one.finding.as_ref()));
    if !sections.is_empty() {
        job.run().write_page(&render_report(
            job,
            "Cut down",
            outcome,
            phones_used,
            sections,
        ))?;
    }
    Ok(CommandResult {
        outcome,
        finding_count: 0,
        value: shortened,
    })
}

/// One trace, with its files.
pub async fn reduce_one(
    job: &ActiveRun,
    ground: ReductionOracle<'_>,
    trace: Trace,
    crash: Option<StoredFinding>,
    rules: &ReductionPlan,
) -> Result<ReducedTrace, CommandError> {
    let target = trace.header.target.clone().unwrap_or(Target::AnyProblem);
    let part = crash
        .as_ref()
        .map_or_else(|| "trace".to_owned(), |crash| crash.fingerprint.to_string());
    let cut = reduce(job, ground, &trace, rules, &part).await?;
    let from = trace.steps.len();
    let crash = match crash {
        Some(crash) => Some(StoredFinding {
            reduced: cut.stored_reduction(),
            ..crash
        }),
        None => new_finding(&cut, trace),
    };
    let directory = job.run().directory();
    let mut file = String::new();
    if cut.reduction.outcome != Outcome::DoesNotReproduce {
        match &crash {
            Some(crash) => file = crash.best_file(),
            None => {
                file = REDUCED.to_owned();
                directory.write(REDUCED, cut.reduction.trace.to_text().as_bytes())?;
            }
        }
    }
    if let Some(crash) = &crash {
        crash.write(directory)?;
    }
    let reduction = cut.reduction;
    Ok(ReducedTrace {
        outcome: reduction.outcome,
        target,
        finding: crash,
        original_steps: from,
        trace: reduction.trace,
        file,
        simplified: reduction.simplified,
        runs: reduction.runs,
        original: reduction.original,
        result: reduction.result,
        certainty: reduction.confidence,
    })
}

/// A lone trace that turned out to be the way to a crash.
fn new_finding(cut: &ReductionResult, trace: Trace) -> Option<StoredFinding> {
    let problem = cut.finding()?.clone();
    let fingerprint = problem.fingerprint();
    let is_aim = matches!(&trace.header.target, Some(Target::AnyProblem))
        || trace.header.target == Some(Target::Problem(fingerprint));
    let scene = FindingContext::default();
    is_aim.then(|| StoredFinding {
        finding: problem,
        fingerprint,
        occurrences: 1,
        trace,
        scene,
        reduced: cut.stored_reduction(),
    })
}

fn with_target(mut trace: Trace, target: &Target) -> Trace {
    trace.header.target = Some(target.clone());
    trace
}

fn worst_outcome(shortened: &[ReducedTrace]) -> Outcome {
    let any = |outcome| shortened.iter().any(|one| one.outcome == outcome);
    [Outcome::Interrupted, Outcome::DoesNotReproduce]
        .into_iter()
        .find(|outcome| any(*outcome))
        .unwrap_or(Outcome::Done)
}
