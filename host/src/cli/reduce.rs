//! `retap reduce`.

use std::path::{Path, PathBuf};

use clap::Args;
use retap_reduce::trace_reduction::ReproductionCheck;
use retap_shared::target::Target;
use retap_shared::verdict::Outcome;
use serde_json::json;

use crate::cli::arguments::{self, GlobalArguments, PhoneArguments};
use crate::command_context::CommandContext;
use crate::command_error::{CommandError, UserError};
use crate::exit::CommandExit;
use crate::operations::{
    self, ActiveRun, ReducedTrace, ReductionSource, RunLocation, describe_verdict, summary,
};
use crate::options::{
    self, Algorithm, Hierarchy, Nd3minOptions, OracleKind, RunOptions, Scheduler,
};
use crate::run::store::SqliteStore;

/// Cut a trace down to the few steps that matter
///
/// Checks first that the trace reproduces, and last that the reduced trace does. Exit code 3 if it does not.
#[derive(Debug, Args)]
pub struct ReduceCommand {
    /// A `.retap` file, or a run whose crashes are cut down one after the other
    #[arg(value_name = "TRACE|RUN", required_unless_present = "resume")]
    source: Option<PathBuf>,
    /// Only this crash of the run; the first digits of its id are enough
    #[arg(long, value_name = "ID")]
    crash: Option<String>,
    #[command(flatten)]
    phones: PhoneArguments,
    /// Target to keep: `crash`, `activity:NAME`, `screen:TEXT` or `log:REGEX`; default: the target of the trace
    #[arg(long, value_parser = parse_target)]
    target: Option<String>,
    /// Reduction algorithm; default: `auto`
    #[arg(long, value_enum)]
    algorithm: Option<Algorithm>,
    /// Hierarchical algorithms: level of the states in the tree; default: `activity`
    #[arg(long, value_enum)]
    hierarchy: Option<Hierarchy>,
    /// Oracle: `phones`, or the `recording` itself as an activity machine; default: `phones`
    #[arg(long, value_enum)]
    oracle: Option<OracleKind>,
    /// `nd3min`: scheduler of the rounds; default: `heuristic`
    #[arg(long, value_enum)]
    scheduler: Option<Scheduler>,
    /// `nd3min`: number of parts of the first round; default: 5
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    parts: Option<u32>,
    /// Maximum number of concurrent runs; default: the number of phones
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    parallel: Option<u32>,
    /// How many of the first runs of the whole trace must do it; `nd3min` asks for 15 where a candidate needs 18
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    original_successes: Option<u32>,
    /// `auto`: the result must do it no less often than the original, even if that is seldom
    #[arg(long, conflicts_with_all = ["successes", "original_successes"])]
    keep_rate: bool,
    /// Leave steps out and nothing else: no shorter texts, no taps for long presses, no shorter waits
    #[arg(long)]
    only_delete: bool,
    /// Prior of candidates: `paper`, `learned` from the store's runs, or a table; default: `paper`
    #[arg(long, value_name = "FILE|learned|paper")]
    prior: Option<String>,
    /// Runs of each candidate; default: 1, for `nd3min` 20
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
    /// Runs that must reach the target; default: all, for `nd3min` nine of ten
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    successes: Option<u32>,
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
            "source", "crash", "device", "count", "user", "keep_agent", "allow", "target", "algorithm", "runs", "successes", "seed", "out", "config",
            "scheduler", "parts", "parallel", "original_successes", "prior", "keep_rate", "only_delete",
            "hierarchy", "oracle",
        ]
    )]
    resume: Option<PathBuf>,
    /// The result as one JSON object a trace
    #[arg(long)]
    json: bool,
}

impl ReduceCommand {
    pub fn run(
        &self,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<CommandExit, CommandError> {
        let (job, settings) = match (&self.resume, &self.source) {
            (Some(run), _) => {
                ActiveRun::resume(run, global.named_store().as_deref(), shell, reduce_options)?
            }
            (None, source) => self.start(source.clone().unwrap_or_default(), global, shell)?,
        };
        let place = job.run().directory().path().to_owned();
        let (exit, shortened) =
            job.execute(async |job| operations::reduce_all(job, &settings).await)?;
        for one in &shortened {
            shell.console.result(&if self.json {
                in_json(one, &place)
            } else {
                in_words(one, &place)
            })?;
        }
        if !self.json {
            shell.console.result(&place.display().to_string())?;
        }
        match NotReproduced::among(&shortened) {
            Some(failure) if exit == CommandExit::DoesNotReproduce => Err(failure.into()),
            _ => Ok(exit),
        }
    }

    fn start(
        &self,
        source: PathBuf,
        global: &GlobalArguments,
        shell: &CommandContext,
    ) -> Result<(ActiveRun, options::ReduceOptions), CommandError> {
        let config = global.config()?;
        let traces = ReductionSource::read(&source, self.crash.as_deref())?;
        let algorithm = self
            .algorithm
            .or(config.reduce.algorithm)
            .unwrap_or(Algorithm::Auto);
        // A rate that is to be kept must first be known.
        let default = self.keep_rate.then_some(options::NOISY_RUNS);
        let runs = self.runs.or(config.reduce.runs).or(default);
        let (runs, successes) = algorithm.rules(runs, self.successes.or(config.reduce.successes));
        let only_nd3min = self
            .scheduler
            .map(|_| "--scheduler")
            .or(self.parts.map(|_| "--parts"));
        if let Some(option) = only_nd3min.filter(|_| algorithm != Algorithm::Nd3min) {
            return Err(OptionConflict {
                option,
                of: Algorithm::Nd3min,
                algorithm,
            }
            .into());
        }
        if self.hierarchy.is_some() && !algorithm.is_hierarchical() {
            return Err(OptionConflict {
                option: "--hierarchy",
                of: Algorithm::Lhdd,
                algorithm,
            }
            .into());
        }
        if self.keep_rate && algorithm != Algorithm::Auto {
            return Err(OptionConflict {
                option: "--keep-rate",
                of: Algorithm::Auto,
                algorithm,
            }
            .into());
        }
        let store = global.store(&config);
        let prior = self.prior.as_deref().filter(|name| *name != "paper");
        let prior = prior
            .map(|name| operations::load_prior(name, &SqliteStore::open(&store)?))
            .transpose()?;
        let settings = options::ReduceOptions {
            device: self.phones.device(&config)?,
            count: self.phones.count(&config),
            source,
            target: self.target.clone().or_else(|| config.reduce.target.clone()),
            algorithm,
            runs,
            successes,
            parallel: self.parallel,
            original_successes: self.original_successes,
            nd3min: Nd3minOptions {
                scheduler: self.scheduler.unwrap_or(Scheduler::Heuristic),
                parts: self.parts.unwrap_or(options::DEFAULT_PARTS),
            },
            keep_rate: self.keep_rate,
            only_delete: self.only_delete,
            prior: prior.map(|prior| prior.to_text()),
            hierarchy: self.hierarchy.unwrap_or_default(),
            oracle: self.oracle.unwrap_or_default(),
        };
        traces.check(&settings)?;
        let place = RunLocation {
            out: self.out.clone(),
            store: Some(store),
        };
        let seed = arguments::seed(self.seed, &config);
        let job = ActiveRun::start(RunOptions::Reduce(settings.clone()), seed, &place, shell)?;
        traces.copy_into(job.run().directory())?;
        Ok((job, settings))
    }
}

fn reduce_options(settings: &RunOptions) -> Option<options::ReduceOptions> {
    match settings {
        RunOptions::Reduce(settings) => Some(settings.clone()),
        RunOptions::Demo(_) | RunOptions::Explore(_) | RunOptions::ReduceSuite(_) => None,
    }
}

fn parse_target(text: &str) -> Result<String, String> {
    text.parse::<Target>()
        .map(|_| text.to_owned())
        .map_err(|error| error.help())
}

/// What is left, step by step, and where it is.
fn in_words(one: &ReducedTrace, run: &Path) -> String {
    let short = summary::reduced_trace(one);
    if one.file.is_empty() {
        format!("{short}\n")
    } else {
        format!("{short}\n  {}\n", run.join(&one.file).display())
    }
}

fn in_json(one: &ReducedTrace, run: &Path) -> String {
    let check =
        |check: &ReproductionCheck| json!({ "successes": check.successes, "runs": check.runs });
    json!({
        "result": "reduce",
        "outcome": one.reduction.outcome,
        "target": one.target,
        "from": one.original_steps,
        "to": one.reduction.trace.steps.len(),
        "simplified": one.reduction.simplified,
        "runs": one.reduction.runs,
        "original": (one.reduction.original.runs > 0).then(|| check(&one.reduction.original)),
        "replays": one.reduction.result.as_ref().map(check),
        "check": one.reduction.result.as_ref().zip(one.reduction.confidence).map(|(result, sure)| format!("{} {}", result.successes, summary::confidence(sure))),
        "file": (!one.file.is_empty()).then(|| run.join(&one.file).to_string_lossy().into_owned()),
        "run": run.to_string_lossy(),
    })
    .to_string()
}

#[derive(Debug, thiserror::Error)]
#[error("`{option}` is for `--algorithm {}`, and this is `{}`", .of.name(), .algorithm.name())]
struct OptionConflict {
    option: &'static str,
    of: Algorithm,
    algorithm: Algorithm,
}

impl UserError for OptionConflict {
    fn exit(&self) -> CommandExit {
        CommandExit::Usage
    }

    fn help(&self) -> String {
        format!(
            "leave `{}` away, or say `--algorithm {}`",
            self.option,
            self.of.name()
        )
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{}", if .which.len() == 1 { "the trace does not reproduce" } else { "some traces do not reproduce" })]
struct NotReproduced {
    which: Vec<String>,
}

impl NotReproduced {
    fn among(shortened: &[ReducedTrace]) -> Option<NotReproduced> {
        let which: Vec<String> = shortened
            .iter()
            .filter(|one| one.reduction.outcome == Outcome::DoesNotReproduce)
            .map(|one| {
                let instead = one
                    .reduction
                    .original
                    .failure
                    .as_ref()
                    .map(describe_verdict)
                    .unwrap_or_default();
                let what = summary::reduced_trace_name(one);
                let share = summary::success_rate(&one.reduction.original);
                format!("{what}: reproduced in {share}; first failure: {instead}")
            })
            .collect();
        (!which.is_empty()).then_some(NotReproduced { which })
    }
}

impl UserError for NotReproduced {
    fn exit(&self) -> CommandExit {
        CommandExit::DoesNotReproduce
    }

    fn details(&self) -> Vec<String> {
        self.which.clone()
    }

    fn help(&self) -> String {
        "if it works only sometimes, ask for less: `--runs 20 --successes 5`; else see whether app and phone are the same"
            .into()
    }
}
