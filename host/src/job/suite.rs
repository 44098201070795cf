//! A suite's reduction as a job: the engine's with the store in front, then the reduced suite as files and a page.

mod files;
mod source;

use std::path::Path;

use retap_engine::suite::{
    Logged, OnPhones, SuiteAlgorithm, SuiteError, SuiteReduction, SuiteSettings, reduce_suite,
};
use retap_shared::trace::{App, Trace};

use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::source::phone_for;
use crate::job::{Ended, Job, Section, page};
use crate::report::console::Tone;
use crate::settings::{self, Devices, ReduceSuite};
use crate::words::counted;
pub use files::{MANIFEST, measure};
pub use source::Suite;

/// Where the reduced suite goes, inside the run.
pub const SUITE: &str = "suite";

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
    let phones = job.connect(&Devices { device, count: settings.count }).await?;
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
    let replayer = OnPhones::new(&phones.pool, app.clone(), settings.abstraction.clone(), job.sink());
    let journal = job.journal("suite")?;
    let logged = Logged::new(replayer, &journal, job.sink());
    let reduction =
        Box::pin(reduce_suite(&traces, &settings.engine(), &logged, job.sink(), job.stop())).await?;
    let outcome = reduction.outcome;
    let algorithm = settings.algorithm.name().to_owned();
    let smaller = Smaller { reduction, names, app, algorithm };
    files::write(job.run().directory(), &smaller, settings)?;
    let section = Section::of_suite(&info, &smaller);
    job.run().write_page(&page(
        job,
        &format!("{}: a smaller suite", info.label),
        outcome,
        phones.infos,
        vec![section],
    ))?;
    Ok(Ended { outcome, problems: 0, answer: smaller })
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
        Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name)
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
            SuiteError::Journal(_) => {
                "make room or give the right to write there, then go on with `--resume`; what was observed is kept".into()
            }
        }
    }
}
