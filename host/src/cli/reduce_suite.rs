//! `retap reduce-suite`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::suite::SuiteReduction;
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::cli::abstraction;
use crate::cli::arguments::{self, GlobalArguments, PhoneArguments};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::{self, ActiveRun, RunLocation, TraceSuite, summary};
use crate::options::{self, RunOptions, SuiteAlgorithm};
use crate::run::reduced_suite::{self, ReducedSuite};

/// Cut a whole suite of traces down to few and short ones that cover the same
///
/// Activities, screens, branches and crashes that can be replayed are kept. Ends with 3 if nothing can be replayed.
#[derive(Debug, Args)]
pub struct ReduceSuiteCommand {
    /// `.retap` files, a directory of them, or a run of `retap explore --keep-traces`
    #[arg(value_name = "DIR|FILES", required_unless_present = "resume")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    phones: PhoneArguments,
    /// Reduction algorithm; default: `auto`
    #[arg(long, value_enum)]
    algorithm: Option<SuiteAlgorithm>,
    /// Runs in which a trace must visit the same screens; default: 10
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    replays: Option<u32>,
    /// `detreduce`: maximum number of fragments of a spliced trace; default: 3
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10))]
    fragments: Option<u32>,
    /// Which screens count as the same: by `activity`, by `widgets`, as `ape` learns it from the suite, or a file of rules
    /// (or one that `explore --explorer ape` wrote, to start from); default: `widgets`
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

impl ReduceSuiteCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (job, settings) = match &self.resume {
            Some(run) => ActiveRun::resume(
                run,
                global.named_store().as_deref(),
                shell,
                reduce_suite_options,
            )?,
            None => self.start(global, shell)?,
        };
        let place = job.run().directory().path().to_owned();
        let (exit, smaller) =
            job.execute(async |job| operations::run_suite_reduction(job, &settings).await)?;
        let console = &shell.console;
        if self.json {
            console.result(&in_json(&smaller, &place).to_string())?;
        } else {
            console.result(&summary::suite_table(&smaller))?;
            if smaller.reduction.outcome == Outcome::Done {
                let manifest = place
                    .join(reduced_suite::SUITE_DIRECTORY)
                    .join(reduced_suite::SUITE_MANIFEST);
                console.result(&format!("\nsuite: {}", manifest.display()))?;
            }
            console.result(&format!("report: {}", place.join("report.html").display()))?;
            console.result(&place.display().to_string())?;
        }
        match smaller.reduction.outcome {
            Outcome::DoesNotReproduce => Err(NothingReplayable {
                traces: smaller.names.len(),
            }
            .into()),
            _ => Ok(exit),
        }
    }

    fn start(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<(ActiveRun, options::ReduceSuiteOptions), CommandError> {
        let config = global.config()?;
        let read = TraceSuite::read(&self.sources)?;
        let settings = options::ReduceSuiteOptions {
            device: self.phones.device(&config)?,
            count: self.phones.count(&config),
            sources: self.sources.clone(),
            algorithm: self.algorithm.unwrap_or(SuiteAlgorithm::Auto),
            replays: self.replays.unwrap_or(options::DEFAULT_REPLAYS),
            fragments: self.fragments.unwrap_or(options::DEFAULT_FRAGMENTS),
            abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
            only_delete: self.only_delete,
        };
        if self.fragments.is_some() && settings.algorithm != SuiteAlgorithm::Detreduce {
            return Err(DetreduceOnlyOption.into());
        }
        operations::check_suite(&read, &settings)?;
        let place = RunLocation {
            out: self.out.clone(),
            store: Some(global.store(&config)),
        };
        let seed = arguments::seed(self.seed, &config);
        let job = ActiveRun::start(
            RunOptions::ReduceSuite(settings.clone()),
            seed,
            &place,
            shell,
        )?;
        read.copy_into(job.run().directory())?;
        Ok((job, settings))
    }
}

fn reduce_suite_options(settings: &RunOptions) -> Option<options::ReduceSuiteOptions> {
    match settings {
        RunOptions::ReduceSuite(settings) => Some(settings.clone()),
        _ => None,
    }
}

fn in_json(smaller: &ReducedSuite, place: &Path) -> Value {
    let SuiteReduction {
        outcome,
        before,
        after,
        not_replayable,
        simplified,
        check,
        cost: spent,
        ..
    } = &smaller.reduction;
    json!({
        "result": "reduce-suite",
        "outcome": outcome,
        "app": smaller.app.package,
        "algorithm": smaller.algorithm,
        "before": reduced_suite::measure_json(before),
        "after": reduced_suite::measure_json(after),
        "not_replayable": not_replayable,
        "simplified": simplified,
        "replays": { "successes": check.followed, "runs": check.runs },
        "cost": { "runs": spent.runs, "events": spent.events, "seconds": spent.took.0 as f64 / 1e6 },
        "suite": (*outcome == Outcome::Done).then(|| place.join(reduced_suite::SUITE_DIRECTORY).to_string_lossy().into_owned()),
        "run": place.to_string_lossy(),
    })
}

#[derive(Debug, thiserror::Error)]
#[error("`--fragments` is for `--algorithm detreduce`: `auto` does not count them")]
struct DetreduceOnlyOption;

impl UserError for DetreduceOnlyOption {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        "leave `--fragments` away, or say `--algorithm detreduce`".into()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no step of {traces} traces leads to the same screen every time")]
struct NothingReplayable {
    traces: usize,
}

impl UserError for NothingReplayable {
    fn exit(&self) -> CommandExit {
        CommandExit::DoesNotReproduce
    }

    fn help(&self) -> String {
        "see whether app and phone are those that the traces were made with; `--abstraction activity` asks for less".into()
    }
}
