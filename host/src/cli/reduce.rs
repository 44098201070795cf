//! `retap reduce`: its arguments, and the options of the run that they make.

mod printed_reduction;

use std::path::{Path, PathBuf};

use clap::Args;
use printed_reduction::NotReproduced;
use retap_reduce::named_choice::NamedChoice as _;
use retap_reduce::reached_targets::ReachedKind;
use retap_reduce::trace_reduction::{
    NOISY_RUNS, PassCriterion, ReductionAlgorithm, SchedulerKind, StateGranularity,
};
use retap_shared::target::Target;
use retap_shared::trace::ReplayPace;

use crate::cli::arguments::{GlobalArguments, MappingArguments, PhoneArguments, RunArguments};
use crate::cli::named_choice::{choice_parser, help_with_default};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::config::{Config, ReduceConfig};
use crate::device_spec::DeviceList;
use crate::exit::CommandExit;
use crate::format::mapping;
use crate::operations::{self, ActiveRun, ReductionSource, summary};
use crate::options::{Nd3minOptions, OracleKind, ReduceOptions, RunOptions};
use crate::report::console::LineStyle;
use crate::run::store::SqliteStore;

/// Cut a trace down to the few steps that matter
///
/// The reduced trace is played until it is proven how often it reproduces. Exit code 5 if it is flaky, 3 if no run reached the
/// target.
#[derive(Debug, Default, Args)]
pub struct ReduceCommand {
    /// A `.retap` file, or a run whose findings are reduced one after the other
    #[arg(value_name = "TRACE|RUN", required_unless_present = "resume")]
    source: Option<PathBuf>,
    /// Only this finding of the run; the first digits of its id are enough
    #[arg(long, value_name = "ID")]
    crash: Option<String>,
    /// The shortest trace to each activity or screen that a run of `explore --keep-traces` has reached
    #[arg(long, value_name = "activity|screen", value_parser = choice_parser::<ReachedKind>(), conflicts_with_all = ["crash", "target"])]
    every: Option<ReachedKind>,
    /// Target to keep: `crash`, `activity:NAME`, `screen:TEXT` or `log:REGEX` [default: the target of the trace]
    #[arg(long, value_parser = parse_target)]
    target: Option<String>,
    #[arg(
        long,
        value_parser = choice_parser::<ReductionAlgorithm>(),
        help = help_with_default("Reduction algorithm", ReductionAlgorithm::default())
    )]
    algorithm: Option<ReductionAlgorithm>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=10_000),
        help = help_with_default("Runs of each candidate", runs_help())
    )]
    runs: Option<u32>,
    /// Runs of each candidate that must reach the target [default: all of them; nine of ten for `nd3min`]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    successes: Option<u32>,
    /// Successes that the check of the original needs [default: with `auto` and `nd3min` five of six that a candidate needs,
    /// otherwise as many]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    original_successes: Option<u32>,
    /// `auto`: the result must reproduce as often as the original, even if that is rarely
    #[arg(long, conflicts_with_all = ["successes", "original_successes"])]
    keep_rate: bool,
    /// Only remove steps: no shorter texts, no taps for long presses, no shorter waits
    #[arg(long)]
    only_delete: bool,
    /// Maximum number of runs; then the best trace so far is the result [default: 1000, and 20 per step; for other algorithms
    /// than `auto` none]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    max_runs: Option<u64>,
    /// Maximum duration of each reduction; then the best trace so far is the result [default: none]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    minutes: Option<u32>,
    /// Maximum number of concurrent runs [default: the number of phones]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    parallel: Option<u32>,
    #[arg(
        long,
        value_parser = choice_parser::<SchedulerKind>(),
        help = help_with_default("`nd3min`: scheduler of the rounds", SchedulerKind::default())
    )]
    scheduler: Option<SchedulerKind>,
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..=10_000),
        help = help_with_default("`nd3min`: number of parts of the first round", Nd3minOptions::default().parts)
    )]
    parts: Option<u32>,
    /// Prior of candidates: `paper`, `learned` from the runs in the store, or a table [default: paper]
    #[arg(long, value_name = "FILE|learned|paper")]
    prior: Option<String>,
    #[arg(
        long,
        value_parser = choice_parser::<StateGranularity>(),
        help = help_with_default("`hdd`, `bhdd`, `lhdd`: states of the tree", StateGranularity::default())
    )]
    hierarchy: Option<StateGranularity>,
    /// Oracle of the reduction [default: phones]
    #[arg(long, value_enum)]
    oracle: Option<OracleKind>,
    /// When the next step comes [default: the pace of the trace; `recorded` where it never reproduces at `quiet`]
    #[arg(long, value_parser = choice_parser::<ReplayPace>())]
    pace: Option<ReplayPace>,
    #[command(flatten)]
    mapping: MappingArguments,
    #[command(flatten)]
    phones: PhoneArguments,
    #[command(flatten)]
    run: RunArguments,
}

impl ReduceCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (run, options) = match &self.run.resume {
            Some(path) => {
                let store = global.named_store();
                ActiveRun::resume(path, store.as_deref(), context, reduce_options)?
            }
            None => match self.start(global, context)? {
                Some(started) => started,
                None => return Ok(CommandExit::Done),
            },
        };
        let directory = run.directory().path().to_owned();
        let end = run.execute(async |run| operations::reduce_all(run, &options).await)?;
        for one in &end.value {
            context.console.result(&if self.run.json {
                printed_reduction::to_json(one, &directory)
            } else {
                printed_reduction::to_words(one, &directory)
            })?;
        }
        if !self.run.json {
            if let Some(table) = summary::reached_table(&end.value) {
                context.console.result(&table)?;
            }
            context.console.result(&directory.display().to_string())?;
        }
        let not_reproduced = NotReproduced::among(&end.value);
        match (end.exit()?, not_reproduced) {
            (CommandExit::DoesNotReproduce, Some(failure)) => Err(failure.into()),
            (exit, _) => Ok(exit),
        }
    }

    /// Starts a run; none if there is nothing to reduce.
    fn start(
        &self,
        global: &GlobalArguments,
        context: &CommandContext,
    ) -> Result<Option<(ActiveRun, ReduceOptions)>, CommandError> {
        let config = global.config()?;
        let path = self.source.clone().unwrap_or_default();
        let source = ReductionSource::read(&path, self.crash.as_deref(), self.every)?;
        if source.traces().is_empty() {
            let run = path.display();
            let text = format!("the run `{run}` has no finding: there is nothing to reduce");
            match self.run.json {
                true => context.console.print(LineStyle::Quiet, &text),
                false => context.console.result(&text)?,
            }
            return Ok(None);
        }
        self.check_algorithm(self.algorithm(&config.reduce))?;
        let store = global.store(&config);
        let device = match self.oracle() {
            OracleKind::Recording => None,
            OracleKind::Phones => {
                let traces = source.traces();
                self.phones
                    .devices_for_traces(traces.into_iter(), &config, context)?
            }
        };
        let options = ReduceOptions {
            prior: self.prior_text(&store)?,
            ..self.options(&config, path, device)
        };
        source.check(&options)?;
        mapping::check(&options.mappings)?;
        let run = ActiveRun::start(
            RunOptions::Reduce(options.clone()),
            self.run.seed(&config),
            &self.run.location(store),
            context,
            |directory| Ok(source.copy_into(directory)?),
        )?;
        Ok(Some((run, options)))
    }

    /// The command line over `retap.toml` over the defaults.
    fn options(
        &self,
        config: &Config,
        source: PathBuf,
        device: Option<DeviceList>,
    ) -> ReduceOptions {
        let PassCriterion { runs, successes } = self.criterion(&config.reduce);
        let nd3min = Nd3minOptions::default();
        ReduceOptions {
            device,
            count: self.phones.count(config),
            // Absolute, because a run can be resumed from anywhere.
            source: std::path::absolute(&source).unwrap_or(source),
            crash: self.crash.clone(),
            every: self.every,
            target: self.target(config),
            algorithm: self.algorithm(&config.reduce),
            runs,
            successes,
            parallel: self.parallel,
            max_runs: self.max_runs,
            minutes: self.minutes,
            original_successes: self.original_successes,
            nd3min: Nd3minOptions {
                scheduler: self.scheduler.unwrap_or(nd3min.scheduler),
                parts: self.parts.unwrap_or(nd3min.parts),
            },
            keep_rate: self.keep_rate,
            only_delete: self.only_delete,
            prior: None,
            hierarchy: self.hierarchy.unwrap_or_default(),
            oracle: self.oracle(),
            mappings: self.mapping.options(config),
            pace: self.pace,
        }
    }

    /// Target of all traces; none with `--every`, where each trace has its own.
    fn target(&self, config: &Config) -> Option<String> {
        let configured = || config.reduce.target.clone();
        match self.every {
            Some(_) => None,
            None => self.target.clone().or_else(configured),
        }
    }

    fn oracle(&self) -> OracleKind {
        self.oracle.unwrap_or_default()
    }

    pub fn algorithm(&self, config: &ReduceConfig) -> ReductionAlgorithm {
        self.algorithm.or(config.algorithm).unwrap_or_default()
    }

    /// Criterion of a candidate: the command line over `retap.toml` over the defaults of the algorithm.
    pub fn criterion(&self, config: &ReduceConfig) -> PassCriterion {
        // A rate that is to be kept must first be known.
        let for_rate = self.keep_rate.then_some(NOISY_RUNS);
        let runs = self.runs.or(config.runs).or(for_rate);
        let successes = self.successes.or(config.successes);
        self.algorithm(config).pass_criterion(runs, successes)
    }

    /// Refuses options of other algorithms.
    fn check_algorithm(&self, algorithm: ReductionAlgorithm) -> Result<(), OptionConflict> {
        use ReductionAlgorithm::{Auto, Lhdd, Nd3min};
        let is_nd3min = algorithm == Nd3min;
        let options = [
            ("--scheduler", self.scheduler.is_some(), Nd3min, is_nd3min),
            ("--parts", self.parts.is_some(), Nd3min, is_nd3min),
            (
                "--hierarchy",
                self.hierarchy.is_some(),
                Lhdd,
                algorithm.is_hierarchical(),
            ),
            ("--keep-rate", self.keep_rate, Auto, algorithm == Auto),
        ];
        let conflict = options
            .into_iter()
            .find(|(_, is_given, _, fits)| *is_given && !fits);
        match conflict {
            Some((option, _, of, _)) => Err(OptionConflict {
                option,
                of,
                algorithm,
            }),
            None => Ok(()),
        }
    }

    /// Text of the prior; none for the published one.
    fn prior_text(&self, store: &Path) -> Result<Option<String>, CommandError> {
        match self.prior.as_deref() {
            None | Some("paper") => Ok(None),
            Some(name) => {
                let prior = operations::load_prior(name, &SqliteStore::open(store)?)?;
                Ok(Some(prior.to_text()))
            }
        }
    }
}

/// Default number of runs, and the one of `nd3min`.
fn runs_help() -> String {
    let runs = |algorithm: ReductionAlgorithm| algorithm.pass_criterion(None, None).runs;
    let nd3min = runs(ReductionAlgorithm::Nd3min);
    format!(
        "{}; {nd3min} for `nd3min`",
        runs(ReductionAlgorithm::default())
    )
}

fn reduce_options(options: &RunOptions) -> Option<ReduceOptions> {
    match options {
        RunOptions::Reduce(options) => Some(options.clone()),
        RunOptions::Demo(_) | RunOptions::Explore(_) | RunOptions::ReduceSuite(_) => None,
    }
}

fn parse_target(text: &str) -> Result<String, String> {
    text.parse::<Target>()
        .map(|_| text.to_owned())
        .map_err(|error| error.help())
}

#[derive(Debug, thiserror::Error)]
#[error("`{option}` is for `--algorithm {}`, and the algorithm is `{}`", .of.name(), .algorithm.name())]
struct OptionConflict {
    option: &'static str,
    of: ReductionAlgorithm,
    algorithm: ReductionAlgorithm,
}

impl UserError for OptionConflict {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        format!(
            "omit `{}`, or choose `--algorithm {}`",
            self.option,
            self.of.name()
        )
    }
}
