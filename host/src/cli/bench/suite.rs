//! `retap bench suite`: whole suites on simulated apps.

use clap::{Args, ValueEnum};
use retap_reduce::suite;

use crate::bench::suite::{self as bench, SuiteBenchOptions};
use crate::cli::{abstraction, arguments};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::devices;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};
use crate::options::SuiteAlgorithm;

/// What cutting down whole suites leaves and costs: suites that `explore` records on simulated apps, in virtual time
#[derive(Debug, Args)]
pub struct BenchSuiteCommand {
    /// Only these apps
    #[arg(long, value_name = "NAME")]
    app: Vec<String>,
    /// Only these algorithms
    #[arg(long, value_enum)]
    algorithm: Vec<SuiteAlgorithm>,
    /// Events of each suite
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 8_500)]
    events: u64,
    /// Events between two clean starts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 17)]
    session_events: u32,
    /// In how many runs a trace must visit the same screens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 10)]
    replays: u32,
    /// How many phones work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Which screens count as the same, as for `reduce-suite`
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Parameters of the simulated phones, such as `noise=0.002`
    #[arg(long, value_name = "TEXT", default_value = "")]
    parameters: String,
    /// The number that makes the suites
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl BenchSuiteCommand {
    pub fn run(&self, shell: &CommandContext) -> Result<CommandExit, CommandError> {
        let rules = SuiteBenchOptions {
            events: self.events,
            session_events: self.session_events,
            replays: self.replays,
            phones: self.count,
            abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
            parameters: self.parameters.clone(),
        };
        let named = !self.app.is_empty();
        let apps: Vec<String> = if named {
            self.app.clone()
        } else {
            retap_simulator::app_names()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        let algorithms: &[SuiteAlgorithm] = if self.algorithm.is_empty() {
            SuiteAlgorithm::value_variants()
        } else {
            &self.algorithm
        };
        let mut all = Vec::new();
        for app in &apps {
            devices::check(&format!("sim:{app}"))?;
            let recording = bench::traces(app, &rules, self.seed, &shell.cancellation);
            let traces = operations::block_on(ClockKind::Virtual, recording)??;
            if shell.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            for algorithm in algorithms.iter().rev() {
                let algorithm = match algorithm {
                    SuiteAlgorithm::Detreduce => suite::SuiteReductionAlgorithm::DetReduce,
                    SuiteAlgorithm::Auto => suite::SuiteReductionAlgorithm::Auto,
                };
                let run = bench::run(
                    app,
                    &traces,
                    algorithm,
                    &rules,
                    self.seed,
                    &shell.cancellation,
                );
                let Some(smaller) = operations::block_on(ClockKind::Virtual, run)?? else {
                    return Ok(CommandExit::Interrupted);
                };
                shell.console.result(&if self.json {
                    smaller.to_json()
                } else {
                    smaller.in_words()
                })?;
                all.push(smaller);
            }
        }
        if !self.json {
            for line in bench::pooled(&all) {
                shell.console.result(&line)?;
            }
        }
        Ok(CommandExit::Done)
    }
}
