//! `retap reduce-suite`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::suite::{SuiteReduction, SuiteReductionAlgorithm, SuiteSettings};
use retap_shared::verdict::Outcome;
use serde_json::{Value, json};

use crate::cli::abstraction;
use crate::cli::arguments::{GlobalArguments, PhoneArguments, RunArguments};
use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::config::Config;
use crate::device_spec::DeviceList;
use crate::exit::CommandExit;
use crate::operations::{self, ActiveRun, TraceSuite, summary};
use crate::options::{ReduceSuiteOptions, RunOptions};
use crate::run::reduced_suite::{self, ReducedSuite};

/// Cut a whole suite of traces down to few and short ones that cover the same
///
/// Activities, screens, branches and crashes that can be replayed are kept. Exit code 3 if nothing can be replayed.
#[derive(Debug, Args)]
pub struct ReduceSuiteCommand {
    /// `.retap` files, a directory of them, or a run of `retap explore --keep-traces`
    #[arg(value_name = "DIR|FILES", required_unless_present = "resume")]
    sources: Vec<PathBuf>,
    #[arg(
        long,
        value_parser = choice_parser::<SuiteReductionAlgorithm>(),
        help = help_with_default("Reduction algorithm", SuiteReductionAlgorithm::default())
    )]
    algorithm: Option<SuiteReductionAlgorithm>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1_000),
        help = help_with_default("Runs in which a trace must visit the same screens", SuiteSettings::default().replays)
    )]
    replays: Option<u32>,
    #[arg(
        long,
        value_name = "K",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=10),
        help = help_with_default("`detreduce`: maximum number of fragments of a spliced trace", SuiteSettings::default().fragments)
    )]
    fragments: Option<u32>,
    /// Which screens count as the same: by `activity`, by `widgets`, as `ape` learns it from the suite, or a file of rules
    /// (or one that `explore --explorer ape` wrote, to start from) [default: widgets]
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Only remove steps: no shorter texts, no taps for long presses, no shorter waits
    #[arg(long)]
    only_delete: bool,
    #[command(flatten)]
    phones: PhoneArguments,
    #[command(flatten)]
    run: RunArguments,
}

impl ReduceSuiteCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (run, options) = match &self.run.resume {
            Some(path) => {
                let store = global.named_store();
                ActiveRun::resume(path, store.as_deref(), context, reduce_suite_options)?
            }
            None => self.start(global, context)?,
        };
        let directory = run.directory().path().to_owned();
        let end = run.execute(async |run| operations::run_suite_reduction(run, &options).await)?;
        self.print(&end.value, &directory, context)?;
        let nothing_replayable = NothingReplayable {
            traces: end.value.names.len(),
        };
        match end.exit()? {
            CommandExit::DoesNotReproduce => Err(nothing_replayable.into()),
            exit => Ok(exit),
        }
    }

    fn start(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<(ActiveRun, ReduceSuiteOptions), CommandError> {
        let config = global.config()?;
        let suite = TraceSuite::read(&self.sources)?;
        let first = suite.traces.iter().map(|(_, trace)| trace).take(1);
        let device = self.phones.devices_for_traces(first, &config, context)?;
        let options = self.options(&config, device)?;
        if self.fragments.is_some() && options.algorithm != SuiteReductionAlgorithm::DetReduce {
            return Err(DetreduceOnlyOption.into());
        }
        operations::check_suite(&suite, &options)?;
        let run = ActiveRun::start(
            RunOptions::ReduceSuite(options.clone()),
            self.run.seed(&config),
            &self.run.location(global.store(&config)),
            context,
        )?;
        suite.copy_into(run.directory())?;
        Ok((run, options))
    }

    /// The command line over the defaults of the engine.
    fn options(
        &self,
        config: &Config,
        device: Option<DeviceList>,
    ) -> Result<ReduceSuiteOptions, CommandError> {
        let defaults = SuiteSettings::default();
        Ok(ReduceSuiteOptions {
            device,
            count: self.phones.count(config),
            sources: self.sources.clone(),
            algorithm: self.algorithm.unwrap_or(defaults.algorithm),
            replays: self.replays.unwrap_or(defaults.replays),
            fragments: self.fragments.unwrap_or(defaults.fragments),
            abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
            only_delete: self.only_delete,
        })
    }

    fn print(
        &self,
        suite: &ReducedSuite,
        directory: &Path,
        context: &CommandContext,
    ) -> Result<(), CommandError> {
        let console = &context.console;
        if self.run.json {
            return Ok(console.result(&to_json(suite, directory).to_string())?);
        }
        console.result(&summary::suite_table(suite))?;
        if suite.reduction.outcome == Outcome::Done {
            let manifest = directory
                .join(reduced_suite::SUITE_DIRECTORY)
                .join(reduced_suite::SUITE_MANIFEST);
            console.result(&format!("\nsuite: {}", manifest.display()))?;
        }
        let page = directory.join("report.html");
        console.result(&format!("report: {}", page.display()))?;
        Ok(console.result(&directory.display().to_string())?)
    }
}

fn reduce_suite_options(options: &RunOptions) -> Option<ReduceSuiteOptions> {
    match options {
        RunOptions::ReduceSuite(options) => Some(options.clone()),
        RunOptions::Demo(_) | RunOptions::Explore(_) | RunOptions::Reduce(_) => None,
    }
}

fn to_json(suite: &ReducedSuite, directory: &Path) -> Value {
    let SuiteReduction {
        outcome,
        before,
        after,
        not_replayable,
        simplified,
        replays,
        cost,
        ..
    } = &suite.reduction;
    json!({
        "result": "reduce-suite",
        "outcome": outcome,
        "app": suite.app.package,
        "algorithm": suite.algorithm,
        "before": reduced_suite::measure_json(before),
        "after": reduced_suite::measure_json(after),
        "not_replayable": not_replayable,
        "simplified": simplified,
        "replays": { "successes": replays.0, "runs": replays.1 },
        "cost": { "runs": cost.runs, "events": cost.events, "seconds": cost.took.0 as f64 / 1e6 },
        "suite": (*outcome == Outcome::Done).then(|| directory.join(reduced_suite::SUITE_DIRECTORY).to_string_lossy().into_owned()),
        "run": directory.to_string_lossy(),
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
        "omit `--fragments`, or choose `--algorithm detreduce`".into()
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
