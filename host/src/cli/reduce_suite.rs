//! `retap reduce-suite`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::suite::SuiteReduction;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::cli::abstraction;
use crate::cli::arguments::{self, Global, Phones};
use crate::exit::Exit;
use crate::failure::{Explained, Failure};
use crate::job::{self, Job, Place, Smaller, Suite};
use crate::report::suite;
use crate::settings::{self, Settings, SuiteAlgorithm};
use crate::shell::Shell;

/// Cut a whole suite of traces down to few and short ones that cover the same
///
/// Activities, screens, branches and crashes that can be replayed are kept. Ends with 3 if nothing can be replayed.
#[derive(Debug, Args)]
pub struct ReduceSuite {
    /// `.retap` files, a directory of them, or a run of `retap explore --keep-traces`
    #[arg(value_name = "DIR|FILES", required_unless_present = "resume")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    phones: Phones,
    /// How to choose what stays; `auto` if not said
    #[arg(long, value_enum)]
    algorithm: Option<SuiteAlgorithm>,
    /// In how many runs a trace must visit the same screens; 10 if not said
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    replays: Option<u32>,
    /// `detreduce`: of how many fragments a trace is spliced at most; 3 if not said
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10))]
    fragments: Option<u32>,
    /// Which screens count as the same: by `activity`, by `widgets`, as `ape` learns it from the suite, or a file of rules
    /// (or one that `explore --explorer ape` wrote, to start from); `widgets` if not said
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Leave steps out and nothing else: no shorter texts, no taps for long presses, no shorter waits
    #[arg(long)]
    only_delete: bool,
    /// The number that makes the run: same seed, same run
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed)]
    seed: Option<u64>,
    /// The run's directory, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with a reduction that was stopped or killed
    #[arg(
        long, value_name = "RUN",
        conflicts_with_all = [
            "sources", "device", "count", "user", "keep_agent", "allow", "algorithm", "replays", "fragments", "abstraction", "only_delete", "seed", "out", "config",
        ]
    )]
    resume: Option<PathBuf>,
    /// The result as one JSON object
    #[arg(long)]
    json: bool,
}

impl ReduceSuite {
    pub fn run(&self, global: &Global, shell: &Shell) -> Result<Exit, Failure> {
        let (job, settings) = match &self.resume {
            Some(run) => Job::resume(run, global.named_store().as_deref(), shell, mine)?,
            None => self.start(global, shell)?,
        };
        let place = job.run().directory().path().to_owned();
        let (exit, smaller) = job.work(async |job| job::suite(job, &settings).await)?;
        let console = &shell.console;
        if self.json {
            console.result(&in_json(&smaller, &place).to_string())?;
        } else {
            console.result(&suite::suite(&smaller))?;
            if smaller.reduction.outcome == Outcome::Done {
                let manifest = place.join(job::SUITE).join(job::MANIFEST);
                console.result(&format!("\nsuite: {}", manifest.display()))?;
            }
            console.result(&format!("report: {}", place.join("report.html").display()))?;
            console.result(&place.display().to_string())?;
        }
        match smaller.reduction.outcome {
            Outcome::DoesNotReproduce => Err(NothingReplays {
                traces: smaller.names.len(),
            }
            .into()),
            _ => Ok(exit),
        }
    }

    fn start(
        &self,
        global: &Global,
        shell: &Shell,
    ) -> Result<(Job, settings::ReduceSuite), Failure> {
        let config = global.config()?;
        let read = Suite::read(&self.sources)?;
        let settings = settings::ReduceSuite {
            device: self.phones.device(&config)?,
            count: self.phones.count(&config),
            sources: self.sources.clone(),
            algorithm: self.algorithm.unwrap_or(SuiteAlgorithm::Auto),
            replays: self.replays.unwrap_or(settings::DEFAULT_REPLAYS),
            fragments: self.fragments.unwrap_or(settings::DEFAULT_FRAGMENTS),
            abstraction: abstraction::named(self.abstraction.as_deref())?,
            only_delete: self.only_delete,
        };
        if self.fragments.is_some() && settings.algorithm != SuiteAlgorithm::Detreduce {
            return Err(OnlyDetreduce.into());
        }
        job::check_suite(&read, &settings)?;
        let place = Place {
            out: self.out.clone(),
            store: Some(global.store(&config)),
        };
        let seed = arguments::seed(self.seed, &config);
        let job = Job::start(Settings::ReduceSuite(settings.clone()), seed, &place, shell)?;
        read.keep_in(job.run().directory())?;
        Ok((job, settings))
    }
}

fn mine(settings: &Settings) -> Option<settings::ReduceSuite> {
    match settings {
        Settings::ReduceSuite(settings) => Some(settings.clone()),
        _ => None,
    }
}

fn in_json(smaller: &Smaller, place: &Path) -> Value {
    let SuiteReduction {
        outcome,
        before,
        after,
        not_replayable,
        simplified,
        replays,
        spent,
        ..
    } = &smaller.reduction;
    json!({
        "result": "reduce-suite",
        "outcome": outcome,
        "app": smaller.app.package,
        "algorithm": smaller.algorithm,
        "before": job::measure(before),
        "after": job::measure(after),
        "not_replayable": not_replayable,
        "simplified": simplified,
        "replays": { "successes": replays.0, "runs": replays.1 },
        "cost": { "runs": spent.runs, "events": spent.events, "seconds": spent.took.0 as f64 / 1e6 },
        "suite": (*outcome == Outcome::Done).then(|| place.join(job::SUITE).to_string_lossy().into_owned()),
        "run": place.to_string_lossy(),
    })
}

#[derive(Debug, thiserror::Error)]
#[error("`--fragments` is for `--algorithm detreduce`: `auto` does not count them")]
struct OnlyDetreduce;

impl Explained for OnlyDetreduce {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn help(&self) -> String {
        "leave `--fragments` away, or say `--algorithm detreduce`".into()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no step of {traces} traces leads to the same screen every time")]
struct NothingReplays {
    traces: usize,
}

impl Explained for NothingReplays {
    fn exit(&self) -> Exit {
        Exit::DoesNotReproduce
    }

    fn help(&self) -> String {
        "see whether app and phone are those that the traces were made with; `--abstraction activity` asks for less".into()
    }
}
