//! A suite's reduction as a job: the engine's with the store in front, then the reduced suite as files and a page.

mod files;
mod source;

use std::path::{Path, PathBuf};

pub use files::{MANIFEST, measure};
use retap_model::ape::Learned;
use retap_model::{Abstraction, States};
use retap_reduce::suite::{
    Logged, OnPhones, RunLog, SuiteAlgorithm, SuiteError, SuiteReduction, SuiteSettings, learn,
    reduce_suite,
};
use retap_shared::trace::{App, Trace};
pub use source::Suite;

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::source::phone_for;
use crate::job::{Ended, Job, Section, page};
use crate::report::console::Tone;
use crate::run::directory;
use crate::settings::{self, Devices, ReduceSuite};
use crate::words::counted;

/// Where the reduced suite goes, inside the run.
pub const SUITE: &str = "suite";
/// What APE has learned of the suite's screens: for people, and whole, to go on with.
const ABSTRACTION: &str = "abstraction.txt";
const LEARNED: &str = "abstraction.json";

#[derive(Debug)]
pub struct Smaller {
    pub reduction: SuiteReduction,
    /// The files that were read, in their order.
    pub names: Vec<String>,
    pub app: App,
    pub algorithm: String,
}

pub async fn suite(job: &Job, settings: &ReduceSuite) -> Result<Ended<Smaller>, Failure> {
    let Suite { traces } = Suite::kept_in(job.run().directory(), &settings.sources)?;
    let (names, traces): (Vec<String>, Vec<Trace>) = traces.into_iter().unzip();
    let device = phone_for(&traces[0], settings.device.as_deref())?;
    let phones = job
        .connect(&Devices {
            device,
            count: settings.count,
        })
        .await?;
    let info = phones.app_of(&traces[0], job.sink())?;
    job.tell_started(phones.names());
    let steps: u64 = traces.iter().map(|trace| trace.steps.len() as u64).sum();
    let heading = format!(
        "Cutting down {} with {} to what covers the same of {}",
        counted(traces.len() as u64, "trace"),
        counted(steps, "step"),
        info.label
    );
    job.console().say(Tone::Heading, &heading);

    let app = traces[0].header.app.clone();
    let journal = job.journal("suite")?;
    let on = |abstraction: &Abstraction| {
        let states = States::by(abstraction).map_err(SuiteError::from)?;
        Ok::<_, SuiteError>(OnPhones::new(&phones.pool, app.clone(), states, job.sink()))
    };
    let abstraction = match &settings.abstraction {
        Abstraction::Ape(rules) => {
            job.console()
                .say(Tone::Heading, "Learning which screens are the same");
            let teacher = on(&settings.abstraction)?;
            Box::pin(learned(job, rules, &traces, &teacher, &journal))
                .await?
                .map(Abstraction::Ape)
        }
        other => Some(other.clone()),
    };
    // If it was stopped while it learned, the reduction sees that at once.
    let abstraction = abstraction.unwrap_or_else(|| settings.abstraction.clone());
    let replayer = on(&abstraction)?;
    let logged = Logged::new(replayer, &journal, job.sink());
    let reduction = Box::pin(reduce_suite(
        &traces,
        &settings.engine(),
        &logged,
        job.sink(),
        job.stop(),
    ))
    .await?;
    let outcome = reduction.outcome;
    let algorithm = settings.algorithm.name().to_owned();
    let smaller = Smaller {
        reduction,
        names,
        app,
        algorithm,
    };
    let settings = &ReduceSuite {
        abstraction,
        ..settings.clone()
    };
    files::write(job.run().directory(), &smaller, settings)?;
    let section = Section::of_suite(&info, &smaller);
    job.run().write_page(&page(
        job,
        &format!("{}: a smaller suite", info.label),
        outcome,
        phones.infos,
        vec![section],
    ))?;
    Ok(Ended {
        outcome,
        problems: 0,
        answer: smaller,
    })
}

/// From the run's own directory, if it had been learned before it was interrupted. None if it is stopped.
async fn learned(
    job: &Job,
    rules: &Learned,
    traces: &[Trace],
    phones: &OnPhones,
    log: &dyn RunLog,
) -> Result<Option<Learned>, Failure> {
    let run = job.run().directory();
    let path = run.path().join(LEARNED);
    if path.exists() {
        let learned = serde_json::from_str(&directory::read(&path)?);
        return Ok(Some(learned.map_err(|source| NotLearned { path, source })?));
    }
    let Some(lesson) = learn(traces, rules, phones, job.stop()).await? else {
        return Ok(None);
    };
    // Runs that were told apart in another way than the file says must never be recalled: the file comes first.
    run.write(ABSTRACTION, lesson.text.as_bytes())?;
    run.write(
        LEARNED,
        serde_json::json!(lesson.learned).to_string().as_bytes(),
    )?;
    lesson.note(log)?;
    Ok(Some(lesson.learned))
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` is not what APE has learned", .path.display())]
struct NotLearned {
    path: PathBuf,
    #[source]
    source: serde_json::Error,
}

impl Explained for NotLearned {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "start the reduction anew with the originals".into()
    }
}

/// Whether it makes sense and there is such a phone, before anything is made for it.
pub fn check_suite(suite: &Suite, settings: &ReduceSuite) -> Result<(), Failure> {
    settings.engine().check()?;
    crate::devices::check(&phone_for(&suite.traces[0].1, settings.device.as_deref())?)?;
    Ok(())
}

impl ReduceSuite {
    fn engine(&self) -> SuiteSettings {
        SuiteSettings {
            algorithm: match self.algorithm {
                settings::SuiteAlgorithm::Detreduce => SuiteAlgorithm::DetReduce,
                settings::SuiteAlgorithm::Auto => SuiteAlgorithm::Auto,
            },
            replays: self.replays,
            fragments: self.fragments,
            simplify: !self.only_delete,
        }
    }
}

impl Smaller {
    /// The name of a result's file inside `suite/`.
    pub fn file(number: usize) -> String {
        format!("{:03}.retap", number + 1)
    }

    /// The name of a file that was read, without the directories above it.
    pub fn short(&self, original: u32) -> &str {
        let name = self.names.get(original as usize).map_or("", String::as_str);
        Path::new(name)
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(name)
    }
}

impl Explained for SuiteError {
    fn exit(&self) -> Exit {
        match self {
            SuiteError::Pool(_) => Exit::NoPhone,
            _ => Exit::Usage,
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
