//! Reduction of a suite: the engine's reducer with the journal before its replayer, then the files and the page.

mod recalled_suite;
mod suite_source;

use std::path::PathBuf;

pub use recalled_suite::recall_suite;
use retap_device::DevicePool;
use retap_model::ape::LearnedAbstraction;
use retap_model::{Abstraction, PreparedAbstraction};
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, ReplayJournal, SuiteError, SuiteSettings, learn,
    reduce_suite,
};
use retap_shared::Text;
use retap_shared::micros::Micros;
use retap_shared::phone_info::PhoneInfo;
use retap_shared::trace::Trace;
pub use suite_source::{SuiteSourceError, TraceSuite};

use crate::command_error::{CommandError, UserError};
use crate::device_spec::PhoneSelection;
use crate::devices;
use crate::exit::CommandExit;
use crate::format::mapping;
use crate::operations::failure_guard::FailureGuard;
use crate::operations::reduction_source::devices_for;
use crate::operations::report_page::suite_section;
use crate::operations::{ActiveRun, CommandResult, render_report};
use crate::options::ReduceSuiteOptions;
use crate::run::directory;
use crate::run::reduced_suite::ReducedSuite;
use crate::wording::pluralise;

/// Abstraction that APE learned from the suite, for people.
const ABSTRACTION: &str = "abstraction.txt";
/// The same, complete, to resume with.
const LEARNED: &str = "abstraction.json";

/// Part of the run whose journal has the replays.
const JOURNAL_PART: &str = "suite";
/// A minute in microseconds.
const MINUTE: u64 = 60_000_000;

/// Reduces the run's copy of the suite, and writes the files and the page.
pub async fn run_suite_reduction(
    run: &ActiveRun,
    options: &ReduceSuiteOptions,
) -> Result<CommandResult<ReducedSuite>, CommandError> {
    let suite = TraceSuite::read_copy(run.directory(), &options.sources)?;
    let (names, traces): (Vec<String>, Vec<Trace>) = suite.traces.into_iter().unzip();
    let app = traces[0].header.app.clone();
    run.note_app(&app)?;
    let device = devices_for(&traces[0], options.device.as_ref())?;
    let count = options.count;
    let phones = run.connect(&PhoneSelection { device, count }).await?;
    let info = phones.app_of(&traces[0], run.sink())?;
    run.retrace_findings_of(&info.app)?;
    run.emit_started(phones.names());
    run.heading(&heading(&traces, &info.label));

    let journal = run.journal(JOURNAL_PART)?;
    let abstraction = abstraction(run, options, &traces, &phones.pool, &journal).await?;
    let replayer = replayer(run, &traces, &phones.pool, &abstraction)?;
    let journaled = JournaledReplayer::new(replayer, &journal, run.sink());
    let guarded = FailureGuard::new(journaled, run.cancellation());
    let settings = options.engine();
    let cancelled = guarded.cancellation();
    let reduction = reduce_suite(&traces, &settings, &guarded, run.sink(), cancelled);
    let reduction = Box::pin(reduction).await?;
    let error = guarded.into_error().map(CommandError::from);
    let outcome = reduction.outcome;
    let suite = ReducedSuite {
        reduction,
        names,
        app,
        algorithm: options.algorithm.to_string(),
    };
    let options = ReduceSuiteOptions {
        abstraction,
        ..options.clone()
    };
    let written = suite.write(run.directory(), &options);
    let page = run.write_page(&suite_page(run, &suite, &info.label, phones.infos));
    let error = error.or(written.err().map(CommandError::from));
    Ok(CommandResult {
        outcome,
        finding_count: 0,
        value: suite,
        error: error.or(page.err()),
    })
}

fn suite_page(
    run: &ActiveRun,
    suite: &ReducedSuite,
    label: &Text,
    phones: Vec<(String, PhoneInfo)>,
) -> String {
    let title = format!("{label}: a smaller suite");
    let sections = vec![suite_section(label.clone(), suite)];
    render_report(run, &title, suite.reduction.outcome, phones, sections)
}

fn heading(traces: &[Trace], label: &str) -> String {
    let steps: u64 = traces.iter().map(|trace| trace.steps.len() as u64).sum();
    format!(
        "Reducing {} with {} of {label}, with the same coverage",
        pluralise(traces.len() as u64, "trace"),
        pluralise(steps, "step"),
    )
}

fn replayer(
    run: &ActiveRun,
    traces: &[Trace],
    pool: &DevicePool,
    abstraction: &Abstraction,
) -> Result<PooledReplayer, SuiteError> {
    let states = PreparedAbstraction::by(abstraction)?;
    let app = traces[0].header.app.clone();
    Ok(PooledReplayer::new(pool, app, states, run.sink()))
}

/// The abstraction to reduce by: as the options name it, or learned with APE.
async fn abstraction(
    run: &ActiveRun,
    options: &ReduceSuiteOptions,
    traces: &[Trace],
    pool: &DevicePool,
    journal: &dyn ReplayJournal,
) -> Result<Abstraction, CommandError> {
    let Abstraction::Ape(initial) = &options.abstraction else {
        return Ok(options.abstraction.clone());
    };
    run.heading("Learning an abstraction of the screens");
    let phones = replayer(run, traces, pool, &options.abstraction)?;
    let learning = learn_abstraction(run, initial, traces, &phones, journal);
    // If it is cancelled while learning, the reduction ends at once.
    Ok(Box::pin(learning)
        .await?
        .map_or_else(|| options.abstraction.clone(), Abstraction::Ape))
}

/// Learns the abstraction, or reads it from the run's directory if it was learned before an interruption. None if
/// cancelled.
async fn learn_abstraction(
    run: &ActiveRun,
    initial: &LearnedAbstraction,
    traces: &[Trace],
    phones: &PooledReplayer,
    journal: &dyn ReplayJournal,
) -> Result<Option<LearnedAbstraction>, CommandError> {
    let directory = run.directory();
    let path = directory.path().join(LEARNED);
    if path.exists() {
        let learned = serde_json::from_str(&directory::read(&path)?);
        return Ok(Some(
            learned.map_err(|source| LearnedAbstractionError { path, source })?,
        ));
    }
    let Some(lesson) = learn(traces, initial, phones, run.cancellation()).await? else {
        return Ok(None);
    };
    // Runs of another abstraction than the file's must never be recalled: the file comes before the journal.
    directory.write(ABSTRACTION, lesson.text.as_bytes())?;
    directory.write(
        LEARNED,
        serde_json::json!(lesson.learned).to_string().as_bytes(),
    )?;
    lesson.record(journal)?;
    Ok(Some(lesson.learned))
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` is not an abstraction that APE has learned", .path.display())]
struct LearnedAbstractionError {
    path: PathBuf,
    #[source]
    source: serde_json::Error,
}

impl UserError for LearnedAbstractionError {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "start a new reduction with the original traces".into()
    }
}

/// Checks the options and the phone before a run is started.
pub fn check_suite(suite: &TraceSuite, options: &ReduceSuiteOptions) -> Result<(), CommandError> {
    options.engine().validate()?;
    devices::check(&devices_for(&suite.traces[0].1, options.device.as_ref())?)?;
    mapping::check(&options.mappings)?;
    Ok(())
}

impl ReduceSuiteOptions {
    fn engine(&self) -> SuiteSettings {
        SuiteSettings {
            algorithm: self.algorithm,
            replays: self.replays,
            fragments: self.fragments,
            simplify: !self.only_delete,
            search_limits: self.search_limits,
            max_runs: self.max_runs,
            max_phone_time: self
                .minutes
                .map(|minutes| Micros(u64::from(minutes) * MINUTE)),
        }
    }
}

impl UserError for SuiteError {
    fn exit(&self) -> CommandExit {
        match self {
            SuiteError::Pool(_) => CommandExit::NoPhone,
            _ => CommandExit::Usage,
        }
    }

    fn help(&self) -> String {
        match self {
            SuiteError::Empty => "name a directory with traces".into(),
            SuiteError::NoReplays => "set `--replays 10`, or omit it".into(),
            SuiteError::NoFragments => "set `--fragments 3`, or omit it".into(),
            SuiteError::NoBudget => "set a budget of at least 1, or omit it".into(),
            SuiteError::Pool(_) => "see why the phones were lost, then resume with `--resume`".into(),
            SuiteError::Refused { .. } => "see whether the app can be started by hand".into(),
            SuiteError::Abstraction(_) => "correct the file that `--abstraction` names".into(),
            SuiteError::Journal(_) => {
                "free disk space or allow writing there, then resume with `--resume`; all observations are kept".into()
            }
        }
    }
}
