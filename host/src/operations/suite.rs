//! A suite's reduction as a job: the engine's with the store in front, then the reduced suite as files and a page.

mod suite_files;
mod suite_source;

use std::path::{Path, PathBuf};

use retap_model::ape::LearnedAbstraction;
use retap_model::{Abstraction, PreparedAbstraction};
use retap_reduce::suite::{
    JournaledReplayer, PooledReplayer, ReplayJournal, SuiteError, SuiteReduction,
    SuiteReductionAlgorithm, SuiteSettings, learn, reduce_suite,
};
use retap_shared::trace::{App, Trace};
pub use suite_files::{SUITE_MANIFEST, measure_json};
pub use suite_source::TraceSuite;

use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::reduction_source::device_for;
use crate::operations::{ActiveRun, AppReport, CommandResult, render_report};
use crate::options::{self, PhoneSelection, ReduceSuiteOptions};
use crate::report::console::LineStyle;
use crate::run::directory;
use crate::wording::pluralise;

/// Where the reduced suite goes, inside the run.
pub const SUITE_DIRECTORY: &str = "suite";
/// What APE has learned of the suite's screens: for people, and whole, to go on with.
const ABSTRACTION: &str = "abstraction.txt";
const LEARNED: &str = "abstraction.json";

#[derive(Debug)]
pub struct ReducedSuite {
    pub reduction: SuiteReduction,
    /// The files that were read, in their order.
    pub names: Vec<String>,
    pub app: App,
    pub algorithm: String,
}

pub async fn run_suite_reduction(
    job: &ActiveRun,
    settings: &ReduceSuiteOptions,
) -> Result<CommandResult<ReducedSuite>, CommandError> {
    let TraceSuite { traces } = TraceSuite::read_copy(job.run().directory(), &settings.sources)?;
    let (names, traces): (Vec<String>, Vec<Trace>) = traces.into_iter().unzip();
    let device = device_for(&traces[0], settings.device.as_deref())?;
    let phones = job
        .connect(&PhoneSelection {
            device,
            count: settings.count,
        })
        .await?;
    let info = phones.app_of(&traces[0], job.sink())?;
    job.emit_started(phones.names());
    let steps: u64 = traces.iter().map(|trace| trace.steps.len() as u64).sum();
    let heading = format!(
        "Cutting down {} with {} to what covers the same of {}",
        pluralise(traces.len() as u64, "trace"),
        pluralise(steps, "step"),
        info.label
    );
    job.console().print(LineStyle::Heading, &heading);

    let app = traces[0].header.app.clone();
    let journal = job.journal("suite")?;
    let on = |abstraction: &Abstraction| {
        let states = PreparedAbstraction::by(abstraction).map_err(SuiteError::from)?;
        Ok::<_, SuiteError>(PooledReplayer::new(
            &phones.pool,
            app.clone(),
            states,
            job.sink(),
        ))
    };
    let abstraction = match &settings.abstraction {
        Abstraction::Ape(rules) => {
            job.console()
                .print(LineStyle::Heading, "Learning which screens are the same");
            let teacher = on(&settings.abstraction)?;
            Box::pin(learn_abstraction(job, rules, &traces, &teacher, &journal))
                .await?
                .map(Abstraction::Ape)
        }
        other => Some(other.clone()),
    };
    // If it was stopped while it learned, the reduction sees that at once.
    let abstraction = abstraction.unwrap_or_else(|| settings.abstraction.clone());
    let replayer = on(&abstraction)?;
    let logged = JournaledReplayer::new(replayer, &journal, job.sink());
    let reduction = Box::pin(reduce_suite(
        &traces,
        &settings.engine(),
        &logged,
        job.sink(),
        job.cancellation(),
    ))
    .await?;
    let outcome = reduction.outcome;
    let algorithm = settings.algorithm.name().to_owned();
    let smaller = ReducedSuite {
        reduction,
        names,
        app,
        algorithm,
    };
    let settings = &ReduceSuiteOptions {
        abstraction,
        ..settings.clone()
    };
    suite_files::write(job.run().directory(), &smaller, settings)?;
    let section = AppReport::of_suite(&info, &smaller);
    job.run().write_page(&render_report(
        job,
        &format!("{}: a smaller suite", info.label),
        outcome,
        phones.infos,
        vec![section],
    ))?;
    Ok(CommandResult {
        outcome,
        finding_count: 0,
        value: smaller,
    })
}

/// From the run's own directory, if it had been learned before it was interrupted. None if it is stopped.
async fn learn_abstraction(
    job: &ActiveRun,
    rules: &LearnedAbstraction,
    traces: &[Trace],
    phones: &PooledReplayer,
    log: &dyn ReplayJournal,
) -> Result<Option<LearnedAbstraction>, CommandError> {
    let run = job.run().directory();
    let path = run.path().join(LEARNED);
    if path.exists() {
        let learned = serde_json::from_str(&directory::read(&path)?);
        return Ok(Some(
            learned.map_err(|source| LearnedAbstractionError { path, source })?,
        ));
    }
    let Some(lesson) = learn(traces, rules, phones, job.cancellation()).await? else {
        return Ok(None);
    };
    // Runs that were told apart in another way than the file says must never be recalled: the file comes first.
    run.write(ABSTRACTION, lesson.text.as_bytes())?;
    run.write(
        LEARNED,
        serde_json::json!(lesson.learned).to_string().as_bytes(),
    )?;
    lesson.record(log)?;
    Ok(Some(lesson.learned))
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` is not what APE has learned", .path.display())]
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
        "start the reduction anew with the originals".into()
    }
}

/// Whether it makes sense and there is such a phone, before anything is made for it.
pub fn check_suite(suite: &TraceSuite, settings: &ReduceSuiteOptions) -> Result<(), CommandError> {
    settings.engine().validate()?;
    crate::devices::check(&device_for(&suite.traces[0].1, settings.device.as_deref())?)?;
    Ok(())
}

impl ReduceSuiteOptions {
    fn engine(&self) -> SuiteSettings {
        SuiteSettings {
            algorithm: match self.algorithm {
                options::SuiteAlgorithm::Detreduce => SuiteReductionAlgorithm::DetReduce,
                options::SuiteAlgorithm::Auto => SuiteReductionAlgorithm::Auto,
            },
            replays: self.replays,
            fragments: self.fragments,
            simplify: !self.only_delete,
        }
    }
}

impl ReducedSuite {
    /// The name of a result's file inside `suite/`.
    pub fn file_name(number: usize) -> String {
        format!("{:03}.retap", number + 1)
    }

    /// The name of a file that was read, without the directories above it.
    pub fn original_name(&self, original: u32) -> &str {
        let name = self.names.get(original as usize).map_or("", String::as_str);
        Path::new(name)
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(name)
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
            SuiteError::NoReplays => "say `--replays 10`, or leave it away".into(),
            SuiteError::NoFragments => "say `--fragments 3`, or leave it away".into(),
            SuiteError::Pool(_) => "see why the phones were lost, then go on with `--resume`".into(),
            SuiteError::Refused { .. } => "see whether the app can be started by hand".into(),
            SuiteError::Abstraction(_) => "put the file that `--abstraction` names right".into(),
            SuiteError::Journal(_) => {
                "make room or give the right to write there, then go on with `--resume`; what was observed is kept".into()
            }
        }
    }
}
