//! `retap bench suite`: whole suites on simulated apps.

use clap::Args;
use retap_reduce::named_choice::NamedChoice;
use retap_reduce::suite::SuiteReductionAlgorithm;

use crate::bench::suite::{self as bench, SuiteBenchOptions};
use crate::cli::named_choice::choice_parser;
use crate::cli::{abstraction, arguments};
use crate::command_context::CommandContext;
use crate::command_error::CommandError;
use crate::exit::CommandExit;
use crate::operations::{self, ClockKind};

/// What the reduction of whole suites leaves and costs: suites that `explore` records on simulated apps, in virtual time
#[derive(Debug, Args)]
pub struct BenchSuiteCommand {
    /// Only these apps
    #[arg(long, value_name = "NAME")]
    app: Vec<String>,
    /// Only these algorithms
    #[arg(long, value_parser = choice_parser::<SuiteReductionAlgorithm>())]
    algorithm: Vec<SuiteReductionAlgorithm>,
    /// Events of each suite
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = arguments::parse_events, default_value_t = 8_500)]
    events: u64,
    /// Events between two clean starts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 17)]
    session_events: u32,
    /// Runs in which a trace must visit the same screens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 10)]
    replays: u32,
    /// Number of phones that work side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000), default_value_t = 1)]
    count: u32,
    /// Which screens count as the same, as for `reduce-suite` [default: widgets]
    #[arg(long, value_name = "activity|widgets|ape|FILE")]
    abstraction: Option<String>,
    /// Parameters of the simulated phones, such as `noise=0.002`
    #[arg(long, value_name = "TEXT", default_value = "")]
    parameters: String,
    /// Seed of the suites
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = arguments::parse_seed, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl BenchSuiteCommand {
    fn options(&self) -> Result<SuiteBenchOptions, CommandError> {
        Ok(SuiteBenchOptions {
            events: self.events,
            session_events: self.session_events,
            replays: self.replays,
            phones: self.count,
            abstraction: abstraction::parse_abstraction(self.abstraction.as_deref())?,
            parameters: self.parameters.clone(),
        })
    }

    pub fn run(&self, context: &CommandContext) -> Result<CommandExit, CommandError> {
        let options = self.options()?;
        let apps: Vec<&str> = match self.app.is_empty() {
            true => retap_simulator::app_names().to_vec(),
            false => self.app.iter().map(String::as_str).collect(),
        };
        let algorithms = match self.algorithm.is_empty() {
            true => SuiteReductionAlgorithm::ALL,
            false => &self.algorithm,
        };
        let mut all = Vec::new();
        for app in apps {
            let recording = bench::traces(app, &options, self.seed, &context.cancellation);
            let traces = operations::block_on(ClockKind::Virtual, recording)??;
            if context.cancellation.is_cancelled() {
                return Ok(CommandExit::Interrupted);
            }
            for &algorithm in algorithms.iter().rev() {
                let run = bench::run(
                    app,
                    &traces,
                    algorithm,
                    &options,
                    self.seed,
                    &context.cancellation,
                );
                let Some(reduced) = operations::block_on(ClockKind::Virtual, run)?? else {
                    return Ok(CommandExit::Interrupted);
                };
                context.console.result(&if self.json {
                    reduced.to_json()
                } else {
                    reduced.in_words()
                })?;
                all.push(reduced);
            }
        }
        if !self.json {
            for line in bench::pooled(&all) {
                context.console.result(&line)?;
            }
        }
        Ok(CommandExit::Done)
    }
}
