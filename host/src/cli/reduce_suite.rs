//! `retap reduce-suite`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::suite::{SearchLimits, SuiteReduction, SuiteReductionAlgorithm, SuiteSettings};
use serde_json::{Value, json};

use crate::cli::abstraction;
use crate::cli::arguments::{GlobalArguments, MappingArguments, PhoneArguments, RunArguments};
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
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=1_000_000_000),
        help = help_with_default("`detreduce`: candidates that are replayed for one trace before greedy cuts take over", SearchLimits::default().candidates)
    )]
    search_candidates: Option<u32>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(0..=1_000_000_000),
        help = help_with_default("`detreduce`: events that are replayed for one trace before greedy cuts take over", SearchLimits::default().events)
    )]
    search_events: Option<u64>,
    /// Maximum number of runs, those of the check included; the best suite so far is the result
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_runs: Option<u64>,
    /// Minutes of phone time for each phone; the best suite so far is the result
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    minutes: Option<u32>,
    #[command(flatten)]
    mapping: MappingArguments,
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
        self.check_algorithm(options.algorithm)?;
        operations::check_suite(&suite, &options)?;
        let run = ActiveRun::start(
            RunOptions::ReduceSuite(options.clone()),
            self.run.seed(&config),
            &self.run.location(global.store(&config)),
            context,
            |directory| suite.copy_into(directory),
        )?;
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
            sources: self.sources.iter().map(|path| absolute(path)).collect(),
            algorithm: self.algorithm.unwrap_or(defaults.algorithm),
            replays: self.replays.unwrap_or(defaults.replays),
            fragments: self.fragments.unwrap_or(defaults.fragments),
            abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
            only_delete: self.only_delete,
            search_limits: SearchLimits {
                candidates: self
                    .search_candidates
                    .unwrap_or(defaults.search_limits.candidates),
                events: self.search_events.unwrap_or(defaults.search_limits.events),
            },
            max_runs: self.max_runs,
            minutes: self.minutes,
            mappings: self.mapping.options(config),
        })
    }

    /// Refuses options of DetReduce for other algorithms.
    fn check_algorithm(
        &self,
        algorithm: SuiteReductionAlgorithm,
    ) -> Result<(), DetreduceOnlyOption> {
        let options = [
            ("--fragments", self.fragments.is_some()),
            ("--search-candidates", self.search_candidates.is_some()),
            ("--search-events", self.search_events.is_some()),
        ];
        let given = options.into_iter().find(|(_, is_given)| *is_given);
        match given {
            Some((option, _)) if algorithm != SuiteReductionAlgorithm::DetReduce => {
                Err(DetreduceOnlyOption { option })
            }
            _ => Ok(()),
        }
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
        if suite.is_written() {
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

/// The path as it is found from any directory: a run can be resumed from anywhere.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
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
        check,
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
        "replays": { "successes": check.followed, "runs": check.runs },
        "flaky": suite.flaky_json(),
        "unconfirmed": reduced_suite::coverage_json(&check.unconfirmed),
        "lost": reduced_suite::coverage_json(&suite.reduction.lost()),
        "greedy": suite.reduction.greedy(),
        "cost": {
            "runs": cost.runs, "diverged": cost.diverged, "events": cost.events, "seconds": cost.took.0 as f64 / 1e6,
        },
        "suite": suite.is_written().then(|| directory.join(reduced_suite::SUITE_DIRECTORY).to_string_lossy().into_owned()),
        "run": directory.to_string_lossy(),
    })
}

#[derive(Debug, thiserror::Error)]
#[error("`{option}` is for `--algorithm detreduce`, and the algorithm is `auto`")]
struct DetreduceOnlyOption {
    option: &'static str,
}

impl UserError for DetreduceOnlyOption {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        format!("omit `{}`, or choose `--algorithm detreduce`", self.option)
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
