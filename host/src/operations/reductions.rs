//! All reductions of one run, one trace after the other. The files of each are written as soon as it is done.

use retap_device::run_event::RunEvent;
use retap_explore::FindingContext;
use retap_reduce::oracle::ACTIVITY_MACHINE;
use retap_reduce::trace_reduction::Reduction;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::target::Target;
use retap_shared::trace::Trace;
use retap_shared::verdict::Outcome;

use crate::command_error::CommandError;
use crate::device_spec::{DeviceList, PhoneSelection};
use crate::devices::ConnectedPhones;
use crate::operations::reduction_source::{ReductionSource, ReductionSourceError, devices_for};
use crate::operations::report_page::finding_sections;
use crate::operations::{
    ActiveRun, CommandResult, ReductionOracle, ReductionPlan, reduce, render_report,
};
use crate::options::{OracleKind, ReduceOptions};
use crate::run::directory::RunDirectory;
use crate::run::findings::{RecordedReduction, StoredFinding};
use crate::target;
use crate::wording::pluralise;

/// File of a reduced trace that has no finding.
const REDUCED: &str = "traces/reduced.retap";

/// Result of the reduction of one trace.
#[derive(Debug)]
pub struct ReducedTrace {
    pub target: Target,
    /// The finding that the trace leads to, if it is one.
    pub finding: Option<StoredFinding>,
    pub original_steps: usize,
    pub reduction: Reduction,
    /// File of the result, inside the run; empty if there is none.
    pub file: String,
    /// Phones that it was reduced on; none if the recording was the oracle.
    pub devices: Option<DeviceList>,
    /// Why the reduction ended early. The rest is the best result until then.
    pub error: Option<CommandError>,
}

/// Reduces all traces of the run's source, and writes the page.
pub async fn reduce_all(
    run: &ActiveRun,
    options: &ReduceOptions,
) -> Result<CommandResult<Vec<ReducedTrace>>, CommandError> {
    let source = read_copy(run, options)?;
    let plan = ReductionPlan::prepare(run, options)?;
    let mut phones_used: Vec<(String, PhoneInfo)> = Vec::new();
    let mut reduced: Vec<ReducedTrace> = Vec::new();
    let mut error = None;
    let is_reached = matches!(source, ReductionSource::Reached(_));
    let items = source.items();
    let count = items.len();
    for (index, (trace, finding)) in items.into_iter().enumerate() {
        let item = SourceItem {
            index,
            count,
            trace,
            finding,
            is_reached,
        };
        let reducing = reduce_item(run, options, &plan, item, &mut phones_used);
        let mut one = match Box::pin(reducing).await {
            Err(failure) if index > 0 => {
                error = Some(failure);
                break;
            }
            one => one?,
        };
        error = one.error.take();
        let outcome = one.reduction.outcome;
        reduced.push(one);
        if outcome == Outcome::Interrupted || error.is_some() {
            break;
        }
    }
    let outcome = match error {
        Some(_) => Outcome::Interrupted,
        None => worst_outcome(&reduced),
    };
    let written = write_page(run, outcome, phones_used, &reduced);
    Ok(CommandResult {
        outcome,
        finding_count: 0,
        value: reduced,
        error: error.or(written.err()),
    })
}

/// One trace of a source.
struct SourceItem {
    index: usize,
    count: usize,
    trace: Trace,
    finding: Option<StoredFinding>,
    /// Its target is a reached activity or screen.
    is_reached: bool,
}

/// Reduces one trace, on phones or on its recording.
async fn reduce_item(
    run: &ActiveRun,
    options: &ReduceOptions,
    plan: &ReductionPlan,
    item: SourceItem,
    phones_used: &mut Vec<(String, PhoneInfo)>,
) -> Result<ReducedTrace, CommandError> {
    let SourceItem { trace, finding, .. } = item;
    run.note_app(&trace.header.app)?;
    let phones = connect(run, options, &trace, phones_used).await?;
    let devices = phones
        .is_some()
        .then(|| devices_for(&trace, options.device.as_ref()))
        .transpose()?;
    let target = Target::resolve(options.target.as_deref(), trace.header.target.as_ref())?;
    let trace = with_target(trace, &target);
    let number = item.index + 1;
    run.heading(&heading(
        number,
        item.count,
        &trace,
        &target,
        phones.is_none(),
    ));
    let oracle = match &phones {
        Some(phones) => ReductionOracle::Phones(&phones.pool),
        None => ReductionOracle::Recording,
    };
    let name = if item.is_reached {
        ReductionName::reached(item.index)
    } else {
        ReductionName::new(finding.as_ref())
    };
    let reduced = reduce_named(run, oracle, trace, finding, plan, &name).await?;
    Ok(ReducedTrace { devices, ..reduced })
}

/// The copy of the source. Warns if it may be incomplete.
fn read_copy(
    run: &ActiveRun,
    options: &ReduceOptions,
) -> Result<ReductionSource, ReductionSourceError> {
    let (source, gone) = ReductionSource::read_copy(run.directory(), options)?;
    if let Some(path) = gone {
        let text = format!(
            "an earlier version began this run, and `{}` is gone: traces that it did not copy are missing",
            path.display()
        );
        (run.sink())(RunEvent::Warning { text });
    }
    Ok(source)
}

fn write_page(
    run: &ActiveRun,
    outcome: Outcome,
    phones: Vec<(String, PhoneInfo)>,
    reduced: &[ReducedTrace],
) -> Result<(), CommandError> {
    let findings = reduced
        .iter()
        .filter_map(|one| Some((one.finding.as_ref()?, one.devices.as_ref())));
    let sections = finding_sections(findings);
    if !sections.is_empty() {
        let page = render_report(run, "Cut down", outcome, phones, sections);
        run.write_page(&page)?;
    }
    Ok(())
}

/// Phones for a trace; none if the recording is the oracle. Emits the start of the run for phones that are new to it.
async fn connect(
    run: &ActiveRun,
    options: &ReduceOptions,
    trace: &Trace,
    phones_used: &mut Vec<(String, PhoneInfo)>,
) -> Result<Option<ConnectedPhones>, CommandError> {
    if options.oracle == OracleKind::Recording {
        run.emit_started(vec![ACTIVITY_MACHINE.to_owned()]);
        return Ok(None);
    }
    let selection = PhoneSelection {
        device: devices_for(trace, options.device.as_ref())?,
        count: options.count,
    };
    let phones = run.connect(&selection).await?;
    let info = phones.app_of(trace, run.sink())?;
    run.retrace_findings_of(&info.app)?;
    if !phones.infos.iter().all(|phone| phones_used.contains(phone)) {
        run.emit_started(phones.names());
        phones_used.extend(phones.infos.clone());
    }
    Ok(Some(phones))
}

fn heading(number: usize, count: usize, trace: &Trace, target: &Target, recording: bool) -> String {
    let steps = pluralise(trace.steps.len() as u64, "step");
    let target = target::describe(target);
    let oracle = if recording {
        ", on an activity machine instead of a phone"
    } else {
        ""
    };
    format!("{number} of {count}: reducing {steps} to {target}{oracle}")
}

/// Reduces one trace, and writes its files.
pub async fn reduce_one(
    run: &ActiveRun,
    oracle: ReductionOracle<'_>,
    trace: Trace,
    finding: Option<StoredFinding>,
    plan: &ReductionPlan,
) -> Result<ReducedTrace, CommandError> {
    let name = ReductionName::new(finding.as_ref());
    reduce_named(run, oracle, trace, finding, plan, &name).await
}

/// Names of a reduction among those of the run.
struct ReductionName {
    /// Part of the journal.
    part: String,
    /// File of a reduced trace that has no finding.
    file: String,
}

impl ReductionName {
    fn new(finding: Option<&StoredFinding>) -> ReductionName {
        ReductionName {
            part: finding.map_or_else(
                || "trace".to_owned(),
                |finding| finding.fingerprint.to_string(),
            ),
            file: REDUCED.to_owned(),
        }
    }

    /// Name of the trace to one of several activities or screens.
    fn reached(index: usize) -> ReductionName {
        let number = index + 1;
        ReductionName {
            part: format!("reached-{number:04}"),
            file: format!("traces/reduced-{number:04}.retap"),
        }
    }
}

async fn reduce_named(
    run: &ActiveRun,
    oracle: ReductionOracle<'_>,
    trace: Trace,
    finding: Option<StoredFinding>,
    plan: &ReductionPlan,
    name: &ReductionName,
) -> Result<ReducedTrace, CommandError> {
    let target = trace.header.target.clone().unwrap_or(Target::AnyProblem);
    let original_steps = trace.steps.len();
    let (recorded, mut error) = reduce(run, oracle, &trace, plan, &name.part).await?;
    let reduction = recorded.reduction.clone();
    let finding = match finding {
        Some(finding) => Some(StoredFinding {
            reduced: reproduced(recorded),
            ..finding
        }),
        None => new_finding(recorded, trace),
    };
    let finding = finding.map(|finding| StoredFinding {
        mapping: run.mapping_path().or(finding.mapping),
        ..finding
    });
    let file = match write_files(run.directory(), finding.as_ref(), &reduction, &name.file) {
        Ok(file) => file,
        Err(failure) => {
            error = error.or(Some(failure));
            String::new()
        }
    };
    Ok(ReducedTrace {
        target,
        finding,
        original_steps,
        reduction,
        file,
        devices: None,
        error,
    })
}

/// Writes the files of a result, and returns the one to replay, if there is one.
fn write_files(
    directory: &RunDirectory,
    finding: Option<&StoredFinding>,
    reduction: &Reduction,
    file: &str,
) -> Result<String, CommandError> {
    let reproduces = reduction.outcome != Outcome::DoesNotReproduce;
    match finding {
        Some(finding) => {
            finding.write(directory)?;
            Ok(if reproduces {
                finding.best_file()
            } else {
                String::new()
            })
        }
        None if reproduces => {
            directory.write(file, reduction.trace.to_text().as_bytes())?;
            Ok(file.to_owned())
        }
        None => Ok(String::new()),
    }
}

/// Finding of a trace that came without one, if its recorded run met its target.
fn new_finding(recorded: RecordedReduction, trace: Trace) -> Option<StoredFinding> {
    let finding = recorded.finding()?.clone();
    let fingerprint = finding.fingerprint();
    let is_target = match &trace.header.target {
        Some(Target::AnyProblem) => true,
        Some(Target::Problem(target)) => finding.is_named_by(*target),
        _ => false,
    };
    is_target.then(|| StoredFinding {
        finding,
        fingerprint,
        occurrences: 1,
        trace,
        scene: FindingContext::default(),
        reduced: reproduced(recorded),
        status: None,
        mapping: None,
    })
}

fn reproduced(recorded: RecordedReduction) -> Option<RecordedReduction> {
    (recorded.reduction.outcome != Outcome::DoesNotReproduce).then_some(recorded)
}

fn with_target(mut trace: Trace, target: &Target) -> Trace {
    // What an earlier reduction claims is about its own target.
    if trace.header.target.as_ref() != Some(target) {
        trace.header.claim = None;
    }
    trace.header.target = Some(target.clone());
    trace
}

fn worst_outcome(reduced: &[ReducedTrace]) -> Outcome {
    let any = |outcome| reduced.iter().any(|one| one.reduction.outcome == outcome);
    [
        Outcome::Interrupted,
        Outcome::DoesNotReproduce,
        Outcome::Flaky,
        Outcome::BudgetSpent,
    ]
    .into_iter()
    .find(|outcome| any(*outcome))
    .unwrap_or(Outcome::Done)
}
